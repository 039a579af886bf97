"""Water that is known, and what it says about the cells in step with it.

A cell's multiplier is 1 + the sum of k over the water around it, where k depends on the row
and column differences, in either order, and on the shortest ship that is still to be found::

    k by difference       0     1     2     3
        0                 .    -30    45     0        thousandths
        1               -30     25   -30     0
        2                45    -30    10     0
        3                 0      0     0     0

64 games are worked on at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.numbers import (
    choose,
    empty_numbers,
    everywhere,
    greater,
    load,
    store,
    typed_as,
)
from bsbench.rules.board import Rules

REACH = 4
"""Water so far away does not matter."""

PHASES = 4
"""The shortest ship to be found has 1, 2, 3, or more cells."""

UNIT = 1000
"""What a multiplier of 1 is as a whole number."""

LEAST = 50
"""The smallest multiplier."""


class Pattern(NamedTuple):
    """How much water near a cell counts, and room to add that up in 64 games.

    Attributes
    ----------
    near : ndarray of uint16, shape (4, 4, 4)
        k by phase, row difference and column difference; negative numbers wrap.
    k : ndarray of uint16, shape (4, 4, 64)
        That of each lane.
    sums : ndarray of uint16, shape (4, cells, 64)
        Sum of k over the water of a cell's own row, as if the row were 0 to 3 rows away.
    times : ndarray of int32, shape (cells, 64)
        The multipliers.
    lowest, highest : int
        Bounds of the sums.
    """

    near: npt.NDArray[np.uint16]
    k: npt.NDArray[np.uint16]
    sums: npt.NDArray[np.uint16]
    times: npt.NDArray[np.int32]
    lowest: int
    highest: int


def pattern_of(rules: Rules, tables: Sequence[Mapping[tuple[int, int], int]]) -> Pattern:
    """Return room for multipliers.

    Parameters
    ----------
    rules : Rules
    tables : sequence of mappings, one for each phase
        k in thousandths by the smaller and the larger difference.
    """
    near = np.zeros((PHASES, REACH, REACH), np.int64)
    for phase, table in enumerate(tables):
        for (small, large), k in table.items():
            near[phase, small, large] = near[phase, large, small] = k
    # A difference of 0 lies on one side, others on two.
    sides = np.array([1, 2, 2, 2])
    weight = sides[:, np.newaxis] * sides
    return Pattern(
        (near % (1 << 16)).astype(np.uint16),
        empty_numbers(REACH, REACH, dtype=np.uint16),
        empty_numbers(REACH, rules.cells, dtype=np.uint16),
        empty_numbers(rules.cells, dtype=np.int32),
        int((weight * np.minimum(near, 0)).sum(axis=(1, 2)).min()),
        int((weight * np.maximum(near, 0)).sum(axis=(1, 2)).max()),
    )


@kernel
def find_multipliers(dry, one, two, three, rows, cols, pattern):
    """Fill ``pattern.times``.

    Parameters
    ----------
    dry : ndarray of uint64, shape (cells,)
        The cells that are not known to be water.
    one, two, three : uint64
        Lanes in which the shortest ship to be found has 1 cell, at most 2, and at most 3.
    rows, cols : int
    pattern : Pattern
    """
    near, k, sums, times = pattern.near, pattern.k, pattern.sums, pattern.times
    cells = rows * cols
    for down in range(REACH):
        for right in range(REACH):
            of_lanes = everywhere(k, near[3, down, right])
            of_lanes = choose(three, everywhere(k, near[2, down, right]), of_lanes)
            of_lanes = choose(two, everywhere(k, near[1, down, right]), of_lanes)
            of_lanes = choose(one, everywhere(k, near[0, down, right]), of_lanes)
            store(k, down * REACH + right, of_lanes)
    none = everywhere(k, 0)
    for cell in range(cells):
        col = cell % cols
        first = cell - col
        sum_0 = sum_1 = sum_2 = sum_3 = none
        for c in range(max(col - 3, 0), min(col + 4, cols)):
            water, right = ~dry[first + c], abs(c - col)
            sum_0 = sum_0 + choose(water, load(k, right), none)
            sum_1 = sum_1 + choose(water, load(k, REACH + right), none)
            sum_2 = sum_2 + choose(water, load(k, 2 * REACH + right), none)
            sum_3 = sum_3 + choose(water, load(k, 3 * REACH + right), none)
        store(sums, cell, sum_0)
        store(sums, cells + cell, sum_1)
        store(sums, 2 * cells + cell, sum_2)
        store(sums, 3 * cells + cell, sum_3)
    # Sums are non-negative from their lowest value on.
    lowest, base = everywhere(k, -pattern.lowest), everywhere(times, UNIT + pattern.lowest)
    least = everywhere(times, LEAST)
    for cell in range(cells):
        row, col = cell // cols, cell % cols
        above = lowest
        for r in range(max(row - 3, 0), min(row + 4, rows)):
            above = above + load(sums, abs(r - row) * cells + r * cols + col)
        value = base + typed_as(times, above)
        store(times, cell, choose(greater(value, least), value, least))
