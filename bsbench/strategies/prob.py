"""The strategy ``prob``."""

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.planes import (
    clear_cell,
    clear_diagonals,
    count_slots,
    empty_counts,
    first_maximum,
    full_plane,
    lane_of_counts,
    lane_of_plane,
    no_mask,
    set_lane,
    set_lanes,
    slot_lengths,
    test_cell,
)
from bsbench.rules import MISS, Rules
from bsbench.strategies.base import Cells, Insight, Strategy
from bsbench.view import View


@kernel
def _follow_up(
    live, cell, outcome, rows, cols, touching, open_cells, queue, head, tail, cells, undecided
):
    """Take note of the last shot; choose the next from the queue, or leave it undecided."""
    for lane in range(len(live)):
        last = cell[lane]
        hit = last >= 0 and outcome[lane] != MISS
        if last >= 0:
            clear_cell(open_cells, lane, last)
        if hit and not touching:
            clear_diagonals(open_cells, lane, last, rows, cols)
        if not live[lane]:
            continue
        if hit:
            row, col = last // cols, last % cols
            for inside, neighbour in (
                (row > 0, last - cols),
                (col < cols - 1, last + 1),
                (row < rows - 1, last + cols),
                (col > 0, last - 1),
            ):
                if inside and test_cell(open_cells, lane, neighbour):
                    queue[lane, tail[lane]] = neighbour
                    tail[lane] += 1
        chosen = -1
        while chosen < 0 and head[lane] < tail[lane]:
            waiting = np.int64(queue[lane, head[lane]])
            head[lane] += 1
            if test_cell(open_cells, lane, waiting):
                chosen = waiting
        if chosen >= 0:
            cells[lane] = chosen
        else:
            # Back to the start of the row, the part of it that is in the cache.
            head[lane] = tail[lane] = 0
            set_lane(undecided, lane)


class Prob(Strategy):
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
        # Cells neither shot nor eliminated.
        self._open = full_plane(lanes, rules.cells)
        self._counts = empty_counts(lanes, rules.cells)
        self._undecided = no_mask(lanes)
        # Each hit queues 4 neighbours at most, so the queue never has to wrap.
        self._queue = np.zeros((lanes, 4 * rules.ship_cells), np.uint16)
        self._head = np.zeros(lanes, np.int64)
        self._tail = np.zeros(lanes, np.int64)
        self._cells = np.zeros(lanes, np.int64)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Open all cells and empty the queue."""
        set_lanes(self._open, lanes)
        self._head[lanes] = 0
        self._tail[lanes] = 0

    def shoot(self, view: View) -> Cells:
        """Fire at what waits in the queue, else at the first maximum of the likelihood."""
        rules = self.rules
        self._undecided.fill(0)
        _follow_up(
            view.live,
            view.cell,
            view.outcome,
            rules.rows,
            rules.cols,
            rules.touching,
            self._open,
            self._queue,
            self._head,
            self._tail,
            self._cells,
            self._undecided,
        )
        count_slots(self._open, self._undecided, rules.rows, rules.cols, self._slots, self._counts)
        stuck = first_maximum(self._open, self._undecided, self._counts, self._cells)
        if stuck >= 0:
            raise AssertionError(f"no cell is open in lane {stuck}, and a ship is left")
        return self._cells

    def insight(self, lane: int) -> Insight:
        """Return the high-probability list, and the likelihood as computed last."""
        is_open = lane_of_plane(self._open, lane)
        # The shot chosen from the queue has just left it, and is at its head still.
        head = max(self._head[lane] - 1, 0)
        waiting = [int(cell) for cell in self._queue[lane, head : self._tail[lane]]]
        likelihood = lane_of_counts(self._counts, lane)
        return Insight(
            closed=~is_open,
            waiting=[cell for cell in waiting if is_open[cell]],
            scores=np.where(is_open, likelihood, -1),
        )
