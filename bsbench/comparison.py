"""Comparisons: several strategies on the same games, each against a reference.

All meet the same layouts, and differences are taken game by game. As games that are hard
for one strategy tend to be hard for another, the interval of a difference is narrower than
if each had played games of its own.

A comparison as JSON, of schema ``bsbench-compare-1``, has these keys:

``schema``, ``bsbench``, ``stream_version``
    This schema's name, the version of bsbench, and that of the layout stream.
``scenario``, ``seed``
    The scenario fully resolved, with the keys of a scenario file; the seed of the games that
    were played for the comparison, else that of the reference.
``games``, ``requested``, ``partial``, ``until``
    Games that each has played, or of records the fewest; what was asked for, and whether the
    comparison was interrupted before; the half-width asked for, or null.
``reference``, ``missing``, ``faults``
    The label of the reference, those of strategies that had played no game, and what strategies
    did wrong that are left out for it, by label.
``strategies``
    For each strategy ``label``, ``name``, ``source``, ``parameters``, and the ``feedback`` it was
    given; ``from_record``, whether it comes from a record; ``seed`` and ``games``; ``counts`` and
    ``summary`` as in the record of a run. Then, against the reference: ``difference`` with
    ``mean``, ``half_width`` (null if unknown), ``paired`` and ``significant``; ``race`` with
    ``wins``, ``ties`` and ``losses``, null where not paired; ``dominance``: who ``dominates`` in
    the games played (``first``, this strategy; ``second``, the reference; ``neither`` or
    ``same``), and the largest leads ``first_ahead`` and ``second_ahead``, as shares of games
    finished, with the ``chance`` that 95 % of such leads are within, or null. At last ``first``
    among all: games it finished ``alone`` first, and ``tied``, or null where not all are paired.
``threads``, ``machine``, ``versions``, ``date``
    As in the record of a run; threads, machine and versions are those of the first strategy.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.engine import Run, play_in_rounds
from bsbench.errors import BsbenchError, StrategyError
from bsbench.placement import Placement
from bsbench.records import load_result
from bsbench.request import TIMEOUT, check_feedback, check_request, check_timeout
from bsbench.results import Result
from bsbench.rounds import GROWTH, first_look, round_for, whole_units
from bsbench.rules import Feedback, Rules
from bsbench.scenario import DEFAULT, Scenario, find_scenario
from bsbench.settings import suggestion
from bsbench.stats import (
    Difference,
    Dominance,
    Race,
    RunningDifference,
    dominance,
    paired_difference,
    race,
)
from bsbench.strategies import Strategy, as_strategy

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "bsbench-compare-1"

Order = Literal["given", "mean", "name"]

_SMALLEST_ROUND = 16_384
_FEWEST_LEARNERS = 1_024
"""Games, and learners, of a round of which more follow: fewer would leave lanes idle for much
of the time."""

_AT_ONCE = 1 << 20
"""Games in which it is found at once who finishes first, so that little memory is needed."""


@dataclass(frozen=True)
class Firsts:
    """How often a strategy is the first of all to finish: alone, or tied with others."""

    alone: int
    tied: int


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of several strategies in the same games, and their differences to one of them.

    Attributes
    ----------
    results : tuple of Result
        In the order given. Those of strategies are all of the same games, whose move counts
        are kept; those of records are as they were.
    reference : str
        The label of the strategy that the others are compared with.
    missing : tuple of str
        Labels of strategies that had played no game when interrupted.
    from_records : tuple of str
        Labels of results that were not played for this comparison.
    until : float or None
        Half-width of the intervals of differences that was asked for.
    faults : mapping of str to StrategyError
        What strategies did wrong that were to be compared, and are left out, by label.
    """

    results: tuple[Result, ...]
    reference: str
    missing: tuple[str, ...] = ()
    from_records: tuple[str, ...] = ()
    until: float | None = None
    faults: Mapping[str, StrategyError] = dataclasses.field(default_factory=dict)

    @property
    def played(self) -> tuple[Result, ...]:
        """Results of the games that were played for this comparison."""
        return tuple(result for result in self.results if result.label not in self.from_records)

    @property
    def games(self) -> int:
        """Games that each has played; of records that differ in it, the fewest."""
        return min(result.games for result in self.results)

    @property
    def requested(self) -> int:
        """Games asked for; if all are from records, those that there are."""
        return self.played[0].requested if self.played else self.games

    @property
    def partial(self) -> bool:
        """Whether it was interrupted: all games were not played by all strategies."""
        return bool(self.missing) or any(result.partial for result in self.played)

    @property
    def _reference(self) -> Result:
        return next(result for result in self.results if result.label == self.reference)

    @cached_property
    def paired(self) -> tuple[bool, ...]:
        """Whether each met the layouts of the reference, and the move counts of both are kept.

        They are then compared in the games that both have played.
        """
        return tuple(_are_paired(result, self._reference) for result in self.results)

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """Of each strategy to the reference, in the order of `results`.

        Where either of the two learns from game to game, its learners are the units of the
        interval; where both do, groups of games that are whole learners of both. Those that
        are not `paired` have an interval as if the games were independent; it is too wide
        where both met the same layouts.
        """
        return tuple(
            _difference(result, self._reference, is_paired)
            for result, is_paired in zip(self.results, self.paired, strict=True)
        )

    @cached_property
    def same(self) -> tuple[bool, ...]:
        """Whether each took as many moves as the reference in every game."""
        return tuple(
            result is self._reference
            or (is_paired and np.array_equal(*_pair(result, self._reference)))
            for result, is_paired in zip(self.results, self.paired, strict=True)
        )

    @cached_property
    def races(self) -> tuple[Race | None, ...]:
        """How often each finishes before the reference; None where games are not paired."""
        return tuple(
            race(*_pair(result, self._reference), unit_of(result, self._reference))
            if is_paired
            else None
            for result, is_paired in zip(self.results, self.paired, strict=True)
        )

    @cached_property
    def dominances(self) -> tuple[Dominance, ...]:
        """Of each strategy and the reference, in that order: which one dominates."""
        reference = self._reference
        return tuple(
            dominance(
                result.counts,
                reference.counts,
                independent=not (result.learning or reference.learning),
            )
            for result in self.results
        )

    @cached_property
    def firsts(self) -> tuple[Firsts | None, ...]:
        """How often each is the first of all; None where not all are paired."""
        if not all(self.paired):
            return (None,) * len(self.results)
        moves = _common_moves(*self.results)
        alone, tied = np.zeros((2, len(moves)), np.int64)
        for begin in range(0, len(moves[0]), _AT_ONCE):
            part = [counts[begin : begin + _AT_ONCE] for counts in moves]
            least = np.minimum.reduce(part)
            first = np.array([counts == least for counts in part])
            many = np.count_nonzero(first, axis=0) > 1
            tied += (first & many).sum(axis=1)
            alone += (first & ~many).sum(axis=1)
        return tuple(map(Firsts, alone.tolist(), tied.tolist()))

    def sorted(self, order: Order) -> Comparison:
        """Return the comparison with its results by ascending mean, by label, or as they are."""
        if order == "given":
            return self
        key: Callable[[Result], float | str] = (
            (lambda result: result.stats.mean) if order == "mean" else (lambda result: result.label)
        )
        return dataclasses.replace(self, results=tuple(sorted(self.results, key=key)))

    def summary(self) -> pd.DataFrame:
        """Return a tidy row for each strategy.

        To the columns of `Result.summary` come ``partial``; ``reference``, its label;
        ``difference`` and ``difference_half_width``, of the strategy to the reference;
        ``paired``, whether these are of the same games; ``significant``, whether that interval
        leaves out 0; ``wins``, ``ties`` and ``losses`` against the reference, in games;
        ``dominates``, ``first`` (this strategy), ``second`` (the reference), ``neither`` or
        ``same``; and ``first_alone`` and ``first_tied`` among all. What is not known of
        games that are not paired is missing.
        """
        import pandas as pd

        frame = pd.concat([result.summary() for result in self.results], ignore_index=True)
        return frame.assign(
            partial=self.partial,
            reference=self.reference,
            difference=[difference.mean for difference in self.differences],
            difference_half_width=[difference.half_width for difference in self.differences],
            paired=list(self.paired),
            significant=[difference.significant for difference in self.differences],
            wins=_whole(race.wins if race else None for race in self.races),
            ties=_whole(race.ties if race else None for race in self.races),
            losses=_whole(race.losses if race else None for race in self.races),
            dominates=[each.played for each in self.dominances],
            first_alone=_whole(first.alone if first else None for first in self.firsts),
            first_tied=_whole(first.tied if first else None for first in self.firsts),
        )

    def csv_text(self) -> str:
        """Return the summary as CSV text."""
        return self.summary().to_csv(index=False, lineterminator="\n")

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as described at the top of this module."""
        played = (self.played or self.results)[0]
        record = played.to_dict()
        seed = played.seed if self.played else self._reference.seed
        own = {key: record[key] for key in ("bsbench", "stream_version", "scenario")}
        origin = {key: record[key] for key in ("threads", "machine", "versions", "date")}
        return {
            "schema": SCHEMA,
            **own,
            "seed": seed,
            "games": self.games,
            "requested": self.requested,
            "partial": self.partial,
            "until": self.until,
            "reference": self.reference,
            "missing": list(self.missing),
            "faults": {label: str(fault) for label, fault in self.faults.items()},
            "strategies": [self._entry(place) for place in range(len(self.results))],
            **origin,
        }

    def _entry(self, place: int) -> dict[str, Any]:
        result = self.results[place]
        record = result.to_dict()
        difference, race = self.differences[place], self.races[place]
        first = self.firsts[place]
        shapes = dataclasses.asdict(self.dominances[place])
        leads = {key: _or_null(shapes[key]) for key in ("first_ahead", "second_ahead", "chance")}
        return {
            "label": result.label,
            "name": result.strategy,
            "source": result.source,
            "parameters": result.parameters,
            "feedback": str(result.scenario.rules.feedback),
            "from_record": result.label in self.from_records,
            **{key: record[key] for key in ("seed", "games", "counts", "summary")},
            "difference": {
                "mean": difference.mean,
                "half_width": _or_null(difference.half_width),
                "paired": self.paired[place],
                "significant": difference.significant,
            },
            "race": race and {"wins": race.wins, "ties": race.ties, "losses": race.losses},
            "dominance": {"dominates": shapes["played"], **leads},
            "first": first and dataclasses.asdict(first),
        }


def _whole(numbers: Iterable[int | None]) -> pd.Series[Any]:
    """Return whole numbers as a column of a frame; pandas has a type for some missing."""
    import pandas as pd

    column = list(numbers)
    return pd.Series(column, dtype="Int64" if None in column else "int64")


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else value


def _are_paired(first: Result, second: Result) -> bool:
    return (
        first.moves is not None
        and second.moves is not None
        and (first.seed, first.stream_version) == (second.seed, second.stream_version)
    )


def _common_moves(*results: Result) -> list[npt.NDArray[Any]]:
    """Return the move counts of the games that all have played."""
    common = min(result.games for result in results)
    return [result.moves[:common] for result in results if result.moves is not None]


def _pair(result: Result, reference: Result) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    first, second = _common_moves(result, reference)
    return first, second


def unit_of(*contestants: Result | Strategy) -> int:
    """Return how many consecutive games depend on each other: whole learners of all."""
    return math.lcm(*(each.games_per_learner for each in contestants))


def _difference(result: Result, reference: Result, is_paired: bool) -> Difference:
    if result is reference:
        return Difference(0.0, 0.0)
    if is_paired:
        first, second = _pair(result, reference)
        unit = unit_of(result, reference)
        if len(first) % unit:
            # The last learner was cut short: a ratio of sums, not a mean of units.
            return paired_difference(first, second, unit)
        running = RunningDifference(unit)
        running.add(first, second)
        return Difference(running.mean, running.half_width)
    return Difference(
        result.stats.mean - reference.stats.mean,
        math.hypot(result.stats.half_width, reference.stats.half_width),
    )


def compare(
    strategies: Iterable[str | Path | Strategy | type | Result],
    scenario: str | Path | Scenario | None = None,
    *,
    games: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    reference: str | None = None,
    until: float | None = None,
    timeout: float = TIMEOUT,
    progress: Callable[[str, int], None] | None = None,
) -> Comparison:
    """Let several strategies play the same games, and compare each with one of them.

    Parameters
    ----------
    strategies : iterable of str, Path, Strategy, type or Result
        Two at least, all different: strategies, their classes, or variants as on the command line,
        ``over9000,noise=0``; results of earlier runs, or paths of their records, which end
        in ``.json``. With results, strategies play the same scenario as they did, and the
        seed and number of games of the first of them unless others are given. Results are
        compared game by game where the move counts are kept (`Result.moves`; beside a record,
        those of ``run --keep-moves``) and the seed is the same; else by their means.
    scenario : str, Path or Scenario, optional
        A scenario, its name, or the path of its TOML file. Default: the home that all
        strategies share, else ``classic``.
    games : int, optional
        Games number 0 … games - 1 under the seed are played by each; with ``until``, at most.
        Default: 100,000, or 100,000,000 with ``until``.
    seed : int, optional
        Any non-negative integer. Default: 0.
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    reference : str, optional
        The strategy that the others are compared with, as it is given or by its label. Default:
        the first.
    until : float, optional
        Play until the half-width of each difference's 95 % interval is that small, in moves.
        That stops by the spread, not by what is compared (see `bsbench.run`).
    timeout : float
        As for `bsbench.run`.
    progress : callable, optional
        Called, from the calling thread, with the label of the strategy that plays and the
        number of its games played so far.

    Returns
    -------
    Comparison
        Ctrl-C ends it early. It then has the games that all played who had begun, and says
        so (`Comparison.partial`). All play in turn, in rounds that grow, so that these are
        many.

    Raises
    ------
    BsbenchError
        If an argument is out of range, there are fewer than two strategies or two that are
        the same, one needs more feedback than the scenario gives, or results were played
        on other scenarios.
    StrategyError
        If all strategies break the rules, break down, or take too long, and there is no result.
    KeyboardInterrupt
        If interrupted before two strategies had played the same game.

    Examples
    --------
    >>> comparison = compare(["linear", "random"], "classic", games=1000, seed=1)
    >>> comparison.summary()[["label", "mean", "difference"]]  # doctest: +SKIP
    """
    contestants, reference = line_up(strategies, reference)
    terms = terms_of(contestants, scenario, games, seed, until)
    games, seed, threads = check_request(terms.games, terms.seed, threads, until)
    players = [
        Run(contestant, terms.scenario, seed, threads, check_timeout(timeout))
        for contestant in contestants
        if isinstance(contestant, Strategy)
    ]
    # The reference first: without it, there is nothing to compare with when interrupted.
    players.sort(key=lambda player: player.strategy.label != reference)
    for player in players:
        player.keep_moves(games)
    records = {each.label: each for each in contestants if isinstance(each, Result)}
    try:
        interrupted = bool(players) and play_in_rounds(
            players,
            _rounds(players, games, until),
            progress and (lambda player, played: progress(player.strategy.label, played)),
        )
    except StrategyError:
        if not records:
            raise
        interrupted = False
    faults = {player.strategy.label: player.fault for player in players if player.fault}
    begun = [player for player in players if player.games and not player.fault]
    common = min((player.games for player in begun), default=0)
    results = {
        player.strategy.label: player.result(games if interrupted else None).first(common)
        for player in begun
    }
    results |= records
    labels = [contestant.label for contestant in contestants if contestant.label not in faults]
    if reference in faults:
        reference = labels[0]
    if len(results) < min(len(labels), 2) or reference not in results:
        raise KeyboardInterrupt
    return Comparison(
        tuple(results[label] for label in labels if label in results),
        reference,
        missing=tuple(label for label in labels if label not in results),
        from_records=tuple(records),
        until=until,
        faults=faults,
    )


def _rounds(players: Sequence[Run], games: int, until: float | None) -> Callable[[int], int]:
    """Return what tells where the next round ends, for `play_in_rounds`; the reference is first.

    Where a width is to be reached, it is that of the strategies that can go on; without the
    reference, or without others, there is none.
    """
    reference, *others = players
    unit = unit_of(*(player.strategy for player in players))
    if until is None:
        ends = [games]
        while ends[0] // GROWTH >= max(_SMALLEST_ROUND, _FEWEST_LEARNERS * unit):
            ends.insert(0, whole_units(ends[0] // GROWTH, unit))
        return lambda played: next((end for end in ends if end > played), games)

    running = [RunningDifference(unit_of(other.strategy, reference.strategy)) for other in others]
    added = 0

    def next_round(played: int) -> int:
        nonlocal added
        if played == 0:
            return first_look(unit, games)
        pairs = zip(running, others, strict=True)
        going = [(difference, other) for difference, other in pairs if other.fault is None]
        if reference.fault is not None or not going:
            return played
        for difference, other in going:
            difference.add(other.moves[added:played], reference.moves[added:played])
        added = played
        widths = [difference.half_width for difference, _ in going]
        unknown = any(map(math.isnan, widths))
        return round_for(until, played, math.nan if unknown else max(widths), unit, games)

    return next_round


class Terms(NamedTuple):
    """What is played for a comparison; no number of games means the default one."""

    scenario: Scenario
    games: int | None
    seed: int


def terms_of(
    contestants: Sequence[Strategy | Result],
    scenario: str | Path | Scenario | None = None,
    games: int | None = None,
    seed: int | None = None,
    until: float | None = None,
) -> Terms:
    """Return what the strategies of a comparison play, as its results say where nothing else does.

    Raises
    ------
    BsbenchError
        If results were played on other scenarios, a strategy needs more feedback than the
        scenario gives, or results are to be played on.
    """
    strategies = [each for each in contestants if isinstance(each, Strategy)]
    results = [each for each in contestants if isinstance(each, Result)]
    if until is not None and results:
        raise BsbenchError(
            f"only strategies can play until a difference is known, and {results[0].label} is a "
            "result: name all by their strategies"
        )
    if scenario is None and results:
        # What a shooter is told beyond its needs makes no difference to it.
        scenario = max((each.scenario for each in results), key=lambda told: told.rules.feedback)
    if not isinstance(scenario, Scenario):
        scenario = find_scenario(str(scenario or shared_home(strategies) or DEFAULT))
    for result in results:
        if _layouts(result.scenario) != _layouts(scenario):
            raise BsbenchError(
                f"{result.label} was played on {result.scenario.name}, which does not compare with "
                f"{scenario.name}: give results of the same board, fleet, touching and placement "
                "law"
            )
    for strategy in strategies:
        check_feedback(strategy, scenario)
    if results:
        games = results[0].games if games is None else games
        seed = results[0].seed if seed is None else seed
    return Terms(scenario, games, 0 if seed is None else seed)


def _layouts(scenario: Scenario) -> tuple[Rules, Placement]:
    """Return what says which layouts a scenario has: all but the feedback."""
    return dataclasses.replace(scenario.rules, feedback=Feedback.HIT), scenario.placement


def is_record(text: str) -> bool:
    """Tell whether what is to be compared is the path of a record, not a strategy."""
    return text.lower().endswith(".json")


def line_up(
    strategies: Iterable[str | Path | Strategy | type | Result], reference: str | None = None
) -> tuple[list[Strategy | Result], str]:
    """Return the contestants of a comparison, made or read, and the label of its reference.

    A result whose label another contestant has already is called by the name of its record,
    too, or else by a number.

    Raises
    ------
    BsbenchError
        If there are fewer than two, one is unknown, two strategies are the same, or the
        reference is none of them.
    """
    given = [str(each) if isinstance(each, Path) else each for each in strategies]
    contestants: list[Strategy | Result] = []
    for each in given:
        if isinstance(each, Result):
            contestants.append(each)
        elif isinstance(each, str) and is_record(each):
            contestants.append(load_result(each, with_moves=True))
        else:
            contestants.append(as_strategy(each))
    labels = [each.label for each in contestants if isinstance(each, Strategy)]
    for number, label in enumerate(labels):
        if label in labels[:number]:
            raise BsbenchError(f"{label!r} is named twice: compare it with other strategies")
    for place, each in enumerate(contestants):
        if isinstance(each, Result):
            label, source = each.label, given[place]
            if label in labels and isinstance(source, str):
                label = f"{label} ({Path(source).stem})"
            number = 2
            while label in labels:
                label, number = f"{each.label} ({number})", number + 1
            contestants[place] = dataclasses.replace(each, label=label)
            labels.append(label)
    labels = [each.label for each in contestants]
    if len(labels) < 2:
        named = f"there is only {labels[0]!r}" if labels else "none is named"
        raise BsbenchError(f"a comparison takes two strategies or more, and {named}")
    if reference is None:
        return contestants, labels[0]
    if reference in given:
        return contestants, labels[given.index(reference)]
    if reference not in labels:
        hint = suggestion(reference, labels)
        raise BsbenchError(f"the reference {reference!r} is none of the strategies: {hint}")
    return contestants, reference


def shared_home(strategies: Iterable[Strategy]) -> str | None:
    """Return the scenario that is home to all strategies that have a home, if there is one."""
    homes = {strategy.home for strategy in strategies} - {None}
    return homes.pop() if len(homes) == 1 else None
