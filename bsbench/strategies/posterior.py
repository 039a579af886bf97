"""The strategy ``posterior``."""

from __future__ import annotations

from dataclasses import dataclass

from bsbench.strategies._posterior import LATTICE, LENGTHS, LIKELIEST, CountingStrategy
from bsbench.strategies.base import parameter

_GOALS = {"none": LIKELIEST, "lattice": LATTICE, "lengths": LENGTHS}


@dataclass
class Posterior(CountingStrategy):
    """Shoots the likeliest cell, exactly: it counts all layouts that agree with all answers.

    Source: bsbench's own. The write-up of Over 9000 names it as the ideal: to "consider layouts of
    all ships at once".

    Before each shot, it counts the layouts that agree with all that was revealed, under any
    feedback: hits, misses, ships that have sunk and where they lie, the ship on each hit. The
    score of a cell is the number of layouts with a ship on it. Equal scores are exactly equal
    probabilities; the first cell wins.

    With ``pattern=lattice``, a layout counts more or less if its ship on the cell has not been hit
    there yet: it counts 1 + the sum of k over the water around the cell, with k as in `lattice`.
    Water is a miss or a cell of a sunk ship. With ``pattern=lengths``, layouts are also
    weighted by the length of the ship on the cell, as slots are in `lattice`. While no hit is open,
    5 or more cells count one half. While a hit is open, 4 or more cells count two fifths.

    It plays where the layouts can be counted within seconds: five ships on boards up to 12x12,
    fewer ships on larger boards. Decisions that took long are kept in a book
    (`bsbench.kernels.book`) for all threads, and in the cache folder for the next run.
    """

    pattern: str = parameter(
        "none",
        "how a layout counts if its ship on the cell was not hit there yet; none: once; lattice: "
        "more at regular distances from water, as in the strategy lattice; lengths: also by the "
        "length of the ship",
        choices=tuple(_GOALS),
    )

    name = "posterior"
    look = ("purple", "dotted")

    @property
    def gives_chances(self) -> bool:
        """Whether its scores are probabilities of a ship."""
        return self.pattern == "none"

    @property
    def _goal(self) -> int:
        return _GOALS[self.pattern]
