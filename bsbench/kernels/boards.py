"""A lane's board as bits: for strategies in which every lane goes a way of its own.

As in `planes`, a board says one yes-or-no thing about every cell; here a lane's cells lie
together, 64 in a word::

               boards[lane, word] : bit n of word w is cell 64 w + n
    lane 0     cells 0 … 63 | cells 64 … 127 | …
    lane 1     cells 0 … 63 | cells 64 … 127 | …
    …

so that all that one lane reads is in one place, and one AND with a *mask* clears any set of
cells. Boards are a uint64 array of shape ``(lanes, words)``, masks one of shape
``(cells, words)``: a set of cells for each cell.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper
from bsbench.rules.board import Rules

Boards = npt.NDArray[np.uint64]

_ONE = np.uint64(1)


def full_boards(lanes: int, cells: int) -> Boards:
    """Return boards with every bit set, shape ``(lanes, words)``."""
    return np.full((lanes, -(-cells // 64)), np.iinfo(np.uint64).max)


def cell_dtype(cells: int) -> type[np.uint8] | type[np.uint16]:
    """Return the smallest dtype that holds every cell, and their number."""
    return np.uint8 if cells <= 255 else np.uint16


def diagonal_masks(rules: Rules) -> Boards:
    """Return the mask of the cells that a ship closes at a cell's corners, shape (cells, words)."""
    masks = np.zeros((rules.cells, -(-rules.cells // 64)), np.uint64)
    for cell in range(rules.cells):
        for other in rules.closed_around(cell):
            (row, col), (other_row, other_col) = divmod(cell, rules.cols), divmod(other, rules.cols)
            if row != other_row and col != other_col:
                masks[cell, other // 64] |= _ONE << np.uint64(other % 64)
    return masks


def lane_of_boards(boards: Boards, lane: int, cells: int) -> npt.NDArray[np.bool_]:
    """Return one lane's bits, shape ``(cells,)``."""
    numbers = np.arange(cells)
    words = boards[lane, numbers // 64]
    return np.asarray(words >> (numbers % 64).astype(np.uint64) & _ONE, np.bool_)


@helper
def is_set(boards, lane, cell):
    """Return whether the bit of ``cell`` in ``lane`` is set."""
    return (boards[lane, cell >> 6] >> np.uint64(cell & 63)) & _ONE != np.uint64(0)


@helper
def clear_bit(boards, lane, cell):
    """Clear, in place, the bit of ``cell`` in ``lane``."""
    boards[lane, cell >> 6] &= ~(_ONE << np.uint64(cell & 63))


@helper
def clear_mask(boards, lane, masks, cell):
    """Clear, in place, the bits of ``cell``'s mask in ``lane``."""
    for word in range(boards.shape[1]):
        boards[lane, word] &= ~masks[cell, word]


@helper
def bit_of(cell):
    """Return the word of a board that holds the cell, and its bit there."""
    return cell >> 6, _ONE << np.uint64(cell & 63)
