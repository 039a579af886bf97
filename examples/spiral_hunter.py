"""A strategy with numba kernels, of the kind that the built-in ones are."""

import numpy as np

from bsbench import Planner
from bsbench.kernels import empty_plan, kernel, neighbour_table, put_first


@kernel
def aim_beside(lanes, cell, around, plan):
    """Put the cells around a hit at the front of its lane's plan; those shot are passed over."""
    for lane in lanes:
        for side in range(around.shape[1]):
            put_first(plan, lane, around[cell[lane], side], True)


class SpiralHunter(Planner):
    """Spirals out from the middle over every second cell; after a hit, the cells around it.

    Source: how children search a room.

    It is a `Planner`: what it shoots changes with hits only. The plan is the spiral, and what lies
    around a hit is written in front of what is left of it. The other cells come last.
    """

    name = "spiral-hunter"
    source = "an example of bsbench"
    home = "classic"

    def begin(self, rules, lanes, seed):
        """Make room for a plan in each lane: four cells for each hit, and the spiral."""
        super().begin(rules, lanes, seed)
        self.spiral = spiral(rules)
        self.room = 4 * rules.ship_cells
        self.plan = empty_plan(lanes, rules.cells, self.room + rules.cells)
        self.around = neighbour_table(rules, "NSEW")

    def deal(self, lanes, games):
        """Lay the spiral down in lanes where games begin, with all cells open."""
        self.plan.cells[lanes, self.room :] = self.spiral
        self.plan.begin[lanes] = self.room
        self.plan.end[lanes] = self.plan.cells.shape[1]
        self.plan.open[lanes] = np.iinfo(np.uint64).max

    def follow_up(self, view, lanes):
        """Aim beside the last shot in lanes where it hit."""
        aim_beside(lanes, view.cell, self.around, self.plan)


def spiral(rules):
    """Return all cells: those of one colour of the checkerboard first, each from the middle out."""
    row, col = np.divmod(np.arange(rules.cells), rules.cols)
    down, right = row - (rules.rows - 1) / 2, col - (rules.cols - 1) / 2
    ring = np.maximum(abs(down), abs(right))
    return np.lexsort((np.arctan2(down, right), ring, (row + col) % 2))
