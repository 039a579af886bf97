"""What a histogram of move counts says in a few figures."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from bsbench.common.arguments import checked
from bsbench.stats.histograms import Counts, exact_dot, quantile
from bsbench.stats.intervals import NORMAL_95, interval_text, quantile_interval
from bsbench.stats.learning import Learning


@dataclass(frozen=True)
class Summary:
    """What a histogram of move counts says, in moves.

    Attributes
    ----------
    games : int
    mean : float
    half_width : float
        Of the 95 % interval of the mean, by the normal approximation: 1.96 standard
        errors. NaN for a single game, or a single learner.
    sd : float
        Standard deviation of one game, with n - 1. NaN for a single game.
    median, low, high : int
        The 50 %, 5 % and 95 % quantiles: the smallest move count that at least that
        share of the games did not exceed.
    median_low, median_high : int or None
        The 95 % interval of the median, by order statistics (`quantile_interval`). None for
        fewer than 6 games; and for learners, whose games depend on each other: the
        interval would need the histogram of each, which is not kept.
    best, worst : int
        Smallest and largest move count.
    """

    games: int
    mean: float
    half_width: float
    sd: float
    median: int
    median_low: int | None
    median_high: int | None
    low: int
    high: int
    best: int
    worst: int

    @property
    def mean_text(self) -> str:
        """The mean with its interval, to as many digits as the interval has."""
        return interval_text(self.mean, self.half_width)


class ExactSummary(Summary):
    """The same where each possible layout was played once.

    All figures are then those of the law itself. ``half_width`` is 0, ``sd`` is with n, and the
    interval of the median is the median. Where only some of the layouts were played, which are no
    random choice, ``half_width`` is NaN, and the median has no interval.
    """

    @property
    def mean_text(self) -> str:
        """The mean to four digits."""
        return exact_text(self.mean)


@checked
def exact_text(mean: float) -> str:
    """Return a mean, or a difference, that has no error."""
    return f"{mean:.4f}"


@checked
def summarize_layouts(counts: Counts, whole: bool) -> ExactSummary:
    """Return the summary of games on layouts in turn: of all of them, or of the first ones."""
    known = summarize(counts)
    median = known.median if whole else None
    sd = known.sd * math.sqrt((known.games - 1) / known.games) if known.games > 1 else 0.0
    exact = {"half_width": 0.0 if whole else math.nan, "sd": sd}
    return ExactSummary(
        **{**dataclasses.asdict(known), **exact, "median_low": median, "median_high": median}
    )


@checked
def summarize(counts: Counts, learning: Learning | None = None) -> Summary:
    """Return mean, interval, spread and quantiles of a histogram with at least one game.

    Games are independent of each other, except those of one learner.
    """
    games = int(counts.sum())
    moves = np.arange(len(counts))
    # Sums of integers are exact; only the last division rounds.
    total = exact_dot(counts, moves)
    squares = exact_dot(counts, moves**2)
    variance = (games * squares - total**2) / (games * (games - 1)) if games > 1 else math.nan
    sd = math.sqrt(variance)
    error = sd / math.sqrt(games) if learning is None else learning.standard_error
    interval = quantile_interval(counts, 0.5) if learning is None else None
    median_low, median_high = interval or (None, None)
    played = np.flatnonzero(counts)
    return Summary(
        games=games,
        mean=total / games,
        half_width=NORMAL_95 * error,
        sd=sd,
        median=quantile(counts, 0.5),
        median_low=median_low,
        median_high=median_high,
        low=quantile(counts, 0.05),
        high=quantile(counts, 0.95),
        best=int(played[0]),
        worst=int(played[-1]),
    )
