"""Placing ships as a game that users' programs play: a move is a layout, a lane each of its ships.

So a program writes a law: ``bsbench layouts`` saves its layouts as a file, and ``file:PATH`` deals
them. Records hold that file, and no code.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bsbench.common.errors import BsbenchError, Fault
from bsbench.layouts.file import layout_codes
from bsbench.own.battleship import GAME as BATTLESHIP
from bsbench.own.choosing import Cells, Chooser, Flags
from bsbench.own.contract import Game
from bsbench.own.declaring import Declaration, declaration
from bsbench.rules.board import Rules


@dataclass
class Request:
    """Asks for the layout of a game.

    Attributes
    ----------
    number : ndarray of int64, shape (1,)
        A random number that belongs to the game, and reveals nothing of it.
    """

    number: Cells = field(default_factory=lambda: np.zeros(1, np.int64))


class LayoutChooser(Chooser):
    """Plays a class with ``place(rules, rng) -> layout``; one object places all games in order."""

    method = "place"
    _placer: Any = None

    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Do nothing: a request has the random number of its game."""

    def _choose(self, view: Request) -> Cells:
        # The time is that of a layout.
        self.used[0] = 0.0
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


class Placing(Game):
    """Layouts, one after the other."""

    name = "placement"
    role = "placer"
    roles = "placers"
    methods = ("place",)
    wanted = "a method place(self, rules, rng), which returns the cells of each ship"
    description = Declaration
    arrays = ("number",)

    def describe(self, player: type, called: str) -> Declaration:
        """Return the name and the parameters of a user's class."""
        if not callable(getattr(player, "place", None)):
            raise BsbenchError(f"{called} is not a placer: it needs {self.wanted}")
        return declaration(player, called, place=["rules", "rng"])

    def read_rules(self, content: dict[str, Any]) -> Rules:
        """Return the rules by their fields."""
        return BATTLESHIP.read_rules(content)

    def chooser(self, kind: str) -> type[Chooser]:
        """Return what plays a class."""
        return LayoutChooser

    def view(self, rules: Rules, lanes: int) -> Request:
        """Return a request."""
        return Request()


GAME = Placing()
