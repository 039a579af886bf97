"""What a strategy may see: the rules, and its own shots with their outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels.turns import for_kernels
from bsbench.rules.board import NOTHING, Rules


class LastShots(NamedTuple):
    """Arrays of a `View` as one record, for kernels: what the last shots did."""

    live: npt.NDArray[np.bool_]
    cells: npt.NDArray[np.int64]
    outcomes: npt.NDArray[np.uint8]
    ships: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int64]
    shots: npt.NDArray[np.int64]


@dataclass
class View:
    """A batch of games in lockstep, seen from the shooter's side.

    Each game is played in a *lane*; when it is over, the lane may get a fresh game.
    All arrays have one entry per lane and are written by the referee, or by code in
    its place; never by a strategy. A strategy itself remembers what it needs of the shots before
    the last ones.

    A move is a *turn*: one shot or several, shown when all are fired. Arrays of shots have a column
    for each shot of a turn, ``most`` = `Rules.most_shots`. Where a turn is a single shot, their
    only column is all of them: ``cell``, ``outcome``, ``ship`` and ``slot``.

    Attributes
    ----------
    rules : Rules
        Board, fleet, touching and feedback.
    lanes : int
        Number of lanes.
    live : ndarray of bool, shape (lanes,)
        Lanes whose game is not over; the others ask for no shot.
    asked : ndarray of bool, shape (lanes,)
        Live lanes whose next turn the strategy has to choose. It is ``live`` itself except for a
        strategy that shares decisions: then the simulator knows some shots from other games.
    shots, turns : ndarray of int64, shape (lanes,)
        Shots fired so far in this game, up to its last hit; and turns. They are the same array
        where a turn is a single shot.
    allowed : ndarray of int64, shape (lanes,)
        Shots of the next turn at most.
    cells : ndarray of int64, shape (lanes, most)
        The shots of the last turn, in order, up to the last hit of the game; -1 beyond them, and
        before the first turn.
    outcomes : ndarray of uint8, shape (lanes, most)
        What each of them did: `~bsbench.rules.board.MISS`, `~bsbench.rules.board.HIT` or
        `~bsbench.rules.board.SUNK`; the last only under feedback ``sunk`` or ``ship``. Joint
        answers do not tell: this and the next two are not written then.
    ships : ndarray of int64, shape (lanes, most)
        Index in the fleet of the ship hit (feedback ``ship``) or sunk (feedback
        ``sunk``, ``ship``) by each of them; -1 where the feedback does not say it.
    slots : ndarray of int64, shape (lanes, most)
        Where the ship sunk by each of them lies, as ``2 * first cell + down``: it
        has the cells first, first + step, …, with step 1, or ``cols`` where
        ``down`` is 1. It is -1 when the shot sank nothing, or the feedback does not say it.
    hits : ndarray of int64, shape (lanes, ships)
        How many shots of the last turn hit each ship: all that joint answers say. Where each shot
        is answered, it has no columns.
    """

    rules: Rules
    lanes: int
    live: npt.NDArray[np.bool_] = field(init=False)
    asked: npt.NDArray[np.bool_] = field(init=False)
    shots: npt.NDArray[np.int64] = field(init=False)
    turns: npt.NDArray[np.int64] = field(init=False)
    allowed: npt.NDArray[np.int64] = field(init=False)
    cells: npt.NDArray[np.int64] = field(init=False)
    outcomes: npt.NDArray[np.uint8] = field(init=False)
    ships: npt.NDArray[np.int64] = field(init=False)
    slots: npt.NDArray[np.int64] = field(init=False)
    hits: npt.NDArray[np.int64] = field(init=False)
    cell: npt.NDArray[np.int64] = field(init=False)
    outcome: npt.NDArray[np.uint8] = field(init=False)
    ship: npt.NDArray[np.int64] = field(init=False)
    slot: npt.NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        lanes, each = self.lanes, (self.lanes, self.rules.most_shots)
        self.live = self.asked = np.zeros(lanes, np.bool_)
        self.shots = np.zeros(lanes, np.int64)
        self.turns = self.shots if self.rules.most_shots == 1 else np.zeros(lanes, np.int64)
        self.allowed = np.full(lanes, self.rules.most_shots)
        self.cells = np.full(each, NOTHING)
        self.outcomes = np.zeros(each, np.uint8)
        self.ships = np.full(each, NOTHING)
        self.slots = np.full(each, NOTHING)
        self.hits = np.full((lanes, len(self.rules.fleet) if self.rules.joint else 0), NOTHING)

    def __setattr__(self, name: str, value: Any) -> None:
        # The same memory. No properties, which take 0.1 us each where games are played one by one.
        if name in ("cells", "outcomes", "ships", "slots"):
            object.__setattr__(self, name[:-1], value[:, 0])
        object.__setattr__(self, name, value)

    def begin(self, lanes: npt.NDArray[np.int64]) -> None:
        """Begin fresh games in some lanes; for code that stands in the referee's place."""
        self.live[lanes] = True
        self.shots[lanes] = self.turns[lanes] = self.outcomes[lanes] = 0
        self.allowed[lanes] = self.rules.most_shots
        for each in (self.cells, self.ships, self.slots, self.hits):
            each[lanes] = NOTHING

    def fired(
        self, lanes: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the shots of the last turn in some lanes: lane, cell and number, from 1, of each.

        A number is that of the shot in its game. Each array has the shape (shots,).
        """
        if self.turns is self.shots:
            return lanes, self.cell[lanes], self.shots[lanes]
        cells = self.cells[lanes]
        fired = cells != NOTHING
        rows, places = np.nonzero(fired)
        before = self.shots[lanes] - np.count_nonzero(fired, axis=1)
        return lanes[rows], cells[rows, places], before[rows] + places + 1

    def last_turn(self, lane: int) -> list[tuple[int, int, int, int]]:
        """Return the last turn in a lane: of each shot its cell, outcome, ship and slot."""
        told = self.cells, self.outcomes, self.ships, self.slots
        shots = zip(*(each[lane].tolist() for each in told), strict=True)
        return [shot for shot in shots if shot[0] != NOTHING]

    @property
    def last_shots(self) -> LastShots:
        """What the last shots did, as kernels take it."""
        return LastShots(
            self.live,
            for_kernels(self.cells),
            for_kernels(self.outcomes),
            for_kernels(self.ships),
            for_kernels(self.slots),
            self.shots,
        )
