"""Connect 4 as a game that users' players play: see `bsbench.own.contract`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, Fault
from bsbench.connect4.own.view import View
from bsbench.connect4.position import CELLS, COLUMNS
from bsbench.own.choosing import Cells, Chooser, ObjectChooser
from bsbench.own.contract import Game
from bsbench.own.declaring import Declaration, declaration


@dataclass(frozen=True)
class Rules:
    """Nothing can be chosen."""


@dataclass
class Moves:
    """The columns played in some games, each in a *lane*.

    Attributes
    ----------
    lanes : int
    plies : ndarray of int64, shape (lanes,)
        How many are played in each game.
    played : ndarray of int8, shape (lanes, 42)
        These columns, 0 to 6.
    asked : ndarray of bool, shape (lanes,)
        Lanes in which a column is to be chosen.
    """

    lanes: int
    plies: npt.NDArray[np.int64] = field(init=False)
    played: npt.NDArray[np.int8] = field(init=False)
    asked: npt.NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.plies = np.zeros(self.lanes, np.int64)
        self.played = np.zeros((self.lanes, CELLS), np.int8)
        self.asked = np.zeros(self.lanes, np.bool_)

    def of(self, lane: int) -> tuple[int, ...]:
        """Return the columns played in a lane."""
        return tuple(self.played[lane, : self.plies[lane]].tolist())


class ColumnChooser(ObjectChooser):
    """Plays a class with ``choose(view) -> column``; the time is that of a move, not of a game."""

    method = "choose"

    def _choose(self, view: Moves) -> Cells:
        for lane in np.flatnonzero(view.asked).tolist():
            self.used[lane] = 0.0
            shown = View(view.of(lane))
            column = self._number(lane, self._ask(lane, shown))
            if column not in shown.columns:
                what = "is full" if 0 <= column < COLUMNS else "is not on the board"
                room = ", ".join(map(str, shown.columns))
                problem = f"choose returned {column}: that column {what}; there is room in {room}"
                raise Fault(lane, problem)
            self._moves[lane] = column
        return self._moves

    def _wanted(self, answer: Any) -> str:
        return "a column, 0 to 6"


class ConnectFour(Game):
    """Columns in many games."""

    name = "connect4"
    role = "player"
    roles = "players"
    methods = ("choose",)
    wanted = "a method choose(self, view), which returns a column, 0 to 6"
    description = Declaration

    def describe(self, player: type, called: str) -> Declaration:
        """Return the parameters of a user's class: its fields, or what ``__init__`` takes."""
        if not callable(getattr(player, "choose", None)):
            raise BsbenchError(f"{called} is not a player: it needs {self.wanted}")
        return declaration(player, called, choose=["view"], reset=["rng"])

    def read_rules(self, content: dict[str, Any]) -> Rules:
        """Return the rules."""
        return Rules()

    def chooser(self, kind: str) -> type[Chooser]:
        """Return what plays a class."""
        return ColumnChooser

    def view(self, rules: Rules, lanes: int) -> Moves:
        """Return a view of no games yet."""
        return Moves(lanes)

    def arrays(self, rules: Rules) -> tuple[str, ...]:
        """Return the names of the arrays of a view."""
        return "plies", "played", "asked"


GAME = ConnectFour()
