"""The strategy ``information``."""

from __future__ import annotations

from dataclasses import dataclass

from bsbench.rules.board import Feedback
from bsbench.strategies._posterior import INFORMATION, CountingStrategy


@dataclass
class Information(CountingStrategy):
    """While no hit is open, shoots the cell whose answer reveals most; then the likeliest cell.

    Source: bsbench's own, after the greedy choice of an experiment in information theory (D. V.
    Lindley, "On a Measure of the Information Provided by an Experiment", 1956).

    As `posterior` does, it counts all layouts that agree with all answers. A hit is open while its
    ship is afloat. While no hit is open, it shoots the cell whose answer has the greatest entropy.
    An answer is a miss, or a hit on a ship of a certain length; ships of equal length count as one
    answer. With an open hit, it shoots the cell on which most layouts have a ship.

    It needs feedback ``ship``. With less feedback, an answer while no hit is open is only hit or
    miss. Then the cell that reveals most is the likeliest one, if no cell is likelier than 1/2.

    Entropies are rounded to 10^-9 bits, so that ties are exact. Among cells that reveal equally
    much, the likeliest one wins, then the first.
    """

    name = "information"
    needs = Feedback.SHIP
    look = ("purple", "dashdot")

    @property
    def _goal(self) -> int:
        return INFORMATION
