"""The strategy ``over9000``."""

from dataclasses import dataclass

from bsbench.strategies._chances import ChancesStrategy, Weights, edge_weights
from bsbench.strategies.base import parameter


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
