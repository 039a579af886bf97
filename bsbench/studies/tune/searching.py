"""Searching: races of candidates, whose winner is the best point of a space, as far as known.

A *race* lets candidates play the same games, together with the start. After a few games the better
third continues, with three times as many, and then the best ninth, with nine times as many::

    games      n       3 n             9 n
    27         ======= |               |
     9         ======= | ============= |
     3         ======= | ============= | ==========================

That is successive halving (K. Jamieson and A. Talwalkar, "Non-stochastic Best Arm Identification
and Hyperparameter Optimization", 2016, arXiv:1502.07943). Candidates are compared by their
differences to the start, game by game, which vary much less than their means.

The first race spreads its candidates over the whole space. Each of the others draws them around
the weighted mean of the best two fifths of the race before, closer and closer. The mean of several
good points suffers much less from luck than the best point does: this is the recombination of
evolution strategies (D. V. Arnold and H.-G. Beyer, "Local Performance of the (mu/mu_I, lambda)-ES
in a Noisy Environment", 2001). Each race has games of its own, in which the winner of the race
before plays again.

A search uses nothing but differences that were played, and random numbers from its seed. So it
gives the same result whatever plays, and after an interruption it is repeated from its beginning,
with the games that a journal has.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from bsbench.common.errors import BsbenchError, option
from bsbench.common.record import Count, Record
from bsbench.stats import Difference, PairedSums
from bsbench.strategies import Strategy
from bsbench.studies.tune.spaces import Axis, Point, Space

CANDIDATES = 26
"""Of a race, beside the start."""

_THIRD = 3
_RUNGS = (1, 3, 9)
"""Games up to each rung of a race, as multiples of those of the first. One candidate of three
continues."""

_TRAINING, _VALIDATION = 0.5, 0.2
"""Shares of the games for races and for validation; the rest is for the final figure."""

VALIDATION = "validation"

FINALISTS = 4
"""Candidates that play the games of validation."""

_WIDE, _NARROW = 0.2, 0.03
"""Standard deviations of proposals in the second and the last race, as shares of an axis."""

_LEAST_PLACES = 0.7
"""The same at least, in places, so that a neighbour can be drawn."""

_MOST_RACES = 32

_FEWEST_GAMES = 16
"""Games of the first rung at least."""

_TRIES = 20
"""Draws of a candidate at most, where points are few, or are refused by the strategy."""


@dataclass(frozen=True, eq=False)
class CandidateScore:
    """What a candidate has played, beside the start.

    Attributes
    ----------
    moves : int
        Of all its games.
    pairs : PairedSums
        To the start, in the same games.
    """

    moves: int
    pairs: PairedSums

    @property
    def games(self) -> int:
        """Games that both have played."""
        return self.pairs.games

    @property
    def mean(self) -> float:
        """Mean moves in a game."""
        return self.moves / self.games

    @property
    def difference(self) -> Difference:
        """The paired difference to the start: negative where the candidate is better."""
        return self.pairs.difference

    def __add__(self, later: CandidateScore) -> CandidateScore:
        """Return the score in the games of both."""
        return CandidateScore(self.moves + later.moves, self.pairs + later.pairs)


Play = Callable[[str, Sequence[Strategy], int, int], list[CandidateScore | None]]
"""Lets strategies play, the first of which is the start; takes what is played, such as ``race 2``
or ``validation``, and a range of games as first game and number. It returns the score of each,
None for one that has a fault."""


class TrialRecord(Record, frozen=True):
    """How a candidate did; figures are null for one that failed.

    Attributes
    ----------
    stage
        Race or validation.
    label
        The name, and the parameters that are not at their defaults.
    parameters
        Those that vary.
    games
        Games played.
    mean
        Mean moves.
    difference
        To the start.
    half_width
        Half the width of its 95 % interval.
    spent
        Games played by all when the stage ended.
    """

    stage: str
    label: str
    parameters: dict[str, Any]
    games: Count | None
    mean: float | None
    difference: float | None
    half_width: float | None
    spent: Count

    @classmethod
    def of(
        cls, space: Space, stage: str, strategy: Strategy, score: CandidateScore | None, spent: int
    ) -> TrialRecord:
        """Return how a strategy of a space did; None stands for a fault."""
        return cls(
            stage=stage,
            label=strategy.label,
            parameters={axis.name: strategy.parameters[axis.name] for axis in space.axes},
            games=score.games if score else 0,
            mean=score.mean if score else None,
            difference=score.difference.mean if score else None,
            half_width=score.difference.half_width if score else None,
            spent=spent,
        )


class Budget(Record, frozen=True):
    """Games that may be played, and how they are divided.

    Attributes
    ----------
    games
        All that may be played.
    races
        Number of races.
    candidates
        Number of candidates of each race, beside the start.
    first_rung
        Games of the first rung of a race.
    validation
        Games that each finalist plays, and the start.
    """

    games: Count
    races: Count
    candidates: Count
    first_rung: Count
    validation: Count

    @classmethod
    def of(cls, games: int, space: Space, unit: int = 1) -> Budget:
        """Return how to divide games.

        There are four races, and one for each parameter; one if the first has all points.

        Parameters
        ----------
        games : int
        space : Space
        unit : int
            Games in a row that depend on each other.

        Raises
        ------
        BsbenchError
            If the games are too few.
        """
        number, races = min(CANDIDATES, space.points), 1
        if space.points > CANDIDATES:
            races = min(4 + len(space.axes), _MOST_RACES)
        each = _cost(number) * races
        first_rung = int(_TRAINING * games) // each
        if first_rung < max(_FEWEST_GAMES, unit):
            least = math.ceil(max(_FEWEST_GAMES, unit) * each / _TRAINING)
            raise BsbenchError(
                f"{games:,} games are too few for {races} race{'s' * (races > 1)} of {number} "
                f"candidates: allow {least:,} or more with {option('games')}, or vary less"
            )
        return cls(
            games=games,
            races=races,
            candidates=number,
            first_rung=first_rung // unit * unit,
            validation=int(_VALIDATION * games) // (FINALISTS + 1) // unit * unit,
        )


def _survivors(candidates: int) -> list[int]:
    """Return how many candidates play on to each rung."""
    return [max(candidates // _THIRD**rung, 1) for rung in range(len(_RUNGS))]


def _cost(candidates: int) -> int:
    """Return the games of a race, those of the start included, in first rungs."""
    more = (rung - before for rung, before in zip(_RUNGS, (0, *_RUNGS), strict=False))
    return sum(rung * (left + 1) for rung, left in zip(more, _survivors(candidates), strict=True))


@dataclass(frozen=True, eq=False)
class Searched:
    """What a search has found.

    Attributes
    ----------
    trials : tuple of TrialRecord
        In the order of play; in a race, the best first.
    best : Strategy
        The start, if no candidate was better in validation.
    alike : bool
        Whether no candidate ever took other moves than the start.
    """

    trials: tuple[TrialRecord, ...]
    best: Strategy
    alike: bool


def search(space: Space, budget: Budget, seed: int, play: Play) -> Searched:
    """Search a space for the strategy that needs the fewest moves.

    Parameters
    ----------
    space : Space
    budget : Budget
    seed : int
        Of the random numbers.
    play : callable

    Raises
    ------
    BsbenchError
        If the strategy allows none of the points that are tried.
    Exception
        What ``play`` raises.
    """
    return _Search(space, budget, seed, play).found()


class _Search:
    """A search: what `search` keeps while it runs."""

    def __init__(self, space: Space, budget: Budget, seed: int, play: Play) -> None:
        self._space, self._budget, self._play = space, budget, play
        self._start = space.start
        # Of its methods only `random` gives the same numbers in all versions of Python.
        self._draw = random.Random(seed).random
        self._trials: list[TrialRecord] = []
        # By label: what was played in all races, and who went to the end of any.
        self._pool: dict[str, tuple[Strategy, CandidateScore]] = {}
        self._ended: set[str] = set()
        self._spent = self._next_game = 0
        self._alike = True

    def found(self) -> Searched:
        """Return what the search finds."""
        points, width = self._spread(), _WIDE
        if not points:
            raise BsbenchError(
                f"strategy {self._start.name!r} allows none of the {self._budget.candidates} "
                "points that were tried: vary less"
            )
        races = self._budget.races
        for race in range(races):
            ranking = self._race(f"race {race + 1}", points)
            centre = self._centre(ranking)
            if race < races - 1:
                points = self._around(centre, ranking[0], width)
                width *= (_NARROW / _WIDE) ** (1 / max(races - 2, 1))
        return self._validated(_rounded(centre))

    # Races.

    def _race(self, stage: str, points: Sequence[Point]) -> list[Point]:
        """Let points play against each other; return them and the start, the best first."""
        candidates = {point: self._space.strategy(point) for point in points}
        first, played = self._next_game, 0
        # None for those that have a fault.
        scores: dict[Point, CandidateScore | None] = {}
        alive = list(candidates)
        ranking: list[Point] = []
        for rung, number in zip(_RUNGS, [*_survivors(len(points))[1:], 0], strict=True):
            games = rung * self._budget.first_rung
            strategies = [candidates[each] for each in alive]
            found = self._score(stage, strategies, first + played, games - played)
            for point, score in zip(alive, found, strict=True):
                before = scores.get(point)
                scores[point] = before + score if before and score else score
            alive = sorted(
                (each for each in alive if scores[each]),
                key=lambda each: _difference(scores[each]),
            )
            ranking[:0] = alive[number:]
            if rung == _RUNGS[-1]:
                self._ended |= {candidates[each].label for each in alive}
            alive, played = alive[:number], games
        self._next_game = first + played
        for point in (*ranking, *(each for each in scores if scores[each] is None)):
            strategy, score = candidates[point], scores[point]
            self._note(stage, strategy, score)
            if score is not None:
                known = self._pool.get(strategy.label)
                self._pool[strategy.label] = strategy, known[1] + score if known else score
        # The start has a place, too: everything is compared with it.
        better = sum(_difference(scores[each]) < 0 for each in ranking)
        ranking.insert(better, self._space.origin)
        return ranking

    def _score(
        self, stage: str, candidates: Sequence[Strategy], first: int, games: int
    ) -> list[CandidateScore | None]:
        scores = self._play(stage, [self._start, *candidates], first, games)
        self._spent += games * len(scores)
        return scores[1:]

    def _note(self, stage: str, strategy: Strategy, score: CandidateScore | None) -> None:
        trial = TrialRecord.of(self._space, stage, strategy, score, self._spent)
        self._trials.append(trial)
        if score is not None:
            self._alike &= bool(score.pairs.outcomes[1] == score.pairs.games)

    # Candidates.

    def _spread(self) -> list[Point]:
        """Return points spread over the space; all, if they are few.

        Each axis is divided in as many parts as there are points, and each part has one: a Latin
        hypercube (M. D. McKay, R. J. Beckman and W. J. Conover, "A Comparison of Three Methods for
        Selecting Values of Input Variables", Technometrics 21, 1979).
        """
        number, sizes = self._budget.candidates, [len(axis.values) for axis in self._space.axes]
        if self._space.points <= number:
            every: list[Point] = [()]
            for size in sizes:
                every = [(*point, place) for point in every for place in range(size)]
            return self._allowed(every)
        columns = []
        for size in sizes:
            parts = sorted(range(number), key=lambda _: self._draw())
            columns.append([int((part + self._draw()) / number * size) for part in parts])
        return self._allowed(list(zip(*columns, strict=True)))

    def _around(self, centre: list[float], winner: Point, width: float) -> list[Point]:
        """Return points around a centre, after that itself and the winner of the race before."""
        points = [_rounded(centre), winner]
        for _ in range(_TRIES * self._budget.candidates):
            if len(found := self._allowed(points)) >= self._budget.candidates:
                return found
            axes = zip(self._space.axes, centre, strict=True)
            points = [*found, tuple(self._drawn(axis, place, width) for axis, place in axes)]
        return self._allowed(points)

    def _allowed(self, points: Sequence[Point]) -> list[Point]:
        """Return those points that differ, are not the start, and that the strategy allows."""
        allowed: dict[str, Point] = {}
        for point in points:
            try:
                allowed.setdefault(self._space.strategy(point).label, point)
            except BsbenchError:
                continue
        allowed.pop(self._start.label, None)
        return list(allowed.values())

    def _drawn(self, axis: Axis, centre: float, width: float) -> int:
        """Return a place on an axis, drawn around a centre."""
        last = len(axis.values) - 1
        deviation = max(width * last, _LEAST_PLACES)
        place = NormalDist(centre, deviation).inv_cdf(max(self._draw(), 2**-53))
        return min(max(round(place), 0), last)

    def _centre(self, ranking: Sequence[Point]) -> list[float]:
        """Return the weighted mean of the best two fifths: a place on each axis."""
        best = ranking[: max(2 * len(ranking) // 5, 1)]
        weights = [math.log(len(best) + 0.5) - math.log(rank) for rank in range(1, len(best) + 1)]
        weights = [weight / sum(weights) for weight in weights]
        return [
            math.fsum(weight * place for weight, place in zip(weights, places, strict=True))
            for places in zip(*best, strict=True)
        ]

    # Validation.

    def _validated(self, centre: Point) -> Searched:
        """Let the best candidates play games of validation, and return the best of them."""
        known = list(self._pool.values())
        # Those that went to the end of a race; others are at the top by luck.
        tried = [each for each in known if each[0].label in self._ended]
        ranked = [
            each for each, _ in sorted(tried or known, key=lambda each: each[1].difference.mean)
        ]
        ranked[FINALISTS - 1 : FINALISTS - 1] = map(self._space.strategy, self._allowed([centre]))
        strategies = list({each.label: each for each in ranked}.values())[:FINALISTS]
        found = self._score(VALIDATION, strategies, 0, self._budget.validation)
        played = sorted(zip(strategies, found, strict=True), key=lambda each: _difference(each[1]))
        for strategy, score in played:
            self._note(VALIDATION, strategy, score)
        best = played[0][0] if played and _difference(played[0][1]) < 0 else self._start
        alike = self._alike and len(self._pool) > 0
        return Searched(tuple(self._trials), best, alike)


def _difference(score: CandidateScore | None) -> float:
    return math.inf if score is None else score.difference.mean


def _rounded(centre: Sequence[float]) -> Point:
    """Return the point closest to a centre."""
    return tuple(map(round, centre))
