"""Results of strategies that learn from game to game."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import check_between, checked
from bsbench.stats.histograms import Counts, exact_dot


@checked
def stage_ends(games_per_learner: int) -> list[int]:
    """Return where the stages of a learner's career end: after 1, 2, 5, 10, 20, 50, … games."""
    ends = [first * 10**power for power in range(7) for first in (1, 2, 5)]
    return [end for end in ends if end < games_per_learner] + [games_per_learner]


@checked
def learners_who_played(games: int, games_per_learner: int, end: int) -> int:
    """Return how many learners played their first ``end`` games, of ``games`` in all."""
    check_between("games_per_learner", games_per_learner, 1, math.inf)
    full, rest = divmod(games, games_per_learner)
    return full + (rest >= end)


@dataclass(frozen=True, eq=False)
class Learning:
    """Results of learners, where a strategy learns from game to game.

    Attributes
    ----------
    games : int
        Games played by all learners.
    games_per_learner : int
    squares_of_totals : int
        Sum of the squares of the moves that each complete learner took in all its games.
    rest : int
        Moves of the last learner, if it has not played all its games; else 0.
    moves, squares : ndarray of int64, shape (n,)
        Sums over the learners of the moves of their first to n-th game, and of the squares
        of these; n is the most games that any of them played.
    stages : ndarray of Python's int, shape (2, stages)
        For each of the `stage_ends`, sums over the learners that completed the stage of
        their moves in it, and of the squares of these, which may need more than 64 bits.
    ended : tuple of (int, int)
        Games and moves of learners that ended before their last game, under other seeds.
    """

    games: int
    games_per_learner: int
    squares_of_totals: int
    rest: int
    moves: Counts
    squares: Counts
    stages: npt.NDArray[np.object_]
    ended: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, games_per_learner: int, moves: npt.NDArray[Any]) -> Learning:
        """Return the sums of move counts, given game by game; the last learner may lack games."""
        learners = -(-len(moves) // games_per_learner)
        complete = len(moves) // games_per_learner
        padded = np.zeros((learners, min(len(moves), games_per_learner)), np.int64)
        padded.reshape(-1)[: len(moves)] = moves
        ends = stage_ends(games_per_learner)
        stages = np.zeros((2, len(ends)), object)
        for stage, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
            completed = learners_who_played(len(moves), games_per_learner, end)
            in_stage = padded[:completed, begin:end].sum(axis=1)
            stages[:, stage] = int(in_stage.sum()), exact_dot(in_stage, in_stage)
        totals = padded.sum(axis=1)
        return cls(
            games=len(moves),
            games_per_learner=games_per_learner,
            squares_of_totals=exact_dot(totals[:complete], totals[:complete]),
            rest=int(totals[complete:].sum()),
            moves=padded.sum(axis=0),
            squares=(padded**2).sum(axis=0),
            stages=stages,
        )

    def __add__(self, later: Learning) -> Learning:
        """Return the sums with later learners added; the learners in this one are complete."""
        assert self.games % self.games_per_learner == 0
        moves, squares = self.moves.copy(), self.squares.copy()
        # The last learner may have ended before its last game.
        moves[: len(later.moves)] += later.moves
        squares[: len(later.squares)] += later.squares
        return Learning(
            self.games + later.games,
            self.games_per_learner,
            self.squares_of_totals + later.squares_of_totals,
            later.rest,
            moves,
            squares,
            self.stages + later.stages,
        )

    def pooled(self, other: Learning) -> Learning:
        """Return the sums of both, which are of different seeds; the other has no more games."""
        moves, squares = self.moves.copy(), self.squares.copy()
        moves[: len(other.moves)] += other.moves
        squares[: len(other.squares)] += other.squares
        return Learning(
            self.games + other.games,
            self.games_per_learner,
            self.squares_of_totals + other.squares_of_totals,
            0,
            moves,
            squares,
            self.stages + other.stages,
            (*self._incomplete, *other._incomplete),
        )

    @property
    def _incomplete(self) -> tuple[tuple[int, int], ...]:
        """All learners that did not play all their games: games, and moves."""
        left = (self.games - sum(games for games, _ in self.ended)) % self.games_per_learner
        return (*self.ended, *([(left, self.rest)] if left else []))

    def _played(self, end: int) -> int:
        """Return how many learners played their first ``end`` games."""
        rests = self._incomplete
        complete = (self.games - sum(games for games, _ in rests)) // self.games_per_learner
        return complete + sum(games >= end for games, _ in rests)

    def curve(self) -> tuple[Counts, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the learning curve: learners, mean moves and its standard error, by game.

        Returns
        -------
        ndarray of int64, ndarray of float64, ndarray of float64; all of shape (n,)
            For the first to the n-th game of a learner, n being the most that any played.
            The standard error is NaN where there was one learner.
        """
        learners = np.array([self._played(end) for end in range(1, len(self.moves) + 1)])
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
            learners = self._played(end)
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
    def learners(self) -> int:
        """Learners that played, the last of them perhaps not all its games."""
        return self._played(1)

    @property
    def standard_error(self) -> float:
        """The standard error of the mean of all games, with learners as units.

        That of `bsbench.stats.standard_error`, from sums; NaN for a single learner.
        """
        if self.learners == 1:
            return math.nan
        total, rests = sum(self.moves.tolist()), self._incomplete
        complete, of_rests = self.learners - len(rests), sum(rest for _, rest in rests)
        # The sum over learners of (games total - own games x all moves)^2, without rounding.
        of_complete = (
            self.games**2 * self.squares_of_totals
            - 2 * self.games * total * self.games_per_learner * (total - of_rests)
            + complete * (self.games_per_learner * total) ** 2
        )
        excess = of_complete + sum((self.games * rest - n * total) ** 2 for n, rest in rests)
        variance = Fraction(excess * self.learners, (self.learners - 1) * self.games**4)
        return math.sqrt(variance)
