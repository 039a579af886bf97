"""What the shots of a game have revealed, as arrays that agents are shown.

A lane's game on a board of 2 x 4 cells, with ships of 2, 2 and 1, after five shots, told what
has sunk::

    board        0 1 0 2      open, miss, hit; the first ship has sunk
                 0 0 3 3
    open_cells   1 0 1 0 1 1 0 0      1 where the board is 0
    remaining    0 2 1                lengths of the ships, 0 when known to have sunk
    moves        5
"""

from __future__ import annotations

import numpy as np

from bsbench.kernels._jit import helper, kernel

# As in `bsbench.rules` and `bsbench.drawing`, which kernels don't import.
_MISS, _SUNK, _NOTHING = 0, 2, -1
_OPEN, _MISSED, _STRUCK, _SUNKEN = np.int8(0), np.int8(1), np.int8(2), np.int8(3)


@helper
def is_valid(action, lane, board):
    """Tell whether an action, an int64, is an open cell."""
    # Without a sign, a negative cell is off the board on the far side.
    target = np.uint64(action)
    return target < np.uint64(board.shape[1]) and board[lane, target] == _OPEN


@helper
def know_nothing(lane, fleet, board, remaining, moves, open_cells):
    """Begin a game: nothing has been shot."""
    board[lane, :] = _OPEN
    open_cells[lane, :] = 1
    moves[lane, 0] = 0
    for ship in range(len(fleet)):
        remaining[lane, ship] = fleet[ship]


@helper
def note_shot(
    lane, cell, outcome, ship, slot, shots, cols, fleet, board, remaining, moves, open_cells
):
    """Take note of a shot; outcome, ship, slot and shots are those of `bsbench.view.View`."""
    board[lane, cell] = _MISSED if outcome == _MISS else _STRUCK
    open_cells[lane, cell] = 0
    moves[lane, 0] = shots
    if outcome == _SUNK:
        step = cols if slot & 1 else 1
        for part in range(fleet[ship]):
            board[lane, (slot >> 1) + part * step] = _SUNKEN
        remaining[lane, ship] = 0


@kernel
def begin_known(lanes, fleet, board, remaining, moves, open_cells):
    """Begin games in some lanes: nothing is known.

    Parameters
    ----------
    lanes : ndarray of int64, shape (n,)
    fleet : ndarray of int64, shape (ships,)
    board, open_cells : ndarray of int8, shape (lanes, cells)
    remaining : ndarray of int32, shape (lanes, ships)
    moves : ndarray of int32, shape (lanes, 1)
        Changed in place, as those before.
    """
    for lane in lanes:
        know_nothing(lane, fleet, board, remaining, moves, open_cells)


@kernel
def note_shots(
    live, cell, outcome, ship, slot, shots, cols, fleet, board, remaining, moves, open_cells
):
    """Take note of the last shot in every live lane, if there was one.

    Parameters
    ----------
    live, cell, outcome, ship, slot, shots : ndarray
        Of a `bsbench.view.View`.
    cols : int
    fleet, board, remaining, moves, open_cells : ndarray
        As for `begin_known`.
    """
    for lane in range(len(live)):
        if live[lane] and cell[lane] != _NOTHING:
            note_shot(
                lane,
                cell[lane],
                outcome[lane],
                ship[lane],
                slot[lane],
                shots[lane],
                cols,
                fleet,
                board,
                remaining,
                moves,
                open_cells,
            )
