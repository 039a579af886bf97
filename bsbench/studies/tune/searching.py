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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from bsbench.common.errors import BsbenchError, option
from bsbench.common.record import Count, Record
from bsbench.runs.comparison import unit_of
from bsbench.runs.rounds import whole_units
from bsbench.stats import Difference, PairedSums
from bsbench.strategies import Strategy
from bsbench.studies.tune.spaces import Axis, Point, Space

CANDIDATES = 26
"""Of a race, by default, beside the start."""

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
class Score:
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

    def __add__(self, later: Score) -> Score:
        """Return the score in the games of both."""
        return Score(self.moves + later.moves, self.pairs + later.pairs)


Play = Callable[[str, Sequence[Strategy], int, int], list[Score | None]]
"""Lets strategies play, the first of which is the start; takes what is played, such as ``race 2``
or ``validation``, and a range of games as first game and number. It returns the score of each,
None for one that has a fault."""


@dataclass(frozen=True, eq=False)
class Trial:
    """How a candidate did in a race, or in validation.

    Attributes
    ----------
    stage : str
        Such as ``race 2``, or ``validation``.
    strategy : Strategy
    score : Score or None
        None if it has a fault.
    spent : int
        Games that all had played when the stage ended.
    """

    stage: str
    strategy: Strategy
    score: Score | None
    spent: int


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
    def of(
        cls, games: int, space: Space, races: int | None = None, candidates: int | None = None
    ) -> Budget:
        """Return how to divide games.

        Parameters
        ----------
        games : int
        space : Space
        races : int, optional
            Default: 4, and one for each parameter; one if the first has all points.
        candidates : int, optional
            Default: `CANDIDATES`.

        Raises
        ------
        BsbenchError
            If the games are too few, or one of the numbers is out of range.
        """
        for what, number, least in (("races", races, 1), ("candidates", candidates, 2)):
            if number is not None and not least <= number <= 1_000:
                raise BsbenchError(f"a tuning has {least} to 1,000 {what}, not {number:,}")
        wanted = CANDIDATES if candidates is None else candidates
        number = min(wanted, space.points)
        if races is None:
            races = 1 if space.points <= wanted else min(4 + len(space.axes), _MOST_RACES)
        each = _cost(number) * races
        first_rung = int(_TRAINING * games) // each
        if first_rung < _FEWEST_GAMES:
            least = math.ceil(_FEWEST_GAMES * each / _TRAINING)
            raise BsbenchError(
                f"{games:,} games are too few for {races} race{'s' * (races > 1)} of {number} "
                f"candidates: allow {least:,} or more with {option('games')}, or fewer "
                f"{option('races')} or {option('candidates')}"
            )
        validation = int(_VALIDATION * games) // (FINALISTS + 1)
        return cls(
            games=games,
            races=races,
            candidates=number,
            first_rung=first_rung,
            validation=validation,
        )


