"""Random numbers of players: each move of each game has a stream of its own."""

from __future__ import annotations

import numpy as np

from bsbench.connect4.kernels.board import count
from bsbench.kernels._jit import helper
from bsbench.kernels.bits import place_of_bit, population_count
from bsbench.kernels.random import draw, stream_start


@helper
def stream_of_move(key, game, stones):
    """Return the state from which the next move of a game draws, given the stones played."""
    return stream_start(stream_start(key, game), count(stones))


@helper
def draw_cell(state, cells):
    """Return the next state, and one of some cells, each as likely as the others."""
    state, rank = draw(state, population_count(cells))
    return state, np.uint64(1) << place_of_bit(cells, rank)
