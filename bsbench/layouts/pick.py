"""The law ``pick``: of some uniform layouts the one with the highest score, the first of equals.

`SCORES` names the scores; all are whole numbers. With K layouts drawn, of which L exist, l of them
with a lower score and e with the same one as a given layout, its probability is
((l + e)^K - l^K) / (e L^K), exactly.

Layout number k of a game, from 0 on, is the one that the law ``uniform`` has for it under the seed
``seed + k 2^1024``, which no user can give.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import LARGEST_SEED
from bsbench.counting.evidence import Evidence
from bsbench.counting.frontier import OutOfReach
from bsbench.counting.posterior import Allowance, find_posterior
from bsbench.kernels._jit import helper, kernel
from bsbench.layouts import Codes, Sampler
from bsbench.layouts import sampler_of as uniform_of
from bsbench.layouts.border import border_cells
from bsbench.rules.board import Rules
from bsbench.rules.placement import Placement
from bsbench.rules.slots import slot_code

_STEPS = 20e9
"""Of counting, for the chances of cells: some ten seconds."""

_LARGEST_SCORE = 1 << 62


@helper
def _apart(one, other):
    """Return the least number of steps along rows and columns between two boxes."""
    down = max(other[0] - one[2], one[0] - other[2], 0)
    return down + max(other[1] - one[3], one[1] - other[3], 0)


@kernel
def _keep_best(drawn, values, boxes, sign, folds, best, layouts):
    """Overwrite ``layouts``, and ``best``, by those drawn whose score is higher.

    A score sums up ``values`` of slots, as an absolute value if it ``folds``; and ``sign`` times
    the distances of all pairs of ships. ``boxes`` has top, left, bottom and right of each slot.
    """
    ships = drawn.shape[1]
    for game in range(len(drawn)):
        score = 0
        for ship in range(ships):
            score += values[ship, drawn[game, ship]]
            for other in range(ship if sign != 0 else 0):
                one = boxes[ship, drawn[game, ship]]
                score += sign * _apart(one, boxes[other, drawn[game, other]])
        if folds:
            score = abs(score)
        if score > best[game]:
            best[game] = score
            for ship in range(ships):
                layouts[game, ship] = drawn[game, ship]


class Pick(Sampler):
    """Sampler of the law ``pick``; see `Sampler`.

    Parameters
    ----------
    rules : Rules
    option : str
        Score and number of layouts, ``SCORE:K``.

    Raises
    ------
    BsbenchError
        If uniform layouts can't be drawn, or the score is not known under these rules.
    """

    def __init__(self, rules: Rules, option: str) -> None:
        super().__init__(rules)
        score, _, number = option.partition(":")
        self._uniform, self._number = uniform_of(rules, Placement()), int(number)
        self.is_slow = self._uniform.is_slow
        self._sign = {"spread": 1, "cluster": -1}.get(score, 0)
        self._folds = score == "parity"
        cells = np.zeros(rules.cells, np.int64)
        if score == "border":
            cells[:] = border_cells(rules)
        elif score == "parity":
            row, col = np.divmod(np.arange(rules.cells), rules.cols)
            cells[:] = 1 - 2 * ((row + col) % 2)
        elif score == "hostile":
            cells[:] = -_chances(rules)
        self._values = np.zeros((len(rules.fleet), 2 * rules.cells), np.int64)
        self._boxes = np.zeros((*self._values.shape, 4), np.int64)
        for ship, length in enumerate(rules.fleet):
            for slot in rules.slots(length):
                self._values[ship, slot_code(slot)] = cells[slot].sum()
                ends = *divmod(slot[0], rules.cols), *divmod(slot[-1], rules.cols)
                self._boxes[ship, slot_code(slot)] = ends

    def draw(self, seed: int, first_game: int, games: int) -> Codes:
        """Return the layouts of some games; see `Sampler.draw`."""
        layouts = np.empty((games, len(self.rules.fleet)), np.int32)
        best = np.full(games, np.iinfo(np.int64).min)
        for each in range(self._number):
            drawn = self._uniform.draw(seed + each * (LARGEST_SEED + 1), first_game, games)
            _keep_best(drawn, self._values, self._boxes, self._sign, self._folds, best, layouts)
        return layouts


sampler_of = Pick


def _chances(rules: Rules) -> npt.NDArray[np.int64]:
    """Return how many uniform layouts have a ship on each cell, less those on the rarest cell.

    In the largest unit common to all. Where sums of a fleet's cells would pass 63 bits, the unit is
    larger, and numbers are rounded down.
    """
    try:
        cells = find_posterior(Evidence(rules.layout_rules), allowance=Allowance(_STEPS)).cells
    except OutOfReach:
        raise BsbenchError(
            f"the score hostile of the placement law 'pick' takes the exact chances of all cells, "
            f"and the layouts on the {rules.board} board are too many to be counted: use a smaller "
            "board, fewer ships, or another score"
        ) from None
    above = [int(each) - int(cells.min()) for each in cells]
    unit = max(math.gcd(*above), -(-max(above) * rules.ship_cells // _LARGEST_SCORE), 1)
    return np.array([each // unit for each in above], np.int64)