def _survivors(candidates: int) -> list[int]:
    """Return how many candidates play on to each rung."""
    return [max(candidates // _THIRD**rung, 1) for rung in range(len(_RUNGS))]


def _cost(candidates: int) -> int:
    """Return the games of a race, those of the start included, in first rungs."""
    more = (rung - before for rung, before in zip(_RUNGS, (0, *_RUNGS), strict=False))
    return sum(rung * (left + 1) for rung, left in zip(more, _survivors(candidates), strict=True))


@dataclass(frozen=True, eq=False)
class Found:
    """What a search has found.

    Attributes
    ----------
    trials : tuple of Trial
        In the order of play; in a race, the best first.
    best : Strategy
        The start, if no candidate was better in validation.
    """

    trials: tuple[Trial, ...]
    best: Strategy


def search(space: Space, budget: Budget, seed: int, play: Play, in_a_row: int = 1) -> Found:
    """Search a space for the strategy that needs the fewest moves.

    Parameters
    ----------
    space : Space
    budget : Budget
    seed : int
        Of the random numbers.
    play : callable
    in_a_row : int
        Games in a row that depend on each other by their layouts.

    Raises
    ------
    BsbenchError
        If strategies learn, and the games of a rung are too few for that.
    Exception
        What ``play`` raises.
    """
    return _Search(space, budget, seed, play, in_a_row).found()


class _Search:
    """A search: what `search` keeps while it runs."""

    def __init__(self, space: Space, budget: Budget, seed: int, play: Play, in_a_row: int) -> None:
        self._in_a_row = in_a_row
        self._space, self._budget, self._play = space, budget, play
        self._start = space.start
        # Of its methods only `random` gives the same numbers in all versions of Python.
        self._draw = random.Random(seed).random
        self._trials: list[Trial] = []
        # By label: what was played in all races, and who went to the end of any.
        self._pool: dict[str, tuple[Strategy, Score]] = {}
        self._ended: set[str] = set()
        self._spent = self._next_game = 0

    def found(self) -> Found:
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
        return self._validated(_rounded(self._space, centre))

    # Races.

    def _race(self, stage: str, points: Sequence[Point]) -> list[Point]:
        """Let points play against each other; return them and the start, the best first."""
        candidates = {point: self._space.strategy(point) for point in points}
        unit = self._unit(candidates.values())
        first_rung = self._whole(self._budget.first_rung, unit)
        first, played = whole_units(self._next_game, unit), 0
        scores: dict[Point, Score] = {}
        alive = list(candidates)
        ranking: list[Point] = []
        faulty: list[Point] = []
        for rung, number in zip(_RUNGS, [*_survivors(len(points))[1:], 0], strict=True):
            games = rung * first_rung
            strategies = [candidates[each] for each in alive]
            found = self._score(stage, strategies, first + played, games - played)
            for point, score in zip(alive, found, strict=True):
                if score is None:
                    faulty.append(point)
                else:
                    scores[point] = scores[point] + score if point in scores else score
            alive = sorted(
                (each for each in alive if each not in faulty),
                key=lambda each: scores[each].difference.mean,
            )
            ranking[:0] = alive[number:]
            if rung == _RUNGS[-1]:
                self._ended |= {candidates[each].label for each in alive}
            alive, played = alive[:number], games
        self._next_game = first + played
        for point in (*ranking, *faulty):
            strategy, score = candidates[point], None if point in faulty else scores[point]
            self._trials.append(Trial(stage, strategy, score, self._spent))
            if score is not None:
                known = self._pool.get(strategy.label)
                both = known[1] + score if known else score
                self._pool[strategy.label] = strategy, both
        # The start has a place, too: everything is compared with it.
        better = sum(scores[each].difference.mean < 0 for each in ranking)
        ranking.insert(better, self._space.origin)
        return ranking

    def _score(
        self, stage: str, candidates: Sequence[Strategy], first: int, games: int
    ) -> list[Score | None]:
        scores = self._play(stage, [self._start, *candidates], first, games)
        self._spent += games * len(scores)
        return scores[1:]

    def _unit(self, strategies: Iterable[Strategy]) -> int:
        """Return how many games in a row depend on each other."""
        return math.lcm(self._in_a_row, unit_of(self._start, *strategies))

    def _whole(self, games: int, unit: int) -> int:
        """Return a number of games, rounded down to whole learners of all."""
        if games < unit:
            raise BsbenchError(
                f"learners of these candidates play {unit:,} games in a row, and the first rung of "
                f"a race has {games:,}: ask for more {option('games')}, "
                f"or fewer {option('races')} or {option('candidates')}; where the games of a "
                "learner vary, list values that divide each other"
            )
        return games // unit * unit

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

    def _around(self, centre: list[list[float]], winner: Point, width: float) -> list[Point]:
        """Return points around a centre, after that itself and the winner of the race before."""
        points = [_rounded(self._space, centre), winner]
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

    def _drawn(self, axis: Axis, centre: list[float], width: float) -> int:
        """Return a place on an axis, drawn around a centre."""
        size, number = len(axis.values), self._draw()
        if axis.in_order:
            deviation = max(width * (size - 1), _LEAST_PLACES)
            place = NormalDist(centre[0], deviation).inv_cdf(max(number, 2**-53))
            return min(max(round(place), 0), size - 1)
        # Any value, in a share of all draws as large as the width; else one of the best.
        if number < width:
            return int(number / width * size)
        number = (number - width) / (1 - width)
        for place, weight in enumerate(centre):
            if (number := number - weight) < 0:
                return place
        return size - 1

    def _centre(self, ranking: Sequence[Point]) -> list[list[float]]:
        """Return the weighted mean of the best two fifths: a place for each axis of numbers.

        For other axes it is the weight of each value.
        """
        best = ranking[: max(2 * len(ranking) // 5, 1)]
        weights = [math.log(len(best) + 0.5) - math.log(rank) for rank in range(1, len(best) + 1)]
        weights = [weight / sum(weights) for weight in weights]
        centre = []
        for number, axis in enumerate(self._space.axes):
            places = [point[number] for point in best]
            if axis.in_order:
                mean = math.fsum(
                    weight * place for weight, place in zip(weights, places, strict=True)
                )
                centre.append([mean])
            else:
                shares = [0.0] * len(axis.values)
                for weight, place in zip(weights, places, strict=True):
                    shares[place] += weight
                centre.append(shares)
        return centre

    # Validation.

    def _validated(self, centre: Point) -> Found:
        """Let the best candidates play games of validation, and return the best of them."""
        known = list(self._pool.values())
        # Those that went to the end of a race; others are at the top by luck.
        tried = [each for each in known if each[0].label in self._ended]
        ranked = [
            each for each, _ in sorted(tried or known, key=lambda each: each[1].difference.mean)
        ]
        ranked[FINALISTS - 1 : FINALISTS - 1] = map(self._space.strategy, self._allowed([centre]))
        strategies = list({each.label: each for each in ranked}.values())[:FINALISTS]
        games = self._whole(self._budget.validation, self._unit(strategies))
        scores = self._score(VALIDATION, strategies, 0, games)
        played = [
            Trial(VALIDATION, strategy, score, self._spent)
            for strategy, score in zip(strategies, scores, strict=True)
        ]
        played.sort(key=_difference)
        self._trials += played
        best = played[0].strategy if played and _difference(played[0]) < 0 else self._start
        return Found(tuple(self._trials), best)


def _difference(trial: Trial) -> float:
    return math.inf if trial.score is None else trial.score.difference.mean


def _rounded(space: Space, centre: Sequence[Sequence[float]]) -> Point:
    """Return the point closest to a centre."""
    return tuple(
        round(place[0]) if axis.in_order else max(range(len(place)), key=place.__getitem__)
        for axis, place in zip(space.axes, centre, strict=True)
    )
