"""Paired differences while games are played: running sums, and intervals that may be watched.

An ordinary 95 % interval holds for a number of games fixed in advance. A user who looks again
and again, and stops when it excludes 0, is wrong far more often than one time in twenty. The
intervals of a *confidence sequence* all hold the mean together, with a probability of 95 %:
one may stop at any number of games, and for any reason.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.stats.histograms import Counts
from bsbench.stats.intervals import CONFIDENCE, NORMAL_95

_AT_ONCE = 1 << 20
"""Games that are added at once, at least, so that little memory is needed."""

_STAKES = 0.99 * np.exp2(-np.arange(13.0))
"""Shares of their capital that the gamblers of `log_capital` risk. The largest is best for the
first few thousand games and where most games are equal, the smallest after some 10^10."""

_EXCLUDED = math.log(1 / (1 - CONFIDENCE))
"""The log of the capital, 20, at which a mean is excluded."""


@dataclass
class RunningDifference:
    """The mean difference of two strategies' move counts, as more and more games are added.

    Attributes
    ----------
    games_per_unit : int
        Consecutive games that depend on each other: whole learners, or 1. Games
        after the last whole unit do not count.
    """

    games_per_unit: int
    # How many units have which total difference. Python's integers: sums are exact.
    _units: Counter[int] = field(default_factory=Counter)

    def add(self, first: npt.NDArray[Any], second: npt.NDArray[Any]) -> None:
        """Add move counts of further games, the same for both, which begin with a unit."""
        unit = self.games_per_unit
        units = len(first) // unit
        step = -(-_AT_ONCE // unit)
        for begin in range(0, units, step):
            part = slice(begin * unit, min(begin + step, units) * unit)
            difference = first[part].astype(np.int64) - second[part]
            totals, counts = np.unique(difference.reshape(-1, unit).sum(axis=1), return_counts=True)
            self._units.update(dict(zip(totals.tolist(), counts.tolist(), strict=True)))

    @property
    def units(self) -> int:
        """Units added so far."""
        return self._units.total()

    @property
    def mean(self) -> float:
        """Moves of the first minus those of the second, in a game."""
        total = sum(value * count for value, count in self._units.items())
        return total / (self.units * self.games_per_unit)

    @property
    def sd(self) -> float:
        """Standard deviation of a unit's mean difference, with n - 1; NaN for a single unit."""
        units = self.units
        if units < 2:
            return math.nan
        total = sum(value * count for value, count in self._units.items())
        squares = sum(value**2 * count for value, count in self._units.items())
        # Sums of integers are exact; only the last division rounds.
        return math.sqrt((units * squares - total**2) / (units * (units - 1))) / self.games_per_unit

    @property
    def half_width(self) -> float:
        """Half-width of the 95 % interval of the mean, for a number of games fixed before."""
        return NORMAL_95 * self.sd / math.sqrt(self.units) if self.units else math.nan

    def sequence_interval(self, reach: int) -> tuple[float, float]:
        """Return the interval of the confidence sequence after these units (`sequence_interval`).

        Parameters
        ----------
        reach : int
            Moves by which two strategies differ in a game at most.
        """
        ordered = sorted(self._units.items())
        totals, counts = np.array(ordered, np.int64).reshape(-1, 2).T
        return sequence_interval(totals / self.games_per_unit, counts, reach)


def log_capital(
    values: npt.NDArray[np.float64], counts: Counts, mean: float, reach: float
) -> npt.NDArray[np.float64]:
    """Return the log of the capital that gamblers make of the claim that a mean has some value.

    Whatever the law of values between -reach and reach is: if its mean is ``mean``, the capital
    ever grows from 1 to 20 or more in at most 5 % of all cases. So a mean that lets it grow to 20
    is excluded, at whatever number of values one looks (J. Ville, "Étude critique de la notion
    de collectif", 1939; I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random
    variables by betting", Journal of the Royal Statistical Society B 86, 2024,
    arXiv:2010.09686). No normal approximation is involved, and nothing is estimated.

    A gambler with the stake s bets on values above the mean: each value v multiplies the
    capital by ``1 + s (v - mean) / (reach + mean)``, which is 1 on average, and at least 1 - s.
    Another bets on values below it: ``1 - s (v - mean) / (reach - mean)``. The capital is the mean
    of those of all stakes in both directions, so that it grows nearly as fast as the best of them.
    The stakes are fixed, and the order of values does not matter: a histogram is enough.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Different values, from -reach to reach.
    counts : ndarray of int64, shape (…, n)
        How often each occurred; a row for each of many samples.
    mean : float
        Above -reach and below reach.
    reach : float

    Returns
    -------
    ndarray of float64, shape (…)
    """
    bets = np.concatenate((_STAKES / (reach + mean), -_STAKES / (reach - mean)))
    logs = counts @ np.log1p(np.multiply.outer(values - mean, bets))
    result: npt.NDArray[np.float64] = np.logaddexp.reduce(logs, axis=-1) - math.log(len(bets))
    return result


def sequence_interval(
    values: npt.NDArray[np.float64], counts: Counts, reach: float
) -> tuple[float, float]:
    """Return the interval of a 95 % confidence sequence of a mean.

    It holds all means that `log_capital` does not exclude. The capital of each gambler is a convex
    function of the mean, so that these are an interval, and it is at most 1 at the mean of
    the values.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Different values, from -reach to reach, in ascending order.
    counts : ndarray of int64, shape (n,)
        How often each occurred.
    reach : float

    Returns
    -------
    (float, float)
        The ends; all of -reach to reach without any values.
    """
    if not len(values):
        return -reach, reach
    # The upper end is minus the lower one of the mirror image, so that exchanging the
    # strategies exchanges the ends, to the last bit.
    low, high = (_lower_end(sign * values[::sign], counts[::sign], reach) for sign in (1, -1))
    return low, -high


def _lower_end(values: npt.NDArray[np.float64], counts: Counts, reach: float) -> float:
    excluded, held = -float(reach), float(values @ counts / counts.sum())
    while held - excluded > 1e-9 * reach:
        middle = (excluded + held) / 2
        if log_capital(values, counts, middle, reach) >= _EXCLUDED:
            excluded = middle
        else:
            held = middle
    return excluded
