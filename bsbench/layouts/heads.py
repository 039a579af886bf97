"""The head of a layout, its first ships: all placements of them, and the draw of one.

Heads are drawn by Walker's alias method (A. J. Walker, ACM TOMS 3, 1977) in integer form, so
that no draw is rounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels.slots import Bits, SlotTable

Heads = npt.NDArray[np.int32]
Words = npt.NDArray[np.int64]


class HeadTable(NamedTuple):
    """All heads, and the table that draws one of them.

    Attributes
    ----------
    slots : ndarray of int32, shape (heads, ships of the head)
    peaks : ndarray of uint64, shape (heads,)
        The largest q of each.
    total : uint64
        The sum of what the heads weigh in the draw.
    cut : ndarray of uint64, shape (heads,)
    other : ndarray of int64, shape (heads,)
        See `_alias_table`.
    """

    slots: Heads
    peaks: Bits
    total: np.uint64
    cut: Bits
    other: Words


def _free_after(heads: Heads, begin: int, end: int, table: SlotTable) -> Bits:
    """Return which slots of a ship each head leaves possible: shape (heads, words of the ship)."""
    free = np.repeat(table.free[np.newaxis, begin:end], len(heads), axis=0)
    for slots in heads.T:
        free &= table.keep[slots, begin:end]
    return free


def count_longer(heads: Heads, begin: int, end: int, table: SlotTable) -> int:
    """Return the number of ways to lay one more ship after each head, summed."""
    return int.from_bytes(_free_after(heads, begin, end, table).tobytes(), "little").bit_count()


def extend(heads: Heads, begin: int, end: int, table: SlotTable) -> Heads:
    """Return all heads of one more ship, in order."""
    free = _free_after(heads, begin, end, table).astype("<u8").view(np.uint8)
    before, slots = np.nonzero(np.unpackbits(free, axis=1, bitorder="little"))
    return np.column_stack([heads[before], (64 * begin + slots).astype(np.int32)])


def _alias_table(weights: list[int]) -> tuple[list[int], list[int]]:
    """Return ``cut`` and ``other``, to draw an index in proportion to its weight.

    Each of the n indices is a column of height ``total``, the sum of weights; a weight w is worth
    an area of n * w. Columns that are not full are filled up from one that overflows::

        total  +--------+--------+--------+
               |other: 2|        |other: 2|
        cut    |--------|        |--------|        the index itself below the cut,
               |    0   |    1   |    2   |        ``other`` above it
               +--------+--------+--------+
    """
    n, total = len(weights), sum(weights)
    cut, other = [weight * n for weight in weights], list(range(n))
    small = [index for index in range(n) if cut[index] < total]
    large = [index for index in range(n) if cut[index] >= total]
    while small and large:
        filled, donor = small.pop(), large[-1]
        other[filled] = donor
        cut[donor] -= total - cut[filled]
        if cut[donor] < total:
            small.append(large.pop())
    return cut, other


def head_table(heads: Heads, peaks: Bits, shares: Bits) -> HeadTable:
    """Return the table that draws each head in proportion to its share."""
    cut, other = _alias_table(shares.tolist())
    return HeadTable(
        heads, peaks, shares.sum(), np.array(cut, np.uint64), np.array(other, np.int64)
    )
