"""Keeps what is known of each game, for agents, networks and numpy strategies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bsbench.kernels.known import begin_known, note_shots, room_for
from bsbench.own.choosing import Cells
from bsbench.rules.board import Rules
from bsbench.strategies.view import View


class Notebook:
    """What is known in each lane.

    Attributes
    ----------
    known : Known
        Written in place by `begin` and `note`.
    board : ndarray of int8, shape (lanes, cells)
        That of ``known``.
    """

    def __init__(self, rules: Rules, lanes: int) -> None:
        self.known = room_for(rules, lanes)
        self._flat = self.known.flat()
        self.board = self._flat.board
        self._cols = rules.cols
        self._fleet = np.array(rules.fleet, np.int64)

    def begin(self, lanes: Cells) -> None:
        """Begin games in some lanes: nothing is known."""
        begin_known(lanes, self._fleet, *self._flat)

    def note(self, view: View) -> None:
        """Take note of the last shot of every live game."""
        note_shots(view.last_shots, self._cols, self._fleet, *self._flat)

    def is_open(self, lane: int) -> npt.NDArray[np.bool_]:
        """Return which cells of a lane have not been shot, shape (cells,)."""
        is_open: npt.NDArray[np.bool_] = self.known.open[lane].view(np.bool_)
        return is_open
