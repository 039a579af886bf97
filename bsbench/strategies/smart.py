"""The strategy ``smart``."""

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.boards import (
    cell_dtype,
    clear_bit,
    clear_mask,
    diagonal_masks,
    full_boards,
    is_set,
    lane_of_boards,
)
from bsbench.rules import MISS, Rules
from bsbench.strategies.base import Cells, Insight, Strategy
from bsbench.view import View


@kernel
def scan_list(
    live, cell, outcome, rows, cols, all_sides, apart, listed, order, place, front, height, cells
):
    """Take the next cell from each lane's list, after changing it for the last shot.

    The list is what lies on the stack ``front``, then ``order`` from ``place`` on; in
    both, cells that are listed no more are passed over. A cell moved to the front
    a second time lies on the stack twice: the upper one counts.

    Parameters
    ----------
    live, cell, outcome
        As in `View`.
    rows, cols : int
    all_sides : bool
        Whether N, E, S, W move to the front after a hit, or only E, S.
    apart : ndarray of uint64, shape (cells, words)
        Masks of the cells that a hit takes off the list.
    listed : ndarray of uint64, shape (lanes, words)
        Boards of the cells still on the list.
    order : ndarray of uint8 or uint16, shape (lanes, cells), or (1, cells) for all lanes
    place, height : ndarray of int64, shape (lanes,)
        How far ``order`` and ``front`` are in use.
    front : ndarray of uint8 or uint16, shape (lanes, room)
    cells : ndarray of int64, shape (lanes,)
        Receives the shots.

    Returns
    -------
    int
        A live lane whose list is empty, or -1.
    """
    for lane in range(len(live)):
        last = cell[lane]
        hit = last >= 0 and outcome[lane] != MISS
        if last >= 0:
            clear_bit(listed, lane, last)
        if hit:
            clear_mask(listed, lane, apart, last)
        if not live[lane]:
            continue
        if hit:
            row, col = last // cols, last % cols
            # The last one pushed comes first: N before E before S before W.
            for inside, neighbour in (
                (all_sides and col > 0, last - 1),
                (row < rows - 1, last + cols),
                (col < cols - 1, last + 1),
                (all_sides and row > 0, last - cols),
            ):
                if inside and is_set(listed, lane, neighbour):
                    front[lane, height[lane]] = neighbour
                    height[lane] += 1
        chosen = -1
        while chosen < 0:
            if height[lane] > 0:
                height[lane] -= 1
                chosen = np.int64(front[lane, height[lane]])
            elif place[lane] == order.shape[1]:
                return lane
            else:
                chosen = np.int64(order[lane if len(order) > 1 else 0, place[lane]])
                place[lane] += 1
            if not is_set(listed, lane, chosen):
                chosen = -1
        cells[lane] = chosen
    return -1


class Smart(Strategy):
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

    _all_sides = False

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Put all cells on the list, row by row."""
        super().begin(rules, lanes, seed)
        dtype = cell_dtype(rules.cells)
        self._listed = full_boards(lanes, rules.cells)
        # Where ships may touch, nothing is eliminated.
        self._apart = diagonal_masks(rules) * np.uint64(not rules.touching)
        self._order = np.arange(rules.cells, dtype=dtype).reshape(1, -1)
        self._place = np.zeros(lanes, np.int64)
        # A hit moves 4 cells at most to the front.
        self._front = np.zeros((lanes, 4 * rules.ship_cells), dtype)
        self._height = np.zeros(lanes, np.int64)
        self._cells = np.zeros(lanes, np.int64)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Put all cells back on the list."""
        self._listed[lanes] = np.iinfo(np.uint64).max
        self._place[lanes] = 0
        self._height[lanes] = 0

    def shoot(self, view: View) -> Cells:
        """Fire at the first cell of the list."""
        rules = self.rules
        stuck = scan_list(
            view.live,
            view.cell,
            view.outcome,
            rules.rows,
            rules.cols,
            self._all_sides,
            self._apart,
            self._listed,
            self._order,
            self._place,
            self._front,
            self._height,
            self._cells,
        )
        if stuck >= 0:
            raise AssertionError(f"the list is empty in lane {stuck}, and a ship is left")
        return self._cells

    def insight(self, lane: int) -> Insight:
        """Return the list, in order; the shot just chosen is its first cell."""
        listed = lane_of_boards(self._listed, lane, self.rules.cells)
        order = self._order[lane if len(self._order) > 1 else 0]
        front = self._front[lane, : self._height[lane]][::-1]
        ahead = [int(cell) for cell in (*front, *order[self._place[lane] :]) if listed[cell]]
        waiting = list(dict.fromkeys([int(self._cells[lane]), *ahead]))
        return Insight(closed=~listed, waiting=waiting)
