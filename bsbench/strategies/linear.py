"""The strategy ``linear``."""

from bsbench.strategies.base import Cells, Strategy
from bsbench.view import View


class Linear(Strategy):
    """Every cell in turn, row by row, left to right.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021),
    section 5a and appendix A.
    """

    name = "linear"
    source = "Spot the ships (UAlg 2021), 5a"

    def shoot(self, view: View) -> Cells:
        """Fire at the cell whose number is that of the shots so far."""
        return view.shots
