"""The strategy ``hunt-target``."""

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.boards import bit_of, full_boards, lane_of_boards
from bsbench.kernels.plans import empty_plan, lay_down, neighbour_table, put_first, waiting_cells
from bsbench.rules import Rules
from bsbench.strategies.base import Cells, Insight, Planner
from bsbench.strategies.random import shuffle_cells
from bsbench.view import View


@kernel
def push_neighbours(lanes, cell, around, fresh, plan):
    """Put what lies around a hit at the front of its lane's plan.

    Parameters
    ----------
    lanes : ndarray of int64, shape (n,)
    cell : ndarray of int64, shape (all lanes,)
        What was hit there.
    around : ndarray of int64, shape (cells, 4)
        Neighbours of each cell; the last one is shot first.
    fresh : ndarray of uint64, shape (all lanes, words)
        Boards of the cells that have never been pushed.
    plan : Plan
    """
    for lane in lanes:
        for side in range(around.shape[1]):
            neighbour = around[cell[lane], side]
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
        self.plan = empty_plan(lanes, rules.cells, 2 * rules.cells)
        self._around = neighbour_table(rules, "NSEW")
        self._fresh = full_boards(lanes, rules.cells)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Shuffle a board for each game."""
        shuffle_cells(self.stream_key, lanes, games, self.plan.cells[:, self._hunt :])
        lay_down(self.plan, lanes, self._hunt, 2 * self._hunt)
        self._fresh[lanes] = np.iinfo(np.uint64).max

    def follow_up(self, view: View, lanes: Cells) -> None:
        """Push the neighbours of what was hit on the stack."""
        push_neighbours(lanes, view.cell, self._around, self._fresh, self.plan)

    def insight(self, lane: int) -> Insight:
        """Return the stack from the top, or the next cell of the random order."""
        closed = ~lane_of_boards(self.plan.open, lane, self.rules.cells)
        stack = waiting_cells(self.plan, lane, before=self._hunt)
        return Insight(closed=closed, waiting=stack or waiting_cells(self.plan, lane)[:1])
