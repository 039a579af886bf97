"""Leagues: players on the same games, each compared with every other; a failure ends none.

A league is a comparison (`bsbench.runs.comparing`) on each scenario whose move counts are all
kept, so that each player can be the reference in turn. A player that can't be loaded, breaks the
rules, crashes, or takes more than it may has no place in the ranking: the league says why.

Players are ranked by their mean. As means are estimates, so is a rank: its interval goes from one
more than the number of players that are clearly better, to the number of players less those that
are clearly worse. Clearly means that the interval of the difference excludes 0, at 95 % for all
differences of a player together (Bonferroni; M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm,
"Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement
across Countries", Review of Economic Studies 91, 2024). So the interval holds the rank by the true
means in at least 95 % of leagues.

Over several scenarios, players are ranked by the geometric mean of their means, each divided by
the best one of that scenario (P. J. Fleming and J. J. Wallace, "How not to lie with statistics: the
correct way to summarize benchmark results", Communications of the ACM 29, 1986). The order of two
players then does not depend on who else takes part. Only those count that finished everywhere.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import UNSET, UnsetType

from bsbench.common.errors import BsbenchError, option
from bsbench.common.found import Found
from bsbench.common.journal import Journal
from bsbench.common.parameters import changed_settings
from bsbench.common.record import Content, Count, Record
from bsbench.common.settings import read_bytes, read_variant
from bsbench.common.texts import for_terminal
from bsbench.own.importing import POLICIES, parted
from bsbench.own.loading import is_spec, scheme_of
from bsbench.own.thinker import Limits, longest_start
from bsbench.own.thinker_main import can_limit_memory
from bsbench.play.samplers import make_sampler
from bsbench.roster import make_strategy
from bsbench.rules.placement import STREAM_VERSION
from bsbench.rules.scenario import FeedbackName, Scenario, ScenarioRecord
from bsbench.runs.comparing import play_together
from bsbench.runs.comparison import Comparison, Firsts
from bsbench.runs.experiment import Experiment, about_games
from bsbench.runs.formats import FirstsRecord, StrategyRecord, SummaryRecord
from bsbench.runs.opening import opened
from bsbench.runs.panel import Watch
from bsbench.runs.request import LOCAL, TIMEOUT, Engine, Request, check_playable
from bsbench.runs.results import Result
from bsbench.stats import CONFIDENCE, Difference, Race
from bsbench.stats.intervals import NORMAL_95
from bsbench.strategies import Strategy

if TYPE_CHECKING:
    import pandas as pd

GAMES = 1_000
"""Games of each player by default."""

_LEAST_MEMORY = 16 << 20
"""Bytes: with less, hardly any code can be imported."""

LEAST_SECONDS = 2.0
"""Of one thread, from which on the time of a move is told: shorter play is mostly overhead."""


class LimitsRecord(Record, frozen=True):
    """What a player may use on a scenario.

    Attributes
    ----------
    seconds
        Time to think; null without limit.
    memory
        Bytes of memory; null without limit.
    """

    seconds: float | None
    memory: Count | None


class PlayerRecord(Record, frozen=True):
    """Who takes part.

    Attributes
    ----------
    player
        Its name here.
    given
        What was named.
    problem
        Why it could not be loaded, or null.
    """

    player: str
    given: str
    problem: str | None


class Overall(Record, frozen=True):
    """A player over all scenarios.

    Attributes
    ----------
    player
        Name.
    ratio
        Geometric mean of its means, each divided by the best one of that scenario.
    mean_rank
        Mean of its ranks.
    """

    player: str
    ratio: float
    mean_rank: float


class StandingRecord(StrategyRecord, frozen=True, kw_only=True):
    """A player that finished.

    Attributes
    ----------
    player
        Its name here.
    given
        What was named.
    feedback
        Feedback that it was given.
    needs
        Feedback that it needs, or null if unknown.
    from_record
        Whether it comes from a record.
    seed
        Seed of the layouts.
    games
        Games played.
    counts
        Number of games by move count: entry m counts the games of m moves.
    summary
        Figures that follow from the counts.
    rank
        Rank, 1 for the best.
    rank_low
        The best rank within its 95 % interval.
    rank_high
        The worst rank within it.
    first
        Games that it finished first of all, or null.
    seconds_per_move
        Time for a move, of one thread; null where play took less than 2 seconds of one thread.
    """

    player: str
    given: str
    feedback: FeedbackName
    needs: FeedbackName | None
    from_record: bool
    seed: Count
    games: Count
    counts: list[Count]
    summary: SummaryRecord
    rank: Count
    rank_low: Count
    rank_high: Count
    first: FirstsRecord | None
    seconds_per_move: float | None


class FailureRecord(Record, frozen=True):
    """A player that did not finish.

    Attributes
    ----------
    player
        Name.
    given
        What was named.
    games
        Games that it had finished.
    problem
        What went wrong.
    line
        The line of its code, or empty.
    game
        Number of the game, or null.
    """

    player: str
    given: str
    games: Count
    problem: str
    line: str
    game: Count | None


class PairRecord(Record, frozen=True):
    """Two players that finished.

    Attributes
    ----------
    first
        Place in the ranking, from 0.
    second
        Place in the ranking, from 0.
    difference
        Of the first less the second, in moves.
    half_width
        Half the width of its 95 % interval; null if unknown.
    paired
        Whether it was taken game by game.
    wins
        Games that the first finishes before the second; null where not paired.
    ties
        Games that both finish at the same time; null where not paired.
    losses
        Games that the first finishes after the second; null where not paired.
    """

    first: Count
    second: Count
    difference: float
    half_width: float | None
    paired: bool
    wins: Count | None
    ties: Count | None
    losses: Count | None


class TableRecord(Record, frozen=True):
    """A league on one scenario.

    Attributes
    ----------
    scenario
        What was played.
    ranking
        Players that finished, the best first.
    failed
        Players that did not finish.
    pairs
        Each two players that finished.
    """

    scenario: ScenarioRecord
    ranking: list[StandingRecord]
    failed: list[FailureRecord]
    pairs: list[PairRecord]


class LeagueRecord(Content, frozen=True, kw_only=True):
    """What `bsbench league` saves: players ranked, and compared in pairs.

    Attributes
    ----------
    stream_version
        Version of the rule that turns seed and number of a game into a layout.
    seed
        Seed of the layouts.
    games
        Games of each player on each scenario.
    partial
        Whether the league ended early.
    limits
        What a player may use on a scenario.
    players
        All players.
    overall
        Only with several scenarios: players that finished everywhere, the best first.
    scenarios
        One for each scenario.
    """

    schema = "bsbench-league-1"
    stream_version: Count
    seed: Count
    games: Count
    partial: bool
    limits: LimitsRecord
    players: list[PlayerRecord]
    overall: list[Overall] | UnsetType = UNSET
    scenarios: list[TableRecord]


@dataclass(frozen=True, eq=False)
class Entrant:
    """Who takes part.

    Attributes
    ----------
    name : str
        What it is called in the league.
    given : str
        What was named.
    strategy : Strategy or None
        None if it can't be loaded, or is a record.
    records : tuple of Result
        What it has played before, for a league that takes it as it is; under its name here.
    problem : str
        Why it can't be loaded, or empty; its second line is that of its code.
    """

    name: str
    given: str
    strategy: Strategy | None = None
    records: tuple[Result, ...] = ()
    problem: str = ""

    def recorded(self, scenario: Scenario) -> Result | None:
        """Return what it has played on the layouts of a scenario, if anything."""
        same = (each for each in self.records if each.scenario.move_law == scenario.move_law)
        return next(same, None)


@dataclass(frozen=True)
class Failure:
    """A player that did not finish.

    Attributes
    ----------
    player : str
    given : str
    games : int
        Games that it had finished.
    problem, line : str
        What went wrong, and the line of its code, or empty.
    game : int or None
        The number of the game in which it went wrong.
    replay : str
        The command that shows that game, or empty.
    """

    player: str
    given: str
    games: int
    problem: str
    line: str = ""
    game: int | None = None
    replay: str = ""


@dataclass(frozen=True, eq=False)
class Standing:
    """A player that finished, and its place.

    Attributes
    ----------
    player : Entrant
    result : Result
    rank : int
        By the mean, from 1; players with the same mean share the better rank.
    low, high : int
        The 95 % interval of the rank.
    to_best : Difference
        Of its moves to those of the first.
    race : Race or None
        Against the first, in the same games; None if it is not paired with that.
    firsts : Firsts or None
        In how many games it is the first of all.
    """

    player: Entrant
    result: Result
    rank: int
    low: int
    high: int
    to_best: Difference
    race: Race | None
    firsts: Firsts | None

    @property
    def needs(self) -> str | None:
        """The feedback that it needs, or None if that is unknown."""
        return None if self.player.strategy is None else str(self.player.strategy.needs)

    @property
    def seconds_per_move(self) -> float | None:
        """Seconds of one thread that a move takes, those of bsbench included.

        None where play was so short that most of it was to start threads and the like.
        """
        result = self.result
        seconds = result.play_seconds * result.threads
        if seconds < LEAST_SECONDS:
            return None
        return seconds / int(result.counts @ np.arange(len(result.counts)))


@dataclass(frozen=True, eq=False)
class Table:
    """A league on one scenario.

    Attributes
    ----------
    scenario : Scenario
    players : mapping of str to Entrant
        By name.
    comparison : Comparison
        Of those that finished, by ascending mean; it may have no results.
    refused : tuple of Failure
        Those that could not play at all.
    """

    scenario: Scenario
    players: dict[str, Entrant]
    comparison: Comparison
    refused: tuple[Failure, ...]

    @property
    def results(self) -> tuple[Result, ...]:
        """Of those that finished, by ascending mean."""
        return self.comparison.results

    @cached_property
    def against(self) -> tuple[Comparison, ...]:
        """The same results, with each of them for the reference in turn."""
        known = self.comparison
        return tuple(
            known
            if result.label == known.reference
            else dataclasses.replace(known, reference=result.label, stored={})
            for result in known.results
        )

    @cached_property
    def differences(self) -> tuple[tuple[Difference, ...], ...]:
        """Of the i-th less the j-th, at ``[i][j]``."""
        return _turned([each.differences for each in self.against])

    @cached_property
    def races(self) -> tuple[tuple[Race | None, ...], ...]:
        """How often the i-th finishes before the j-th, at ``[i][j]``; None where not paired."""
        return _turned([each.races for each in self.against])

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Those that finished, the best first."""
        means = [result.stats.mean for result in self.results]
        low, high = rank_intervals(self.differences)
        firsts = self.comparison.firsts if self.results else ()
        return tuple(
            Standing(
                self.players[result.label],
                result,
                1 + sum(other < mean for other in means),
                int(low[place]),
                int(high[place]),
                self.differences[place][0],
                self.races[place][0],
                firsts[place],
            )
            for place, (result, mean) in enumerate(zip(self.results, means, strict=True))
        )

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """Those that did not finish, by the games that they had finished."""
        found = [*self.refused]
        for name, fault in self.comparison.faults.items():
            games = 0 if fault.result is None else fault.result.games
            facts = fault.problem, fault.line, fault.game, fault.replay
            found.append(Failure(name, self.players[name].given, games, *facts))
        return tuple(sorted(found, key=lambda each: (-each.games, each.player)))

    def faulty(self, name: str) -> Result | None:
        """Return the games that a player finished before its fault, if there are any."""
        fault = self.comparison.faults.get(name)
        return None if fault is None else fault.result


