"""The strategy ``bob``."""

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.chances import (
    count_ships,
    forget_ships,
    multiply_chances,
    ship_chances,
    unknown_ships,
)
from bsbench.kernels.choosing import chosen_cells, empty_cells, first_least
from bsbench.kernels.numbers import LANES, lane_of_words, live_word
from bsbench.rules.board import MISS, Rules
from bsbench.strategies._chances import hit_chances
from bsbench.strategies.base import Cells, Insight, Strategy
from bsbench.strategies.view import View


@kernel
def _learn(cell, outcome, ships):
    for lane in range(len(cell)):
        last, word = cell[lane], lane // LANES
        bit = np.uint64(1) << np.uint64(lane % LANES)
        if last >= 0:
            ships.unshot[word, last] &= ~bit
            if outcome[lane] == MISS:
                ships.may[0, word, last] &= ~bit


@kernel
def _choose(live, ships, chances, cells):
    for word in range(len(cells)):
        wanted = live_word(live, word)
        if wanted:
            count_ships(ships, word, chances)
            multiply_chances(chances)
            stuck = first_least(
                chances.water, ships.unshot[word], chances.product, wanted, word, cells
            )
            if stuck >= 0:
                return stuck
    return -1


class Bob(Strategy):
    """Shoots the cell most likely to hold a ship, as over9000 does, but knows only hits and misses.

    Source: the write-up of the programs Over 9000, BruteForce and Bob: "Bob uses the same
    strategy, except that Bob uses only the information that a square was a hit or a
    miss". It uses neither weights nor noise.

    Settled here: it never knows what sank, so all ships always count. A slot (a possible position
    of a ship) is possible if it holds no miss. A hit changes no count: there is no mode for
    finishing a ship. Ties are exact. For each cell, it multiplies (slots of a
    ship - slots through the cell) over all ships, and shoots the cell with the least product, the
    first one among equals. Products are integers as long as they fit 64 bits.
    """

    name = "bob"
    source = "Over 9000 and Bob (write-up)"
    home = "classic"
    look = ("grey", "dashed")

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for one plane that serves all ships."""
        super().begin(rules, lanes, seed)
        self._ships = unknown_ships(rules, lanes, "ignore", planes=1)
        self._chances = ship_chances(rules, shared_plane=True, exact=True)
        self._cells = empty_cells(lanes, rules.cells)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known."""
        forget_ships(lanes, self._ships)

    def shoot(self, view: View) -> Cells:
        """Take note of the last shot, and fire where water is least probable."""
        _learn(view.cell, view.outcome, self._ships)
        stuck = _choose(view.live, self._ships, self._chances, self._cells)
        return chosen_cells(self._cells, stuck, self.lanes)

    def chances(self, lanes: Cells) -> npt.NDArray[np.float64]:
        """Return the probability that each cell holds a ship."""
        return hit_chances(lanes, self._ships, None, self._chances)

    def insight(self, lane: int) -> Insight:
        """Return the probability that each cell holds a ship."""
        unshot = lane_of_words(self._ships.unshot, lane)
        scores = self.chances(np.array([lane]))[0]
        return Insight(closed=~unshot, scores=np.where(unshot, scores, -1))
