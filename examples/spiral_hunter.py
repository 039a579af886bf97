"""A strategy with numba kernels, of the kind that the built-in ones are."""

import numpy as np

from bsbench import Planner
from bsbench.kernels import empty_plan, lay_down


class SpiralHunter(Planner):
    """Spirals out from the middle over every second cell; after a hit, the cells around it.

    Source: how children search a room.

    It is a `Planner`: what it shoots changes with hits only, and each hit does the same. The plan
    is the spiral, and what lies around a hit is written in front of what is left of it.
    """

    name = "spiral-hunter"
    source = "an example of bsbench"
    home = "classic"

    def begin(self, rules, lanes, seed):
        """Make room for a plan in each lane: the spiral, and in front of it what hits add."""
        super().begin(rules, lanes, seed)
        self.spiral = spiral(rules)
        self.plan = empty_plan(rules, lanes, rules.cells, "NSEW")

    def deal(self, lanes, games):
        """Lay the spiral down in lanes where games begin, with all cells open."""
        self.plan.cells[lanes, self.plan.front :] = self.spiral
        lay_down(self.plan, lanes, self.rules.cells)


def spiral(rules):
    """Return all cells: those of one colour of the checkerboard first, each from the middle out."""
    row, col = np.divmod(np.arange(rules.cells), rules.cols)
    down, right = row - (rules.rows - 1) / 2, col - (rules.cols - 1) / 2
    ring = np.maximum(abs(down), abs(right))
    return np.lexsort((np.arctan2(down, right), ring, (row + col) % 2))
