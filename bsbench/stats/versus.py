"""Who wins a match of two shooters, from their histograms of move counts.

Two sides shoot in turn, each at the other's fleet, and neither looks at the other's shots. X and Y
are their move counts, of independent layouts. The first to shoot has sunk all before the other's
X-th shot, so it wins with probability P(X <= Y); with the last turn, in which the second may still
answer, with P(X < Y), and P(X = Y) is the probability of a draw. Who begins alternates: either way
a side takes P(X < Y) + P(X = Y) / 2 of the points. All of this follows from the two histograms, as
fractions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import checked
from bsbench.stats.histograms import Counts, exact_dot
from bsbench.stats.intervals import share_interval


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
        Standard error of the score; 0 for exact histograms, NaN for one of a single game.
    games : int
        Games of the shorter histogram.
    """

    fewer: Fraction
    same: Fraction
    more: Fraction
    error: float
    games: int

    @property
    def score(self) -> Fraction:
        """Share of the points that the first-named side takes: a win has one, a draw half."""
        return self.fewer + self.same / 2

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score, as `share_interval` has it.

        The games are as many as would have the same standard error. Where that is 0 because all
        games ended alike, it is those that there are.
        """
        share = float(self.score)
        if self.error == 0:
            exact = self.games == 0
            return (share, share) if exact else share_interval(share, self.games)
        return share_interval(share, share * (1 - share) / self.error**2)

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
def versus(first: Counts, second: Counts, exact: tuple[bool, bool] = (False, False)) -> Versus:
    """Return how two sides do against each other.

    The standard error is that of E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing
    the Areas under Two or More Correlated Receiver Operating Characteristic Curves: A
    Nonparametric Approach", Biometrics 44 (1988), for independent histograms. If both are of the
    same layouts, which tend to be hard for both, it is rather too large.

    Parameters
    ----------
    first, second : ndarray of int64, shape (moves + 1,)
        Number of games by move count, of one game or more.
    exact : tuple of 2 bool
        Whether a histogram has each layout once, and so is exact.
    """
    size = max(len(first), len(second))
    ours, theirs = (np.pad(counts, (0, size - len(counts))) for counts in (first, second))
    games = int(ours.sum()), int(theirs.sum())
    # Of each move count: how many games of the other side took more, and how many as many.
    longer = games[1] - np.cumsum(theirs)
    pairs = games[0] * games[1]
    fewer, same = (Fraction(exact_dot(ours, each), pairs) for each in (longer, theirs))
    error = math.hypot(
        0 if exact[0] else _error(ours, (longer + theirs / 2) / games[1]),
        0 if exact[1] else _error(theirs, (np.cumsum(ours) - ours / 2) / games[0]),
    )
    sampled = [number for number, known in zip(games, exact, strict=True) if not known]
    return Versus(fewer, same, 1 - fewer - same, error, min(sampled, default=0))


def _error(counts: Counts, values: npt.NDArray[np.float64]) -> float:
    """Return the standard error of the mean of a value that depends on the move count."""
    games = int(counts.sum())
    mean = counts @ values / games
    return math.sqrt(counts @ (values - mean) ** 2 / games / (games - 1)) if games > 1 else math.nan
