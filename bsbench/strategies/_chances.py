"""What the strategies of the family of Over 9000 share: they need to know which ship is hit."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.chances import (
    Chances,
    Ships,
    Weighing,
    count_ships,
    forget_ships,
    learn_ships,
    multiply_chances,
    ship_chances,
    unknown_ships,
    weigh_chances,
)
from bsbench.kernels.choosing import chosen_cells, empty_cells, first_greatest, first_least
from bsbench.kernels.numbers import LANES, empty_numbers, lane_of_words, live_word, words_of
from bsbench.kernels.pairs import Pairs, count_pairs
from bsbench.kernels.random import start_streams
from bsbench.rules.board import Feedback, Rules
from bsbench.strategies.base import NO_TOUCH, Cells, Insight, Strategy, parameter
from bsbench.strategies.view import View

Weights = npt.NDArray[np.float64]
"""Factors of the probability of each cell: float64, shape (words, cells, 64), or
(1, cells, 64) where they are the same in all lanes."""


@kernel
def _count(ships, pairs, word, chances):
    if pairs is None:
        count_ships(ships, word, chances)
    else:
        count_pairs(ships, pairs, word, chances)


@kernel
def _read(lanes, ships, pairs, chances, into):
    row = 0
    while row < len(lanes):
        word = lanes[row] // LANES
        _count(ships, pairs, word, chances)
        multiply_chances(chances)
        while row < len(lanes) and lanes[row] // LANES == word:
            place = lanes[row] % LANES
            product = np.float64(chances.product[0, place])
            for cell in range(into.shape[1]):
                into[row, cell] = 1 - np.float64(chances.water[cell, place]) / product
            row += 1


def hit_chances(
    lanes: Cells, ships: Ships, pairs: Pairs | None, chances: Chances
) -> npt.NDArray[np.float64]:
    """Return the probability that each cell holds a ship, as `Strategy.chances` does.

    Parameters
    ----------
    lanes : ndarray of int64, shape (n,)
    ships : Ships
    pairs : Pairs or None
        Where ships are considered by pairs.
    chances : Chances
        Room, which is written to.
    """
    into = np.empty((len(lanes), ships.unshot.shape[1]))
    _read(lanes, ships, pairs, chances, into)
    return into


@kernel
def _score(ships, pairs, word, wanted, chances, weighing, shots, complete):
    _count(ships, pairs, word, chances)
    if weighing is None:
        multiply_chances(chances)
    else:
        open_words = ships.unshot[word]
        weigh_chances(chances, weighing, word, shots, wanted, open_words, complete)


@kernel
def _choose(asked, shots, ships, pairs, chances, weighing, cells):
    for word in range(len(cells)):
        wanted = live_word(asked, word)
        if wanted:
            _score(ships, pairs, word, wanted, chances, weighing, shots, False)
            if weighing is not None:
                stuck = first_greatest(chances.score, ships.unshot[word], wanted, word, cells)
            else:
                stuck = first_least(
                    chances.water, ships.unshot[word], chances.product, wanted, word, cells
                )
            if stuck >= 0:
                return stuck
    return -1


@dataclass
class ChancesStrategy(Strategy):
    """A strategy that shoots where a ship is most likely, as in `bsbench.kernels.chances`."""

    no_touch: str = parameter("sunk", NO_TOUCH[1], choices=NO_TOUCH[0])

    source = "Over 9000 (write-up)"
    needs = Feedback.SHIP
    home = "classic"

    def _weights(self) -> Weights | None:
        """Return the cells' weights; None where neither they nor noise matter."""
        return None

    def _noise(self) -> float:
        """Return the largest random number added to a score."""
        return 0.0

    def _room(self, exact: bool) -> tuple[Pairs | None, Chances]:
        """Return room for chances, and, to consider ships by pairs, for these."""
        return None, ship_chances(self.rules, shared_plane=False, exact=exact)

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for a plane per ship, and for chances."""
        super().begin(rules, lanes, seed)
        self._ships = unknown_ships(rules, lanes, self.no_touch, planes=len(rules.fleet))
        self._start = empty_numbers(words_of(lanes), dtype=np.uint64)
        weights = self._weights()
        self._weighing = None if weights is None else Weighing(weights, self._noise(), self._start)
        self._paired, self._chances = self._room(exact=weights is None)
        self._cells = empty_cells(lanes, rules.cells)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known, and begin a random stream for each game."""
        forget_ships(lanes, self._ships)
        start_streams(self.stream_key, lanes, games, self._start)

    def shoot(self, view: View) -> Cells:
        """Take note of the last shot, and fire where the score is greatest."""
        learn_ships(view.cell, view.outcome, view.ship, view.slot, self._ships)
        self._shots = view.shots
        stuck = _choose(
            view.asked,
            view.shots,
            self._ships,
            self._paired,
            self._chances,
            self._weighing,
            self._cells,
        )
        return chosen_cells(self._cells, stuck, self.lanes)

    def chances(self, lanes: Cells) -> npt.NDArray[np.float64]:
        """Return the probability that each cell holds a ship, without weights and noise."""
        return hit_chances(lanes, self._ships, self._paired, self._chances)

    def insight(self, lane: int) -> Insight:
        """Return the scores that led to the shot: weighted probabilities of a hit."""
        unshot = lane_of_words(self._ships.unshot, lane)
        if self._weighing is None:
            scores = self.chances(np.array([lane]))[0]
        else:
            word, place = divmod(lane, LANES)
            _score(
                self._ships,
                self._paired,
                word,
                np.uint64(1 << place),
                self._chances,
                self._weighing,
                self._shots,
                True,
            )
            scores = self._chances.score[:, place]
        return Insight(closed=~unshot, scores=np.where(unshot, scores, -1))


def edge_weights(rules: Rules, edge_weight: float, noise: float) -> Weights | None:
    """Return weights that differ on border cells; None where neither they nor noise matter."""
    if edge_weight == 1 and noise == 0:
        return None
    weights = empty_numbers(1, rules.cells, dtype=np.float64)
    weights.fill(1)
    board = weights.reshape(rules.rows, rules.cols, LANES)
    board[[0, -1]] = board[:, [0, -1]] = edge_weight
    return weights
