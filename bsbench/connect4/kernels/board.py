"""The board as words, for kernels; `bsbench.connect4.position` draws them.

Words are uint64, columns and counts int64. ``own`` are the stones of one player, ``mover`` those
of the player to move, ``stones`` those of both; a *cell* is a word with one bit set.
"""

from __future__ import annotations

import numpy as np

from bsbench.connect4 import position
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import population_count, trailing_zeros

GOES_ON, WON, DRAWN = 0, 1, 2
"""The state of a game after a move; `WON` is won by the player that moved."""

BOTTOM = np.uint64(position.BOTTOM)
BOARD = np.uint64(position.BOARD)

COLUMN_CELLS = np.array([0b111111 << 7 * column for column in range(7)], np.uint64)
"""The cells of each column, as a word."""

CENTRE_FIRST = position.CENTRE_FIRST

_1, _2, _3, _6, _7, _8 = (np.uint64(step) for step in (1, 2, 3, 6, 7, 8))
_12, _14, _16 = (np.uint64(step) for step in (12, 14, 16))


@helper
def count(word):
    """Return the number of cells in a word, as int64."""
    return np.int64(population_count(word))


@helper
def landing_cells(stones):
    """Return the cells in which a stone would come to rest, one for each column not full.

    A column's stones are a block of set bits from its bottom on: one added there carries to the
    cell above them.
    """
    return (stones + BOTTOM) & BOARD


@helper
def column_of(cell):
    """Return the column, 0 to 6, of a cell."""
    return trailing_zeros(cell) // 7


@helper
def is_four(own):
    """Return whether one player's stones hold four in a row."""
    up = own & (own >> _1)
    right = own & (own >> _7)
    rising = own & (own >> _8)
    falling = own & (own >> _6)
    return (
        (up & (up >> _2))
        | (right & (right >> _14))
        | (rising & (rising >> _16))
        | (falling & (falling >> _12))
    ) != 0


@helper
def _fourths(own, step):
    """Return the cells, filled or not, that make four with three others along a line."""
    pairs = own & (own >> step)  # at the first of two neighbours
    after = pairs >> step  # two follow
    before = pairs << (step + step)  # two stand before
    three = step + step + step
    return (after & ((own >> three) | (own << step))) | (before & ((own << three) | (own >> step)))


@helper
def winning_cells(own, stones):
    """Return the empty cells that would make four for one player, whether in reach or not."""
    # Along a column, only the cell on top of three.
    column = (own << _1) & (own << _2) & (own << _3)
    lines = _fourths(own, _7) | _fourths(own, _8) | _fourths(own, _6)
    return (column | lines) & (BOARD ^ stones)


@kernel
def play_columns(boards, columns, outcomes):
    """Drop a stone in each of some games, and report the state of each game after it.

    Parameters
    ----------
    boards : ndarray of uint64, shape (n, 2)
        Stones of the player to move, and of both. Changed in place: afterwards the other one is
        to move.
    columns : ndarray of int64, shape (n,)
        Columns, 0 to 6.
    outcomes : ndarray of int64, shape (n,)
        Changed in place: `GOES_ON`, `WON` or `DRAWN`.

    Returns
    -------
    int64
        The first game whose column is full or does not exist, -1 if there is none; the games from
        there on are unchanged.
    """
    for game in range(len(boards)):
        mover, stones = boards[game, 0], boards[game, 1]
        column = columns[game]
        if column < 0 or column > 6:
            return game
        cell = landing_cells(stones) & COLUMN_CELLS[column]
        if cell == 0:
            return game
        boards[game, 0] = mover ^ stones
        boards[game, 1] = stones | cell
        outcomes[game] = GOES_ON
        if is_four(mover | cell):
            outcomes[game] = WON
        elif (stones | cell) == BOARD:
            outcomes[game] = DRAWN
    return -1
