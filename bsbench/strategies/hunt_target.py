"""The strategy ``hunt-target``."""

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.boards import bit_of, full_boards, lane_of_boards
from bsbench.kernels.plans import Plan, empty_plan, neighbour_table, put_first
from bsbench.rules import MISS, Rules
from bsbench.strategies.base import Cells, Insight, Planner
from bsbench.strategies.random import shuffle_cells
from bsbench.view import View


@kernel
def push_neighbours(live, cell, outcome, around, fresh, plan):
    """Put what lies around each hit at the front of its lane's plan.

    Parameters
    ----------
    live, cell, outcome
        As in `View`.
    around : ndarray of int64, shape (cells, 4)
        Neighbours of each cell; the last one is shot first.
    fresh : ndarray of uint64, shape (lanes, words)
        Boards of the cells that have never been pushed.
    plan : Plan
    """
    for lane in range(len(live)):
        last = cell[lane]
        if live[lane] and last >= 0 and outcome[lane] != MISS:
            for side in range(around.shape[1]):
                neighbour = around[last, side]
                word, bit = bit_of(neighbour)
                pushed = fresh[lane, word] & plan.open[lane, word] & bit
                fresh[lane, word] &= ~bit
                put_first(plan, lane, neighbour, pushed != 0)


class HuntTarget(Planner):
    """Random shots; after a hit, the neighbours first, those of the last hit before others.

    Source: N. Berry, "Battleship", DataGenetics, December 2011, "Hunt/Target": random
    shots until one hits, then the four neighbours go on a stack of targets, which is
    shot down before the hunt goes on. "Hard AI Strategy" calls it "Medium".

    Settled here: N, S, E, W are pushed in this order, and popped from the last one;
    a cell that was shot or waits already is not pushed.
    """

    name = "hunt-target"
    source = "DataGenetics (Berry 2011)"
    home = "classic"
    look = ("purple", "solid")

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for a random order per lane, and a stack in front of it."""
        super().begin(rules, lanes, seed)
        # Every cell is pushed once at most.
        self._hunt = rules.cells
        self._plan = empty_plan(lanes, rules.cells, 2 * rules.cells)
        self._around = neighbour_table(rules, "NSEW")
        self._fresh = full_boards(lanes, rules.cells)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Shuffle a board for each game."""
        plan = self._plan
        shuffle_cells(self.stream_key, lanes, games, plan.cells[:, self._hunt :])
        plan.begin[lanes] = self._hunt
        plan.end[lanes] = 2 * self._hunt
        plan.open[lanes] = self._fresh[lanes] = np.iinfo(np.uint64).max

    def plan(self, view: View) -> Plan:
        """Return the stack, from the top, and the cells in random order behind it."""
        push_neighbours(view.live, view.cell, view.outcome, self._around, self._fresh, self._plan)
        return self._plan

    def insight(self, lane: int) -> Insight:
        """Return the stack from the top; the shot just chosen stood above it."""
        stack = self._plan.cells[lane, self._plan.begin[lane] : self._hunt]
        is_open = lane_of_boards(self._plan.open, lane, self.rules.cells)
        waiting = [int(self._cells[lane]), *(int(cell) for cell in stack if is_open[cell])]
        closed = ~is_open
        closed[waiting] = False
        return Insight(closed=closed, waiting=waiting)
