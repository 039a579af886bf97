"""Histograms of move counts, what can be read off them, and whether they follow a law."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import check_between, check_one_length, checked
from bsbench.common.errors import BsbenchError, option

Counts = npt.NDArray[np.int64]

_LARGEST = np.iinfo(np.int64).max


@checked
def exact_dot(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> int:
    """Return the sum of products of two lists of whole numbers, however large it is.

    Parameters
    ----------
    first, second : ndarray of int64, shape (n,)
    """
    check_one_length(0, first=first, second=second)
    most = len(first) and len(first) * int(abs(first).max()) * int(abs(second).max())
    if most <= _LARGEST:
        return int(first @ second)
    return sum(map(mul, first.tolist(), second.tolist()))


def value_of_rank(counts: Counts, rank: int) -> int:
    """Return the move count of the game of that rank, counted from 1 by ascending move count."""
    return int(np.searchsorted(np.cumsum(counts), rank))


@checked
def quantile(counts: Counts, share: float) -> int:
    """Return the smallest move count that at least ``share`` of the games did not exceed."""
    return value_of_rank(counts, _rank(int(counts.sum()), share))


def _rank(games: int, share: float) -> int:
    if not 0 <= share <= 1:
        raise BsbenchError(f"{option('share')} is from 0 to 1, not {share}")
    # Rounded up exactly: 5 % of 20 games is 1 game, whatever 0.05 * 20 is in binary. A share is
    # what its digits say.
    return max(math.ceil(round(Fraction(str(float(share))) * games, 9)), 1)


@checked
def quantiles(counts: Counts, share: float) -> Counts:
    """Return the `quantile` of each of many histograms of equally many games.

    Parameters
    ----------
    counts : ndarray of int64, shape (…, n)
    share : float

    Returns
    -------
    ndarray of int64, shape (…)
    """
    reached = np.cumsum(counts, axis=-1)
    rank = _rank(int(reached.flat[reached.shape[-1] - 1]), share)
    result: Counts = np.argmax(reached >= rank, axis=-1)
    return result


@checked
def means(counts: Counts) -> npt.NDArray[np.float64]:
    """Return the mean move count of each of many histograms.

    Parameters
    ----------
    counts : ndarray of int64, shape (…, n)

    Returns
    -------
    ndarray of float64, shape (…)
    """
    moves = np.arange(counts.shape[-1])
    if counts.max() < 1 << 31:
        totals = counts @ moves
    else:
        # In two parts, whose sums fit 64 bits on the largest board.
        totals = 2.0**31 * ((counts >> 31) @ moves) + (counts & (1 << 31) - 1) @ moves
    result: npt.NDArray[np.float64] = totals / counts.sum(axis=-1)
    return result


@checked
def joint_histogram(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> Counts:
    """Return the joint histogram of two strategies on the same games.

    Parameters
    ----------
    first, second : ndarray of int, shape (games,)
        Move counts on the same layouts, game by game.

    Returns
    -------
    ndarray of int64, shape (n, n)
        Entry ``[a, b]`` is the number of games that took the first a moves and the second b;
        n is the largest move count plus 1.
    """
    check_one_length(first=first, second=second)
    size = int(max(first.max(), second.max())) + 1
    pairs = first.astype(np.int64) * size + second
    return np.bincount(pairs, minlength=size * size).reshape(size, size)


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
