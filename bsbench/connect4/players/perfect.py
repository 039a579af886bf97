"""The player ``perfect``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bsbench.common.parameters import parameter
from bsbench.connect4.kernels.solver import SCRATCH_SHAPE, choose_columns, score_column, solve
from bsbench.connect4.players.base import Analysis, Boards, Columns, Games, Player
from bsbench.connect4.position import CENTRE_FIRST, Position


@dataclass
class Perfect(Player):
    """Plays without a mistake: wins as soon as it can, and loses as late as it can.

    Source: the published technique of solvers: Allis, "A knowledge-based approach of
    Connect-Four", 1988; Tromp's Fhourstones; Pons, "Solving Connect 4: how to build a perfect AI".
    The program is bsbench's own (`bsbench.connect4.kernels.solver`).

    A position is worth, to the player to move, 22 less the number of stones that the winner
    has placed when the game ends, negative if that is the opponent, 0 for a draw, if
    both play without a mistake. That is the convention of the public test sets.

    Settled here: of several columns that are worth most, the one closest to the centre is played,
    the left one of two.

    The table of what it knows has 2^``table_bits`` words of 8 bytes, 64 megabytes by default; it is
    kept from one position to the next, so that later ones may take fewer nodes. With 16 stones on
    the board, a position takes a hundredth of a second; the empty board takes minutes.
    """

    table_bits: int = parameter(
        23, "the table has 2^table_bits places of 8 bytes", least=10, most=30
    )

    name = "perfect"
    source = "the published technique: alpha-beta with null windows, threats and a table"
    scores_mean = "22 minus the winner's stones at the end, negative if the opponent wins"

    def begin(self, seed: int) -> None:
        """Empty the table."""
        super().begin(seed)
        # Written to here, so that no search has to wait for memory.
        self._table = np.empty(1 << self.table_bits, np.uint64)
        self._table.fill(0)
        self._scratch = np.zeros(SCRATCH_SHAPE, np.uint64)

    def choose(self, boards: Boards, games: Games) -> Columns:
        """Return a column that is worth most for each game."""
        columns = np.empty(len(boards), np.int64)
        choose_columns(boards, self._table, self._scratch, columns, self._nodes)
        return columns

    def worth(self, position: Position) -> int:
        """Return what a position that is not over is worth to the player to move."""
        mover, stones = np.uint64(position.mover), np.uint64(position.stones)
        return int(solve(mover, stones, self._table, self._scratch, self._nodes))

    def analyse(self, position: Position, game: int = 0) -> Analysis:
        """Return the best column, and the worth of each column."""
        before = self.nodes
        mover, stones = np.uint64(position.mover), np.uint64(position.stones)
        columns = [column for column in CENTRE_FIRST if column in position.open_columns]
        found = {
            column: int(
                score_column(mover, stones, column, self._table, self._scratch, self._nodes)
            )
            for column in columns
        }
        best = max(columns, key=found.__getitem__)
        return Analysis(best, dict(sorted(found.items())), self.nodes - before)

    def verdict(self, position: Position, analysis: Analysis) -> str:
        """Return who wins, and with which stone."""
        worth = analysis.scores[analysis.best]
        if worth == 0:
            return "with perfect play, the game is a draw"
        other = "second" if position.to_move == "first" else "first"
        winner = position.to_move if worth > 0 else other
        return (
            f"with perfect play, the {winner} player wins with its stone number {22 - abs(worth)}"
        )
