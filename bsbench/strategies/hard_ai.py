"""The strategy ``hard-ai``."""

from dataclasses import dataclass

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.choosing import random_greatest
from bsbench.kernels.density import count_afloat, set_factors, weigh_slots
from bsbench.kernels.numbers import (
    choose,
    empty_numbers,
    everywhere,
    live_word,
    load,
    store,
    words_of,
)
from bsbench.kernels.random import start_streams
from bsbench.rules.board import Rules
from bsbench.strategies._density import DensityStrategy
from bsbench.strategies.base import Cells, parameter
from bsbench.strategies.view import View


@kernel
def _weigh(evidence, word, scales):
    count_afloat(evidence, word, scales)
    set_factors(evidence, word, scales, 1)
    weigh_slots(evidence, word, scales)
    score, struck, rows, cols = scales.score, evidence.struck[word], scales.rows, scales.cols
    none = everywhere(score, 0)
    for cell in range(rows * cols):
        row, col = cell // cols, cell % cols
        beside = struck[cell - cols] if row > 0 else np.uint64(0)
        beside |= struck[cell + cols] if row < rows - 1 else np.uint64(0)
        beside |= struck[cell - 1] if col > 0 else np.uint64(0)
        beside |= struck[cell + 1] if col < cols - 1 else np.uint64(0)
        once = load(score, cell)
        store(score, cell, once + choose(beside, once + once, none))


@kernel
def _choose(live, evidence, scales, states, cells):
    for word in range(len(cells)):
        wanted = live_word(live, word)
        if wanted:
            _weigh(evidence, word, scales)
            stuck = random_greatest(
                scales.score, evidence.unshot[word], wanted, word, states, cells
            )
            if stuck >= 0:
                return stuck
    return -1


@dataclass
class HardAi(DensityStrategy):
    """Shoots the cell with the most slots without a miss; cells beside hits count three times.

    Source: "Hard AI Strategy: Monte Carlo / Probability-Based Approach". Every placement
    of each unsunk ship is valid if "no cell in the placement has been marked as a
    'miss'", and adds 1 to "every unknown cell in that placement". Then the "scores
    of adjacent cells" to hits of unsunk ships are multiplied by 3. "If multiple
    cells have the same highest score, it randomly chooses among them".

    Settled here: a cell beside several hits also counts three times. Adjacent cells are the four
    neighbours. In the source, a placement may hold cells of sunk ships; with ``block_sunk=true``,
    it may not. If only the length of what sank is told, a sunk ship is taken out where its cells
    follow from the hits.
    """

    block_sunk: bool = parameter(False, "whether cells of sunk ships exclude a slot")

    name = "hard-ai"
    source = "Hard AI Strategy (probability map)"
    look = ("black", "dashed")

    def _sinking_blocks(self) -> bool:
        return self.block_sunk

    def _largest_score(self) -> int:
        return 3 * 2 * self.rules.ship_cells

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for random streams, too."""
        super().begin(rules, lanes, seed)
        self._states = empty_numbers(words_of(lanes), dtype=np.uint64)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Begin a random stream for each game."""
        super().deal(lanes, games)
        start_streams(self.stream_key, lanes, games, self._states)

    def _weigh(self, word: int) -> None:
        _weigh(self._evidence, word, self._scales)

    def _choose(self, view: View) -> int:
        stuck: int = _choose(view.live, self._evidence, self._scales, self._states, self._cells)
        return stuck
