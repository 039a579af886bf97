"""The head of a layout, its first ships: all placements of them, and the draw of one.

Heads are drawn by Walker's alias method (A. J. Walker, ACM TOMS 3, 1977) in integer form, so
that no draw is rounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels.slots import Bits, SlotTable
from bsbench.layouts import LIMIT

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
        See `alias_table`.
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


def slots_taken(later: list[int]) -> list[int]:
    """Return, for each of some lengths, how many slots of it the ships before take away at least.

    A ship of length L contains L - l + 1 slots of length l.
    """
    return [
        sum(max(before - length + 1, 0) for before in later[:place])
        for place, length in enumerate(later)
    ]


def alias_table(weights: Bits) -> tuple[np.uint64, Bits, Words]:
    """Return ``total``, ``cut`` and ``other``, to draw an index in proportion to its weight.

    Each of the n indices is a column of height ``total``, the sum of weights; a weight w is worth
    an area of n * w. Columns that are not full are filled up from one that overflows::

        total  +--------+--------+--------+
               |other: 2|        |other: 2|
        cut    |--------|        |--------|        the index itself below the cut,
               |    0   |    1   |    2   |        ``other`` above it
               +--------+--------+--------+

    Those that overflow give in order. One that has given more than it had over is filled up by the
    next. So sums of what was lacking and of what was over show who fills whom, without a loop.
    """
    total = weights.sum()
    # Python's integers where 64 bits may not do.
    exact = np.uint64 if len(weights) * int(total) < LIMIT else object
    cut, other = weights.astype(exact) * len(weights), np.arange(len(weights))
    low, high = np.flatnonzero(cut < total), np.flatnonzero(cut >= total)
    lacking = np.append(np.zeros(1, exact), int(total) - cut[low]).cumsum()
    over = (cut[high] - int(total)).cumsum()
    other[low] = high[np.searchsorted(over, lacking[:-1], side="right")]
    cut[high] = int(total)
    # What was lacking once a column had given all; only the last one ends with nothing over.
    after = lacking[np.minimum(np.searchsorted(lacking, over), len(low))]
    given = np.flatnonzero(after > over)
    cut[high[given]] -= after[given] - over[given]
    other[high[given]] = high[given + 1]
    return total, cut.astype(np.uint64), other
