"""The strategy ``hunt-target-parity``."""

import numpy as np

from bsbench.kernels._jit import allocating
from bsbench.strategies.base import Cells
from bsbench.strategies.hunt_target import HuntTarget


@allocating
def _even_first(lanes, cols, order):
    """Put the cells with even row + column first, and leave the order alone otherwise."""
    odd = np.empty(order.shape[1], order.dtype)
    for lane in lanes:
        evens = odds = 0
        for cell in order[lane]:
            # Both are written to and one advances, since no branch predicts the colour.
            is_odd = (cell // cols + cell % cols) & 1
            odd[odds] = order[lane, evens] = cell
            odds += is_odd
            evens += 1 - is_odd
        # A slice would be checked for its shape, which takes 2 seconds to compile.
        for index in range(odds):
            order[lane, evens + index] = odd[index]


class HuntTargetParity(HuntTarget):
    """As hunt-target, but it hunts on one colour of the checkerboard first.

    Source: N. Berry, "Battleship", DataGenetics, December 2011, "Hunt/Target" with
    parity. Every ship of two cells or more covers a black and a white square, so the hunt for them
    needs one colour only.

    Settled here: random shots fall on cells with even row + column as long as there are any. Then
    they fall on the other cells, since a fleet may have ships of one cell.
    """

    name = "hunt-target-parity"
    look = ("purple-dark", "dashed")

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Shuffle a board for each game, even cells first."""
        super().deal(lanes, games)
        _even_first(lanes, self.rules.cols, self.hunted)
