"""The player ``greedy``."""

from __future__ import annotations

import numpy as np

from bsbench.connect4.kernels.board import column_of, landing_cells, winning_cells
from bsbench.connect4.kernels.chance import draw_cell, stream_of_move
from bsbench.connect4.players.base import Boards, Columns, Games, Player
from bsbench.kernels._jit import kernel


@kernel
def _choose(key, boards, games, columns):
    for index in range(len(boards)):
        mover, stones = boards[index, 0], boards[index, 1]
        in_reach = landing_cells(stones)
        wins = winning_cells(mover, stones) & in_reach
        blocks = winning_cells(mover ^ stones, stones) & in_reach
        wanted = wins if wins != 0 else blocks if blocks != 0 else in_reach
        _, cell = draw_cell(stream_of_move(key, games[index], stones), wanted)
        columns[index] = column_of(cell)


class Greedy(Player):
    """Wins at once if it can, else blocks the opponent's win, else plays a random column.

    Source: the usual first player of Connect 4 programs.

    Settled here: of several columns that win, or several to block, or all open ones, each is
    equally likely.
    """

    name = "greedy"
    source = "the usual first player of Connect 4 programs"

    def choose(self, boards: Boards, games: Games) -> Columns:
        """Return a winning, blocking or random column for each game."""
        columns = np.empty(len(boards), np.int64)
        _choose(self.stream_key, boards, games, columns)
        return columns
