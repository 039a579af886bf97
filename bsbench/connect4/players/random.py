"""The player ``random``."""

from __future__ import annotations

import numpy as np

from bsbench.connect4.kernels.board import column_of, landing_cells
from bsbench.connect4.kernels.chance import draw_cell, stream_of_move
from bsbench.connect4.players.base import Boards, Columns, Games, Player
from bsbench.kernels._jit import kernel


@kernel
def _choose(key, boards, games, columns):
    for index in range(len(boards)):
        stones = boards[index, 1]
        state = stream_of_move(key, games[index], stones)
        _, cell = draw_cell(state, landing_cells(stones))
        columns[index] = column_of(cell)


class Random(Player):
    """A random column that is not full, each equally likely.

    Source: the usual yardstick.
    """

    name = "random"
    source = "the usual yardstick"

    def choose(self, boards: Boards, games: Games) -> Columns:
        """Return a random column for each game."""
        columns = np.empty(len(boards), np.int64)
        _choose(self.stream_key, boards, games, columns)
        return columns
