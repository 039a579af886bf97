"""The strategy ``datagenetics``."""

from dataclasses import dataclass

from bsbench.kernels._jit import kernel
from bsbench.kernels.choosing import first_greatest
from bsbench.kernels.density import count_afloat, set_factors, weigh_slots
from bsbench.kernels.numbers import live_word
from bsbench.strategies._density import DensityStrategy
from bsbench.strategies.base import parameter
from bsbench.strategies.view import View


@kernel
def _weigh(evidence, word, scales, hit_weight):
    count_afloat(evidence, word, scales)
    set_factors(evidence, word, scales, hit_weight)
    weigh_slots(evidence, word, scales)


@kernel
def _choose(live, evidence, scales, hit_weight, cells):
    for word in range(len(cells)):
        wanted = live_word(live, word)
        if wanted:
            _weigh(evidence, word, scales, hit_weight)
            stuck = first_greatest(scales.score, evidence.unshot[word], wanted, word, cells)
            if stuck >= 0:
                return stuck
    return -1


@dataclass
class Datagenetics(DensityStrategy):
    """Shoots the cell with the most slots of the ships afloat; slots with hits count more.

    Source: N. Berry, "Battleship", DataGenetics, December 2011, the last of its algorithms. For
    each ship afloat, it tries all slots (possible positions) that agree with what is known. They
    are "superimposed" to a "probability density", and the densest cell is shot. After a hit, slots
    through it count more.

    Settled here: a slot is possible if it holds no miss and no cell of a sunk ship. Each open hit
    in a slot (a hit on a ship afloat) multiplies the weight of the slot by ``hit_weight``. The
    article gives no number; on classic, the means for all values from 5 to 1000 differ by less
    than a tenth of a move. Without open hits, this is the plain density, so there is no separate
    mode for hunting. The first cell wins among equals. Scores are integers as long as they fit 63
    bits, then float64. If only the length of what sank is told, a sunk ship is taken out where its
    cells follow from the hits.
    """

    hit_weight: int = parameter(
        5, "factor for the weight of a slot, for each open hit in it", least=1, most=1000
    )

    name = "datagenetics"
    source = "DataGenetics (Berry 2011)"
    look = ("green", "solid")

    def _largest_score(self) -> int:
        return sum(2 * length * self.hit_weight ** (length - 1) for length in self.rules.fleet)

    def _weigh(self, word: int) -> None:
        _weigh(self._evidence, word, self._scales, self.hit_weight)

    def _choose(self, view: View) -> int:
        stuck: int = _choose(view.live, self._evidence, self._scales, self.hit_weight, self._cells)
        return stuck
