"""The strategy ``information``."""

from __future__ import annotations

from dataclasses import dataclass

from bsbench.rules.board import Feedback
from bsbench.strategies._posterior import INFORMATION, CountingStrategy


@dataclass
class Information(CountingStrategy):
    """The cell whose answer reveals most, in bits, while no hit is open; then the likeliest.

    Source: bsbench's own, after the greedy choice of an experiment in information theory (D. V.
    Lindley, "On a Measure of the Information Provided by an Experiment", 1956).

    As `posterior`, it counts all layouts that agree with all answers. While no hit is open (no
    ship afloat is hit), it shoots the cell whose answer has the greatest entropy: the answer is a
    miss, or a hit on a ship of one of the lengths afloat. Which of several ships of equal length
    is hit first is no news. With open hits it shoots the cell that most layouts have a ship on.

    It needs feedback ``ship``. With less, the answer while no hit is open is hit or miss only, and
    the cell that reveals most is the likeliest one, if none is likelier than 1/2.

    Entropies are rounded to 10^-9 bits, so that ties are exact. Of cells that reveal as much, the
    likeliest one wins, then the first.
    """

    name = "information"
    needs = Feedback.SHIP

    @property
    def _goal(self) -> int:
        return INFORMATION
