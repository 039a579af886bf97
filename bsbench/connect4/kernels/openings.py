"""Openings: the same number of random legal moves each, after which the game is not over."""

from __future__ import annotations

import numpy as np

from bsbench.connect4.kernels.board import (
    BOARD,
    column_of,
    is_four,
    landing_cells,
    winning_cells,
)
from bsbench.connect4.kernels.chance import draw_cell
from bsbench.kernels._jit import kernel
from bsbench.kernels.random import stream_start


@kernel
def draw_openings(key, first, columns, boards):
    """Draw openings by their numbers, each from a stream of its own.

    Each move is to any column that is not full, all as likely as each other. If the game is over
    by then, or the player to move can win at once, all moves of the opening are drawn again.

    Parameters
    ----------
    key : uint64
    first : int
        Number of the first opening.
    columns : ndarray of int64, shape (n, plies)
        Changed in place: the columns played, 0 to 6.
    boards : ndarray of uint64, shape (n, 2)
        Changed in place: stones of the player to move, and of both.
    """
    plies = columns.shape[1]
    for index in range(len(columns)):
        state = stream_start(key, first + index)
        over = True
        while over:
            mover, stones, over = np.uint64(0), np.uint64(0), False
            for ply in range(plies):
                state, cell = draw_cell(state, landing_cells(stones))
                columns[index, ply] = column_of(cell)
                over = is_four(mover | cell) or (stones | cell) == BOARD
                mover, stones = mover ^ stones, stones | cell
                if over:
                    break
            over = over or (winning_cells(mover, stones) & landing_cells(stones)) != 0
        boards[index, 0], boards[index, 1] = mover, stones
