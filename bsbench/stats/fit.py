"""Goodness of fit: whether move counts follow a law."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import check_between, check_one_length, checked
from bsbench.stats.histograms import Counts

_LEAST_EXPECTED = 5.0
"""Games that a law must expect in each class, for chi-square to be nearly its limit law."""

_MOST_FREEDOM = 1_000_000


@dataclass(frozen=True)
class Fit:
    """Pearson's chi-square of a histogram against a law.

    Attributes
    ----------
    statistic : float
        Infinite if a move count occurred that the law excludes.
    freedom : int
        Degrees of freedom: classes minus one.
    p : float
        The probability of a statistic at least as large, if the law holds. NaN where the games
        are too few for two classes.
    """

    statistic: float
    freedom: int
    p: float

    @property
    def text(self) -> str:
        """Statistic, degrees of freedom and p in a line."""
        if math.isnan(self.p):
            return "too few games for chi-square"
        if math.isinf(self.statistic):
            return "it excludes move counts that occurred"
        p = f"p = {self.p:.2g}" if self.p >= 1e-4 else "p < 0.0001"
        return f"chi-square {self.statistic:.1f} on {self.freedom} df, {p}"


@checked
def goodness_of_fit(counts: Counts, law: npt.NDArray[np.float64]) -> Fit:
    """Return how well a histogram of independent games agrees with a law.

    Move counts are put together in classes, in ascending order, each of which is closed as
    soon as the law expects 5 games in it and in the rest.

    Parameters
    ----------
    counts : ndarray of int64, shape (n,)
        Histogram of independent games.
    law : ndarray of float64, shape (n,)
        Probability of each move count.
    """
    check_one_length(counts=counts, law=law)
    expected = law * counts.sum()
    if counts[expected == 0].any():
        return Fit(math.inf, 0, 0.0)
    rest = np.cumsum(expected[::-1])[::-1]
    begins, in_class = [0], 0.0
    for moves in range(1, len(law)):
        in_class += expected[moves - 1]
        if in_class >= _LEAST_EXPECTED and rest[moves] >= _LEAST_EXPECTED:
            begins.append(moves)
            in_class = 0.0
    classes = np.add.reduceat(expected, begins)
    excess = np.add.reduceat(counts, begins) - classes
    freedom = len(classes) - 1
    statistic = float((excess**2 / classes).sum())
    return Fit(statistic, freedom, chi_square_tail(statistic, freedom) if freedom else math.nan)


@checked
def chi_square_tail(statistic: float, freedom: int) -> float:
    """Return the probability that chi-square of some degrees of freedom is at least as large.

    The finite sums of M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions",
    1964, 26.4.4 and 26.4.5, with x half the statistic: for an even number of
    degrees of freedom the sum of e^-x x^k / k! over k = 0, 1, …, freedom / 2 - 1; for an
    odd one erfc(sqrt(x)) plus that sum over k = 1/2, 3/2, …, freedom / 2 - 1.
    """
    check_between("freedom", freedom, 1, _MOST_FREEDOM)
    x = statistic / 2
    if x == 0:
        return 1.0
    odd = freedom % 2
    powers = (term + odd / 2 for term in range(freedom // 2))
    # Each factor alone would leave the range of floats.
    tail = math.fsum(math.exp(k * math.log(x) - x - math.lgamma(k + 1)) for k in powers)
    return min(tail + (math.erfc(math.sqrt(x)) if odd else 0.0), 1.0)
