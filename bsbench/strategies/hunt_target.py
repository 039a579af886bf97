"""The strategy ``hunt-target``."""

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.boards import cell_dtype, clear_bit, full_boards, is_set, lane_of_boards
from bsbench.rules import MISS, Rules
from bsbench.strategies.base import Cells, Insight, Strategy
from bsbench.strategies.random import shuffle_cells
from bsbench.view import View


@kernel
def hunt_or_target(live, cell, outcome, rows, cols, free, order, place, stack, height, cells):
    """Take the next cell from each lane's stack, else from its random order.

    Parameters
    ----------
    live, cell, outcome
        As in `View`.
    rows, cols : int
    free : ndarray of uint64, shape (lanes, words)
        Boards of the cells neither shot nor waiting.
    order : ndarray of uint8 or uint16, shape (lanes, cells)
        Cells in random order, from ``place`` on; those not free are passed over.
    place, height : ndarray of int64, shape (lanes,)
        How far ``order`` and ``stack`` are in use.
    stack : ndarray of uint8 or uint16, shape (lanes, cells)
    cells : ndarray of int64, shape (lanes,)
        Receives the shots.
    """
    for lane in range(len(live)):
        if not live[lane]:
            continue
        last = cell[lane]
        if last >= 0 and outcome[lane] != MISS:
            row, col = last // cols, last % cols
            for inside, neighbour in (
                (row > 0, last - cols),
                (row < rows - 1, last + cols),
                (col < cols - 1, last + 1),
                (col > 0, last - 1),
            ):
                if inside and is_set(free, lane, neighbour):
                    clear_bit(free, lane, neighbour)
                    stack[lane, height[lane]] = neighbour
                    height[lane] += 1
        if height[lane] > 0:
            height[lane] -= 1
            cells[lane] = stack[lane, height[lane]]
            continue
        chosen = np.int64(order[lane, place[lane]])
        while not is_set(free, lane, chosen):
            place[lane] += 1
            chosen = np.int64(order[lane, place[lane]])
        clear_bit(free, lane, chosen)
        cells[lane] = chosen


class HuntTarget(Strategy):
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
        """Make room for a random order and a stack per lane."""
        super().begin(rules, lanes, seed)
        dtype = cell_dtype(rules.cells)
        self._free = full_boards(lanes, rules.cells)
        self._order = np.zeros((lanes, rules.cells), dtype)
        self._place = np.zeros(lanes, np.int64)
        # A cell is pushed once at most.
        self._stack = np.zeros((lanes, rules.cells), dtype)
        self._height = np.zeros(lanes, np.int64)
        self._cells = np.zeros(lanes, np.int64)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Shuffle a board for each game."""
        shuffle_cells(self.stream_key, lanes, games, self._order)
        self._free[lanes] = np.iinfo(np.uint64).max
        self._place[lanes] = 0
        self._height[lanes] = 0

    def shoot(self, view: View) -> Cells:
        """Fire at the top of the stack, else at the next cell in random order."""
        hunt_or_target(
            view.live,
            view.cell,
            view.outcome,
            self.rules.rows,
            self.rules.cols,
            self._free,
            self._order,
            self._place,
            self._stack,
            self._height,
            self._cells,
        )
        return self._cells

    def insight(self, lane: int) -> Insight:
        """Return the stack from the top; the shot just chosen stood above it."""
        stack = self._stack[lane, : self._height[lane]][::-1]
        waiting = [int(self._cells[lane]), *map(int, stack)]
        closed = ~lane_of_boards(self._free, lane, self.rules.cells)
        closed[waiting] = False
        return Insight(closed=closed, waiting=waiting)
