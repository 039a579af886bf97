"""The head of a layout, its first ships: all placements of them, and the draw of one.

Heads are drawn by Walker's alias method (A. J. Walker, ACM TOMS 3, 1977) in integer form, so
that no draw is rounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import allocating
from bsbench.kernels.slots import Bits, copy_free, count_free, find_free, lay

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


@allocating
def count_longer(heads, begin, end, table):
    """Return the number of ways to lay one more ship after each head, summed."""
    free = np.empty_like(table.free)
    count = np.int64(0)
    for head in heads:
        copy_free(table.free, free)
        for slot in head:
            lay(free, table.keep, slot)
        count += np.int64(count_free(free, begin, end))
    return count


@allocating
def extend(heads, begin, end, table, longer):
    """Fill ``longer`` with all heads of one more ship."""
    free = np.empty_like(table.free)
    ships = heads.shape[1]
    number = 0
    for head in heads:
        copy_free(table.free, free)
        for slot in head:
            lay(free, table.keep, slot)
        for rank in range(count_free(free, begin, end)):
            longer[number, :ships] = head
            longer[number, ships] = find_free(free, begin, end, np.uint64(rank))
            number += 1


@allocating
def _alias_table(weights, total, cut, other):
    """Prepare drawing an index with probability weight / total.

    Each of the n indices is a column of height ``total``; a weight w is worth an
    area of n * w. Columns that are not full are filled up from one that overflows::

        total  +--------+--------+--------+
               |other: 2|        |other: 2|
        cut    |--------|        |--------|        the index itself below the cut,
               |    0   |    1   |    2   |        ``other`` above it
               +--------+--------+--------+
    """
    n = len(weights)
    small = np.empty(n, np.int64)
    large = np.empty(n, np.int64)
    smalls = larges = 0
    for index in range(n):
        cut[index] = weights[index] * np.uint64(n)
        other[index] = index
        if cut[index] < total:
            small[smalls] = index
            smalls += 1
        else:
            large[larges] = index
            larges += 1
    while smalls > 0 and larges > 0:
        smalls -= 1
        filled = small[smalls]
        donor = large[larges - 1]
        other[filled] = donor
        cut[donor] -= total - cut[filled]
        if cut[donor] < total:
            larges -= 1
            small[smalls] = donor
            smalls += 1


def head_table(heads: Heads, peaks: Bits, shares: Bits) -> HeadTable:
    """Return the table that draws each head in proportion to its share."""
    total, cut, other = shares.sum(), np.zeros_like(shares), np.zeros(len(heads), np.int64)
    _alias_table(shares, total, cut, other)
    return HeadTable(heads, peaks, total, cut, other)
