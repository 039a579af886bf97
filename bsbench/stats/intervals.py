"""Intervals of 95 %: of means, of quantiles, of shares; by the bootstrap; and in sequences.

The bootstrap estimates how much a statistic varies by resampling the games.

An ordinary 95 % interval holds for a number of games fixed in advance. A user who looks again
and again, and stops when it excludes 0, is wrong far more often than one time in twenty. The
intervals of a *confidence sequence* all hold the mean together, with a probability of 95 %:
one may stop at any number of games, and for any reason.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import check_between, check_one_length, checked
from bsbench.common.errors import BsbenchError, option
from bsbench.stats.histograms import Counts, value_of_rank

CONFIDENCE = 0.95
"""Level of every interval."""

NORMAL_95 = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Half widths of intervals by the normal approximation, in standard errors: 1.96."""

_MOST_DECIMALS = 50

_LARGE_VARIANCE = 1e6
"""Of a binomial variable: up to it, its probabilities are summed one by one."""


@checked
def half_width(error: npt.NDArray[np.float64] | float) -> Any:
    """Return half widths of 95 % intervals, by the normal approximation."""
    return NORMAL_95 * error


@checked
def decimals_of(half_widths: Iterable[float]) -> int | None:
    """Return how many decimals the figures of a column have.

    As many as give the widest interval two significant digits, and the narrowest one at least one.

    Parameters
    ----------
    half_widths : iterable of float
        Of 95 % intervals; 0, NaN and infinite ones don't count.

    Returns
    -------
    int or None
        None if there is no interval.

    Examples
    --------
    >>> decimals_of([0.016, 0.0094]), decimals_of([0.54, 0.0094])
    (3, 3)
    """
    widths = [width for width in half_widths if 0 < width < math.inf]
    if not widths:
        return None
    first = [-math.floor(math.log10(width)) for width in (max(widths), min(widths))]
    return max(0, first[0] + 1, first[1])


@checked
def interval_text(mean: float, half_width: float, decimals: int | None = None) -> str:
    """Return a mean with its interval.

    Parameters
    ----------
    mean, half_width : float
    decimals : int, optional
        Of both; default: two significant digits of the interval.
    """
    check_between("decimals", decimals, 0, _MOST_DECIMALS)
    own = decimals_of([half_width]) if decimals is None else decimals
    digits = 2 if own is None else own
    if math.isnan(half_width):
        return f"{mean:.{digits}f}"
    if half_width == 0 and decimals is None:
        return f"{mean:.{digits}f} ± 0"
    return f"{mean:.{digits}f} ± {half_width:.{digits}f}"


@checked
def interval_texts(means: Iterable[float], half_widths: Iterable[float]) -> list[str]:
    """Return the texts of a column of means with intervals: all have as many decimals."""
    means, half_widths = list(means), list(half_widths)
    check_one_length(0, means=means, half_widths=half_widths)
    figures = list(zip(means, half_widths, strict=True))
    decimals = decimals_of(half_widths)
    return [interval_text(mean, width, decimals) for mean, width in figures]


@checked
def standard_error(totals: npt.NDArray[Any], games: npt.NDArray[Any]) -> float:
    """Return the standard error of a mean over games that come in independent groups.

    With T the total and n the games of each of m groups, and M the mean of all games, it
    is sqrt(m / (m - 1) sum of (T - n M)^2) over all games: the usual one where each
    group is one game, and that of a ratio of sums otherwise (W. G. Cochran, "Sampling
    Techniques", 3rd edition, 1977, on ratio estimators). NaN for a single group.

    Parameters
    ----------
    totals, games : ndarray, shape (groups,)
    """
    check_one_length(totals=totals, games=games)
    groups = len(totals)
    if groups == 1:
        return math.nan
    played = games.sum()
    excess = totals - games * (totals.sum() / played)
    return float(math.sqrt(groups / (groups - 1) * (excess**2).sum()) / played)


