"""Two strategies on the same games."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.stats.intervals import NORMAL_95, interval_text, share_interval, standard_error


@dataclass(frozen=True)
class Difference:
    """The mean difference of two strategies' move counts on the same games.

    Attributes
    ----------
    mean : float
        Of the first minus the second, in moves: negative where the first needs fewer.
    half_width : float
        Of its 95 % interval, by the normal approximation. NaN for one game or learner.
    """

    mean: float
    half_width: float

    @property
    def significant(self) -> bool:
        """Whether the interval excludes 0; False without an interval."""
        return abs(self.mean) > self.half_width

    @property
    def text(self) -> str:
        """The difference with its sign and interval."""
        text = interval_text(self.mean, self.half_width)
        return text if text.startswith("-") else f"+{text}"


def paired_difference(
    first: npt.NDArray[Any], second: npt.NDArray[Any], games_per_learner: int = 1
) -> Difference:
    """Compare two strategies game by game.

    Parameters
    ----------
    first, second : ndarray of int, shape (games,)
        Move counts on the same layouts, game by game.
    games_per_learner : int
        Consecutive games that depend on each other; above 1 when either learns.
    """
    games = len(first)
    totals = _totals(first, games_per_learner) - _totals(second, games_per_learner)
    error = _grouped_error(totals, games, games_per_learner)
    return Difference(int(totals.sum()) / games, NORMAL_95 * error)


def _totals(values: npt.NDArray[Any], in_a_row: int) -> npt.NDArray[np.int64]:
    """Return the sums of values ``in_a_row``, without a wider copy of all values."""
    begins = np.arange(0, len(values), in_a_row)
    return np.asarray(np.add.reduceat(values, begins, dtype=np.int64))


def _grouped_error(totals: npt.NDArray[np.int64], games: int, in_a_row: int) -> float:
    """Return the standard error of a mean over games that depend on others ``in_a_row``."""
    begins = np.arange(0, games, in_a_row)
    return standard_error(totals, np.diff(begins, append=games))


@dataclass(frozen=True)
class Race:
    """How often each of two strategies finishes first on the same layout.

    Attributes
    ----------
    wins, ties, losses : int
        Games in which the first needed fewer moves, as many, more.
    worth : tuple of 3 float
        For each of these, the number of independent games that estimate its probability
        as well: that of all games, except where learners play. NaN for a single learner.
    """

    wins: int
    ties: int
    losses: int
    worth: tuple[float, float, float]

    @property
    def games(self) -> int:
        """Games that were played."""
        return self.wins + self.ties + self.losses

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of wins, ties and losses."""
        return self.wins / self.games, self.ties / self.games, self.losses / self.games

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """The 95 % intervals of the three shares, each by itself (`share_interval`)."""
        return tuple(map(share_interval, self.shares, self.worth))


def race(first: npt.NDArray[Any], second: npt.NDArray[Any], games_per_learner: int = 1) -> Race:
    """Count the games in which either of two strategies finishes first.

    Where learners play, the standard error of a share p comes from the learners, as that of
    `paired_difference`, and the games are worth p (1 - p) / error^2 independent ones, though
    never more than there are (E. L. Korn and B. I. Graubard, "Confidence Intervals for
    Proportions with Small Expected Number of Positive Counts Estimated from Survey Data",
    Survey Methodology 24, 1998: the effective sample size). Where p is 0 or 1 there is no such
    error, and each learner counts as one game.

    Parameters
    ----------
    first, second : ndarray of int, shape (games,)
        Move counts on the same layouts, game by game.
    games_per_learner : int
        Consecutive games that depend on each other; above 1 when either learns.
    """
    counts, worth = [], []
    # One after the other: each takes a byte for each game.
    for compare in (np.less, np.equal, np.greater):
        outcome = compare(first, second)
        counts.append(int(np.count_nonzero(outcome)))
        worth.append(_worth(outcome, games_per_learner))
    return Race(counts[0], counts[1], counts[2], (worth[0], worth[1], worth[2]))


def _worth(outcome: npt.NDArray[np.bool_], games_per_learner: int) -> float:
    """Return the number of independent games that would estimate a probability as well."""
    games = len(outcome)
    if games_per_learner == 1:
        return float(games)
    learners = -(-games // games_per_learner)
    if learners == 1:
        return math.nan
    share = float(outcome.mean())
    error = _grouped_error(_totals(outcome, games_per_learner), games, games_per_learner)
    if share in (0.0, 1.0):
        return float(learners)
    return min(share * (1 - share) / error**2, games) if error else float(games)
