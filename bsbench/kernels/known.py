"""What the shots of a game have revealed, as arrays that agents are shown.

A lane's game on a board of 2 x 4 cells, with ships of 2, 2 and 1, after five shots, where the
referee reports what has sunk::

    board        0 1 0 2      open, miss, hit; the first ship has sunk
                 0 0 3 3
    open         1 0 1 0 1 1 0 0      1 where the board is 0
    remaining    0 2 1                lengths of the ships, 0 when known to have sunk
    shots        5
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.slots import read_slot
from bsbench.kernels.turns import at, most_shots
from bsbench.rules.board import MISS, NOTHING, SUNK, Rules

# As in `bsbench.rules.drawing`, which kernels don't import.
_OPEN, _MISSED, _STRUCK, _SUNKEN = np.int8(0), np.int8(1), np.int8(2), np.int8(3)


class Known(NamedTuple):
    """What is known in one game, or, with an axis in front of all others, in several.

    A kernel that Python calls takes ``*known``, and begins with ``known = Known(*known)``, as
    with `bsbench.play.referee.Games`.

    Attributes
    ----------
    board : ndarray of int8, shape (…, rows, cols); in kernels (lanes, cells)
        ``OPEN``, ``MISSED``, ``STRUCK`` or ``SUNKEN`` of `bsbench.rules.drawing`.
    remaining : ndarray of int32, shape (…, ships)
        Length of each ship, 0 when it is known to have sunk.
    shots : ndarray of int32, shape (…, 1)
    open : ndarray of int8, shape (…, cells)
        1 for each cell that has not been shot, else 0.
    """

    board: npt.NDArray[np.int8]
    remaining: npt.NDArray[np.int32]
    shots: npt.NDArray[np.int32]
    open: npt.NDArray[np.int8]

    def of(self, games: Any) -> Known:
        """Return what is known in one of several games, or in some, by an index of them."""
        return Known(self.board[games], self.remaining[games], self.shots[games], self.open[games])

    def flat(self) -> Known:
        """Return the same arrays of several games in the shapes that kernels take."""
        return self._replace(board=self.board.reshape(self.open.shape))


class KnownTurns(NamedTuple):
    """What is known where all shots of a turn have one answer; axes as those of `Known`.

    Attributes
    ----------
    turn : ndarray of int32, shape (…, rows, cols)
        The number of the turn, from 1 on, in which each cell was shot; 0 where it is open.
    hits : ndarray of int32, shape (…, cells, ships)
        How many shots of turn 1, 2, … hit each ship. There are at most as many turns as cells.
    remaining, shots, open : ndarray
        As in `Known`.
    """

    turn: npt.NDArray[np.int32]
    hits: npt.NDArray[np.int32]
    remaining: npt.NDArray[np.int32]
    shots: npt.NDArray[np.int32]
    open: npt.NDArray[np.int8]

    def of(self, games: Any) -> KnownTurns:
        """Return what is known in one of several games, or in some, by an index of them."""
        return KnownTurns(*(array[games] for array in self))


def room_for(rules: Rules, games: int) -> Known:
    """Return arrays for what is known in that many games; their content means nothing yet."""
    return Known(
        np.zeros((games, rules.rows, rules.cols), np.int8),
        np.zeros((games, len(rules.fleet)), np.int32),
        np.zeros((games, 1), np.int32),
        np.zeros((games, rules.cells), np.int8),
    )


@helper
def know_nothing(lane, fleet, known):
    """Begin a game: nothing has been shot."""
    known.board[lane, :] = _OPEN
    known.open[lane, :] = 1
    known.shots[lane, 0] = 0
    for ship in range(len(fleet)):
        known.remaining[lane, ship] = fleet[ship]


@helper
def note_shot(lane, place, last, cols, fleet, known):
    """Take note of a shot of the last turn in a lane, by its place in the turn.

    ``last`` is a record with the arrays ``cells``, ``outcomes``, ``ships``, ``slots`` and ``shots``
    of `bsbench.strategies.view.View`.
    """
    cell, outcome = np.uint64(at(last.cells, lane, place)), at(last.outcomes, lane, place)
    known.board[lane, cell] = _MISSED if outcome == MISS else _STRUCK
    known.open[lane, cell] = 0
    known.shots[lane, 0] = last.shots[lane]
    if outcome == SUNK:
        ship, slot = at(last.ships, lane, place), at(last.slots, lane, place)
        known.board[lane, cell] = _SUNKEN
        if ship != NOTHING:
            known.remaining[lane, ship] = 0
        if slot != NOTHING:
            first, step = read_slot(slot, cols)
            for part in range(fleet[ship]):
                known.board[lane, first + part * step] = _SUNKEN


@helper
def note_turn(lane, last, fleet, known):
    """Take note of a turn with one answer, in a `KnownTurns` whose boards are in one row.

    ``last`` has the arrays ``cells``, ``hits``, ``turns`` and ``shots`` of a `View`.
    """
    number = last.turns[lane]
    for place in range(most_shots(last.cells)):
        cell = at(last.cells, lane, place)
        if cell == NOTHING:
            break
        known.turn[lane, cell] = number
        known.open[lane, cell] = 0
    known.shots[lane, 0] = last.shots[lane]
    for ship in range(len(fleet)):
        known.hits[lane, number - 1, ship] = last.hits[lane, ship]
        struck = 0
        for turn in range(number):
            struck += known.hits[lane, turn, ship]
        if struck == fleet[ship]:
            known.remaining[lane, ship] = 0


@kernel
def begin_known(lanes, fleet, *known):
    """Begin games in some lanes: nothing is known.

    Parameters
    ----------
    lanes : ndarray of int64, shape (n,)
    fleet : ndarray of int64, shape (ships,)
    *known
        The arrays of a `Known`, changed in place.
    """
    for lane in lanes:
        know_nothing(lane, fleet, Known(*known))


@kernel
def note_shots(last, cols, fleet, *known):
    """Take note of the shots of the last turn in every live lane, if there was one.

    Parameters
    ----------
    last : LastShots
        See `bsbench.strategies.view`.
    cols : int
    fleet, *known
        As for `begin_known`.
    """
    now = Known(*known)
    for lane in range(len(last.live)):
        if last.live[lane]:
            for place in range(most_shots(last.cells)):
                cell = at(last.cells, lane, place)
                # A repeated shot reveals nothing.
                if cell != NOTHING and now.open[lane, cell]:
                    note_shot(lane, place, last, cols, fleet, now)
            now.shots[lane, 0] = last.shots[lane]
