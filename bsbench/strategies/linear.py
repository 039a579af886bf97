"""The strategy ``linear``."""

import numpy as np
import numpy.typing as npt

from bsbench.strategies.base import Cells, FixedOrder, Insight


class Linear(FixedOrder):
    """Shoots every cell in turn, row by row, from left to right.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021),
    section 5a and appendix A.
    """

    name = "linear"
    source = "Spot the ships (UAlg 2021), 5a"
    look = ("grey", "solid")

    def orders(self, games: Cells) -> npt.NDArray[np.uint16]:
        """Return the cells from first to last."""
        return np.arange(self.rules.cells, dtype=np.uint16).reshape(1, -1)

    def insight(self, lane: int) -> Insight:
        """Return the remaining cells, in order."""
        return Insight(waiting=self._orders[lane, self._shots[lane] :].tolist())
