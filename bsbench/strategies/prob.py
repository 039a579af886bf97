"""The strategy ``prob``."""

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.boards import lane_of_boards
from bsbench.kernels.planes import (
    count_slots,
    empty_counts,
    first_maximum,
    full_plane,
    lane_of_counts,
    lane_of_mask,
    no_mask,
    set_lane,
    slot_lengths,
    turn_boards,
)
from bsbench.kernels.plans import empty_plan, lay_down, skip_closed, waiting_cells
from bsbench.rules.board import Rules
from bsbench.strategies.base import Cells, Insight, Planner
from bsbench.strategies.view import View


@kernel
def _find_undecided(live, queue, undecided):
    """Mark the lanes in which nothing is queued, and make room for the cell to come."""
    for lane in range(len(live)):
        if live[lane] and not skip_closed(queue, lane):
            # At the start of the row, the part of it that is in the cache.
            queue.begin[lane], queue.end[lane] = 0, 1
            set_lane(undecided, lane)


class Prob(Planner):
    """The cell that most slots of sizes 1 to 5 run through; after a hit, its neighbours.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021),
    section 5c and appendix C. "It is tested what ship sizes can fit in the board
    cells. If a ship with some size fits in a range of cells, all these cells are
    incremented 1 unit", for each size from 1 to 5, along rows and down columns
    (size 1 therefore twice); scanned and eliminated cells are barriers, hits too.
    The next cell is the first of the high-probability list, else the first
    maximum of the likelihood, from left to right and top to bottom.

    Settled here: sizes 1 to 5 count whatever the fleet; the list is first in,
    first out, takes open neighbours N, E, S, W only, and an entry closed since is
    skipped without being counted as a shot. Where the rules let ships touch,
    nothing is eliminated.
    """

    name = "prob"
    source = "Spot the ships (UAlg 2021), 5c"
    home = "harbour"
    look = ("blue", "solid")

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Open all cells, and make room for queues and counts."""
        super().begin(rules, lanes, seed)
        self._slots = slot_lengths(rules.rows, rules.cols, (1, 2, 3, 4, 5), lanes)
        # The cell that was hunted, and behind it the neighbours of what is hit.
        self.plan = empty_plan(rules, lanes, 1, "NESW", in_front=False, eliminate=True)
        self._open = full_plane(lanes, rules.cells)
        self._counts = empty_counts(lanes, rules.cells)
        self._undecided = no_mask(lanes)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Open all cells and empty the queue."""
        lay_down(self.plan, lanes, 0)

    def hunt(self, view: View) -> None:
        """Queue the first maximum of the likelihood, where nothing is queued."""
        rows, cols, undecided = self.rules.rows, self.rules.cols, self._undecided
        undecided.fill(0)
        _find_undecided(view.live, self.plan, undecided)
        turn_boards(self.plan.open, self._open)
        count_slots(self._open, undecided, rows, cols, self._slots, self._counts)
        stuck = first_maximum(self._open, undecided, self._counts, self.plan.cells[:, 0])
        if stuck >= 0:
            raise AssertionError(f"no cell is open in lane {stuck}, but a ship is afloat")

    def insight(self, lane: int) -> Insight:
        """Return the high-probability list, and the likelihood as computed last."""
        is_open = lane_of_boards(self.plan.open, lane, self.rules.cells)
        decided = not lane_of_mask(self._undecided, lane)
        return Insight(
            closed=~is_open,
            waiting=waiting_cells(self.plan, lane) if decided else [],
            scores=np.where(is_open, lane_of_counts(self._counts, lane), -1),
        )
