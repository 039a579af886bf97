"""Who wins a match of two shooters, from their move counts.

Two sides shoot in turn, each at the other's fleet, and neither looks at the other's shots. X and Y
are their move counts, of independent layouts. The first to shoot has sunk all before the other's
X-th shot, so it wins with probability P(X <= Y); with the last turn, in which the second may still
answer, with P(X < Y), and P(X = Y) is the probability of a draw. Who begins alternates: either way
a side takes P(X < Y) + P(X = Y) / 2 of the points. All of this follows from the two histograms, as
fractions.

How far chance may have moved it does not: both may have met the same layouts, where what is good
luck for one is bad or good luck for the other, and games in a row may depend on each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import check_between, check_one_length, checked
from bsbench.common.errors import BsbenchError, option
from bsbench.stats.histograms import Counts, exact_dot
from bsbench.stats.intervals import bounded_interval, share_interval
from bsbench.stats.paired import enough_differ


class Outcomes(NamedTuple):
    """Probabilities of how a game ends for the first-named side."""

    won: Fraction
    drawn: Fraction
    lost: Fraction


@dataclass(frozen=True)
class Versus:
    """How often one side needs fewer moves than another, on independent layouts.

    Attributes
    ----------
    fewer, same, more : Fraction
        Probabilities that the first-named side needs fewer moves, as many, more.
    error : float
        Standard error of the score; 0 for exact histograms, NaN where a side has a single game.
    interval : (float, float)
        The 95 % interval of the score.
    """

    fewer: Fraction
    same: Fraction
    more: Fraction
    error: float
    interval: tuple[float, float]

    @property
    def score(self) -> Fraction:
        """Share of the points that the first-named side takes: a win has one, a draw half."""
        return self.fewer + self.same / 2

    def outcomes(self, begins: bool | None = None, last_turn: bool = False) -> Outcomes:
        """Return how games end.

        Parameters
        ----------
        begins : bool, optional
            Whether the first-named side begins. Default: as often as not.
        last_turn : bool
            Whether the second has the last word: then draws exist.
        """
        if last_turn:
            return Outcomes(self.fewer, self.same, self.more)
        ahead = Fraction(1, 2) if begins is None else Fraction(int(begins))
        won, lost = self.fewer + ahead * self.same, self.more + (1 - ahead) * self.same
        return Outcomes(won, Fraction(0), lost)


@checked
def versus(
    first: Counts,
    second: Counts,
    worth: tuple[float, float] | None = None,
    moves: tuple[Counts, Counts] | None = None,
    unit: int = 1,
    together: bool = False,
) -> Versus:
    """Return how two sides do against each other.

    The standard error is that of E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing
    the Areas under Two or More Correlated Receiver Operating Characteristic Curves: A
    Nonparametric Approach", Biometrics 44 (1988): each game adds the share of the other side's
    games that it beats, and what both add on one layout, or in one unit, is added first. Without
    the move counts of games on the same layouts, luck may be as opposed as can be, and the error is
    the sum of the errors of both sides.

    The interval is that of a share (`share_interval`) of as many games as would have this error,
    where enough games add to it: `enough_differ`. It is from the two sides by themselves where only
    the games of each are enough, as of players that hardly ever differ. Elsewhere, as near 0 and 1,
    it relies on nothing but the number of games (`bounded_interval`).

    Parameters
    ----------
    first, second : ndarray of int64, shape (moves + 1,)
        Number of games by move count, of one game or more.
    worth : tuple of 2 float, optional
        As how many independent games a histogram counts: fewer than it has where these depend on
        each other, infinitely many where it has each layout once. Default: its games.
    moves : tuple of 2 ndarray of int, shape (games,), optional
        Move counts of the same games: entry i of both is of layouts of one game number.
    unit : int
        Games in a row of ``moves`` that depend on each other.
    together : bool
        Whether the games of both are of the same layouts, although ``moves`` are not known.

    Raises
    ------
    BsbenchError
        If an argument is of the wrong kind, or the move counts are not those of the histograms.
    """
    games = [int(counts.sum()) for counts in (first, second)]
    if not all(games):
        raise BsbenchError(f"{option('first')} and {option('second')} have one game or more each")
    check_between("unit", unit, 1, math.inf)
    for each in worth or ():
        check_between("worth", each, 1, math.inf)
    size = max(len(first), len(second))
    both = [np.pad(counts, (0, size - len(counts))) for counts in (first, second)]
    # Of each move count: how many games of the other side took more, and how many as many.
    longer = games[1] - np.cumsum(both[1])
    pairs = games[0] * games[1]
    fewer, same = (Fraction(exact_dot(both[0], each), pairs) for each in (longer, both[1]))
    score = float(fewer + same / 2)
    values = [
        (longer + both[1] / 2) / games[1],
        (np.cumsum(both[0]) - both[0] / 2) / games[0],
    ]
    if moves is None:
        worth = (games[0], games[1]) if worth is None else worth
        sides = [_Spread.of(*each, low=0, high=1) for each in zip(values, both, worth, strict=True)]
        errors = [each.error for each in sides]
        error = sum(errors) if together else math.hypot(*errors)
        enough = all(each.enough for each in sides)
        terms = min(worth) / 2 if together else min(worth)
    else:
        _check_moves(both, moves)
        units = len(moves[0]) // unit
        added = [
            value[each[: units * unit]].reshape(units, unit).mean(axis=1)
            for value, each in zip(values, moves, strict=True)
        ]
        one = np.ones(units)
        paired = _Spread.of(added[0] + added[1], one, units, low=0, high=2)
        error, enough, terms = paired.error, paired.enough, units / 2
        if not enough:
            sides = [_Spread.of(each, one, units, low=0, high=1) for each in added]
            error = max(error, math.hypot(*(each.error for each in sides)))
            enough = all(each.enough for each in sides)
    if math.isnan(error):
        interval = math.nan, math.nan
    elif math.isinf(terms):
        interval = score, score
    elif enough and error:
        interval = share_interval(score, score * (1 - score) / error**2)
    else:
        interval = bounded_interval(score, terms)
    return Versus(fewer, same, 1 - fewer - same, error, interval)


@checked
def winning_means(
    first: Counts, second: Counts, last_turn: bool = False
) -> tuple[Fraction | None, Fraction | None]:
    """Return the mean moves of each side in the games that it wins.

    It is less than the mean of all its games: whoever wins was fast. Who begins alternates, and
    layouts are independent.

    Parameters
    ----------
    first, second : ndarray of int64, shape (moves + 1,)
        Number of games by move count, of one game or more.
    last_turn : bool
        Whether the second has the last word: then draws are no wins.

    Returns
    -------
    tuple of Fraction or None
        None of a side that wins no game.
    """
    size = max(len(first), len(second))
    moves = np.arange(size)
    both = [np.pad(counts, (0, size - len(counts))) for counts in (first, second)]
    means = []
    for own, other in (both, reversed(both)):
        # Of each move count, twice the games of the other side that it beats.
        beaten = 2 * (other.sum() - np.cumsum(other)) + (0 if last_turn else other)
        won = exact_dot(own, beaten)
        means.append(Fraction(exact_dot(own, beaten * moves), won) if won else None)
    return means[0], means[1]


def _check_moves(both: Sequence[Counts], moves: tuple[Counts, Counts]) -> None:
    check_one_length(first=moves[0], second=moves[1])
    for counts, each in zip(both, moves, strict=True):
        if not np.array_equal(np.bincount(each, minlength=len(counts)), counts):
            raise BsbenchError(f"{option('moves')} are of other games than their histograms")


class _Spread(NamedTuple):
    """How far chance may have moved the mean of what games, or units of them, add to the score."""

    error: float
    enough: bool

    @classmethod
    def of(
        cls,
        values: npt.NDArray[np.float64],
        counts: npt.NDArray[Any],
        worth: float,
        low: float,
        high: float,
    ) -> _Spread:
        """Return that of values from low to high, as if the games were fewer, or known exactly."""
        if math.isinf(worth):
            return cls(0.0, True)
        games = float(counts.sum())
        squares = float(counts @ (values - values @ counts / games) ** 2) / games
        error = math.sqrt(squares / (worth - 1)) if worth > 1 else math.nan
        return cls(error, enough_differ(values, counts * (worth / games), low, high))
