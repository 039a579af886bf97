"""What a strategy may see: the rules, and its own shots with their outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.rules.board import NOTHING, Rules


class LastShots(NamedTuple):
    """Arrays of a `View` as one record, for kernels: what the last shots did."""

    live: npt.NDArray[np.bool_]
    cell: npt.NDArray[np.int64]
    outcome: npt.NDArray[np.uint8]
    ship: npt.NDArray[np.int64]
    slot: npt.NDArray[np.int64]
    shots: npt.NDArray[np.int64]


@dataclass
class View:
    """A batch of games in lockstep, seen from the shooter's side.

    Each game is played in a *lane*; when it is over, the lane may get a fresh game.
    All arrays have one entry per lane and are written by the referee, or by code in
    its place; never by a strategy. A strategy itself remembers what it needs of the shots before
    the last one.

    Attributes
    ----------
    rules : Rules
        Board, fleet, touching and feedback.
    lanes : int
        Number of lanes.
    live : ndarray of bool, shape (lanes,)
        Lanes whose game is not over; the others ask for no shot.
    asked : ndarray of bool, shape (lanes,)
        Live lanes whose next shot the strategy has to choose. It is ``live`` itself except for a
        strategy that shares decisions: then the simulator knows some shots from other games.
    shots : ndarray of int64, shape (lanes,)
        Shots fired so far in this game.
    cell : ndarray of int64, shape (lanes,)
        The last shot, or -1 before the first.
    outcome : ndarray of uint8, shape (lanes,)
        What it did: `~bsbench.rules.board.MISS`, `~bsbench.rules.board.HIT` or
        `~bsbench.rules.board.SUNK`; the last only under feedback ``sunk`` or ``ship``.
    ship : ndarray of int64, shape (lanes,)
        Index in the fleet of the ship hit (feedback ``ship``) or sunk (feedback
        ``sunk``, ``ship``) by the last shot; -1 where the feedback does not say it.
    slot : ndarray of int64, shape (lanes,)
        Where the ship sunk by the last shot lies, as ``2 * first cell + down``: it
        has the cells first, first + step, …, with step 1, or ``cols`` where
        ``down`` is 1. It is -1 when the last shot sank nothing, or the feedback does not say it.
    """

    rules: Rules
    lanes: int
    live: npt.NDArray[np.bool_] = field(init=False)
    asked: npt.NDArray[np.bool_] = field(init=False)
    shots: npt.NDArray[np.int64] = field(init=False)
    cell: npt.NDArray[np.int64] = field(init=False)
    outcome: npt.NDArray[np.uint8] = field(init=False)
    ship: npt.NDArray[np.int64] = field(init=False)
    slot: npt.NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.live = self.asked = np.zeros(self.lanes, np.bool_)
        self.shots = np.zeros(self.lanes, np.int64)
        self.cell = np.full(self.lanes, NOTHING, np.int64)
        self.outcome = np.zeros(self.lanes, np.uint8)
        self.ship = np.full(self.lanes, NOTHING, np.int64)
        self.slot = np.full(self.lanes, NOTHING, np.int64)

    def begin(self, lanes: npt.NDArray[np.int64]) -> None:
        """Begin fresh games in some lanes; for code that stands in the referee's place."""
        self.live[lanes] = True
        self.shots[lanes] = self.outcome[lanes] = 0
        self.cell[lanes] = self.ship[lanes] = self.slot[lanes] = NOTHING

    @property
    def last_shots(self) -> LastShots:
        """What the last shots did, as kernels take it."""
        return LastShots(self.live, self.cell, self.outcome, self.ship, self.slot, self.shots)
