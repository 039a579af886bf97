"""The strategy ``random``."""

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.random import shuffle, stream_start
from bsbench.strategies.base import Cells, FixedOrder


@kernel
def shuffle_cells(key, lanes, games, order):
    """Give each of some lanes the board's cells in an order of its own.

    Parameters
    ----------
    key : uint64
        Key of the strategy's streams.
    lanes, games : ndarray of int64, shape (n,)
        Lanes, and the numbers of the games that begin there.
    order : ndarray of uint8 or uint16, shape (lanes, cells)
        Changed in place.
    """
    for index in range(len(lanes)):
        cells = order[lanes[index]]
        for cell in range(len(cells)):
            cells[cell] = cell
        shuffle(stream_start(key, games[index]), cells)


class Random(FixedOrder):
    """Shoots a uniformly random cell that was not shot before.

    Source: the yardstick of every comparison, as in N. Berry, "Battleship",
    DataGenetics, December 2011. The board's cells are shuffled when the game
    begins and shot in that order, which is the same law. Its move counts are
    known exactly: P(T = t) = C(t-1, n-1) / C(N, n) for n ship cells among N.
    """

    name = "random"
    source = "DataGenetics (Berry 2011)"
    look = ("black", "solid")

    def orders(self, games: Cells) -> npt.NDArray[np.uint16]:
        """Return a shuffled board for each game."""
        order = np.empty((len(games), self.rules.cells), np.uint16)
        shuffle_cells(self.stream_key, np.arange(len(games)), games, order)
        return order

    def shuffle_key(self) -> np.uint64:
        """Return the key by which `orders` shuffles."""
        return self.stream_key
