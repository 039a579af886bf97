"""The strategy ``over9000``."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.chances import (
    count_ships,
    first_least,
    forget_ships,
    learn_ships,
    multiply_chances,
    ship_chances,
    unknown_ships,
    weigh_chances,
)
from bsbench.kernels.density import first_greatest, live_word, start_streams, words_of
from bsbench.kernels.numbers import LANES, empty_numbers
from bsbench.kernels.planes import lane_of_plane
from bsbench.rules import Feedback, Rules
from bsbench.strategies.base import NO_TOUCH, Cells, Insight, Strategy, parameter
from bsbench.view import View


@kernel
def _score(ships, word, chances, weights, noise, start, shots):
    count_ships(ships, word, chances)
    multiply_chances(chances)
    if len(weights):
        weigh_chances(chances, weights, word, noise, start, shots)


@kernel
def _choose(live, shots, ships, chances, weights, noise, start, cells):
    for word in range(len(cells)):
        wanted = live_word(live, word)
        if wanted:
            _score(ships, word, chances, weights, noise, start, shots)
            if len(weights):
                stuck = first_greatest(chances.score, chances.unshot, wanted, word, cells)
            else:
                stuck = first_least(
                    chances.water, chances.unshot, chances.product, wanted, word, cells
                )
            if stuck >= 0:
                return stuck
    return -1


@dataclass
class Over9000(Strategy):
    """The cell most likely to hold any ship, the ships taken as independent of each other.

    Source: the write-up of the program Over 9000: every slot of every ship that agrees
    with what is known counts; p(k), the chance that ship k is on a square, is its slots
    there over all its slots, and "the probability of finding any ship on a given square
    is equal to 1 - (1 - p(1)) (1 - p(2)) … (1 - p(5))". The probabilities "were multiplied
    by the weights", higher on the sides since people prefer them, and "a small random
    number" was added.

    Settled here: a slot of a ship consists of unshot cells and the ship's own hits, and
    holds all of these. The weight is ``edge_weight`` on border cells and 1 elsewhere; the
    random number is uniform from 0 to ``noise``, drawn for every cell at every shot. With
    ``edge_weight=1`` and ``noise=0``, the plain version, ties are exact: the least product
    of (slots of a ship - slots through the cell), in integers as long as they fit 64
    bits. The first cell wins among equals.
    """

    edge_weight: float = parameter(
        1.1, "factor of the probability on border cells", least=0.001, most=1000
    )
    noise: float = parameter(
        0.001, "largest random number added to the probability", least=0, most=1000
    )
    no_touch: str = parameter("sunk", NO_TOUCH[1], choices=NO_TOUCH[0])

    name = "over9000"
    source = "Over 9000 (write-up)"
    needs = Feedback.SHIP
    home = "classic"

    def _weights(self) -> npt.NDArray[np.float64]:
        """Return weights, shape (words or 1, cells, 64); none of them in the plain version."""
        rules = self.rules
        if self.edge_weight == 1 and self.noise == 0:
            return empty_numbers(0, rules.cells, dtype=np.float64)
        weights = empty_numbers(1, rules.cells, dtype=np.float64)
        weights.fill(1)
        board = weights.reshape(rules.rows, rules.cols, LANES)
        board[[0, -1]] = board[:, [0, -1]] = self.edge_weight
        return weights

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for a plane per ship, and for chances."""
        super().begin(rules, lanes, seed)
        self._ships = unknown_ships(rules, lanes, self.no_touch, planes=len(rules.fleet))
        self._weight = self._weights()
        self._chances = ship_chances(rules, shared_plane=False, exact=not len(self._weight))
        self._start = empty_numbers(words_of(lanes), dtype=np.uint64)
        self._cells = empty_numbers(words_of(lanes), dtype=np.int64)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known, and begin a random stream for each game."""
        forget_ships(lanes, self._ships)
        start_streams(self.stream_key, lanes, games, self._start)

    def shoot(self, view: View) -> Cells:
        """Take note of the last shot, and fire where the score is greatest."""
        learn_ships(view.cell, view.outcome, view.ship, view.slot, self._ships)
        stuck = _choose(
            view.live,
            view.shots,
            self._ships,
            self._chances,
            self._weight,
            self.noise,
            self._start,
            self._cells,
        )
        if stuck >= 0:
            raise AssertionError(f"no slot is left in lane {stuck}, and a ship is")
        self._shots = view.shots
        return self._cells.reshape(-1)[: self.lanes]

    def insight(self, lane: int) -> Insight:
        """Return the scores that led to the shot: weighted probabilities of a hit."""
        word, place = divmod(lane, LANES)
        chances = self._chances
        _score(
            self._ships, word, chances, self._weight, self.noise, self._start, self._shots
        )
        unshot = lane_of_plane(self._ships.unshot, lane)
        scores = (
            chances.score[:, place]
            if len(self._weight)
            else 1 - chances.water[:, place] / chances.product[0, place]
        )
        return Insight(closed=~unshot, scores=np.where(unshot, scores, -1))
