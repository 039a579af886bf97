"""Users' programs that place ships, seen from bsbench: classes and bots; docs/scenarios.md.

They know a game by a random number alone, which belongs to the placer's name, the seed and the
game; and, if somebody shoots at their layouts, the games before it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np

from bsbench.common.errors import BsbenchError, BsbenchWarning, Fault, with_line
from bsbench.common.settings import is_command, read_variant
from bsbench.common.texts import for_terminal
from bsbench.layouts import Codes
from bsbench.own.bot import rules_line
from bsbench.own.choosing import Cells, Flags, Terms, alias
from bsbench.own.importing import task_of
from bsbench.own.placing import GAME, PlacingRequest
from bsbench.own.printing import printed_text
from bsbench.own.program import Program, Programs, programs_of, shown
from bsbench.own.proxy import Proxy, stand_in
from bsbench.own.thinker import Limits, longest_start, thinkers_of
from bsbench.rules.board import Rules
from bsbench.rules.layout import layout_codes, layout_text

Shooter = Callable[[int, Codes], list[int]]
"""Plays a game, given its number and layout; returns the cells that were shot, in order."""


class PlacingBot(Program):
    """A program that places ships."""

    game = GAME.name

    def begin(self, terms: Terms) -> None:
        """Begin to play; layouts before are forgotten."""
        self._random = self.announced().random
        self._set_out()
        if why := self._refusal(rules_line(terms.rules, 1).encode()):
            raise BsbenchError(f"it refuses these rules: {why}")
        super().begin(terms)
        self._rules = terms.rules

    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Do nothing: a request has the random number of its game."""

    def shoot(self, view: PlacingRequest) -> Cells:
        """Return the slot codes of a layout, one for each ship."""
        # The time is that of a layout.
        self._used[0] = 0.0
        question = b"place %d\n" % view.number[0] if self._random else b"place\n"
        if (fired := view.fired) and "told" in self.announced().can:
            question = f"told {' '.join(map(str, fired))}\n".encode() + question
        line = self._answer(question)
        try:
            return np.array(layout_codes(line.decode(errors="replace"), self._rules), np.int64)
        except BsbenchError as error:
            raise self._fault(f"it answered with no legal layout: {error}", line) from None

    def _live(self) -> Cells:
        return np.zeros(1, np.int64)

    def _farewell(self) -> bytes:
        return b""


class PlacingBots(Programs[PlacingBot]):
    """The processes of one bot."""

    kind = PlacingBot


class Placer(Proxy):
    """A user's placer, in another process."""

    role = GAME.role

    def layouts(self, rules: Rules, games: int, seed: int, shooter: Shooter | None = None) -> Codes:
        """Return the layouts of the games from 0 on, placed in order.

        Parameters
        ----------
        rules : Rules
        games, seed : int
        shooter : callable, optional
            Plays a game: takes its number and layout, and returns the cells shot, in order. The
            placer is told them before it places again.

        Returns
        -------
        ndarray of int32, shape (games, ships)
            A slot code for each ship, in fleet order.

        Raises
        ------
        BsbenchError
            If a layout is illegal, or the user's code fails.
        """
        ships, late = len(rules.fleet), f"it took more than {self.timeout:g} s for a layout"
        facts = rules, ships, alias(self.name, seed), self.timeout, late, games
        request, where = PlacingRequest(rules.cells), "as it begins"
        layouts = np.zeros((games, ships), np.int32)
        try:
            with closing(self):
                self._take(Terms(self.name, self.parameters, *facts))
                for game in range(games):
                    where = f"game {game} of seed {seed}"
                    request.number[0] = alias(self.name, seed, game)
                    codes = self._chosen_by.shoot(request)
                    # A process may say anything.
                    layouts[game] = layout_codes(layout_text(codes, rules), rules)
                    if shooter is not None:
                        fired = shooter(game, layouts[game])
                        request.shots[:] = -1
                        request.shots[: len(fired)] = fired
        except (Fault, BsbenchError) as error:
            problem = with_line(f"{self.label!r}, {where}: {error}", getattr(error, "line", ""))
            raise BsbenchError(f"placer {for_terminal(problem)}") from None
        printed = self.printed
        if text := printed_text(f"placer {self.label!r}", printed.lines, printed.first):
            warnings.warn(text, BsbenchWarning, stacklevel=2)
        return layouts


def placer_of(spec: str, timeout: float) -> Placer:
    """Return the placer that a user names.

    Parameters
    ----------
    spec : str
        ``file.py:Name``, ``file.py``, ``package.module:Name`` or ``cmd:COMMAND``; parameters of a
        class follow after commas.
    timeout : float
        Seconds that a layout may take.

    Raises
    ------
    BsbenchError
        If there is none, it can't be imported or started, or is no placer.
    """
    name, settings = read_variant(spec)
    limits = Limits(longest_start=longest_start(timeout))
    if is_command(name):
        bots = programs_of(PlacingBots, name, limits)
        called = shown(bots.announced.name) or bots.command.name
        facts: dict[str, Any] = {"name": called, "talkers": bots}
        kind: type[Placer] = type("Program", (Placer,), facts)
    else:
        task = task_of(name, GAME)
        thinkers = thinkers_of(task, GAME, limits)
        about = thinkers.description
        kind = stand_in(Placer, about.name, name, about, GAME, talkers=thinkers)
    placer = kind.configured(settings)
    placer.timeout = timeout
    return placer
