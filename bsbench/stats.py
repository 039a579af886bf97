"""Statistics of move counts, computed from their histogram.

A histogram is an int64 array ``counts`` in which ``counts[m]`` is the number of
games that took ``m`` moves. It holds everything that a run's summary needs, and
its size does not grow with the number of games.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

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
        errors. NaN for a single game, or a single learner.
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
        return interval_text(self.mean, self.half_width)


def half_width(error: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return half widths of 95 % intervals, by the normal approximation."""
    return _NORMAL_95 * error


def interval_text(mean: float, half_width: float) -> str:
    """Return a mean with its interval, to as many digits as the interval has."""
    if math.isnan(half_width):
        return f"{mean:.2f}"
    if half_width == 0:
        return f"{mean:.2f} ± 0"
    # Two significant digits of the interval.
    digits = max(0, 1 - math.floor(math.log10(half_width)))
    return f"{mean:.{digits}f} ± {half_width:.{digits}f}"


def stage_ends(games_per_learner: int) -> list[int]:
    """Return where the stages of a learner's career end: after 1, 2, 5, 10, 20, 50, … games."""
    ends = [first * 10**power for power in range(7) for first in (1, 2, 5)]
    return [end for end in ends if end < games_per_learner] + [games_per_learner]


def learners_who_played(games: int, games_per_learner: int, end: int) -> int:
    """Return how many learners played their first ``end`` games, of so many games in all."""
    full, rest = divmod(games, games_per_learner)
    return full + (rest >= end)


@dataclass(frozen=True, eq=False)
class Learning:
    """How learners fared, where a strategy learns from game to game.

    Attributes
    ----------
    games : int
        Games played by all learners.
    games_per_learner : int
    totals : ndarray of int64, shape (learners,)
        Moves of each learner in all its games; the last one may have played fewer.
    moves, squares : ndarray of int64, shape (n,)
        Sums over the learners of the moves of their first to n-th game, and of the squares
        of these; n is the most games that any of them played.
    stages : ndarray of int64, shape (2, stages)
        For each of the `stage_ends`, sums over the learners that completed the stage of
        their moves in it, and of the squares of these.
    """

    games: int
    games_per_learner: int
    totals: Counts
    moves: Counts
    squares: Counts
    stages: Counts

    @classmethod
    def of(cls, games_per_learner: int, moves: npt.NDArray[Any]) -> Learning:
        """Return what move counts add up to, given game by game; the last learner may lack some."""
        learners = -(-len(moves) // games_per_learner)
        padded = np.zeros((learners, min(len(moves), games_per_learner)), np.int64)
        padded.reshape(-1)[: len(moves)] = moves
        ends = stage_ends(games_per_learner)
        stages = np.zeros((2, len(ends)), np.int64)
        for stage, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
            completed = learners_who_played(len(moves), games_per_learner, end)
            in_stage = padded[:completed, begin:end].sum(axis=1)
            stages[:, stage] = in_stage.sum(), (in_stage**2).sum()
        return cls(
            games=len(moves),
            games_per_learner=games_per_learner,
            totals=padded.sum(axis=1),
            moves=padded.sum(axis=0),
            squares=(padded**2).sum(axis=0),
            stages=stages,
        )

    def __add__(self, later: Learning) -> Learning:
        """Return this and what later learners did; the learners up to here are whole."""
        moves, squares = self.moves.copy(), self.squares.copy()
        # One that follows may have ended before its last game.
        moves[: len(later.moves)] += later.moves
        squares[: len(later.squares)] += later.squares
        return Learning(
            self.games + later.games,
            self.games_per_learner,
            np.concatenate((self.totals, later.totals)),
            moves,
            squares,
            self.stages + later.stages,
        )

    def curve(self) -> tuple[Counts, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the learning curve: learners, mean moves and its standard error, by game.

        Returns
        -------
        ndarray of int64, ndarray of float64, ndarray of float64; all of shape (n,)
            For the first to the n-th game of a learner, n being the most that any played.
            The standard error is NaN where there was one learner.
        """
        full, rest = divmod(self.games, self.games_per_learner)
        learners = full + (np.arange(len(self.moves)) < rest)
        mean = self.moves / learners
        with np.errstate(invalid="ignore", divide="ignore"):
            # The squares of the sums would not always fit into 64 bits.
            variance = (self.squares - self.moves * mean) / (learners - 1)
        return learners, mean, np.sqrt(variance / learners)

    def stage_curve(self) -> Iterator[tuple[int, int, float, float]]:
        """Yield the learning curve by stages: first and last game, mean moves, standard error.

        Stages that no learner completed are left out. The standard error is NaN where one
        learner did.
        """
        ends = stage_ends(self.games_per_learner)
        for stage, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
            learners = learners_who_played(self.games, self.games_per_learner, end)
            if learners:
                total, squares = map(int, self.stages[:, stage])
                spread = (
                    math.sqrt((learners * squares - total**2) / (learners - 1)) / learners
                    if learners > 1
                    else math.nan
                )
                games = end - begin
                yield begin + 1, end, total / (learners * games), spread / games

    @property
    def standard_error(self) -> float:
        """The standard error of the mean of all games, with learners as units."""
        games = np.full(len(self.totals), self.games_per_learner)
        games[-1] = self.games - games[:-1].sum()
        return standard_error(self.totals, games)


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
    groups = len(totals)
    if groups == 1:
        return math.nan
    played = games.sum()
    excess = totals - games * (totals.sum() / played)
    return float(math.sqrt(groups / (groups - 1) * (excess**2).sum()) / played)


def quantile(counts: Counts, share: float) -> int:
    """Return the smallest move count that at least ``share`` of the games did not exceed."""
    reached = np.cumsum(counts)
    # Rounded up exactly: 5 % of 20 games is 1 game, whatever 0.05 * 20 is in binary.
    games = math.ceil(round(share * int(reached[-1]), 9))
    return int(np.searchsorted(reached, max(games, 1)))


def summarize(counts: Counts, learning: Learning | None = None) -> Summary:
    """Return mean, interval, spread and quantiles of a histogram with at least one game.

    Games are independent of each other, but for those of one learner.
    """
    games = int(counts.sum())
    moves = np.arange(len(counts))
    # Sums of integers are exact; only the last division rounds.
    total = int((counts * moves).sum())
    squares = int((counts * moves**2).sum())
    variance = (games * squares - total**2) / (games * (games - 1)) if games > 1 else math.nan
    sd = math.sqrt(variance)
    error = sd / math.sqrt(games) if learning is None else learning.standard_error
    played = np.flatnonzero(counts)
    return Summary(
        games=games,
        mean=total / games,
        half_width=_NORMAL_95 * error,
        sd=sd,
        median=quantile(counts, 0.5),
        low=quantile(counts, 0.05),
        high=quantile(counts, 0.95),
        best=int(played[0]),
        worst=int(played[-1]),
    )


@dataclass(frozen=True)
class Difference:
    """The mean difference of two strategies' move counts on the same games.

    Attributes
    ----------
    mean : float
        Of the first less the second, in moves: negative where the first needs fewer.
    half_width : float
        Of its 95 % interval, by the normal approximation. NaN for one game or learner.
    """

    mean: float
    half_width: float

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out 0; without an interval, nothing is."""
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
    difference = first.astype(np.int64) - second
    begins = np.arange(0, len(difference), games_per_learner)
    totals = np.add.reduceat(difference, begins)
    games = np.diff(begins, append=len(difference))
    error = standard_error(totals, games)
    return Difference(float(difference.mean()), _NORMAL_95 * error)
