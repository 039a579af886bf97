"""The bootstrap: how much a statistic varies, estimated by resampling the games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import check_between, check_one_length, checked
from bsbench.common.errors import BsbenchError, option
from bsbench.stats.histograms import Counts
from bsbench.stats.intervals import CONFIDENCE

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
