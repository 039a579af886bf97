"""What follows from the outcomes of pairs of games of two sides."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from bsbench.stats import Counts, Race, Score, race, score_of_pairs


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
