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


class Salvo(NamedTuple):
    """What the last turn did where a turn has several shots, or one answer: see `Rules.salvos`.

    The shots of a turn are shown when all are fired. Row i of an array is lane i; ``most`` is
    `Rules.most_shots`.

    Attributes
    ----------
    allowed : ndarray of int64, shape (lanes,)
        Shots of the next turn at most.
    turns : ndarray of int64, shape (lanes,)
        Turns of this game so far.
    fired : ndarray of int64, shape (lanes,)
        Shots of the last turn, up to the last hit of the game; 0 before the first.
    cells : ndarray of int64, shape (lanes, most)
        Their cells, in order; -1 beyond them.
    hits : ndarray of int64, shape (lanes, ships)
        How many of them hit each ship: all that `Answers.JOINT` says. It is -1 where the feedback
        does not say which ship is hit.
    outcome : ndarray of uint8, shape (lanes, most)
        What each of them did, as ``outcome`` of `View`; of no meaning with joint answers.
    ship, slot : ndarray of int64, shape (lanes, most)
        As those of `View`, for each of them; -1 with joint answers.
    """

    allowed: npt.NDArray[np.int64]
    turns: npt.NDArray[np.int64]
    fired: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]
    hits: npt.NDArray[np.int64]
    outcome: npt.NDArray[np.uint8]
    ship: npt.NDArray[np.int64]
    slot: npt.NDArray[np.int64]


def empty_salvo(rules: Rules, lanes: int) -> Salvo:
    """Return room for salvos; `begin_salvos` begins games."""
    each = lanes, rules.most_shots
    return Salvo(
        allowed=np.zeros(lanes, np.int64),
        turns=np.zeros(lanes, np.int64),
        fired=np.zeros(lanes, np.int64),
        cells=np.full(each, NOTHING),
        hits=np.full((lanes, len(rules.fleet)), NOTHING),
        outcome=np.zeros(each, np.uint8),
        ship=np.full(each, NOTHING),
        slot=np.full(each, NOTHING),
    )


def begin_salvos(salvo: Salvo, lanes: npt.NDArray[np.int64]) -> None:
    """Begin fresh games in some lanes."""
    salvo.allowed[lanes] = salvo.cells.shape[1]
    salvo.turns[lanes] = salvo.fired[lanes] = salvo.outcome[lanes] = 0
    for each in (salvo.cells, salvo.hits, salvo.ship, salvo.slot):
        each[lanes] = NOTHING


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
    salvo : Salvo or None
        What the last turn did, under rules with `Rules.salvos`; None under others. ``cell``,
        ``outcome``, ``ship`` and ``slot`` are not written then. ``shots`` is, at the end of each
        turn; when the game is over, it counts up to the last hit.
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
    salvo: Salvo | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.live = self.asked = np.zeros(self.lanes, np.bool_)
        self.shots = np.zeros(self.lanes, np.int64)
        self.cell = np.full(self.lanes, NOTHING, np.int64)
        self.outcome = np.zeros(self.lanes, np.uint8)
        self.ship = np.full(self.lanes, NOTHING, np.int64)
        self.slot = np.full(self.lanes, NOTHING, np.int64)
        if self.rules.salvos:
            self.salvo = empty_salvo(self.rules, self.lanes)

    def begin(self, lanes: npt.NDArray[np.int64]) -> None:
        """Begin fresh games in some lanes; for code that stands in the referee's place."""
        self.live[lanes] = True
        self.shots[lanes] = self.outcome[lanes] = 0
        self.cell[lanes] = self.ship[lanes] = self.slot[lanes] = NOTHING
        if self.salvo is not None:
            begin_salvos(self.salvo, lanes)

    def fired(
        self, lanes: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the shots of the last move in some lanes: lane, cell and number, from 1, of each.

        A number is that of the shot in its game. Each array has the shape (shots,).
        """
        if self.salvo is None:
            return lanes, self.cell[lanes], self.shots[lanes]
        cells = self.salvo.cells[lanes]
        rows, places = np.nonzero(cells != NOTHING)
        before = self.shots[lanes] - self.salvo.fired[lanes]
        return lanes[rows], cells[rows, places], before[rows] + places + 1

    @property
    def last_shots(self) -> LastShots:
        """What the last shots did, as kernels take it."""
        return LastShots(self.live, self.cell, self.outcome, self.ship, self.slot, self.shots)