@checked
@lru_cache(maxsize=1024)
def quantile_ranks(games: int, share: float) -> tuple[int, int] | None:
    """Return the ranks of the games between which a quantile lies, with 95 % confidence.

    The number B of games that do not exceed the quantile is binomial where the law is
    continuous. The quantile lies between the games of ranks l and u, counted from 1 by
    ascending move count, whenever l <= B < u; l is the largest and u the smallest rank for
    which either half of that fails with a probability of 2.5 % at most (W. J. Conover,
    "Practical Nonparametric Statistics", 3rd edition, 1999, on confidence intervals for a
    quantile).

    Parameters
    ----------
    games : int
    share : float
        Above 0 and below 1.

    Returns
    -------
    (int, int) or None
        None where the games are too few for any such ranks: fewer than 6 for the median.

    Raises
    ------
    ValueError
        If the share is out of range.
    """
    if not 0 < share < 1:
        raise ValueError(f"a quantile with an interval has a share between 0 and 1, not {share}")
    if games * share * (1 - share) > _LARGE_VARIANCE:
        return _ranks_of_many(games, share)
    first, chances = _binomial(games, share)
    below = np.cumsum(chances)
    tail = (1 - CONFIDENCE) / 2
    # P(B <= l - 1) <= tail, and P(B >= u) <= tail. Tails are summed from their far ends.
    low = first + int(np.searchsorted(below, tail, side="right"))
    above = np.cumsum(chances[::-1])
    high = first + len(chances) - int(np.searchsorted(above, tail, side="right"))
    return (low, high) if low >= 1 and high <= games else None


def _ranks_of_many(games: int, share: float) -> tuple[int, int]:
    """Return `quantile_ranks` of a binomial variable whose variance is large.

    The expansion of R. A. Fisher and E. A. Cornish ("The Percentile Points of Distributions
    Having Known Cumulants", Technometrics 2, 1960) of the binomial quantiles, with the cumulants
    corrected for whole numbers (J. E. Kolassa and P. McCullagh, "Edgeworth Series for Lattice
    Distributions", Annals of Statistics 18, 1990). Terms left out are about 1 / variance of a
    rank: only where a rank is that close to a tie could it be its neighbour.
    """
    z, both, lean = NORMAL_95, share * (1 - share), 1 - 2 * share
    deviation = math.sqrt(games * both)
    middle = games * share + lean * (z**2 - 1) / 6
    peaked = (1 - 6 * both) * (z**3 - 3 * z) / 24 - lean**2 * (2 * z**3 - 5 * z) / 36 - z / 24
    reach = z * deviation + peaked / deviation
    return math.floor(middle - reach + 0.5), math.ceil(middle + reach + 0.5)


def _binomial(games: int, share: float) -> tuple[int, npt.NDArray[np.float64]]:
    """Return the first of the likely values of a binomial variable, and their probabilities.

    Values further from the mean than 10 standard deviations and 50 are left out: together
    they have less than 1e-18, by Bernstein's inequality. Probabilities are products of
    the ratios of neighbours, going out from the mode, and divided by their sum: no
    factorial is needed.
    """
    reach = 10 * math.sqrt(games * share * (1 - share)) + 50
    first = max(0, math.floor(games * share - reach))
    last = min(games, math.ceil(games * share + reach))
    mode = min(games, int((games + 1) * share))
    up = np.arange(mode, last)
    down = np.arange(mode, first, -1)
    odds = share / (1 - share)
    chances = np.concatenate(
        (
            np.cumprod(down / ((games - down + 1) * odds))[::-1],
            [1.0],
            np.cumprod((games - up) / (up + 1) * odds),
        )
    )
    return first, chances / chances.sum()


@checked
def quantile_interval(counts: Counts, share: float) -> tuple[int, int] | None:
    """Return the 95 % interval of a quantile, between two of the move counts that occurred.

    The interval of order statistics: see `quantile_ranks`. It assumes only that games
    are independent. Move counts are whole numbers that many games share, so that it
    covers the quantile more often than 95 %, and where a quantile's move count has some
    percent of the games, nearly always: with many games both ends are mostly the quantile
    itself.

    Parameters
    ----------
    counts : ndarray of int64, shape (n,)
        A histogram of independent games: not of a strategy that learns.
    share : float
        Above 0 and below 1: 0.5 for the median.

    Returns
    -------
    (int, int) or None
        None where the games are too few: fewer than 6 for the median, 72 for 5 % or 95 %.

    Raises
    ------
    ValueError
        If the share is out of range.
    """
    ranks = quantile_ranks(int(counts.sum()), share)
    if ranks is None:
        return None
    low, high = ranks
    return value_of_rank(counts, low), value_of_rank(counts, high)


