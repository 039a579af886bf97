"""The strategy ``over9000-adaptive``."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.numbers import LANES, empty_numbers, words_of
from bsbench.rules.board import MISS
from bsbench.strategies._chances import ChancesStrategy, Weights
from bsbench.strategies.base import Cells, parameter
from bsbench.strategies.view import View


class _Learners(NamedTuple):
    """What learners know, one in each lane.

    Attributes
    ----------
    latest : ndarray of int64, shape (lanes,)
        The number of the game that was dealt last.
    hits : ndarray of int64, shape (lanes, cells)
        Ship cells hit there in earlier games.
    weights : ndarray of float64, shape (words, cells, 64)
    struck : ndarray of int64, shape (lanes, ship cells)
        Where shots of the present game hit, and
    height : ndarray of int64, shape (lanes,)
        how many of them did.
    """

    latest: Cells
    hits: Cells
    weights: Weights
    struck: Cells
    height: Cells


@kernel
def _note_hits(cell, outcome, unshot, struck, height):
    """Note where the last shots hit, before the superclass notes them."""
    for lane in range(len(cell)):
        last, word = cell[lane], lane // LANES
        bit = np.uint64(1) << np.uint64(lane % LANES)
        if last >= 0 and outcome[lane] != MISS and unshot[word, last] & bit:
            struck[lane, height[lane]] = last
            height[lane] += 1


@kernel
def _learn_layouts(lanes, games, games_per_learner, growth, cells, *learners):
    """Add the games just over to what learners know; new learners know nothing."""
    latest, hits, weights, struck, height = learners
    for index in range(len(lanes)):
        lane = lanes[index]
        word, place = lane // LANES, lane % LANES
        follows = latest[lane] + 1 == games[index]
        latest[lane] = games[index]
        if games[index] % games_per_learner == 0 or not follows:
            for cell in range(hits.shape[1]):
                hits[lane, cell] = 0
                weights[word, cell, place] = 1.0
        else:
            # The outcome of the shot that won may not have been shown: it was a hit.
            if height[lane] < struck.shape[1]:
                struck[lane, height[lane]] = cells[word, place]
            for cell in struck[lane]:
                hits[lane, cell] += 1
                weights[word, cell, place] = 1.0 + growth * hits[lane, cell]
        height[lane] = 0


@dataclass
class Over9000Adaptive(ChancesStrategy):
    """As over9000, but with weights that grow where the learner has hit ships in earlier games.

    Source: the write-up of the program Over 9000: "One simple improvement is to keep
    track of the games you play and increase the values in your weight grid as you get
    hits in squares, giving better results against people who play a small set of layouts."

    Settled here: the weight of a cell is 1 + ``growth`` times the number of hits there in the
    learner's earlier games. There is no edge weight and no noise. Many learners play. Each one
    plays ``games_per_learner`` games in a row, and then forgets everything: game i is game i mod
    ``games_per_learner`` of learner i div ``games_per_learner``. So games depend on those before
    them, and intervals are computed over learners, not over games. Scores are float64, and the
    first cell with the highest score is shot. If two scores are exactly equal, rounding may
    decide between them.
    """

    growth: float = parameter(0.01, "what a hit adds to the weight of its cell", least=0, most=1000)
    games_per_learner: int = parameter(
        1000, "games that a learner plays before it forgets everything", least=1, most=1_000_000
    )

    name = "over9000-adaptive"
    look = ("vermilion-dark", "dashed")

    def _weights(self) -> Weights | None:
        lanes, rules = self.lanes, self.rules
        weights = empty_numbers(words_of(lanes), rules.cells, dtype=np.float64)
        weights.fill(1)
        self._learners = _Learners(
            latest=np.full(lanes, -1, np.int64),
            hits=np.zeros((lanes, rules.cells), np.int64),
            weights=weights,
            struck=np.zeros((lanes, rules.ship_cells), np.int64),
            height=np.zeros(lanes, np.int64),
        )
        return weights

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Let learners learn from the games that are over, and begin others."""
        super().deal(lanes, games)
        _learn_layouts(
            lanes, games, self.games_per_learner, self.growth, self._cells, *self._learners
        )

    def shoot(self, view: View) -> Cells:
        """Fire where weight times probability is greatest."""
        learners = self._learners
        _note_hits(view.cell, view.outcome, self._ships.unshot, learners.struck, learners.height)
        return super().shoot(view)
