"""The strategy ``over9000``."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.numbers import LANES
from bsbench.kernels.random import uniform_at
from bsbench.kernels.salvos import (
    agreeing_chances,
    all_slots,
    all_ways,
    check_turns,
    count_agreeing,
    forget_answers,
    greatest_few,
    is_possible,
    learn_turns,
    no_counts,
    water_share,
)
from bsbench.rules.board import NOTHING, Rules
from bsbench.strategies._chances import ChancesStrategy, Weights, edge_weights
from bsbench.strategies.base import Cells, Insight, parameter
from bsbench.strategies.view import View


@kernel
def _score(lane, shots, known, counts, weighing, score):
    """Write the score of each cell of a lane: NaN where it is shot, or no ship may lie."""
    count_agreeing(lane, known, counts)
    cells = len(score)
    part = 1.0 / all_ways(counts)
    for cell in range(cells):
        score[cell] = np.nan
        if not is_possible(lane, cell, known, counts):
            continue
        if weighing is None:
            # The least product is the greatest probability, and exact below 2^53.
            score[cell] = -water_share(cell, counts)
            continue
        score[cell] = weighing.weights[0, cell, 0] * (1.0 - water_share(cell, counts) * part)
        if weighing.noise > 0:
            start = weighing.start[lane // LANES, lane % LANES]
            score[cell] += weighing.noise * uniform_at(start, shots[lane] * cells + cell)


@kernel
def _choose(asked, shots, allowed, known, counts, weighing, score, scores, turns):
    """Write a turn for every lane that is asked; return one that has no cell, or -1."""
    for lane in range(len(asked)):
        turns[lane, :] = NOTHING
        if asked[lane]:
            _score(lane, shots, known, counts, weighing, score)
            if greatest_few(score, allowed[lane], turns[lane], scores) == 0:
                return lane
    return -1


@dataclass
class Over9000(ChancesStrategy):
    """Shoots the cell most likely to hold a ship, if ships were independent of each other.

    Source: the write-up of the program Over 9000. It counts every slot (possible position) of every
    ship that agrees with what is known. p(k) is the probability that ship k is on a square: its
    slots there over all its slots. The "probability of finding any ship on a given square
    is equal to 1 - (1 - p(1)) * (1 - p(2)) * ... * (1 - p(5))". The probabilities "were multiplied
    by the weights", which are higher on the sides since people prefer them, and "a small random
    number" was added.

    Settled here: a slot of a ship consists of unshot cells and the ship's own hits, and
    holds all of these hits. The weight is ``edge_weight`` on border cells and 1 elsewhere. The
    random number is uniform from 0 to ``noise``, drawn for every cell at every shot. The
    plain version has ``edge_weight=1`` and ``noise=0``. Its ties are exact: it multiplies (slots of
    a ship - slots through the cell) over all ships, and shoots the first cell with the least
    product, in integers as long as they fit 64 bits. With weights or noise, scores are float64, and
    it shoots the first cell with the highest score.

    Salvos are from the contest that inspired the write-up: "multiple shots were fired in a single
    turn and you were only told which ships were hit without knowing which shots were the hits". A
    slot then agrees if for each turn it holds exactly the shots reported as hits on its ship; with
    joint answers, as many of them. If one slot of a ship is left, its cells are closed to other
    ships (and those around it, where ships may not touch, unless ``no_touch=ignore``). A turn has
    the cells with the highest scores, of equal ones the first, out of those where some ship may
    lie; it has fewer shots where these are fewer. Random numbers are drawn for every cell at every
    turn, and products are float64, exact below 2^53.
    """

    edge_weight: float = parameter(
        1.1, "factor for the probability of border cells", least=0.001, most=1000
    )
    noise: float = parameter(
        0.001, "largest random number that is added to a probability", least=0, most=1000
    )

    name = "over9000"
    look = ("vermilion", "solid")

    def _weights(self) -> Weights | None:
        return edge_weights(self.rules, self.edge_weight, self.noise)

    def _noise(self) -> float:
        return self.noise

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room, for salvos for the slots that agree."""
        super().begin(rules, lanes, seed)
        if rules.salvos:
            self._known = all_slots(rules, lanes, self.no_touch)
            self._counts = no_counts(rules)
            self._score, self._best = np.zeros(rules.cells), np.zeros(rules.most_shots)
            self._turns = np.zeros((lanes, rules.most_shots), np.int64)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known, and begin a random stream for each game."""
        super().deal(lanes, games)
        if self.rules.salvos:
            forget_answers(lanes, self._known)

    def salvo(self, view: View) -> Cells:
        """Take note of the last turn, and fire where the scores are greatest."""
        learn_turns(view.cells, view.ships, view.hits, self.rules.joint, self._known)
        self._shots = view.shots
        stuck = _choose(
            view.asked,
            view.shots,
            view.allowed,
            self._known,
            self._counts,
            self._weighing,
            self._score,
            self._best,
            self._turns,
        )
        check_turns(stuck)
        return self._turns

    def chances(self, lanes: Cells) -> npt.NDArray[np.float64]:
        """Return the probability that each cell holds a ship, without weights and noise."""
        if self.rules.salvos:
            return agreeing_chances(lanes, self._known, self._counts)
        return super().chances(lanes)

    def insight(self, lane: int) -> Insight:
        """Return the scores that led to the shots: weighted probabilities of a hit."""
        if not self.rules.salvos:
            return super().insight(lane)
        room = self._known, self._counts, self._weighing, self._score
        _score(lane, self._shots, *room)
        closed = np.isnan(self._score)
        scores = self._score
        if self._weighing is None:
            scores = self.chances(np.array([lane]))[0]
        return Insight(closed=closed, scores=np.where(closed, -1, scores))
