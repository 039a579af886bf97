"""Random moves: those of players, each move of each game with a stream of its own, and openings."""

from __future__ import annotations

import numpy as np

from bsbench.connect4.kernels.board import (
    BOARD,
    column_of,
    count,
    is_four,
    landing_cells,
    winning_cells,
)
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import place_of_bit, population_count
from bsbench.kernels.random import draw, stream_start


@helper
def stream_of_move(key, game, stones):
    """Return the state from which the next move of a game draws, given the stones played."""
    return stream_start(stream_start(key, game), count(stones))


@helper
def draw_cell(state, cells):
    """Return the next state, and one of some cells, each as likely as the others."""
    state, rank = draw(state, population_count(cells))
    return state, np.uint64(1) << place_of_bit(cells, rank)


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
