"""The strategy ``over9000``."""

from dataclasses import dataclass

from bsbench.strategies._chances import ChancesStrategy, Weights, edge_weights
from bsbench.strategies.base import parameter


@dataclass
class Over9000(ChancesStrategy):
    """The cell most likely to hold any ship, the ships taken as independent of each other.

    Source: the write-up of the program Over 9000: every slot of every ship that agrees
    with what is known counts; p(k), the probability that ship k is on a square, is its slots
    there over all its slots, and the "probability of finding any ship on a given square
    is equal to 1 - (1 - p(1)) * (1 - p(2)) * ... * (1 - p(5))". The probabilities "were multiplied
    by the weights", higher on the sides since people prefer them, and "a small random
    number" was added.

    Settled here: a slot of a ship consists of unshot cells and the ship's own hits, and
    holds all of these. The weight is ``edge_weight`` on border cells and 1 elsewhere; the
    random number is uniform from 0 to ``noise``, drawn for every cell at every shot. With
    ``edge_weight=1`` and ``noise=0``, the plain version, ties are exact: the least product
    of (slots of a ship - slots through the cell), in integers as long as they fit 64
    bits, and the first cell wins. With weights or noise, scores are float64, and the first cell
    of the highest score is shot.
    """

    edge_weight: float = parameter(
        1.1, "factor of the probability on border cells", least=0.001, most=1000
    )
    noise: float = parameter(
        0.001, "largest random number added to the probability", least=0, most=1000
    )

    name = "over9000"
    look = ("vermilion", "solid")

    def _weights(self) -> Weights | None:
        return edge_weights(self.rules, self.edge_weight, self.noise)

    def _noise(self) -> float:
        return self.noise