@checked
def share_interval(share: float, games: float) -> tuple[float, float]:
    """Return the 95 % interval of a probability, given the share of games where it occurred.

    E. B. Wilson, "Probable Inference", Journal of the American Statistical Association
    22 (1927): unlike mean and standard error it holds near 0 and 1, too, and stays
    within them.

    Parameters
    ----------
    share : float
    games : float
        Independent games, or as many as dependent ones are worth. NaN gives NaN.
    """
    check_between("share", share, 0, 1)
    check_between("games", games, sys.float_info.min, math.inf)
    z2 = NORMAL_95**2
    middle = (share + z2 / (2 * games)) / (1 + z2 / games)
    reach = math.sqrt(share * (1 - share) / games + z2 / (4 * games**2))
    reach *= NORMAL_95 / (1 + z2 / games)
    # Where none or all were seen, rounding may leave the exact limits of 0 and 1.
    low = 0.0 if share == 0 else middle - reach
    high = 1.0 if share == 1 else middle + reach
    return (math.nan, math.nan) if math.isnan(games) else (low, high)


def bounded_interval(share: float, games: float) -> tuple[float, float]:
    """Return a 95 % interval of a mean of numbers from 0 to 1 that assumes nothing of their law.

    W. Hoeffding, "Probability Inequalities for Sums of Bounded Random Variables", Journal of the
    American Statistical Association 58 (1963), theorem 1; by section 5, also of a mean over all
    pairs (a U-statistic), ``games`` being as many of these as are independent together. It is the
    set of all p for which ``games`` times the divergence of ``share`` from p is at most ln 40.

    Parameters
    ----------
    share : float
    games : float
        NaN gives NaN.
    """
    low, above = _lower_bound(share, games), _lower_bound(1 - share, games)
    return low, 1 - above


def _lower_bound(share: float, games: float) -> float:
    if math.isnan(games):
        return math.nan
    most = math.log(2 / (1 - CONFIDENCE)) / games
    excluded, held = 0.0, share
    while held - excluded > 1e-12:
        middle = (excluded + held) / 2
        divergence = share * math.log(share / middle)
        if share < 1:
            divergence += (1 - share) * math.log((1 - share) / (1 - middle))
        if divergence > most:
            excluded = middle
        else:
            held = middle
    return held


_MOST_REPLICATES = 10_000_000

_ENTRIES_AT_ONCE = 1 << 22
"""Entries of resampled histograms at a time: 32 MB."""


