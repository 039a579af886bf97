"""The strategy ``over9000-pairs``."""

from dataclasses import dataclass

from bsbench.kernels.chances import Chances
from bsbench.kernels.pairs import Pairs, pair_chances
from bsbench.strategies._chances import ChancesStrategy, Weights, edge_weights
from bsbench.strategies.base import parameter


@dataclass
class Over9000Pairs(ChancesStrategy):
    """As over9000, but considers two ships at a time, and is exact for each pair.

    Source: the write-up of the program Over 9000: "Another improvement which can be made
    is to consider multiple ships at a time instead of one ship, which will help offset the
    independence assumption."

    Settled here: ships are paired in fleet order, the 1st with the 2nd, the 3rd with the
    4th, and so on. A joint placement is a slot for each of the two, without overlap (and without
    contact, where the rules forbid it). The probability that a pair is on a cell is the share
    of its joint placements there. Pairs are combined as if they were independent. A ship without
    a partner, or whose partner has sunk, counts alone. By default, there are no weights and no
    noise. Ties are treated as in over9000.
    """

    edge_weight: float = parameter(
        1.0, "factor for the probability of border cells", least=0.001, most=1000
    )
    noise: float = parameter(
        0.0, "largest random number that is added to a probability", least=0, most=1000
    )

    name = "over9000-pairs"
    look = ("vermilion-darkest", "dashdot")

    def _weights(self) -> Weights | None:
        return edge_weights(self.rules, self.edge_weight, self.noise)

    def _noise(self) -> float:
        return self.noise

    def _room(self, exact: bool) -> tuple[Pairs | None, Chances]:
        return pair_chances(self.rules, exact)
