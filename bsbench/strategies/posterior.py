"""The strategy ``posterior``."""

from __future__ import annotations

from dataclasses import dataclass

from bsbench.strategies._posterior import LATTICE, LENGTHS, LIKELIEST, CountingStrategy
from bsbench.strategies.base import parameter

_GOALS = {"none": LIKELIEST, "lattice": LATTICE, "lengths": LENGTHS}


@dataclass
class Posterior(CountingStrategy):
    """The likeliest cell, exactly: counts all layouts that agree with all answers.

    Source: bsbench's own.
    """

    pattern: str = parameter(
        "none",
        "what multiplies the layouts in which the ship on the cell was not hit yet",
        choices=tuple(_GOALS),
    )

    name = "posterior"

    @property
    def _goal(self) -> int:
        return _GOALS[self.pattern]
