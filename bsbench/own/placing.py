"""Placing ships as a game that users' programs play: a move is a layout, a lane each of its ships.

So a program writes a law: ``bsbench layouts`` saves its layouts as a file, and ``file:PATH`` deals
them. Records hold that file, and no code.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from bsbench.common.errors import BsbenchError, Fault
from bsbench.own.choosing import Cells, Chooser, Flags
from bsbench.own.contract import GAME as BATTLESHIP
from bsbench.own.contract import GameKind
from bsbench.own.declaring import Declaration, declaration
from bsbench.rules.board import Rules
from bsbench.rules.layout import layout_codes


class PlacingRequest:
    """Asks for the layout of a game.

    Parameters
    ----------
    cells : int
        Of the board.

    Attributes
    ----------
    shots : ndarray of int64, shape (cells,)
        The shots at the layout before, in order; -1 after the last. All are -1 where there was
        none, or nobody shoots.
    number : ndarray of int64, shape (1,)
        A random number that belongs to the game, and reveals nothing of it.
    """

    def __init__(self, cells: int) -> None:
        self.shots = np.full(cells, -1, np.int64)
        self.number = np.zeros(1, np.int64)

    @property
    def fired(self) -> list[int]:
        """The shots at the layout before."""
        fired: list[int] = self.shots[self.shots >= 0].tolist()
        return fired


class LayoutChooser(Chooser):
    """Plays a class with ``place(rules, rng) -> layout``; one object places all games in order.

    If somebody shoots at its layouts, ``told(shots)`` has the cells of each game, in order.
    """

    method = "place"
    _placer: Any = None

    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Do nothing: a request has the random number of its game."""

    def _choose(self, view: PlacingRequest) -> Cells:
        # The time is that of a layout.
        self.used[0] = 0.0
        fired = view.fired
        if fired and hasattr(self._placer, "told"):
            self._asked(0, self._placer.told, fired)
        found = self._asked(0, self._placed, random.Random(int(view.number[0])))
        if isinstance(found, BsbenchError):
            raise Fault(0, f"place returned no legal layout: {found}")
        return np.array(found, np.int64)

    def _placed(self, rng: random.Random) -> list[int] | BsbenchError:
        """Return the slot codes of a layout, or what is wrong with it.

        To read it may run the user's code, too, such as a generator: here its time is watched.
        """
        if self._placer is None:
            self._placer = self.player(**self.terms.parameters)
        layout = self._placer.place(self.rules, rng)
        try:
            return layout_codes(layout, self.rules)
        except BsbenchError as error:
            return error


class Placing(GameKind):
    """Layouts, one after the other."""

    name = "placement"
    role = "placer"
    roles = "placers"
    methods = ("place",)
    wanted = "a method place(self, rules, rng), which returns the cells of each ship"
    description = Declaration

    def describe(self, player: type, called: str) -> Declaration:
        """Return the name and the parameters of a user's class."""
        if not callable(getattr(player, "place", None)):
            raise BsbenchError(f"{called} is not a placer: it needs {self.wanted}")
        return declaration(player, called, place=["rules", "rng"], told=["shots"])

    def read_rules(self, content: dict[str, Any]) -> Rules:
        """Return the rules by their fields."""
        return BATTLESHIP.read_rules(content)

    def chooser(self, kind: str) -> type[Chooser]:
        """Return what plays a class."""
        return LayoutChooser

    def view(self, rules: Rules, lanes: int) -> PlacingRequest:
        """Return a request."""
        return PlacingRequest(rules.cells)

    def arrays(self, rules: Rules) -> tuple[str, ...]:
        """Return the names of the arrays of a request."""
        return "shots", "number"


GAME = Placing()