@checked
def bootstrap(
    counts: Counts,
    statistic: Callable[[Counts], npt.NDArray[Any]],
    replicates: int = 10_000,
    seed: int = 0,
) -> npt.NDArray[Any]:
    """Return a statistic of histograms that are resampled from one.

    As many games as there are, drawn from them with replacement: the histogram of such a
    draw is multinomial, so that its cost does not grow with the number of games
    (B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 6).
    For two strategies on the same games, give their `joint_histogram`: pairs stay pairs.

    Parameters
    ----------
    counts : ndarray of int64, any shape
        A histogram, or a joint one, of independent games.
    statistic : callable
        Takes histograms, shape (m, …), and returns a value for each, shape (m,);
        it is called several times. `means` is one, and
        ``lambda counts: quantiles(counts, 0.05)``.
    replicates : int
    seed : int
        The same seed gives the same replicates, and fewer of them are the first of more.

    Returns
    -------
    ndarray, shape (replicates,)

    Examples
    --------
    >>> from bsbench.stats import bootstrap, means, percentile_interval
    >>> counts = np.bincount([1, 2, 2, 3, 3, 3, 4, 4, 5])
    >>> low, high = percentile_interval(bootstrap(counts, means))
    >>> f"{low:.2f} {high:.2f}"
    '2.22 3.78'
    """
    check_between("replicates", replicates, 1, _MOST_REPLICATES)
    # Only what occurred: rounding must not put a game where none was.
    occurred = np.flatnonzero(counts)
    chances = counts.reshape(-1)[occurred] / counts.sum()
    random = np.random.default_rng(seed)
    at_once = max(1, _ENTRIES_AT_ONCE // counts.size)
    values = []
    for begin in range(0, replicates, at_once):
        number = min(at_once, replicates - begin)
        drawn = np.zeros((number, counts.size), np.int64)
        drawn[:, occurred] = random.multinomial(int(counts.sum()), chances, size=number)
        values.append(np.asarray(statistic(drawn.reshape(number, *counts.shape))))
        if values[-1].shape[:1] != (number,):
            raise BsbenchError(
                f"{option('statistic')} returns a value for each of {number} histograms, not an "
                f"array of shape {values[-1].shape}"
            )
    return np.concatenate(values)


@checked
def percentile_interval(values: npt.NDArray[Any]) -> tuple[float, float]:
    """Return the 95 % interval of a statistic: between quantiles of its replicates.

    The percentile interval (Efron and Tibshirani, chapter 13).
    """
    check_one_length(values=values)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


_STAKES = 0.99 * np.exp2(-np.arange(13.0))
"""Shares of their capital that the gamblers of `log_capital` risk. The largest is best for the
first few thousand games and where most games are equal, the smallest after some 10^10."""

_EXCLUDED = math.log(1 / (1 - CONFIDENCE))
"""The log of the capital, 20, at which a mean is excluded."""


@checked
def log_capital(
    values: npt.NDArray[np.float64], counts: npt.NDArray[Any], mean: float, reach: float
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
    counts : ndarray of int64 or float64, shape (…, n)
        How often each occurred; a row for each of many samples.
    mean : float
        Above -reach and below reach.
    reach : float

    Returns
    -------
    ndarray of float64, shape (…)
    """
    check_one_length(values=values, counts=counts.T)
    bets = np.concatenate((_STAKES / (reach + mean), -_STAKES / (reach - mean)))
    logs = counts @ np.log1p(np.multiply.outer(values - mean, bets))
    result: npt.NDArray[np.float64] = np.logaddexp.reduce(logs, axis=-1) - math.log(len(bets))
    return result


@checked
def sequence_interval(
    values: npt.NDArray[np.float64], counts: npt.NDArray[Any], reach: float, together: int = 1
) -> tuple[float, float]:
    """Return the interval of a 95 % confidence sequence of a mean.

    It holds all means that `log_capital` does not exclude. The capital of each gambler is a convex
    function of the mean, so that these are an interval, and it is at most 1 at the mean of
    the values.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Different values, from -reach to reach, in ascending order.
    counts : ndarray of int64 or float64, shape (n,)
        How often each occurred; a part of one where values depend on each other.
    reach : float
    together : int
        Means, each with such intervals, that all are to be held in 95 % of cases: each sequence
        then misses its mean in 5 % / ``together`` at most (C. E. Bonferroni, 1936).

    Returns
    -------
    (float, float)
        The ends; all of -reach to reach without any values.
    """
    if not len(values):
        return -reach, reach
    check_one_length(values=values, counts=counts)
    # The upper end is minus the lower one of the mirror image, so that exchanging the
    # strategies exchanges the ends, to the last bit.
    limit = _EXCLUDED + math.log(together)
    low, high = (
        _lower_end(sign * values[::sign], counts[::sign], reach, limit) for sign in (1, -1)
    )
    return low, -high


def _lower_end(
    values: npt.NDArray[np.float64], counts: npt.NDArray[Any], reach: float, limit: float
) -> float:
    excluded, held = -float(reach), float(values @ counts / counts.sum())
    while held - excluded > 1e-9 * reach:
        middle = (excluded + held) / 2
        if log_capital(values, counts, middle, reach) >= limit:
            excluded = middle
        else:
            held = middle
    return excluded
