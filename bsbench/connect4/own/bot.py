"""A user's player in the place of a built-in one."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.settings import setting_text
from bsbench.connect4.faults import fault_at
from bsbench.connect4.own.partner import Asked, Partner
from bsbench.connect4.players.base import Analysis, Boards, Columns, Games, Played, Player
from bsbench.connect4.position import Position
from bsbench.kernels.random import stream_key

TIMEOUT = 10.0
"""Seconds that a move of a user's player may take, by default."""

_LONGEST = 86_400.0
"""Seconds of a limit at most."""

Hear = Callable[[bytes], object]

Start = Callable[["Bot"], Partner]
"""Starts what is asked for columns, for a player that begins."""


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


class Bot(Player):
    """A user's player.

    It knows the seed and games by their numbers; whom it asks knows neither: a game has a place,
    and a random number that reveals nothing of them.

    Parameters
    ----------
    name : str
        What names it on the command line, without settings.
    settings : mapping of str to object
    start : callable
    source : str
        Where its code is.

    Attributes
    ----------
    timeout : float
        Seconds that a move may take.
    hash_seed : int
        On which the order of sets of texts depends, for a class in Python.
    hear : callable or None
        Called with what it writes to stderr, bytes.
    """

    own = True

    def __init__(
        self, name: str, settings: Mapping[str, Any], start: Start, source: str = "a user's own"
    ) -> None:
        # Each has a name of its own, not that of a class.
        self.name, self.source = name, source  # type: ignore[misc]
        self._settings, self._start = dict(settings), start
        self.timeout, self.hash_seed = TIMEOUT, 0
        self.hear: Hear | None = None
        self._partner: Partner | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """Settings by name, as they were given."""
        return dict(self._settings)

    @property
    def label(self) -> str:
        """The name and the settings."""
        return " ".join([self.name, *self._set()])

    @property
    def spec(self) -> str:
        """What makes it again, as written on the command line."""
        return ",".join([self.name, *self._set()])

    def _set(self) -> list[str]:
        return [setting_text(name, value) for name, value in self._settings.items()]

    @property
    def games_at_once(self) -> int:
        """The number of games that it plays at once, at most."""
        return self._partner.games if self._partner else 1

    def clock(self) -> float:
        """Return the time that has passed: that of the processor is spent elsewhere."""
        return time.perf_counter()

    def copy(self) -> Self:
        """Return a player that will ask somebody of its own."""
        other = type(self)(self.name, self._settings, self._start, self.source)
        other.timeout, other.hash_seed, other.hear = self.timeout, self.hash_seed, self.hear
        return other

    def begin(self, seed: int) -> None:
        """Start whom it asks."""
        super().begin(seed)
        self.close()
        self._seed = seed
        self._partner = self._start(self)
        # Of games by number and side; the one that was asked last is the last.
        self._places: OrderedDict[tuple[int, bool], int] = OrderedDict()
        self._free = list(range(self._partner.games))

    def choose_after(self, played: Played, boards: Boards, games: Games) -> Columns:
        """Ask for a column in each game."""
        assert self._partner is not None
        second = bool(played.shape[1] % 2)
        asked = []
        for moves, (_, stones), game in zip(
            played.tolist(), boards.tolist(), games.tolist(), strict=True
        ):
            place, number = self._place(game, second)
            asked.append(Asked(place, number, moves, stones))
        try:
            return np.array(self._partner.choose(asked), np.int64)
        except Fault as fault:
            lanes = {each.place: lane for lane, each in enumerate(asked)}
            alone = 0 if len(asked) == 1 else -1
            raise Fault(lanes.get(fault.lane, alone), fault.problem, fault.line) from None

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

    def _place(self, game: int, second: bool) -> tuple[int, int | None]:
        """Return the place of a game, and if it begins, its random number."""
        key = game, second
        if key in self._places:
            self._places.move_to_end(key)
            return self._places[key], None
        # A game that was not played to its end makes room.
        place = self._free.pop(0) if self._free else self._places.popitem(last=False)[1]
        self._places[key] = place
        side = "second" if second else "first"
        return place, int(stream_key(f"connect4 game {game} {side}", self._seed)) >> 1

    def over(self, games: Games, second: bool, outcome: int) -> None:
        """Pass on that games have ended."""
        keys = [(game, second) for game in games.tolist()]
        places = [self._places.pop(key) for key in keys if key in self._places]
        self._free += places
        if self._partner is not None and places:
            self._partner.over(places, outcome)

    def close(self) -> None:
        """End whom it asks."""
        if self._partner is not None:
            self._partner.end()
            self._partner = None

    def kill(self) -> None:
        """End whom it asks at once, whatever that does."""
        if self._partner is not None:
            self._partner.kill()

    def __del__(self) -> None:
        # A player that was asked for an analysis may be thrown away.
        if getattr(self, "_partner", None) is not None:
            self.close()
