"""The strategy ``lattice``."""

from dataclasses import dataclass

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.choosing import first_greatest
from bsbench.kernels.density import count_afloat, set_factors, weigh_slots
from bsbench.kernels.numbers import choose, everywhere, greater, load, store
from bsbench.kernels.words import live_word
from bsbench.rules.board import Rules
from bsbench.strategies._density import DensityStrategy
from bsbench.strategies.view import View

# k of a water cell by the absolute row and column differences, in either order, in
# thousandths: while a ship of 2 or less is afloat, and after that.
_CHECKERBOARD = {(0, 1): -30, (0, 2): 45, (1, 1): 25, (1, 2): -30, (2, 2): 10}
_THREES = {(0, 3): 80, (1, 1): 25, (1, 2): 10, (1, 3): -25, (2, 3): -20}

_LEAST_FACTOR = 50
"""In thousandths."""


def _pattern() -> np.ndarray:
    """Return rows of (row difference, column difference, k of the one, k of the other)."""
    return np.array(
        [
            (down, right, _CHECKERBOARD.get(key, 0), _THREES.get(key, 0))
            for down in range(-3, 4)
            for right in range(-3, 4)
            for key in [tuple(sorted((abs(down), abs(right))))]
            if key in _CHECKERBOARD or key in _THREES
        ]
    )


@kernel
def _weigh(evidence, word, scales, pattern):
    count_afloat(evidence, word, scales)
    times, score, dry = scales.times, scales.score, evidence.dry[word]
    rows, cols = scales.rows, scales.cols
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
    if not hunting:
        return
    one, least = everywhere(score, 1000), everywhere(score, _LEAST_FACTOR)
    for cell in range(rows * cols):
        row, col = cell // cols, cell % cols
        factor = one
        for down, right, k_small, k_large in pattern:
            if 0 <= row + down < rows and 0 <= col + right < cols:
                water = ~dry[cell + down * cols + right]
                if k_small:
                    factor = factor + choose(water & small, everywhere(score, k_small), none)
                if k_large:
                    factor = factor + choose(water & ~small, everywhere(score, k_large), none)
        factor = choose(greater(factor, least), factor, least)
        density = load(score, cell)
        store(score, cell, choose(hunting, density * factor, density))


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
    """Density on a regular pattern: cells in step with the water around them count more.

    Source: bsbench's own. Shots on a checkerboard find every ship of 2, and shots on a
    lattice of threes every longer one; plain density forgets that pattern whenever
    another cell has one slot more. *Water* is a miss, a cell of a sunk ship, or
    one that these rule out.

    While no hit is open, a cell's score is D max(0.05, 1 + sum of k over the water
    cells around it). D counts the slots of the ships afloat through the cell, those of
    5 or more cells one half. k depends on the row and column differences to the water
    cell, in either order; while a ship of 2 or less is afloat, it is -0.03 for (0, 1),
    0.045 for (0, 2), 0.025 for (1, 1), -0.03 for (1, 2), 0.01 for (2, 2); after that
    0.08 for (0, 3), 0.025 for (1, 1), 0.01 for (1, 2), -0.025 for (1, 3), -0.02 for (2, 3).

    With open hits it is the sum, over the slots through the cell, of v 6^(open hits in the
    slot), with v = 1 for ships up to 3 and 0.4 for longer ones.

    Scores are integers (v by 10, D by 2, k by 1000), so ties are exact, and the first cell
    wins; with ships of about 23 cells or more they are float64, and rounding may decide.
    """

    name = "lattice"
    source = "bsbench"
    look = ("vermilion", "dashed")

    _signed = True

    def _largest_score(self) -> int:
        # Hunting scores, at most 2 D times 1640, fit 31 bits on any board.
        return sum(2 * length * 10 * 6 ** (length - 1) for length in self.rules.fleet)

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make a table of the pattern, too."""
        super().begin(rules, lanes, seed)
        self._pattern = _pattern()

    def _weigh(self, word: int) -> None:
        _weigh(self._evidence, word, self._scales, self._pattern)

    def _choose(self, view: View) -> int:
        stuck: int = _choose(view.live, self._evidence, self._scales, self._pattern, self._cells)
        return stuck
