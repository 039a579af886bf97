"""Comparisons: several strategies on the same games, each against a reference.

All meet the same layouts, and differences are taken game by game. As games that are hard
for one strategy tend to be hard for another, the interval of a difference is narrower than
if each had played games of its own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
import numpy.typing as npt
from msgspec import UNSET, structs

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.common.record import as_json
from bsbench.common.settings import check_choice
from bsbench.common.shown import Shown
from bsbench.rules.scenario import ScenarioRecord
from bsbench.runs.formats import (
    ComparedRecord,
    ComparisonRecord,
    DifferenceRecord,
    DominanceRecord,
    FirstsRecord,
    RaceRecord,
    RankRecord,
)
from bsbench.runs.request import Until
from bsbench.runs.results import Result, frame_csv, save_results
from bsbench.stats import (
    Counts,
    Decision,
    Difference,
    Dominance,
    PairedSums,
    Race,
    UnitSums,
    dominance,
    exact_dot,
    rank_intervals,
)

if TYPE_CHECKING:
    import pandas as pd


Order = Literal["best", "given", "name"]

_AT_ONCE = 1 << 20
"""Games, of all strategies together, that are counted at once: so little memory is needed."""

_MOST_NAMED = 5
"""Strategies that a short text names."""

_MOST_RANKED = 64
"""Strategies that are ranked at most: each has to be compared with each."""

_NOT_IN_FRAMES = ("first_ahead", "second_ahead", "chance")
"""Figures of `Comparison.rows` that only JSON has."""


class Crossed(NamedTuple):
    """Results compared with each other: the i-th less the j-th, at ``[i][j]``.

    Attributes
    ----------
    differences : list of list of Difference
    races : list of list of (Race or None)
        None where games are not paired.
    """

    differences: list[list[Difference]]
    races: list[list[Race | None]]


class Rank(NamedTuple):
    """The place of a strategy by its mean, from 1, and the 95 % interval of that.

    Strategies with the same mean share the better place; see `bsbench.stats.ordering`.
    """

    rank: int
    low: int
    high: int


@dataclass(frozen=True)
class Firsts:
    """How often a strategy is the first of all to finish: alone, or tied with others."""

    alone: int
    tied: int


@dataclass(frozen=True)
class FirstSums:
    """How often each of several is the first of all, as sums to which games can be added.

    Attributes
    ----------
    places : tuple of int
        Who they are.
    games : int
    alone, tied : tuple of int
        By place.
    """

    places: tuple[int, ...]
    games: int
    alone: tuple[int, ...]
    tied: tuple[int, ...]

    @classmethod
    def empty(cls, places: Iterable[int]) -> FirstSums:
        """Return the sums of no games."""
        places = tuple(places)
        return cls(places, 0, (0,) * len(places), (0,) * len(places))

    def and_then(self, moves: Sequence[npt.NDArray[Any]]) -> FirstSums:
        """Return these sums and those of further games, given the move counts of each."""
        alone, tied = np.array([self.alone, self.tied], np.int64)
        # There may be hundreds of strategies.
        at_once = max(_AT_ONCE // len(moves), 1)
        for begin in range(0, len(moves[0]), at_once):
            part = [counts[begin : begin + at_once] for counts in moves]
            least = np.minimum.reduce(part)
            first = np.array([counts == least for counts in part])
            many = np.count_nonzero(first, axis=0) > 1
            tied += (first & many).sum(axis=1)
            alone += (first & ~many).sum(axis=1)
        games = self.games + len(moves[0])
        return FirstSums(self.places, games, tuple(alone.tolist()), tuple(tied.tolist()))

    def __add__(self, later: FirstSums) -> FirstSums:
        """Return the sums of both, which are of the same places."""
        alone, tied = (
            tuple(one + other for one, other in zip(*pair, strict=True))
            for pair in ((self.alone, later.alone), (self.tied, later.tied))
        )
        return FirstSums(self.places, self.games + later.games, alone, tied)

    def of(self, place: int) -> Firsts:
        """Return how often one of them is the first."""
        index = self.places.index(place)
        return Firsts(self.alone[index], self.tied[index])

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as JSON has them."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> FirstSums:
        """Return the sums that `to_dict` gave.

        Raises
        ------
        KeyError, TypeError, ValueError
            If they contradict themselves, or are no whole numbers.
        """
        places, alone, tied = (tuple(record[key]) for key in ("places", "alone", "tied"))
        games = record["games"]
        numbers = (games, *places, *alone, *tied)
        if not all(type(number) is int and 0 <= number < 2**63 for number in numbers):
            raise ValueError("no whole numbers")
        if not len(places) == len(alone) == len(tied) or max((*alone, *tied), default=0) > games:
            raise ValueError("the first of all contradict themselves")
        return cls(places, games, alone, tied)


@dataclass(frozen=True, eq=False)
class Pair:
    """A strategy and the reference in the same games, as sums that can be stored.

    Attributes
    ----------
    difference : Difference
        Of the strategy's move counts less the reference's.
    least : int
        Smallest difference in one game.
    counts : ndarray of int64, shape (n,)
        Number of games by difference: entry i is the number of games with ``least + i``.
    race : Race
        How often the strategy finishes before the reference.
    learners : UnitSums or None
        Where either learns from game to game.
    """

    difference: Difference
    least: int
    counts: Counts
    race: Race
    learners: UnitSums | None = None

    @classmethod
    def of(cls, result: Result, reference: Result) -> Pair:
        """Return the pair of two results whose move counts of the same games are kept."""
        unit = unit_of(result, reference)
        first, second = _common_moves(unit, result, reference)
        sums = PairedSums.empty(result.scenario.rules.reach, unit)
        return cls.of_sums(sums.and_then(first, second))

    @classmethod
    def of_sums(cls, sums: PairedSums) -> Pair:
        """Return the pair of which these are the sums."""
        seen = np.flatnonzero(sums.counts)
        counts = sums.counts[seen[0] : seen[-1] + 1]
        least = int(seen[0]) - sums.most
        learners = sums.learners and dataclasses.replace(sums.learners, by_total=None)
        return cls(sums.difference, least, counts, sums.race, learners)

    def sums(self, reach: int) -> PairedSums:
        """Return its sums; ``reach`` is the largest difference that is possible in one game."""
        counts = np.zeros(2 * reach + 1, np.int64)
        counts[self.least + reach : self.least + reach + len(self.counts)] = self.counts
        return PairedSums(counts, self.learners)

    @classmethod
    def of_itself(cls, result: Result) -> Pair:
        """Return the pair of a result and itself."""
        sums = PairedSums.of_equals(0, result.games, result.games_per_learner)
        return dataclasses.replace(cls.of_sums(sums), difference=Difference(0.0, 0.0))

    @property
    def unit(self) -> int:
        """How many consecutive games depend on each other."""
        return 1 if self.learners is None else self.learners.games_per_unit

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as JSON has it."""
        learners = None if self.learners is None else self.learners.to_dict()
        return {
            "mean": self.difference.mean,
            "half_width": _or_null(self.difference.half_width),
            "least": self.least,
            "counts": self.counts.tolist(),
            **({} if learners is None else {"learners": learners}),
        }

    def against(self, reference: Result) -> dict[str, Any]:
        """Return the pair as the record of the strategy has it: see `bsbench.runs.results`."""
        return {"label": reference.label, "digest": reference.tally.digest, **self.to_dict()}

    @property
    def turned(self) -> Pair:
        """The pair of the reference and the strategy."""
        difference, race, learners = self.difference, self.race, self.learners
        if learners is not None:
            learners = dataclasses.replace(
                learners,
                totals=_turned(learners.totals),
                squares=_turned_squares(learners.squares),
                rest=_turned(learners.rest),
                ended=tuple((games, _turned(sums)) for games, sums in learners.ended),
            )
        return Pair(
            -difference,
            1 - self.least - len(self.counts),
            self.counts[::-1],
            -race,
            learners,
        )

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], games: int, reach: int) -> Pair:
        """Return the pair that `to_dict` gave, of so many games.

        Its figures are made from its counts, and from its learners.

        Parameters
        ----------
        record : mapping
        games : int
        reach : int
            The largest difference that is possible in one game.

        Raises
        ------
        BsbenchError
            If it contradicts itself.
        KeyError, TypeError, ValueError
            If a key is missing or its value of the wrong kind.
        """
        least, numbers = record["least"], list(record["counts"])
        if not all(type(number) is int for number in (least, *numbers)) or min(numbers) < 0:
            raise BsbenchError("its differences are not whole numbers of games")
        if not -reach <= least <= reach + 1 - len(numbers):
            raise BsbenchError("its differences can't be so large")
        counts = np.zeros(2 * reach + 1, np.int64)
        counts[least + reach : least + reach + len(numbers)] = numbers
        mean, half_width = float(record["mean"]), record["half_width"]
        total = exact_dot(counts, np.arange(-reach, reach + 1))
        if sum(numbers) != games or not math.isclose(total / games, mean, abs_tol=1e-9):
            raise BsbenchError("its differences don't add up to its games, or to their mean")
        half_width = math.nan if half_width is None else float(half_width)
        learners = record.get("learners") and UnitSums.from_dict(record["learners"])
        sums = PairedSums(counts, learners or None)
        if learners:
            of_learners = [a + b for a, b in zip(learners.totals, learners.rest, strict=True)]
            if of_learners != [total, *sums.outcomes]:
                raise BsbenchError("its learners don't match its differences")
        pair = cls.of_sums(sums)
        # Versions before the interval from the range stored the normal one.
        known = (pair.difference.half_width, sums.normal_half_width)
        if not any(
            math.isclose(each, half_width, rel_tol=1e-6, abs_tol=1e-9)
            or (math.isnan(each) and math.isnan(half_width))
            for each in known
        ):
            raise BsbenchError("the width of an interval doesn't match its differences")
        return pair


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """Results of several strategies in the same games, and their differences to one of them.

    Attributes
    ----------
    results : tuple of Result
        In the order given. Those of strategies are all of the same games; those of records are as
        they were.
    reference : str
        The label of the strategy that the others are compared with.
    missing : tuple of str
        Labels of strategies that had played no game when interrupted.
    from_records : tuple of str
        Labels of results that were not played for this comparison.
    until : float, str or None
        Half-width of the intervals of differences that was asked for; or ``clear``: their intervals
        then hold together, however many games it took.
    margin : float or None
        In moves: with ``clear``, strategies that differ by less are equal.
    faults : mapping of str to StrategyError
        By label, the faults of strategies that are left out because of them.
    stored : mapping of str to Pair
        By label, the pairs that are known; the others are computed from the move counts.
    stored_firsts : mapping of str to Firsts
        By label, how often each is the first of all, if known; else computed likewise.
    """

    results: tuple[Result, ...]
    reference: str
    missing: tuple[str, ...] = ()
    from_records: tuple[str, ...] = ()
    until: Until = None
    faults: Mapping[str, StrategyError] = dataclasses.field(default_factory=dict)
    stored: Mapping[str, Pair] = dataclasses.field(default_factory=dict)
    stored_firsts: Mapping[str, Firsts] = dataclasses.field(default_factory=dict)
    margin: float | None = None

    def __repr__(self) -> str:
        named = [result.label for result in self.results]
        labels = ", ".join([*named[:_MOST_NAMED], *(["…"] if named[_MOST_NAMED:] else [])])
        where = f" on {self.results[0].scenario.name}, {self.games:,} games" if named else ""
        return f"<Comparison of {labels or 'none'}{where}, reference {self.reference}>"

    @cached_property
    def played(self) -> tuple[Result, ...]:
        """Results of the games that were played for this comparison."""
        recorded = set(self.from_records)
        return tuple(result for result in self.results if result.label not in recorded)

    @property
    def games(self) -> int:
        """Games that each has played; of records that differ in it, the fewest."""
        return min(result.games for result in self.results)

    @property
    def requested(self) -> int:
        """Games asked for; if all are from records, those played."""
        return self.played[0].requested if self.played else self.games

    @cached_property
    def partial(self) -> bool:
        """Whether it was interrupted before all strategies had played all games."""
        return bool(self.missing) or any(result.partial for result in self.played)

    @property
    def exact(self) -> bool:
        """Whether each strategy played each layout once: then nothing is estimated."""
        return all(result.exact for result in self.results)

    @cached_property
    def compared_with(self) -> Result:
        """The result that the others are compared with."""
        return next(result for result in self.results if result.label == self.reference)

    @property
    def seed(self) -> int | None:
        """Seed of the games that were played, else that of the reference; None is several."""
        return self.played[0].seed if self.played else self.compared_with.seed

    @checked
    def of(self, labels: Iterable[str]) -> Comparison:
        """Return the comparison of those strategies alone, the reference among them."""
        labels = set(labels)
        kept = tuple(result for result in self.results if result.label in labels)
        firsts = self.stored_firsts if len(kept) == len(self.results) else {}
        return dataclasses.replace(self, results=kept, stored_firsts=firsts)

    @checked
    def with_reference(self, reference: str) -> Comparison:
        """Return the same with another reference.

        Pairs that are known are those with the former reference: only that of the two still
        serves. The others are found from the move counts, if these are kept. What was played until
        it was clear was clear of the former reference.
        """
        if reference == self.reference:
            return self
        pair = self.stored.get(reference)
        stored = {} if pair is None else {self.reference: pair.turned}
        until = None if self.margin else self.until
        return dataclasses.replace(
            self, reference=reference, stored=stored, until=until, margin=None
        )

    @checked
    def pair_of(self, label: str) -> Pair | None:
        """Return how one strategy compares with the reference: see `pairs`."""
        check_choice("strategy", label, [result.label for result in self.results])
        return self._pair(next(result for result in self.results if result.label == label))

    @cached_property
    def pairs(self) -> tuple[Pair | None, ...]:
        """How each compares with the reference game by game, in the order of `results`.

        They are compared in the games that both have played. None where the two did not meet
        the same layouts, or the move counts of one of them are not kept.
        """
        return tuple(map(self._pair, self.results))

    def _pair(self, result: Result) -> Pair | None:
        reference = self.compared_with
        if stored := self.stored.get(result.label):
            return stored
        if result is reference:
            return Pair.of_itself(result)
        if _paired(result, reference):
            return Pair.of(result, reference)
        for each, other in ((result, reference), (reference, result)):
            if each.against is None or each.against["digest"] != other.tally.digest:
                continue
            pair = Pair.from_dict(each.against, each.games, each.scenario.rules.reach)
            # Learners that differ only in how many games they play begin with the same games.
            if each.against["label"] == other.label or pair.unit == unit_of(each, other):
                check_pair(each, other)
                return pair if each is result else pair.turned
        return None

    @property
    def paired(self) -> tuple[bool, ...]:
        """Whether each is compared with the reference game by game."""
        return tuple(pair is not None for pair in self.pairs)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Of each strategy to the reference, in the order of `results`.

        Where either of the two learns from game to game, its learners are the units of the
        interval; where both do, groups of games that are whole learners of both. Those that
        are not `paired` have an interval as if the games were independent; it is too wide
        where both met the same layouts. It also serves where it is narrower than that from the
        range of move counts: `Difference.narrowed`.
        """
        return tuple(map(self._difference_of, self.results, self.pairs))

    def _difference_of(self, result: Result, pair: Pair | None) -> Difference:
        of_means = self._difference_of_means(result)
        if self.compared_with.scenario.placement.law == "each":
            # Layouts in turn are no random choice.
            mean = of_means.mean if pair is None else pair.difference.mean
            return Difference(mean, 0.0 if self.exact or result is self.compared_with else math.nan)
        if pair is None:
            return of_means
        # Means over more games say nothing of how far those over these games may be off.
        same = result.games == self.compared_with.games == pair.race.games
        return pair.difference.narrowed(of_means.half_width) if same else pair.difference

    def _difference_of_means(self, result: Result) -> Difference:
        stats, base = result.stats, self.compared_with.stats
        if result is self.compared_with:
            return Difference(0.0, 0.0)
        return Difference(stats.mean - base.mean, math.hypot(stats.half_width, base.half_width))

    @property
    def verdicts(self) -> tuple[Decision | None, ...]:
        """Whether each needs fewer or more moves than the reference, or is equal, or unclear.

        In the order of `results`, of what was played until it was clear: see
        `bsbench.stats.Difference.decided`. None of the reference, and of all else.
        """
        return tuple(
            None
            if self.margin is None or result is self.compared_with
            # Of a pair that is not known, an interval holds at one look only.
            else "unclear"
            if difference.ends is None
            else difference.decided(self.margin)
            for result, difference in zip(self.results, self.differences, strict=True)
        )

    @property
    def same(self) -> tuple[bool, ...]:
        """Whether each took as many moves as the reference in every game."""
        return tuple(
            result is self.compared_with or (race is not None and race.ties == race.games)
            for result, race in zip(self.results, self.races, strict=True)
        )

    @property
    def races(self) -> tuple[Race | None, ...]:
        """How often each finishes before the reference; None where games are not paired."""
        return tuple(None if pair is None else pair.race for pair in self.pairs)

    @cached_property
    def dominances(self) -> tuple[Dominance, ...]:
        """Of each strategy and the reference, in that order: which one dominates."""
        reference = self.compared_with
        found = (
            dominance(
                result.counts,
                reference.counts,
                independent=not (result.learning or reference.learning),
            )
            for result in self.results
        )
        if self.exact:
            return tuple(dataclasses.replace(shapes, chance=0.0) for shapes in found)
        return tuple(found)

    @cached_property
    def firsts(self) -> tuple[Firsts | None, ...]:
        """How often each is the first of all; None where not all are paired by their moves."""
        labels = [result.label for result in self.results]
        if self.stored_firsts.keys() >= set(labels):
            return tuple(self.stored_firsts[label] for label in labels)
        nobody = (None,) * len(labels)
        if not all(map(partial(_paired, self.compared_with), self.results)):
            return nobody
        moves = _common_moves(1, *self.results)
        if not len(moves[0]):
            return nobody
        sums = FirstSums.empty(range(len(moves))).and_then(moves)
        return tuple(map(sums.of, sums.places))

    @checked
    def crossed(self, results: Sequence[Result] = ()) -> Crossed:
        """Return how each compares with each; of some results, if not all are wanted.

        Raises
        ------
        BsbenchError
            If these are not results of this comparison.
        """
        shown = tuple(results) or self.results
        if not all(isinstance(each, Result) for each in shown):
            raise BsbenchError("a comparison crosses results of its own: give some of `results`")
        count = len(shown)
        differences = [[Difference(0.0, 0.0)] * count for _ in shown]
        races: list[list[Race | None]] = [[None] * count for _ in shown]
        for column, reference in enumerate(shown):
            # By its label, the reference is found first: another seed may have the same.
            others = (reference, *(each for each in self.results if each is not reference))
            against = dataclasses.replace(self, results=others).with_reference(reference.label)
            for row in range(column, count):
                pair = against._pair(shown[row])
                difference = against._difference_of(shown[row], pair)
                differences[row][column], differences[column][row] = difference, -difference
                if pair is not None:
                    races[row][column], races[column][row] = pair.race, -pair.race
        return Crossed(differences, races)

    @cached_property
    def ranks(self) -> tuple[Rank | None, ...]:
        """The rank of each with its interval, in the order of `results`; None of more than 64."""
        if len(self.results) > _MOST_RANKED:
            return (None,) * len(self.results)
        low, high = rank_intervals(self.crossed().differences)
        means = [result.stats.mean for result in self.results]
        places = [1 + sum(other < mean for other in means) for mean in means]
        return tuple(map(Rank, places, low.tolist(), high.tolist()))

    def sorted(self, order: Order) -> Comparison:
        """Return the comparison with the lowest mean first, by label, or as it is.

        Raises
        ------
        BsbenchError
            If the order is none of these.
        """
        check_choice("order", order, get_args(Order))
        if order == "given":
            return self
        key: Callable[[Result], float | str] = (
            (lambda result: result.stats.mean) if order == "best" else (lambda result: result.label)
        )
        return dataclasses.replace(self, results=tuple(sorted(self.results, key=key)))

    @cached_property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """All figures of each strategy, by name; all tables and exports are made from them.

        `to_frame` describes the names; ``first_ahead``, ``second_ahead`` and ``chance`` are as in
        `bsbench.stats.Dominance`. What is not known is None or NaN.
        """
        return tuple(
            {
                **result.figures(),
                "partial": self.partial,
                "reference": self.reference,
                "difference": difference.mean,
                "difference_half_width": difference.half_width,
                "paired": race is not None,
                "significant": difference.significant,
                "wins": race and race.wins,
                "ties": race and race.ties,
                "losses": race and race.losses,
                "dominance": shapes.verdict,
                "first_ahead": shapes.first_ahead,
                "second_ahead": shapes.second_ahead,
                "chance": shapes.chance,
                "first_alone": first and first.alone,
                "first_tied": first and first.tied,
                "rank": rank and rank.rank,
                "rank_low": rank and rank.low,
                "rank_high": rank and rank.high,
                **({} if self.margin is None else _row_of(difference, verdict)),
            }
            for result, difference, race, shapes, first, rank, verdict in zip(
                self.results,
                self.differences,
                self.races,
                self.dominances,
                self.firsts,
                self.ranks,
                self.verdicts,
                strict=True,
            )
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a tidy row for each strategy.

        It has the columns of `Result.to_frame`, and ``partial``; ``reference``, its label;
        ``difference`` and ``difference_half_width``, of the strategy to the reference;
        ``paired``, whether these are of the same games; ``significant``, whether that interval
        leaves out 0; ``wins``, ``ties`` and ``losses`` against the reference, in games;
        ``dominance``, as `bsbench.stats.Dominance.verdict` puts it; ``first_alone`` and
        ``first_tied`` among all; and ``rank``, ``rank_low`` and ``rank_high``, as in `Rank`. What
        is not known of games that are not paired is missing. Played until it was clear, it also has
        ``difference_low`` and ``difference_high``, the ends of the interval, and ``verdict``, as
        `verdicts` has it.
        """
        import pandas as pd

        frame = pd.DataFrame(self.rows).drop(columns=list(_NOT_IN_FRAMES))
        # pandas has a type for whole numbers some of which are missing.
        whole = ["wins", "ties", "losses", "first_alone", "first_tied"]
        whole += ["rank", "rank_low", "rank_high"]
        return frame.astype({key: "Int64" if frame[key].isna().any() else "int64" for key in whole})

    def csv_text(self) -> str:
        """Return that frame as CSV text."""
        return frame_csv(self.to_frame())

    @checked
    def save(self, folder: str | Path, *, force: bool = False) -> list[Path]:
        """Write a record of each result into a folder, from which `bsbench.load` reads them.

        Parameters
        ----------
        folder : str or Path
            Made if it is missing.
        force : bool
            Whether records that exist are replaced.

        Returns
        -------
        list of Path

        Raises
        ------
        BsbenchError
            If a record exists already, or can't be written.
        """
        return save_results(self.results, folder, force)

    def to_dict(self) -> dict[str, Any]:
        """Return the record: see `bsbench.runs.formats.ComparisonRecord`."""
        played = (self.played or self.results)[0]
        content = ComparisonRecord(
            stream_version=played.stream_version,
            scenario=ScenarioRecord(**played.scenario.to_dict()),
            seed=self.seed,
            games=self.games,
            requested=self.requested,
            partial=self.partial,
            until=self.until,
            reference=self.reference,
            missing=list(self.missing),
            faults={label: str(fault) for label, fault in self.faults.items()},
            strategies=[self._entry(place) for place in range(len(self.results))],
            margin=UNSET if self.margin is None else self.margin,
        )
        return played.record(ComparisonRecord.schema, as_json(content))

    def _entry(self, place: int) -> ComparedRecord:
        result, row = self.results[place], self.rows[place]
        said = result.content()
        race = RaceRecord(wins=row["wins"], ties=row["ties"], losses=row["losses"])
        first = FirstsRecord(alone=row["first_alone"], tied=row["first_tied"])
        return ComparedRecord(
            **structs.asdict(said.strategy),
            feedback=said.scenario.feedback,
            from_record=result.label in self.from_records,
            seed=row["seed"],
            games=said.games,
            counts=said.counts,
            summary=said.summary,
            answers=said.answers,
            difference=DifferenceRecord(
                mean=row["difference"],
                half_width=row["difference_half_width"],
                paired=row["paired"],
                significant=row["significant"],
                low=row.get("difference_low", UNSET),
                high=row.get("difference_high", UNSET),
                verdict=row.get("verdict", UNSET),
            ),
            race=race if row["paired"] else None,
            dominance=DominanceRecord(
                verdict=row["dominance"],
                first_ahead=row["first_ahead"],
                second_ahead=row["second_ahead"],
                chance=row["chance"],
            ),
            first=None if row["first_alone"] is None else first,
            rank=UNSET if (rank := self.ranks[place]) is None else RankRecord(*rank),
        )


