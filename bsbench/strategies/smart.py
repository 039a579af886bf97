"""The strategy ``smart``."""

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.boards import clear_mask, diagonal_masks, is_set, lane_of_boards
from bsbench.kernels.plans import empty_plan, lay_down, neighbour_table, put_first, waiting_cells
from bsbench.rules import Rules
from bsbench.strategies.base import Cells, Insight, Planner
from bsbench.view import View


@kernel
def move_to_front(lanes, cell, around, apart, plan):
    """Change some lanes' lists for what was hit.

    A cell that is moved to the front stands on the list twice, or more often: the first
    time counts.

    Parameters
    ----------
    lanes : ndarray of int64, shape (n,)
    cell : ndarray of int64, shape (all lanes,)
        What was hit there.
    around : ndarray of int64, shape (cells, sides)
        Neighbours of each cell that move to the front; the last one comes first.
    apart : ndarray of uint64, shape (cells, words)
        Masks of the cells that a hit takes off the list.
    plan : Plan
        The lists.
    """
    for lane in lanes:
        clear_mask(plan.open, lane, apart, cell[lane])
        for side in range(around.shape[1]):
            neighbour = around[cell[lane], side]
            put_first(plan, lane, neighbour, is_set(plan.open, lane, neighbour))


class Smart(Planner):
    """Row by row, but after a hit east and south come first and the diagonals never.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021),
    section 5b: "when a ship cell is spotted, diagonal neighbours (NE, SE, SW, NW)
    are eliminated from search [...] Then East and South neighbours, if they are
    present, are moved to the front of the search queue", east first.

    Settled here: where the rules let ships touch, nothing is eliminated.
    """

    name = "smart"
    source = "Spot the ships (UAlg 2021), 5b"
    home = "harbour"
    look = ("orange", "solid")

    _pushed = "SE"
    """Sides that move to the front after a hit, the first one last."""

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for a list per lane, and for what moves to its front."""
        super().begin(rules, lanes, seed)
        self._around = neighbour_table(rules, self._pushed)
        # Where ships may touch, nothing is eliminated.
        self._apart = diagonal_masks(rules) * np.uint64(not rules.touching)
        # A cell in front of the front is written to, too.
        self._front = len(self._pushed) * rules.ship_cells + 1
        self.plan = empty_plan(lanes, rules.cells, self._front + rules.cells)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Put all cells on the list, row by row."""
        self.plan.cells[lanes, self._front :] = np.arange(self.rules.cells)
        lay_down(self.plan, lanes, self._front, self._front + self.rules.cells)

    def follow_up(self, view: View, lanes: Cells) -> None:
        """Take the diagonals of what was hit off the list, and move neighbours to its front."""
        move_to_front(lanes, view.cell, self._around, self._apart, self.plan)

    def insight(self, lane: int) -> Insight:
        """Return the list, in order."""
        listed = lane_of_boards(self.plan.open, lane, self.rules.cells)
        return Insight(closed=~listed, waiting=waiting_cells(self.plan, lane))
