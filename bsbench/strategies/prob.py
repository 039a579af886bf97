"""The strategy ``prob``."""

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from bsbench.kernels.boards import lane_of_boards
from bsbench.kernels.planes import LONGEST, most_slots, slot_scratch
from bsbench.kernels.plans import empty_plan, waiting_cells
from bsbench.rules.board import Rules
from bsbench.strategies.base import Insight, Planner


class Prob(Planner):
    """Shoots the cell with the most slots of sizes 1 to 5; after a hit, its neighbours first.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021),
    section 5c and appendix C. "It is tested what ship sizes can fit in the board
    cells. If a ship with some size fits in a range of cells, all these cells are
    incremented 1 unit", for each size from 1 to 5, along rows and down columns
    (so size 1 counts twice). Scanned cells (also hits) and eliminated cells are barriers.
    The next cell is the first of the high-probability list. If the list is empty, it is the first
    maximum of the likelihood, from left to right and top to bottom.

    Settled here: sizes 1 to 5 count for any fleet. The list is first in, first out, and takes only
    open neighbours, in the order N, E, S, W. If a cell on the list has been closed since, it
    is skipped, and does not count as a shot. Where the rules let ships touch at corners, nothing is
    eliminated.
    """

    name = "prob"
    source = "Spot the ships (UAlg 2021), 5c"
    home = "harbour"
    look = ("green-dark", "solid")

    decide = staticmethod(most_slots)

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for queues, and for counting."""
        super().begin(rules, lanes, seed)
        # Behind the cell decided on come the neighbours of what is hit.
        self.plan = empty_plan(rules, lanes, 0, "NESW", in_front=False, eliminate=True)
        self.scratch = slot_scratch(rules.rows, rules.cols)

    def insight(self, lane: int) -> Insight:
        """Return the high-probability list, and the likelihood as computed last."""
        rules = self.rules
        is_open = lane_of_boards(self.plan.open, lane, rules.cells)
        counted = lane_of_boards(self.considered, lane, rules.cells)
        likelihood = slots_through(counted.reshape(rules.rows, rules.cols)).ravel()
        return Insight(
            closed=~is_open,
            waiting=[] if self.decided[lane] else waiting_cells(self.plan, lane),
            scores=np.where(is_open, likelihood, -1),
        )


def slots_through(is_open: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return how many slots of open cells, of sizes 1 to 5, run through each cell of a board."""
    counts = np.zeros(is_open.shape, np.int64)
    for lines, through in ((is_open, counts), (is_open.T, counts.T)):
        for length in range(1, min(LONGEST, lines.shape[1]) + 1):
            begins = sliding_window_view(lines, length, axis=1).all(axis=2)
            for part in range(length):
                through[:, part : part + begins.shape[1]] += begins
    return counts
