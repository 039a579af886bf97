"""64 games' numbers as one value, and the boards of 64 games side by side, one bit per game.

A `Numbers` value holds one number for each of the 64 lanes of a *word* of a bit
plane, all of one type (uint8, uint16, …, float64)::

    word of a plane   bit 63 … 2 1 0        does it hold in this lane?
    numbers               63 … 2 1 0        how much, in this lane?

``+``, ``-``, ``*`` and comparisons act on all of them at once; a comparison returns a
word, and a word says in `choose` and `ones` which lanes are meant. It compiles to as
many vector registers as the processor needs.

In memory a value is a row of a C-contiguous array whose last axis has length 64;
rows are numbered through all other axes, as in a flat array of rows. The dtype of
an array decides the type of its values; sums and products wrap as that type does.

The type and what acts on its values are in `_numbers`, and kernels import them from here.

A `WordPlane` is a bit plane cut into words. As in `planes`, it says one yes-or-no thing about every
cell of every board. Here the cells of the same 64 lanes lie together, since they are worked on
together::

               plane[word, cell] : lanes 64 word … 64 word + 63
    word 0     cell 0 | cell 1 | cell 2 | …        bit n of a word: lane n
    word 1     cell 0 | cell 1 | cell 2 | …        bit n: lane 64 + n
    …

so that code for one lane after the other, or for all cells of 64 lanes, stays in the nearest
cache.
A plane is a uint64 array of shape ``(words, cells)``; lane ``n`` is bit ``n % 64`` of word
``n // 64``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.kernels import LANES as LANES
from bsbench.kernels._jit import allocating, helper, late
from bsbench.rules.board import Rules

__getattr__ = late("bsbench.kernels._numbers")

TOO_LARGE = 1 << 1000
"""What float64 numbers should stay below: they hold up to 2^1023."""


def empty_numbers(*shape: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an uninitialised array of rows of numbers, on a cache-line boundary.

    Returns
    -------
    ndarray of ``dtype``, shape ``(*shape, 64)``
    """
    size = np.dtype(dtype).itemsize * LANES * int(np.prod(shape))
    spare = np.empty(size + LANES, np.uint8)
    offset = -spare.ctypes.data % LANES
    return spare[offset : offset + size].view(dtype).reshape(*shape, LANES)


WordPlane = npt.NDArray[np.uint64]

_ONE = np.uint64(1)


def words_of(lanes: int) -> int:
    """Return how many words of 64 lanes hold that many lanes."""
    return -(-lanes // LANES)


def word_plane(lanes: int, cells: int) -> WordPlane:
    """Return a plane with no bit set, shape ``(words, cells)``."""
    return np.zeros((words_of(lanes), cells), np.uint64)


def closed_table(rules: Rules, closes: bool = True) -> npt.NDArray[np.int64]:
    """Return the cells around each cell that a ship there closes to others.

    Returns
    -------
    ndarray of int64, shape (cells, 8, 4 or 0)
        Where the border has fewer, the cell itself. None at all unless ``closes``.
    """
    closed = [rules.closed_around(cell) if closes else [] for cell in range(rules.cells)]
    most = max(map(len, closed))
    table = [near + [cell] * (most - len(near)) for cell, near in enumerate(closed)]
    return np.array(table, np.int64).reshape(rules.cells, most)


def lane_of_words(plane: WordPlane, lane: int) -> npt.NDArray[np.bool_]:
    """Return one lane's bits, shape ``(cells,)``."""
    return np.asarray(plane[lane // LANES] >> np.uint64(lane % LANES) & _ONE, np.bool_)


@helper
def drop_around(board, bit, cell, around):
    """Clear, in place, a lane's bits of ``cell`` and of those closed around it.

    Parameters
    ----------
    board : ndarray of uint64, shape (cells,)
        A word of each cell, one row of a plane.
    bit : uint64
        The lane's bit.
    around : ndarray of int64, shape (cells, at most 8)
        As `closed_table` returns it.
    """
    board[cell] &= ~bit
    for near in around[cell]:
        board[near] &= ~bit


@allocating
def fill_lanes(plane, lanes, value):
    """Set (or, without ``value``, clear), in place, the bits of all cells in some lanes."""
    words, cells = plane.shape
    masks = np.zeros(words, np.uint64)
    for lane in lanes:
        masks[lane // LANES] |= _ONE << np.uint64(lane % LANES)
    for word in range(words):
        mask = masks[word]
        if mask:
            for cell in range(cells):
                if value:
                    plane[word, cell] |= mask
                else:
                    plane[word, cell] &= ~mask


@helper
def live_word(live, word):
    """Return the word of the live, or otherwise marked, lanes among 64."""
    lanes = np.uint64(0)
    for bit in range(min(LANES, len(live) - word * LANES)):
        lanes |= np.uint64(live[word * LANES + bit]) << np.uint64(bit)
    return lanes
