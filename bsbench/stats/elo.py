"""Scores and Elo ratings of players who meet in pairs of games, with intervals.

A pair is two games from one opening, with sides changed. An opening may favour one side, and
each player has that side once. So the games of a pair depend on each other, and the pair is the
unit of all statistics here (the "pentanomial model" of the chess engine tester Fishtest:
https://github.com/official-stockfish/fishtest/wiki/Fishtest-mathematics). In a pair a player
takes 0 to 4 half points: 2 for a win, 1 for a draw. ``pairs[k]`` is the number of pairs in
which the first of two players took k of them.

The Elo difference D of two players is that for which the first scores 1 / (1 + 10^(-D / 400)) of
the points (A. E. Elo, "The Rating of Chessplayers, Past and Present", 1978).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import check_between, checked
from bsbench.common.errors import BsbenchError, option
from bsbench.common.record import Record, Share
from bsbench.stats.histograms import Counts
from bsbench.stats.intervals import NORMAL_95, interval_text
from bsbench.stats.paired import Race, race

PAIR_SCORES = np.arange(5) / 4
"""Score of a pair, the share of its points, by half points taken."""

_ELO_SCALE = 400 / math.log(10)
"""Elo in one unit of the logistic function's natural argument."""

_STEPS = 500
_CLOSE = 1e-9
_LONGEST_STEP = 1.0


@checked
def elo_difference(score: float) -> float:
    """Return the Elo difference at which a share of the points is scored; infinite for 0 and 1.

    Examples
    --------
    >>> round(elo_difference(10 / 11), 6)
    400.0
    """
    check_between("score", score, 0, 1)
    if score in (0.0, 1.0):
        return math.inf if score else -math.inf
    return _ELO_SCALE * math.log(score / (1 - score))


@checked
def expected_score(difference: npt.NDArray[np.float64] | float) -> Any:
    """Return the share of the points that a player scores at an Elo difference."""
    return 1 / (1 + 10 ** (-np.asarray(difference) / 400))


@dataclass(frozen=True)
class Score:
    """Share of the points that the first of two players has scored, with its 95 % interval.

    Attributes
    ----------
    share, low, high : float
        From 0 to 1.
    """

    share: float
    low: float
    high: float

    @property
    def elo(self) -> tuple[float, float, float]:
        """Elo difference, and the ends of its interval, which are those of the score.

        A player with all points has an infinite difference; the interval has a lower end only.
        """
        low, high = (
            math.nan if math.isnan(end) else elo_difference(end) for end in (self.low, self.high)
        )
        return elo_difference(self.share), low, high

    @property
    def text(self) -> str:
        """The Elo difference with its interval, such as ``+120 (+95 to +147)``."""
        elo, low, high = self.elo
        if math.isinf(elo):
            return f"at least {low:+,.0f}" if elo > 0 else f"at most {high:+,.0f}"
        return f"{elo:+,.0f} ({low:+,.0f} to {high:+,.0f})".replace("inf", "∞")


@checked
def score_of_pairs(pairs: Counts) -> Score:
    """Return the score of a match, with an interval that holds near 0 and 1, too.

    The interval is that of A. Agresti and B. A. Coull, "Approximate Is Better than 'Exact' for
    Interval Estimation of Binomial Proportions", The American Statistician 52 (1998): the
    usual one, after z^2 / 2 won pairs and as many lost pairs are added, with z = 1.96. So it
    has a width even where all pairs were alike, as when all games are won, or when a
    deterministic player meets itself.

    Parameters
    ----------
    pairs : ndarray of int64, shape (5,)
        Number of pairs by half points of the first player.
    """
    if pairs.shape != PAIR_SCORES.shape or not pairs.any():
        raise BsbenchError(f"{option('pairs')} counts pairs by half points, 0 to 4: five numbers")
    more = NORMAL_95**2 / 2 * np.array([1, 0, 0, 0, 1])
    seen, weighed = pairs.sum(), pairs + more
    middle, error = _mean_and_error(weighed)
    reach = NORMAL_95 * error
    return Score(
        share=float(pairs @ PAIR_SCORES / seen),
        low=max(middle - reach, 0.0),
        high=min(middle + reach, 1.0),
    )


