"""Intervals that may be watched while games are played.

An ordinary 95 % interval holds for a number of games fixed in advance. A user who looks again
and again, and stops when it excludes 0, is wrong far more often than one time in twenty. The
intervals of a *confidence sequence* all hold the mean together, with a probability of 95 %:
one may stop at any number of games, and for any reason.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import check_one_length, checked
from bsbench.stats.intervals import CONFIDENCE

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
