"""The player ``mcts``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bsbench.common.parameters import parameter
from bsbench.connect4.kernels.tree import (
    CHILD,
    PATH_LENGTH,
    POINTS,
    VISITS,
    rows_for,
    search,
)
from bsbench.connect4.players.base import Analysis, BoardPlayer, Boards, Columns
from bsbench.connect4.position import CENTRE_FIRST, Position, open_columns
from bsbench.matches.player import Games


@dataclass
class Mcts(BoardPlayer):
    """Monte Carlo tree search, UCT: random games, more of them where they are won more often.

    Source: Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006; the four steps as
    in Browne et al., "A survey of Monte Carlo tree search methods", IEEE Transactions on
    Computational Intelligence and AI in Games 4, 2012.

    Each of ``playouts`` games goes down the tree, at each node to the child with the highest UCB1,
    share of points + ``exploration`` * sqrt(ln(visits of the node) / visits of the child), then
    on with random columns to the end; its points, 1 for a win and 1/2 for a draw, are added to all
    nodes on the way. It plays the column visited most. It knows nothing else of the game: it looks
    for neither immediate wins nor blocks.

    Settled here: of equal children, and of equally visited columns, the one closest to the centre
    is taken, the left one of two; so are children without visits, which come first. A node gets
    children at its second visit. Each move begins with an empty tree. Scores are the shares of
    points of each column, so that the column played need not have the highest.
    """

    playouts: int = parameter(1000, "random games for each move", least=1, most=1_000_000)
    exploration: float = parameter(
        1.0, "how much rarely tried columns are preferred", least=0, most=1000
    )

    name = "mcts"
    in_leagues = tuple({"playouts": playouts} for playouts in (100, 1000, 10_000))
    source = "Kocsis and Szepesvári, Bandit based Monte-Carlo planning, 2006"
    scores_mean = "shares of points, 1 for a win and 1/2 for a draw, in random games"

    def begin(self, seed: int) -> None:
        """Make room for the tree."""
        super().begin(seed)
        self._tree = np.empty((rows_for(self.playouts), 4), np.int64)
        self._path = np.empty(PATH_LENGTH, np.int64)

    def choose(self, boards: Boards, games: Games) -> Columns:
        """Return the column visited most for each game."""
        columns = np.empty(len(boards), np.int64)
        for index, game in enumerate(games):
            mover, stones = boards[index]
            columns[index] = _most_visited(self._grow(mover, stones, game))
        return columns

    def analyse(self, position: Position, game: int = 0) -> Analysis:
        """Return the column visited most, and each one's share of points."""
        before = self.nodes
        children = self._grow(np.uint64(position.mover), np.uint64(position.stones), game)
        scores = {
            column: child[POINTS] / (2 * child[VISITS])
            for column, child in sorted(children.items())
            if child[VISITS]
        }
        return Analysis(_most_visited(children), scores, self.nodes - before)

    def _grow(self, mover: np.uint64, stones: np.uint64, game: int) -> dict[int, list[int]]:
        """Grow the tree of a position; return the root's children by column."""
        self._nodes += search(
            *(self.stream_key, game, mover, stones, self.playouts, self.exploration),
            *(self._tree, self._path),
        )
        is_open = open_columns(int(stones))
        columns = [column for column in CENTRE_FIRST if column in is_open]
        first = self._tree[0, CHILD]
        return dict(zip(columns, self._tree[first : first + len(columns)].tolist(), strict=True))


def _most_visited(children: dict[int, list[int]]) -> int:
    """Return the first of the columns visited most."""
    return max(children, key=lambda column: children[column][VISITS])