def _turned(sums: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    total, wins, ties, losses = sums
    return -total, losses, ties, wins


def _turned_squares(sums: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    total, wins, ties, losses = sums
    return total, losses, ties, wins


def _row_of(difference: Difference, verdict: Decision | None) -> dict[str, Any]:
    """Return what rows also have where it was played until it was clear."""
    low, high = difference.interval
    return {"difference_low": low, "difference_high": high, "verdict": verdict}


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else value


def _paired(first: Result, second: Result) -> bool:
    """Return whether move counts of games that both have played are kept."""
    return (
        first.kept_moves is not None
        and second.kept_moves is not None
        and (first.seed, first.stream_version) == (second.seed, second.stream_version)
        and len(_common_moves(unit_of(first, second), first, second)[0]) > 0
    )


def check_pair(result: Result, reference: Result) -> None:
    """Check that what a record says of its pair with the reference agrees with both results.

    Raises
    ------
    BsbenchError
        If it doesn't: without this, a record could claim any difference.
    """
    record = result.against
    if record is None or record["digest"] != reference.tally.digest:
        raise BsbenchError("not all are compared with the reference")
    first, second = result.counts.tolist(), reference.counts.tolist()
    same = (result.games, result.seed, result.stream_version, len(first))
    if same != (reference.games, reference.seed, reference.stream_version, len(second)):
        raise BsbenchError("records that are compared game by game are not of the same games")
    least, numbers, games = record["least"], record["counts"], result.games
    total = sum((m1 - m2) * m for m, (m1, m2) in enumerate(zip(first, second, strict=True)))
    if sum(each * number for each, number in enumerate(numbers, least)) != total:
        raise BsbenchError("the differences of two records don't match their means")
    pair = Pair.from_dict(record, games, result.scenario.rules.reach)
    if pair.unit != unit_of(result, reference):
        raise BsbenchError("the learners of two records don't match their differences")


def _common_moves(unit: int, *results: Result) -> list[npt.NDArray[Any]]:
    """Return the kept move counts of the games that all have played, from a whole unit on."""
    begin = -(-max(result.first_game for result in results) // unit) * unit
    end = max(begin, min(result.tally.end for result in results))
    return [
        result.kept_moves[begin - result.first_game : end - result.first_game]
        for result in results
        if result.kept_moves is not None
    ]


class _Played(Protocol):
    """A run, its result, or a strategy."""

    @property
    def games_per_learner(self) -> int:
        """How many games in a row depend on each other."""
        ...


def unit_of(*contestants: _Played) -> int:
    """Return how many consecutive games depend on each other: whole learners of all."""
    return math.lcm(*(each.games_per_learner for each in contestants))
