"""The strategy ``posterior``."""

from __future__ import annotations

from dataclasses import dataclass

from bsbench.strategies._posterior import LATTICE, LENGTHS, LIKELIEST, CountingStrategy
from bsbench.strategies.base import parameter

_GOALS = {"none": LIKELIEST, "lattice": LATTICE, "lengths": LENGTHS}


@dataclass
class Posterior(CountingStrategy):
    """The likeliest cell, exactly: it counts all layouts that agree with all answers.

    Source: bsbench's own. The write-up of Over 9000 names it as the ideal: to "consider layouts of
    all ships at once".

    Before each shot, it counts the layouts that agree with all that was revealed, under any
    feedback: hits, misses, ships that have sunk and where they lie, the ship on each hit. The
    score of a cell is the number of layouts with a ship on it. Equal scores are equal
    probabilities, exactly; the first cell wins.

    With ``pattern=lattice``, layouts whose ship on the cell was not hit yet (in that place)
    count 1 + sum of k times over the water around the cell, with k as in `lattice`. Water is a
    miss or a cell of a sunk ship. With ``pattern=lengths``, layouts also count by the length of
    the ship on the cell, as slots do in `lattice`: 5 or more cells one half while no hit is open,
    and 4 or more cells two fifths while one is.

    It plays where the layouts can be counted within seconds: five ships on boards up to 12x12,
    fewer ships on larger ones. What took long is kept in a book (`bsbench.kernels.book`) for all
    threads, and in the cache folder for the next run.
    """

    pattern: str = parameter(
        "none",
        "how layouts count whose ship on the cell was not hit yet; none: once; lattice: more in "
        "step with the water around, as in the strategy lattice; lengths: also by ship length",
        choices=tuple(_GOALS),
    )

    name = "posterior"

    @property
    def gives_chances(self) -> bool:
        """Whether its scores are probabilities of a ship."""
        return self.pattern == "none"

    @property
    def _goal(self) -> int:
        return _GOALS[self.pattern]
