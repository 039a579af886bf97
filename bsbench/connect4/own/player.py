"""A user's player in the place of a built-in one, and what makes it.

``my_file.py:Mine``, ``my_file.py``
    a class in a file, by name or as its only player; modules beside the file can be imported
    there;
``package.module:Mine``
    a class in a module;
``cmd:./my_bot --level 3``
    a program that talks in lines; no shell reads the command, and all of it belongs to the name.
"""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.settings import is_command
from bsbench.connect4.faults import fault_at
from bsbench.connect4.own.bot import Bot, Bots
from bsbench.connect4.own.game import GAME, Moves, Rules
from bsbench.connect4.players.base import Analysis, Boards, Columns, Played, Player
from bsbench.connect4.position import COLUMNS, Position, open_columns
from bsbench.kernels.random import stream_key
from bsbench.matches.faults import PlayerError
from bsbench.matches.player import Games
from bsbench.own.choosing import Terms
from bsbench.own.importing import task_of
from bsbench.own.program import programs_of
from bsbench.own.proxy import Declared, Proxy, stand_in
from bsbench.own.thinker import Limits, thinkers_of

TIMEOUT = 10.0
"""Seconds that a move of a user's player may take, by default."""

_LONGEST = 86_400.0
"""Seconds of a limit at most."""

_AT_ONCE = 64
"""Games that a class plays at once."""

_LARGEST = 1 << 26
"""Bytes of a file that is part of a player's source."""


def check_timeout(seconds: float) -> float:
    """Return a time limit.

    Raises
    ------
    BsbenchError
        If it is out of range.
    """
    if not 0 < seconds <= _LONGEST:
        raise BsbenchError(
            f"a time limit of {seconds:g} seconds makes no sense: give up to {_LONGEST:,.0f}"
        )
    return seconds


class OwnPlayer(Declared, Player):
    """A user's player.

    It knows the seed and games by their numbers; what chooses knows neither: a game has a lane,
    and a random number that reveals nothing of them.
    """

    own = True
    source = "a user's own"
    timeout = TIMEOUT
    most_games: ClassVar[int] = _AT_ONCE

    @property
    def games_at_once(self) -> int:
        """The number of games that it plays at once, at most."""
        return self.most_games

    def clock(self) -> float:
        """Return the time that has passed: that of the processor is spent elsewhere."""
        return time.perf_counter()

    def begin(self, seed: int) -> None:
        """Let what chooses begin.

        Raises
        ------
        PlayerError
            If it fails.
        """
        super().begin(seed)
        self._seed, self._view = seed, Moves(self.most_games)
        # Of games by number and side; the one that was asked last is the last.
        self._lanes: OrderedDict[tuple[int, bool], int] = OrderedDict()
        self._free = list(range(self.most_games))
        late = f"it took more than {self.timeout:g} s for a move"
        terms = Terms(self.name, self.parameters, Rules(), self.most_games, 0, self.timeout, late)
        try:
            self._take(terms)
        except Fault as fault:
            raise PlayerError(self.label, "as it begins", fault) from None

    def choose_after(self, played: Played, boards: Boards, games: Games) -> Columns:
        """Ask for a column in each game."""
        view, plies = self._view, played.shape[1]
        lanes, begun = self._lanes_of(games.tolist(), bool(plies % 2))
        view.asked[:] = False
        view.asked[lanes], view.plies[lanes] = True, plies
        view.played[lanes, :plies] = played
        try:
            if begun:
                self._chosen_by.deal(np.array([*begun]), np.array([*begun.values()]))
            columns = self._chosen_by.shoot(view)[lanes]
        except Fault as fault:
            # A process may say anything.
            row = lanes.index(fault.lane) if fault.lane in lanes else 0
            raise Fault(row, fault.problem, fault.line) from None
        for row, (column, stones) in enumerate(
            zip(columns.tolist(), boards[:, 1].tolist(), strict=True)
        ):
            room = open_columns(stones)
            if column not in room:
                self.kill()
                what = "full" if 0 <= column < COLUMNS else "not on the board"
                there = " ".join(map(str, room))
                problem = f"it plays column {column}, which is {what}: there is room in {there}"
                raise Fault(row, problem)
        return columns

    def analyse(self, position: Position, game: int = 0) -> Analysis:
        """Return the column it plays; it gives no scores.

        Raises
        ------
        PlayerError
            If it fails.
        """
        try:
            return super().analyse(position, game)
        except Fault as fault:
            raise fault_at(self, position.played, fault) from None

    def _lanes_of(self, games: Iterable[int], second: bool) -> tuple[list[int], dict[int, int]]:
        """Return the lanes of games; and by lane, the random numbers of those that begin."""
        lanes, begun = [], {}
        side = "second" if second else "first"
        for game in games:
            key = game, second
            if key not in self._lanes:
                # A game that was not played to its end makes room.
                free = self._free.pop(0) if self._free else self._lanes.popitem(last=False)[1]
                self._lanes[key] = free
                begun[free] = int(stream_key(f"connect4 game {game} {side}", self._seed)) >> 1
            self._lanes.move_to_end(key)
            lanes.append(self._lanes[key])
        return lanes, begun

    def over(self, games: Games, second: npt.NDArray[np.bool_], outcomes: Games) -> None:
        """Pass on that games have ended."""
        for game, side, outcome in zip(
            games.tolist(), second.tolist(), outcomes.tolist(), strict=True
        ):
            lane = self._lanes.pop((game, side), None)
            if lane is not None:
                self._free.append(lane)
                if isinstance(self._chosen_by, Bot):
                    self._chosen_by.over(lane, outcome)


class StandIn(Proxy, OwnPlayer):
    """A user's player that plays in another process."""


def own_kind(name: str, longest_start: float) -> type[OwnPlayer]:
    """Return the player that a user names.

    Parameters
    ----------
    name : str
    longest_start : float
        Seconds that a program may take to start.

    Raises
    ------
    BsbenchError
        If there is none, it can't be imported or started, or is no player.
    """
    if is_command(name):
        bots = programs_of(Bots, name, Limits(longest_start=longest_start))
        facts = {"source": _source(bots.command.files), "most_games": bots.announced.games}
        return type("Program", (StandIn,), {"name": name, "talkers": bots, **facts})
    if name.startswith("llm:"):
        raise BsbenchError(
            f"{name!r} is a language model, which can't play Connect 4: your own player is "
            "FILE.py:CLASS, PACKAGE.MODULE:CLASS or cmd:COMMAND"
        )
    task = task_of(name, GAME)
    thinkers = thinkers_of(task, GAME)
    facts = {"name": name, "talkers": thinkers, "source": _source([Path(task.place)])}
    return stand_in(StandIn, task.name, name, thinkers.description, GAME, **facts)


def class_kind(player: type) -> type[OwnPlayer]:
    """Return the player of a class that is there already, played in this process without a limit.

    Raises
    ------
    BsbenchError
        If it is no player.
    """
    name = player.__name__
    about = GAME.describe(player, name)
    return stand_in(OwnPlayer, name, name, about, GAME, player=player, timeout=math.inf)


def _source(files: Iterable[Path]) -> str:
    """Return what a player's source is called: a digest of some files, if they are, is part.

    So a journal of a match does not go on with a player that has been changed.
    """
    digest, found = hashlib.blake2b(digest_size=6), False
    for path in files:
        if os.path.isfile(path) and path.stat().st_size <= _LARGEST:
            digest.update(path.read_bytes())
            found = True
    return f"a user's own, {digest.hexdigest()}" if found else "a user's own"
