"""The strategy ``lattice``."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.choosing import first_greatest
from bsbench.kernels.density import count_afloat, set_factors, weigh_slots
from bsbench.kernels.numbers import (
    choose,
    empty_numbers,
    everywhere,
    greater,
    live_word,
    load,
    store,
    typed_as,
)
from bsbench.rules.board import Rules
from bsbench.strategies._density import DensityStrategy
from bsbench.strategies.view import View

# k of a water cell by the absolute row and column differences, in either order, in
# thousandths: while a ship of 2 or less is afloat, and after that.
_CHECKERBOARD = {(0, 1): -30, (0, 2): 45, (1, 1): 25, (1, 2): -30, (2, 2): 10}
_THREES = {(0, 3): 80, (1, 1): 25, (1, 2): 10, (1, 3): -25, (2, 3): -20}

_UNIT = 5
"""What all k are multiples of, so that sums of them fit 8 bits; scores are in these units."""

_LEAST, _MOST = -360, 500
"""Bounds of the sum of k, in thousandths."""

_REACH = 4
"""Water so far away does not matter."""


class _Pattern(NamedTuple):
    """How much water near a cell counts, and room to add that up in 64 games.

    Attributes
    ----------
    small, large : ndarray of uint8, shape (4, 4)
        k by row and column difference, while a ship of 2 or less is afloat, and after that;
        negative numbers wrap.
    k : ndarray of uint8, shape (4, 4, 64)
        That of each lane.
    sums : ndarray of uint8, shape (4, cells, 64)
        Sum of k over the water of a cell's own row, as if the row were 0 to 3 rows away.
    """

    small: npt.NDArray[np.uint8]
    large: npt.NDArray[np.uint8]
    k: npt.NDArray[np.uint8]
    sums: npt.NDArray[np.uint8]


def _pattern(rules: Rules) -> _Pattern:
    small, large = np.zeros((2, _REACH, _REACH), np.uint8)
    for table, k in ((small, _CHECKERBOARD), (large, _THREES)):
        for (near, far), thousandths in k.items():
            table[near, far] = table[far, near] = thousandths // _UNIT % 256
    return _Pattern(
        small,
        large,
        empty_numbers(_REACH, _REACH, dtype=np.uint8),
        empty_numbers(_REACH, rules.cells, dtype=np.uint8),
    )


@kernel
def _multiply(dry, hunting, small, pattern, scales):
    """Multiply the scores of hunting lanes by 1 + the sum of k over the water around."""
    k, sums, score, rows, cols = pattern.k, pattern.sums, scales.score, scales.rows, scales.cols
    cells = rows * cols
    for down in range(_REACH):
        for right in range(_REACH):
            one, other = pattern.small[down, right], pattern.large[down, right]
            k_of_lanes = choose(small, everywhere(k, one), everywhere(k, other))
            store(k, down * _REACH + right, k_of_lanes)
    none = everywhere(k, 0)
    for cell in range(cells):
        col = cell % cols
        first = cell - col
        sum_0 = sum_1 = sum_2 = sum_3 = none
        for c in range(max(col - 3, 0), min(col + 4, cols)):
            water, right = ~dry[first + c], abs(c - col)
            sum_0 = sum_0 + choose(water, load(k, right), none)
            sum_1 = sum_1 + choose(water, load(k, _REACH + right), none)
            sum_2 = sum_2 + choose(water, load(k, 2 * _REACH + right), none)
            sum_3 = sum_3 + choose(water, load(k, 3 * _REACH + right), none)
        store(sums, cell, sum_0)
        store(sums, cells + cell, sum_1)
        store(sums, 2 * cells + cell, sum_2)
        store(sums, 3 * cells + cell, sum_3)
    least, base = everywhere(k, -_LEAST // _UNIT), everywhere(score, (1000 + _LEAST) // _UNIT)
    for cell in range(cells):
        row, col = cell // cols, cell % cols
        above = least
        for r in range(max(row - 3, 0), min(row + 4, rows)):
            above = above + load(sums, abs(r - row) * cells + r * cols + col)
        density = load(score, cell)
        store(score, cell, choose(hunting, density * (base + typed_as(score, above)), density))


@kernel
def _weigh(evidence, word, scales, pattern):
    count_afloat(evidence, word, scales)
    times, score = scales.times, scales.score
    none = everywhere(score, 0)
    hunting = ~np.uint64(0)
    for struck in evidence.struck[word]:
        hunting &= ~struck
    small = np.uint64(0)
    for index in range(len(times)):
        length = index + 1
        afloat = load(times, index)
        if length <= 2:
            small |= greater(afloat, none)
        hunted = everywhere(score, 1 if length >= 5 else 2)
        followed = everywhere(score, 4 if length >= 4 else 10)
        store(times, index, afloat * choose(hunting, hunted, followed))
    set_factors(evidence, word, scales, 6)
    weigh_slots(evidence, word, scales)
    if hunting:
        _multiply(evidence.dry[word], hunting, small, pattern, scales)


@kernel
def _choose(live, evidence, scales, pattern, cells):
    for word in range(len(cells)):
        wanted = live_word(live, word)
        if wanted:
            _weigh(evidence, word, scales, pattern)
            stuck = first_greatest(scales.score, evidence.unshot[word], wanted, word, cells)
            if stuck >= 0:
                return stuck
    return -1


@dataclass
class Lattice(DensityStrategy):
    """Shoots the densest cell; cells at regular distances from the water around them count more.

    Source: bsbench's own. Shots on a checkerboard find every ship of 2, and shots on every third
    diagonal find every longer ship. Plain density leaves such a pattern whenever another cell has
    one slot more. *Water* is a miss, a cell of a sunk ship, or a cell that these rule out.

    While no hit is open, the score of a cell is D (1 + the sum of k over the water cells around
    it). D is the number of slots of the ships afloat through the cell; slots of 5 or more cells
    count one half. k depends on the row and column differences to the water cell, in either order.
    While a ship of 2 or less is afloat, k is -0.03 for (0, 1), 0.045 for (0, 2), 0.025 for (1, 1),
    -0.03 for (1, 2), 0.01 for (2, 2). After that, k is 0.08 for (0, 3), 0.025 for (1, 1), 0.01 for
    (1, 2), -0.025 for (1, 3), -0.02 for (2, 3).

    With open hits, the score is a sum over the slots through the cell: v 6^(open hits in the
    slot), where v is 1 for ships up to 3 and 0.4 for longer ones.

    Scores are integers (v by 10, D by 2, k by 200), so ties are exact, and the first cell wins.
    With ships of about 23 cells or more, scores are float64, and rounding may decide. If only the
    length of what sank is told, a sunk ship is taken out where its cells follow from the hits.
    """

    name = "lattice"
    source = "bsbench"
    look = ("blue", "solid")

    def _largest_score(self) -> int:
        hunting = 2 * 2 * self.rules.ship_cells * (1000 + _MOST) // _UNIT
        following: int = sum(
            2 * length * (4 if length >= 4 else 10) * 6 ** (length - 1)
            for length in self.rules.fleet
        )
        return max(hunting, following)

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make a table of the pattern, too."""
        super().begin(rules, lanes, seed)
        self._pattern = _pattern(rules)

    def _weigh(self, word: int) -> None:
        _weigh(self._evidence, word, self._scales, self._pattern)

    def _choose(self, view: View) -> int:
        stuck: int = _choose(view.live, self._evidence, self._scales, self._pattern, self._cells)
        return stuck
