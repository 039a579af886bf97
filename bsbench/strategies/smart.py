"""The strategy ``smart``."""

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.boards import clear_mask, diagonal_masks, is_set, lane_of_boards
from bsbench.kernels.plans import Plan, empty_plan, neighbour_table, put_first
from bsbench.rules import MISS, Rules
from bsbench.strategies.base import Cells, Insight, Planner
from bsbench.view import View


@kernel
def move_to_front(live, cell, outcome, around, apart, plan):
    """Change each lane's list for the last shot, if it hit.

    A cell that is moved to the front stands on the list twice, or more often: the first
    time counts.

    Parameters
    ----------
    live, cell, outcome
        As in `View`.
    around : ndarray of int64, shape (cells, sides)
        Neighbours of each cell that move to the front; the last one comes first.
    apart : ndarray of uint64, shape (cells, words)
        Masks of the cells that a hit takes off the list.
    plan : Plan
        The lists.
    """
    for lane in range(len(live)):
        last = cell[lane]
        if last >= 0 and outcome[lane] != MISS:
            clear_mask(plan.open, lane, apart, last)
            if live[lane]:
                for side in range(around.shape[1]):
                    neighbour = around[last, side]
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
        self._plan = empty_plan(lanes, rules.cells, self._front + rules.cells)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Put all cells on the list, row by row."""
        plan, cells = self._plan, self.rules.cells
        plan.cells[lanes, self._front :] = np.arange(cells)
        plan.begin[lanes] = self._front
        plan.end[lanes] = self._front + cells
        plan.open[lanes] = np.iinfo(np.uint64).max

    def plan(self, view: View) -> Plan:
        """Return the list."""
        move_to_front(view.live, view.cell, view.outcome, self._around, self._apart, self._plan)
        return self._plan

    def insight(self, lane: int) -> Insight:
        """Return the list, in order; the shot just chosen is its first cell."""
        plan = self._plan
        listed = lane_of_boards(plan.open, lane, self.rules.cells)
        ahead = plan.cells[lane, plan.begin[lane] : plan.end[lane]]
        waiting = [int(self._cells[lane]), *(int(cell) for cell in ahead if listed[cell])]
        return Insight(closed=~listed, waiting=list(dict.fromkeys(waiting)))