def _mean_and_error(pairs: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return mean and standard error of the score of pairs, which may be parts of pairs."""
    total = pairs.sum()
    mean = pairs @ PAIR_SCORES / total
    return float(mean), math.sqrt(float(pairs @ (PAIR_SCORES - mean) ** 2)) / float(total)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Elo ratings of the players of a tournament; their mean is 0.

    Attributes
    ----------
    elo : ndarray of float64, shape (players,)
    covariance : ndarray of float64, shape (players, players)
        Of their errors.
    """

    elo: npt.NDArray[np.float64]
    covariance: npt.NDArray[np.float64]

    @property
    def half_widths(self) -> npt.NDArray[np.float64]:
        """Half widths of the 95 % intervals, each of a player against the mean of all."""
        return NORMAL_95 * np.sqrt(np.diag(self.covariance))

    @property
    def texts(self) -> list[str]:
        """The ratings with their intervals, in whole Elo."""
        return [
            interval_text(round(elo), max(round(reach), 1), 0)
            for elo, reach in zip(self.elo.tolist(), self.half_widths.tolist(), strict=True)
        ]

    def difference(self, first: int, second: int) -> tuple[float, float]:
        """Return the Elo difference of two players, and the half width of its 95 % interval."""
        covariance = self.covariance
        variance = (
            covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
        )
        return float(self.elo[first] - self.elo[second]), NORMAL_95 * math.sqrt(variance)


@checked
def rate(points: npt.NDArray[Any]) -> Ratings:
    """Rate the players of a tournament in which each has met each, all from the same openings.

    Player i scores 1 / (1 + exp(r_j - r_i)) of the points against player j: the model of
    R. A. Bradley and M. E. Terry, "Rank Analysis of Incomplete Block Designs", Biometrika 39
    (1952), a draw counting as half a win. The ratings r are those of the greatest likelihood,
    with the correction of D. Firth, "Bias Reduction of Maximum Likelihood Estimates",
    Biometrika 80 (1993): to each match, h / 2 pairs that one player wins and h / 2 that the
    other wins are added. h is the weight of the match in the ratings (its leverage): at most
    1, and nearly 0 where one player is far stronger. So a player who wins all games has a finite
    rating, too.

    The intervals are those of clustered data (K.-Y. Liang and S. L. Zeger, "Longitudinal Data
    Analysis Using Generalized Linear Models", Biometrika 73, 1986): the covariance is A B A,
    with A the inverse of the likelihood's second derivative and B the covariance of its first, from
    how points vary about the mean of their match. The clusters are the openings, since all
    games from one opening depend on it; each added pair is a cluster of its own.

    Parameters
    ----------
    points : ndarray of int, shape (players, players, openings)
        Half points, 0 to 4, that player i took from player j in the pair from each opening;
        ``points[j, i]`` is ``4 - points[i, j]``. No player meets itself:
        ``points[i, i]`` is not read.
    """
    if points.ndim != 3 or len({*points.shape[:2]}) > 1 or not np.isin(points, range(5)).all():
        raise BsbenchError(
            f"{option('points')} are 0 to 4, of shape (players, players, openings), not of shape "
            f"{points.shape}"
        )
    players, _, openings = points.shape
    met = ~np.eye(players, dtype=np.bool_)
    scores = PAIR_SCORES[points] * met[:, :, None]
    total, number = scores.sum(axis=2), openings * met
    rating = np.zeros(players)
    for _ in range(_STEPS):
        expected = _expected(rating)
        inverse, leverage = _inverse_and_leverage(number, expected)
        slope = (total + leverage / 2 - (number + leverage) * expected).sum(axis=1)
        step = inverse @ slope
        # Far from the solution, a step of Newton's method is too long.
        rating = rating + step * min(1.0, _LONGEST_STEP / max(np.abs(step).max(), _CLOSE))
        if np.abs(step).max() < _CLOSE:
            break
    inverse, leverage = _inverse_and_leverage(number, _expected(rating))
    means = (total + leverage / 2) / np.where(met, number + leverage, 1)
    about = ((scores - means[:, :, None]) * met[:, :, None]).sum(axis=1)
    spread = openings / max(openings - 1, 1) * about @ about.T
    added = leverage / 2 * (means**2 + (1 - means) ** 2)
    spread += np.diag(added.sum(axis=1)) - added
    return Ratings(_ELO_SCALE * rating, _ELO_SCALE**2 * inverse @ spread @ inverse)


def _expected(rating: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the share of the points that each player scores against each."""
    return np.asarray(expected_score(_ELO_SCALE * (rating[:, None] - rating[None, :])))


def _inverse_and_leverage(
    number: npt.NDArray[np.float64], expected: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the inverse of the information, among ratings of mean 0, and matches' leverages.

    The information is the negative second derivative of the likelihood.
    """
    weights = number * expected * expected.T
    # The same number added to all ratings changes nothing: that direction is fixed, then removed.
    mean = np.full_like(weights, weights.max() / len(weights))
    inverse = np.linalg.inv(np.diag(weights.sum(axis=1)) - weights + mean)
    inverse -= 1 / (len(weights) * weights.max())
    own = np.diag(inverse)
    leverage = weights * (own[:, None] + own[None, :] - 2 * inverse)
    return np.asarray(inverse, np.float64), np.asarray(leverage, np.float64)


class ScoreRecord(Record, frozen=True):
    """Points of the first-named.

    Attributes
    ----------
    share
        Share of the points.
    low
        Lower end of its 95 % interval.
    high
        Upper end.
    """

    share: Share
    low: Share
    high: Share

    @classmethod
    def of(cls, score: Score) -> ScoreRecord:
        """Return the record of a score."""
        return cls(share=score.share, low=score.low, high=score.high)


class EloRecord(Record, frozen=True):
    """A score as a difference in Elo.

    Attributes
    ----------
    difference
        Elo difference; null where it is infinite.
    low
        Lower end of its 95 % interval.
    high
        Upper end.
    """

    difference: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, score: Score) -> EloRecord:
        """Return the record of a score."""
        return cls(*score.elo)


class Scored:
    """Of two sides: a pair has two games in which sides are changed.

    Attributes
    ----------
    outcomes : ndarray of int8, shape (pairs, 2)
        1 if the first-named won, 0 for a draw, -1 if it lost: as the one that begins, and as
        second.
    """

    outcomes: npt.NDArray[np.int8]

    @property
    def games(self) -> int:
        """Games that were played."""
        return self.outcomes.size

    @cached_property
    def race(self) -> Race:
        """Wins, draws and losses of the first-named, with intervals."""
        # A race is won with the smaller number, a game with the larger outcome.
        return race(-self.outcomes.ravel(), np.zeros(self.games, np.int8), games_per_learner=2)

    @property
    def points(self) -> npt.NDArray[np.int8]:
        """Half points that the first-named took in each pair, 0 to 4; shape ``(pairs,)``."""
        return np.asarray(self.outcomes.sum(axis=1) + 2, np.int8)

    @cached_property
    def pairs(self) -> Counts:
        """Number of pairs by half points of the first-named, 0 to 4."""
        return np.bincount(self.points, minlength=5)

    @cached_property
    def score(self) -> Score:
        """Share of the points, and Elo difference, of the first-named."""
        return score_of_pairs(self.pairs)

    @property
    def joint(self) -> npt.NDArray[np.int64]:
        """Number of pairs by the outcomes of both games, -1 to 1; shape (3, 3)."""
        joint = np.zeros((3, 3), np.int64)
        np.add.at(joint, tuple(self.outcomes.T + 1), 1)
        return joint
