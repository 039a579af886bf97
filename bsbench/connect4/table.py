"""Games of Connect 4 in progress, side by side."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.connect4.faults import after
from bsbench.connect4.kernels.board import play_columns
from bsbench.connect4.openings import drawn_openings
from bsbench.connect4.players.base import Columns, Player
from bsbench.connect4.position import CELLS, columns_text
from bsbench.matches.game import Table
from bsbench.matches.player import Games


class ColumnTable(Table):
    """Pairs of games from openings.

    All games for which players are asked together have as many stones.
    """

    def __init__(self, seed: int, first: int, pairs: int, plies: int, followed: bool) -> None:
        columns, boards = drawn_openings(seed, first, pairs, plies)
        # For built-in players, columns are not noted: that takes longer than a quick one's move.
        self._plies, self._followed = plies, followed
        self._played = np.zeros((2 * pairs, CELLS), np.int8)
        self._played[:, :plies] = np.concatenate([columns, columns])
        # Stones of the player to move, and of both.
        self._boards = np.concatenate([boards, boards])
        self.lengths = np.full(2 * pairs, plies, np.int8)

    def to_move(self, games: Games) -> npt.NDArray[np.bool_]:
        """Return for some games whether `second` is to move; False is `first`."""
        second: npt.NDArray[np.bool_] = self.lengths[games] % 2 == 1
        return second

    def ask(self, player: Player, games: Games, numbers: Games) -> Columns:
        """Return the columns that a player plays in some games."""
        ply = self.lengths[games[0]]
        played = self._played[games, :ply] if player.own else self._played[:0]
        return player.choose_after(played, self._boards[games], numbers)

    def play(self, games: Games, moves: Columns) -> Games:
        """Drop a stone in each of some games."""
        boards, made = self._boards[games], np.empty(len(games), np.int64)
        wrong = play_columns(boards, moves, made)
        if wrong >= 0:
            raise BsbenchError(
                f"plays column {moves[wrong] + 1} of a board that has no room there, in a game "
                "from the opening "
                f"{columns_text(self._played[games[wrong], : self._plies].tolist())}"
            )
        self._boards[games] = boards
        if self._followed:
            self._played[games, self.lengths[games]] = moves
        self.lengths[games] += 1
        return made

    def where(self, game: int) -> str:
        """Return which columns were played."""
        return after(self._played[game, : self.lengths[game]].tolist())
