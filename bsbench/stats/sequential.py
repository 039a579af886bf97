"""Paired differences while games are played: running sums, and intervals that may be watched.

An ordinary 95 % interval holds for a number of games fixed in advance. A user who looks again
and again, and stops when it excludes 0, is wrong far more often than one time in twenty. A
*confidence sequence* is wide enough that all its intervals together hold the mean with
95 %, at whatever number of games one chooses to stop, and for whatever reason.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.stats.intervals import CONFIDENCE, NORMAL_95

_AT_ONCE = 1 << 20
"""Games that are added at once, at least, so that little memory is needed."""


@dataclass
class RunningDifference:
    """The mean difference of two strategies' move counts, as more and more games are added.

    Attributes
    ----------
    games_per_unit : int
        Consecutive games that depend on each other: whole learners, or 1. Games
        after the last whole unit do not count.
    units : int
        Added so far.
    same : bool
        Whether both took the same number of moves in all games added so far.
    """

    games_per_unit: int
    units: int = 0
    same: bool = True
    # Sums over the units of their moves, and of the squares of these.
    _total: int = 0
    _squares: int = 0

    def add(self, first: npt.NDArray[Any], second: npt.NDArray[Any]) -> None:
        """Add move counts of further games, the same for both, which begin with a unit."""
        unit = self.games_per_unit
        units = len(first) // unit
        step = -(-_AT_ONCE // unit)
        for begin in range(0, units, step):
            part = slice(begin * unit, min(begin + step, units) * unit)
            difference = first[part].astype(np.int64) - second[part]
            totals = difference.reshape(-1, unit).sum(axis=1)
            self._total += int(totals.sum())
            self._squares += int((totals**2).sum())
            self.same = self.same and not difference.any()
        self.units += units

    @property
    def mean(self) -> float:
        """Moves of the first minus those of the second, in a game."""
        return self._total / (self.units * self.games_per_unit)

    @property
    def sd(self) -> float:
        """Standard deviation of a unit's mean difference, with n - 1; NaN for a single unit."""
        if self.units < 2:
            return math.nan
        # Sums of integers are exact; only the last division rounds.
        squares = self.units * self._squares - self._total**2
        return math.sqrt(squares / (self.units * (self.units - 1))) / self.games_per_unit

    @property
    def half_width(self) -> float:
        """Half-width of the 95 % interval of the mean, for a number of games fixed before."""
        return NORMAL_95 * self.sd / math.sqrt(self.units) if self.units else math.nan

    def sequence_half_width(self, first_look: int) -> float:
        """Half-width of the confidence sequence at this number of units (`sequence_width`)."""
        return self.sd * sequence_width(self.units, first_look)


def sequence_width(units: int, first_look: int) -> float:
    """Return the half-width of a 95 % confidence sequence, in standard deviations.

    With a probability of 95 %, the mean is within it at all numbers of units from the first look
    on, at once. With ``t`` units and ``a`` = 5 % it is ::

        sqrt(2 (t r^2 + 1) / (t^2 r^2) ln(sqrt(t r^2 + 1) / a))

    (I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, "Time-uniform central
    limit theory and asymptotic confidence sequences", Annals of Statistics 52, 2024,
    arXiv:2103.06476, theorem 2.2). This is the normal mixture of H. Robbins, "Statistical
    methods related to the law of the iterated logarithm", Annals of Mathematical Statistics
    41 (1970), with the standard deviation estimated. Like the usual interval it relies on a
    normal approximation, so that the first look must be late enough for one.

    ``r`` says for which t the sequence is narrowest, and elsewhere it is little wider. As the
    paper advises for a first look at m, that is t = m ln m, where x = t r^2 minimizes
    (x + 1) / x ln((x + 1) / a^2), which means x = ln(x + 1) - 2 ln a.

    Parameters
    ----------
    units, first_look : int
        The first look at 3 units or later, ``units`` not before.
    """
    error = 1 - CONFIDENCE
    best = -2 * math.log(error)
    for _ in range(50):
        # A contraction, by 1 / (x + 1) a step.
        best = math.log1p(best) - 2 * math.log(error)
    spread = units * best / (first_look * math.log(first_look))
    return math.sqrt(2 * (spread + 1) / (units * spread) * math.log(math.sqrt(spread + 1) / error))