def _turned(rows: Sequence[Sequence[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(zip(*rows, strict=True))


def rank_intervals(
    differences: Sequence[Sequence[Difference]],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the 95 % intervals of ranks, given the differences of each two players.

    Parameters
    ----------
    differences : sequence of sequence of Difference, shape (players, players)
        Of the i-th less the j-th, with half-widths of 95 %.

    Returns
    -------
    low, high : ndarray of int64, shape (players,)
        See the top of this module.
    """
    count = len(differences)
    others = max(count - 1, 1)
    wider = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / others) / NORMAL_95
    mean = np.array([[each.mean for each in row] for row in differences]).reshape(count, count)
    width = np.array([[each.half_width for each in row] for row in differences])
    width = wider * width.reshape(count, count)
    # Nothing is clear where an interval is not known.
    worse, better = mean > width, mean < -width
    return 1 + worse.sum(axis=1), count - better.sum(axis=1)


@dataclass(frozen=True, eq=False)
class League(Found):
    """How a league went.

    Attributes
    ----------
    players : tuple of Entrant
    seed : int
    games : int
        Of each player on each scenario.
    requested : int
        Scenarios asked for.
    tables : tuple of Table
        One for each scenario.
    seconds : float or None
        That a player may think on a scenario.
    memory : int or None
        Bytes that a player's process may take.
    """

    form: ClassVar = LeagueRecord

    players: tuple[Entrant, ...]
    seed: int
    games: int
    requested: int
    tables: tuple[Table, ...]
    seconds: float | None = None
    memory: int | None = None

    @property
    def partial(self) -> bool:
        """Whether it was interrupted."""
        return len(self.tables) < self.requested or any(
            table.results and table.comparison.partial for table in self.tables
        )

    @cached_property
    def overall(self) -> tuple[Overall, ...]:
        """Those that finished on all scenarios, the best first; see the top of this module."""
        rows = []
        for player in self.players:
            found = [
                (standing, table.standings[0])
                for table in self.tables
                for standing in table.standings
                if standing.player is player
            ]
            if len(found) < len(self.tables):
                continue
            logs = [math.log(one.result.stats.mean / best.result.stats.mean) for one, best in found]
            ranks = [one.rank for one, _ in found]
            ratio, rank = math.exp(math.fsum(logs) / len(logs)), sum(ranks) / len(ranks)
            rows.append(Overall(player=player.name, ratio=ratio, mean_rank=rank))
        return tuple(sorted(rows, key=lambda row: (row.ratio, row.mean_rank)))

    @property
    def exit_code(self) -> int:
        """1 if nobody has finished."""
        return 0 if any(table.comparison.played for table in self.tables) else 1

    def content(self) -> LeagueRecord:
        """Return the record."""
        content = {
            "stream_version": STREAM_VERSION,
            "seed": self.seed,
            "games": self.games,
            "partial": self.partial,
            "limits": {"seconds": self.seconds, "memory": self.memory},
            "players": [
                {"player": each.name, "given": each.given, "problem": each.problem or None}
                for each in self.players
            ],
            **({"overall": self.overall} if self.requested > 1 else {}),
            "scenarios": [_table_record(table) for table in self.tables],
        }
        return msgspec.convert(content, LeagueRecord, from_attributes=True)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each player on each scenario, the best first, then those that failed.

        It has the columns of `Result.summary`, and ``player``, ``given``, ``rank``, ``rank_low``,
        ``rank_high``, ``to_best`` and ``to_best_half_width`` in moves, ``paired``, ``first_alone``,
        ``first_tied``, ``needs``, ``feedback``, ``from_record``, ``seconds_per_move``, ``problem``,
        ``line`` and ``game``. What is not known is missing.
        """
        rows: list[dict[str, Any]] = []
        for table in self.tables:
            rows += [_row(standing) for standing in table.standings]
            for failure in table.failures:
                facts = {key: getattr(failure, key) for key in FailureRecord.__struct_fields__}
                rows.append({"scenario": table.scenario.name, "seed": self.seed, **facts})
        return rows

    def table(self) -> pd.DataFrame:
        """Return the rows as a frame."""
        import pandas as pd

        # As objects, whole numbers stay whole beside missing ones.
        return pd.DataFrame(self.rows(), dtype=object)


def _row(standing: Standing) -> dict[str, Any]:
    player, firsts = standing.player, standing.firsts
    return {
        "player": player.name,
        "given": player.given,
        "rank": standing.rank,
        "rank_low": standing.low,
        "rank_high": standing.high,
        **standing.result.figures(),
        **({} if player.strategy is None else {"label": player.strategy.label}),
        "to_best": standing.to_best.mean,
        "to_best_half_width": standing.to_best.half_width,
        "paired": standing.race is not None,
        "first_alone": firsts and firsts.alone,
        "first_tied": firsts and firsts.tied,
        "needs": standing.needs,
        "feedback": str(standing.result.scenario.rules.feedback),
        "from_record": bool(player.records),
        "seconds_per_move": standing.seconds_per_move,
        "problem": None,
        "line": None,
        "game": None,
    }


def _table_record(table: Table) -> dict[str, Any]:
    count = len(table.results)
    return {
        "scenario": table.scenario.to_dict(),
        "ranking": [_standing_record(each) for each in table.standings],
        "failed": table.failures,
        "pairs": [
            _pair_record(
                first, second, table.differences[first][second], table.races[first][second]
            )
            for first in range(count)
            for second in range(first + 1, count)
        ],
    }


def _standing_record(standing: Standing) -> dict[str, Any]:
    player, result = standing.player, standing.result
    record = result.to_dict()
    return {
        **record["strategy"],
        **({} if player.strategy is None else {"label": player.strategy.label}),
        "player": player.name,
        "given": player.given,
        "feedback": str(result.scenario.rules.feedback),
        "needs": standing.needs,
        "from_record": bool(player.records),
        **{key: record[key] for key in ("seed", "games", "counts", "summary")},
        "rank": standing.rank,
        "rank_low": standing.low,
        "rank_high": standing.high,
        "first": standing.firsts,
        "seconds_per_move": standing.seconds_per_move,
    }


def _pair_record(
    first: int, second: int, difference: Difference, race: Race | None
) -> dict[str, Any]:
    return {
        "first": first,
        "second": second,
        "difference": difference.mean,
        "half_width": difference.half_width,
        "paired": race is not None,
        **{key: race and getattr(race, key) for key in ("wins", "ties", "losses")},
    }


# Who takes part.


def read_limits(
    request: Request, seconds: float | None, memory: str | None, trust_kernels: bool = False
) -> Limits:
    """Return what players may use, as it is asked for.

    Parameters
    ----------
    request : Request
        Says how long a game may take, and where games are played.
    seconds : float or None
        That a player may think on a scenario.
    memory : str or None
        What its process may take, such as ``512M``.
    trust_kernels : bool
        Whether players come in to whom no limits apply.

    Raises
    ------
    BsbenchError
        If limits are out of range, or can't be kept here.
    """
    timeout = request.timeout
    if seconds is not None and not 0 < seconds < 1e9:
        raise BsbenchError(f"{option('limit_seconds')} takes a number above 0, not {seconds:g}")
    size = None if memory is None else read_bytes(memory)
    if size is not None and size < _LEAST_MEMORY:
        raise BsbenchError(
            f"with {option('limit_memory', memory)}, hardly any code could be imported: allow "
            f"{_LEAST_MEMORY >> 20}M or more"
        )
    if size is not None and not can_limit_memory():
        raise BsbenchError(
            f"memory can be limited on Linux alone: leave out {option('limit_memory')}"
        )
    limited = seconds is not None or size is not None
    if limited and request.engine != LOCAL:
        raise BsbenchError(
            f"limits hold on this machine alone: leave out {option('engine')} or the limits"
        )
    longest = min(timeout, seconds or timeout)
    return Limits(longest, longest_start(longest), size, not limited or trust_kernels)


def enter(
    named: Sequence[str],
    records: Iterable[tuple[str, Result]] = (),
    limits: Limits | None = None,
    note: Callable[[str], object] = lambda text: None,
) -> list[Entrant]:
    """Return the players that are named; those that can't be loaded say why.

    A file of a user that is named without a class gives its player its name, without ``.py``.

    Parameters
    ----------
    named : sequence of str
        Strategies, as on the command line.
    records : iterable of (str, Result)
        Where they are, and what they hold.
    limits : Limits, optional
    note : callable, optional
        Called with the name of each strategy before it is loaded.

    Raises
    ------
    BsbenchError
        If a strategy that is not a user's own is unknown, a file is missing, or one is named
        twice.
    """
    players, longer = [], []
    for text in named:
        note(text)
        name, settings = read_variant(text)
        # What has its own name is that; what has not, that of its file.
        own_name = not is_spec(name) or scheme_of(name) is not None
        place, given_class = ("", name) if own_name else parted(name)
        strategy, problem = None, ""
        try:
            strategy = make_strategy(name, settings, limits or Limits())
        except BsbenchError as error:
            if not is_spec(name) or (
                place.endswith((".py", *POLICIES)) and not os.path.exists(place)
            ):
                raise
            problem = str(error)
        file = for_terminal(text if scheme_of(name) else place)
        words = [] if strategy is None else changed_settings(strategy)
        if strategy is not None and given_class:
            short, long = strategy.label, f"{strategy.label}{f' ({file})' if file else ''}"
        elif given_class:
            short = long = for_terminal(text)
        else:
            short = " ".join([Path(file).stem, *words])
            long = " ".join([file.removesuffix(".py"), *words])
        players.append(Entrant(short, for_terminal(text), strategy, problem=problem))
        longer.append(long)
    shorter = [player.name for player in players]
    for number, player in enumerate(players):
        if shorter.count(player.name) > 1:
            players[number] = dataclasses.replace(player, name=longer[number])
    taken = [player.name for player in players]
    for name in taken:
        if taken.count(name) > 1:
            raise BsbenchError(f"{name!r} is named twice: name each player once")
    players += _recorded(records, taken)
    if not players:
        raise BsbenchError("a league takes players: name strategies or files of them")
    return players


def _recorded(records: Iterable[tuple[str, Result]], taken: list[str]) -> list[Entrant]:
    """Return the players that records are of: those of a label on several scenarios are of one."""
    players: list[Entrant] = []
    for path, result in records:
        name, copies = result.label, 1
        while True:
            known = next((each for each in players if each.name == name), None)
            if known is not None and known.recorded(result.scenario) is None:
                more = (*known.records, dataclasses.replace(result, label=name))
                players[players.index(known)] = dataclasses.replace(known, records=more)
                break
            if known is None and name not in taken:
                again = dataclasses.replace(result, label=name)
                players.append(Entrant(name, for_terminal(path), records=(again,)))
                break
            name = f"{result.label} (record{f' {copies}' if copies > 1 else ''})"
            copies += 1
    return players


def check_records(players: Sequence[Entrant], scenarios: Sequence[Scenario]) -> list[Entrant]:
    """Return the players without records of other rules or layouts.

    Raises
    ------
    BsbenchError
        If nobody but records takes part, or all records were played elsewhere.
    """
    recorded = [player for player in players if player.records]
    if len(recorded) == len(players):
        raise BsbenchError(
            "a league takes players that play: records alone are compared by 'bsbench compare'"
        )
    strange = [player for player in recorded if not any(map(player.recorded, scenarios))]
    if recorded and len(strange) == len(recorded):
        raise BsbenchError(
            f"no record was played on {' or '.join(each.name for each in scenarios)}, but on "
            f"{recorded[0].records[0].scenario.name}: give records of the same board, fleet, "
            "touching, shots of a turn and placement law"
        )
    return [player for player in players if player not in strange]


# How it is played.


def about_league(
    players: Sequence[Entrant],
    scenarios: Sequence[Scenario],
    seed: int,
    limits: Limits,
    seconds: float | None,
) -> dict[str, Any]:
    """Return what identifies a league, for `Journal.open`."""
    return about_games(
        [player.strategy for player in players if player.strategy is not None],
        scenarios,
        [seed],
        players=[[player.name, player.given] for player in players if player.strategy],
        limits=[seconds, limits.memory],
    )


def play_league(
    players: Sequence[Entrant],
    scenarios: Sequence[Scenario],
    *,
    games: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    engine: Engine = LOCAL,
    timeout: float = TIMEOUT,
    seconds: float | None = None,
    memory: int | None = None,
    watch: Watch | None = None,
    journal: Journal | None = None,
) -> League:
    """Let players play the same games, and compare each with every other.

    Parameters
    ----------
    players : sequence of Entrant
        As `enter` returns them.
    scenarios : sequence of Scenario
    games : int, optional
        Games number 0 … games - 1 under the seed are played by each. Default: `GAMES`.
    seed, threads, engine, timeout
        As for `bsbench.run`.
    seconds : float, optional
        That a player may think in all its games on a scenario, on all threads together.
    memory : int, optional
        Bytes that its processes may take, as the players were loaded with, for the record.
    watch : callable, optional
        Called now and then, from the calling thread, with a `Progress`.
    journal : Journal, optional
        What keeps all that is played, opened with `about_league`.

    Returns
    -------
    League
        Ctrl-C ends it early; it then holds what all had played.

    Raises
    ------
    BsbenchError
        If an argument is out of range.
    KeyboardInterrupt
        If interrupted before two players had played the same game.
    """
    request = Request.of(seed=seed, games=games or GAMES, threads=threads, timeout=timeout)
    games, cores = games or GAMES, request.cores
    for scenario in scenarios:
        # Layouts that can't be drawn are no fault of the players.
        make_sampler(scenario.rules, scenario.placement)
    limit = math.inf if seconds is None else seconds
    tables: list[Table] = []
    with opened(engine) as workers:
        for number, scenario in enumerate(scenarios):
            able, refused = _able(players, scenario)
            comparison = Comparison((), "")
            if able:
                asked = Experiment(
                    tuple(player.strategy for player in able if player.strategy is not None),
                    (scenario,),
                    (seed,),
                    games=games,
                    reference=able[0].name,
                    keep_moves=True,
                    seconds=limit,
                )
                try:
                    comparison = play_together(
                        asked,
                        cores,
                        min(timeout, limit),
                        watch=watch,
                        journal=journal,
                        key=f"panel {number}",
                        workers=workers,
                        labels=[player.name for player in able],
                        survives=True,
                    )
                except KeyboardInterrupt:
                    if not tables:
                        raise
                    break
            table = _table(scenario, players, comparison, refused)
            tables.append(table)
            if table.results and comparison.partial:
                break
    return League(
        players=tuple(players),
        seed=seed,
        games=games,
        requested=len(scenarios),
        tables=tuple(tables),
        seconds=seconds,
        memory=memory,
        threads=cores,
    )


def _able(
    players: Iterable[Entrant], scenario: Scenario
) -> tuple[list[Entrant], tuple[Failure, ...]]:
    """Return the players that can play on a scenario, and why the others can't."""
    able, refused = [], []
    for player in players:
        problem = player.problem
        if player.strategy is not None:
            try:
                check_playable(player.strategy, scenario)
            except BsbenchError as error:
                problem = str(error)
            else:
                able.append(player)
        if problem:
            problem, _, line = problem.partition("\n")
            refused.append(Failure(player.name, player.given, 0, problem, line.strip()))
    return able, tuple(refused)


def _table(
    scenario: Scenario,
    players: Sequence[Entrant],
    comparison: Comparison,
    refused: tuple[Failure, ...],
) -> Table:
    """Return the table of a scenario."""
    known = (player.recorded(scenario) for player in players)
    records = [record for record in known if record is not None]
    for name, fault in comparison.faults.items():
        if fault.result is not None:
            fault.result = dataclasses.replace(fault.result, label=name)
    # The league as a whole asks who is the first of all, records included.
    results = (*comparison.results, *records)
    results = tuple(sorted(results, key=lambda result: result.stats.mean))
    reference = (
        comparison.reference if comparison.results else (results[0].label if results else "")
    )
    comparison = dataclasses.replace(
        comparison,
        results=results,
        reference=reference,
        from_records=tuple(record.label for record in records),
        stored_firsts={} if records else comparison.stored_firsts,
    )
    return Table(scenario, {player.name: player for player in players}, comparison, refused)
