"""Statistics of move counts, computed from their histogram.

A histogram is an int64 array ``counts`` in which ``counts[m]`` is the number of
games that took ``m`` moves. It holds everything that a run's summary needs, and
its size does not grow with the number of games.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]

CONFIDENCE = 0.95
"""Level of every interval."""

_NORMAL_95 = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Summary:
    """What a histogram of move counts says, in moves.

    Attributes
    ----------
    games : int
    mean : float
    half_width : float
        Of the 95 % interval of the mean, by the normal approximation: 1.96 standard
        deviations over the square root of games. NaN for a single game.
    sd : float
        Standard deviation of one game, with n - 1. NaN for a single game.
    median, low, high : int
        The 50 %, 5 % and 95 % quantiles: the smallest move count that at least that
        share of the games did not exceed.
    best, worst : int
        Smallest and largest move count.
    """

    games: int
    mean: float
    half_width: float
    sd: float
    median: int
    low: int
    high: int
    best: int
    worst: int

    @property
    def mean_text(self) -> str:
        """The mean with its interval, to as many digits as the interval has."""
        if self.games == 1:
            return f"{self.mean:.2f}"
        if self.half_width == 0:
            return f"{self.mean:.2f} ± 0"
        # Two significant digits of the interval.
        digits = max(0, 1 - math.floor(math.log10(self.half_width)))
        return f"{self.mean:.{digits}f} ± {self.half_width:.{digits}f}"


def quantile(counts: Counts, share: float) -> int:
    """Return the smallest move count that at least ``share`` of the games did not exceed."""
    reached = np.cumsum(counts)
    # Rounded up exactly: 5 % of 20 games is 1 game, whatever 0.05 * 20 is in binary.
    games = math.ceil(round(share * int(reached[-1]), 9))
    return int(np.searchsorted(reached, max(games, 1)))


def summarize(counts: Counts) -> Summary:
    """Return mean, interval, spread and quantiles of a histogram with at least one game."""
    games = int(counts.sum())
    moves = np.arange(len(counts))
    # Sums of integers are exact; only the last division rounds.
    total = int((counts * moves).sum())
    squares = int((counts * moves**2).sum())
    variance = (games * squares - total**2) / (games * (games - 1)) if games > 1 else math.nan
    sd = math.sqrt(variance)
    played = np.flatnonzero(counts)
    return Summary(
        games=games,
        mean=total / games,
        half_width=_NORMAL_95 * sd / math.sqrt(games),
        sd=sd,
        median=quantile(counts, 0.5),
        low=quantile(counts, 0.05),
        high=quantile(counts, 0.95),
        best=int(played[0]),
        worst=int(played[-1]),
    )
