"""Duels: two strategies on the same games, until it is clear which needs fewer moves.

After each round the mean difference has an interval of a confidence sequence
(`bsbench.stats.sequential`). The duel ends when that leaves out 0, or lies within a
margin that does not matter. The intervals of all rounds hold together in 95 % of duels, so that
the last one does, whenever the duel ends. A verdict that one strategy needs fewer moves
is thus wrong in at most 5 % of duels of equal strategies. That relies on nothing but the range:
move counts lie between the cells of the ships and those of the board.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Unpack

import msgspec
from msgspec import UNSET, UnsetType

from bsbench.common.errors import BsbenchError, option
from bsbench.common.found import Found
from bsbench.common.journal import Journal
from bsbench.common.progress import Progress, Watch
from bsbench.common.record import Content, Count, Record
from bsbench.common.shown import Shown
from bsbench.roster import Given, as_strategy
from bsbench.rules.scenario import Scenario, ScenarioRecord
from bsbench.runs.chunks import Workers
from bsbench.runs.comparison import unit_of
from bsbench.runs.contestants import shared_home
from bsbench.runs.cores import Run
from bsbench.runs.experiment import about_games
from bsbench.runs.formats import AnswersRecord, RaceRecord, StrategyRecord, SummaryRecord
from bsbench.runs.opening import opened
from bsbench.runs.panel import Panel
from bsbench.runs.request import (
    MOST_GAMES,
    GameOptions,
    Place,
    Request,
    check_width,
    in_a_row,
    with_options,
)
from bsbench.runs.results import Result, counted
from bsbench.runs.rounds import first_look
from bsbench.stats import CONFIDENCE, Race, sequence_interval
from bsbench.strategies import Strategy

if TYPE_CHECKING:
    import pandas as pd


MARGIN = 0.05
"""In moves: strategies that differ by less are as good as each other, by default."""

_GROWTH = 2
"""Factor by which each round multiplies the games played: on average a third more games than
needed are played, and lanes seldom idle."""

_FEWEST_UNITS = 9
"""Games, or learners, of a duel at least: fewer decide nothing, whatever their differences."""

Decision = Literal["first", "second", "close", "unclear"]


class DuelDifference(Record, frozen=True):
    """Moves of the first less those of the second, with an interval that holds in any duel.

    Attributes
    ----------
    mean
        In a game.
    low, high
        The ends of the interval.
    """

    mean: float
    low: float
    high: float


class Contestant(StrategyRecord, frozen=True, kw_only=True):
    """A strategy, and how it did.

    Attributes
    ----------
    label
        The name, and the parameters that are not at their defaults.
    counts
        Number of games by move count: entry m counts the games of m moves.
    summary
        Figures that follow from the counts.
    answers
        Only for a strategy that may fail to choose.
    """

    counts: list[Count]
    summary: SummaryRecord
    answers: AnswersRecord | UnsetType = UNSET


class DuelRecord(Content, frozen=True):
    """What `bsbench duel --export-json` writes.

    Attributes
    ----------
    stream_version
        Version of the rule that turns seed and number of a game into a layout.
    scenario
        What was played.
    seed
        Seed of the layouts.
    games
        Games that both have played.
    most
        The most games allowed.
    partial
        Whether the duel was interrupted.
    verdict
        Which needs fewer moves; or within the margin of each other; or not clear.
    text
        The same in words.
    margin
        Difference that does not matter, in moves.
    difference
        Moves of the first less those of the second, with an interval that holds however long the
        duel was.
    race
        Games that the first finishes before the second, at the same time, and after it.
    strategies
        The first and the second.
    seconds.setup
        Compiling or loading kernels, building tables, and a first game.
    seconds.play
        Playing.
    """

    schema = "bsbench-duel-2"
    steps = {"setup": "setup_seconds", "play": "play_seconds"}  # noqa: RUF012
    stream_version: Count
    scenario: ScenarioRecord
    seed: Count
    games: Count
    most: Count
    partial: bool
    verdict: Decision
    text: str
    margin: float
    difference: DuelDifference
    race: RaceRecord
    strategies: Annotated[list[Contestant], msgspec.Meta(min_length=2, max_length=2)]


@dataclass(frozen=True, eq=False, repr=False)
class Duel(Shown, Found):
    """How a duel of two strategies ended.

    Attributes
    ----------
    first, second : Result
        Of the same games.
    margin : float
        In moves: strategies that differ by less are as good as each other.
    mean : float
        Moves of the first less those of the second, in a game.
    low, high : float
        The ends of the interval of that mean, from a 95 % confidence sequence: it holds
        whenever the duel stopped.
    race : Race
        How often the first finishes before the second.
    most : int
        Games that each was allowed to play.
    """

    form: ClassVar = DuelRecord

    first: Result
    second: Result
    margin: float
    mean: float
    low: float
    high: float
    race: Race
    most: int

    def __repr__(self) -> str:
        return f"<Duel on {self.first.scenario.name}: {self.text}>"

    @property
    def decision(self) -> Decision:
        """Which of the two needs fewer moves, by its place; or ``close``, or ``unclear``."""
        return _verdict(self.low, self.high, self.margin)

    @property
    def verdict(self) -> str | None:
        """The label of the strategy that needs fewer moves; None if that is not clear.

        It is also None if the two are within the margin of each other: see `decision`.
        """
        winner = {"first": self.first, "second": self.second}.get(self.decision)
        return None if winner is None else winner.label

    @property
    def results(self) -> tuple[Result, Result]:
        """Of the first and the second."""
        return self.first, self.second

    @property
    def games(self) -> int:
        """Games that both have played."""
        return self.first.games

    @property
    def setup_seconds(self) -> float:
        """Compiling or loading kernels and building tables, for both."""
        return self.first.setup_seconds + self.second.setup_seconds

    @property
    def play_seconds(self) -> float:
        """Playing, by both."""
        return self.first.play_seconds + self.second.play_seconds

    @property
    def partial(self) -> bool:
        """Whether the duel was interrupted before it was decided."""
        return self.decision == "unclear" and self.games < self.most

    @property
    def exit_code(self) -> int:
        """1 without a verdict."""
        return int(self.decision == "unclear")

    @property
    def text(self) -> str:
        """The verdict in words."""
        first, second, games = self.first.label, self.second.label, f"{self.games:,} games"
        width, moves = (self.high - self.low) / 2, counted(self.results)
        digits = max(2, 1 - math.floor(math.log10(width))) if width else 2
        if self.race.ties == self.games:
            unit = unit_of(self.first, self.second)
            # Were more different, so many equal ones in a row would have a chance below 5 %.
            among = int(self.games / unit / -math.log(1 - CONFIDENCE))
            return (
                f"{'not clear: ' if self.decision == 'unclear' else ''}no difference in {games}; "
                f"with 95 % confidence, {first} and {second} differ in at most 1 of {among:,} "
                f"{'games' if unit == 1 else 'learners'}, and by at most "
                f"{self.high:.{digits}f} {moves} on average"
            )
        if self.decision == "close":
            return (
                f"{first} and {second} are within {self.margin:g} {moves} of each other: after "
                f"{games} the difference is {self.mean:+.{digits}f} ({self.low:+.{digits}f} to "
                f"{self.high:+.{digits}f})"
            )
        better, worse = (first, second) if self.mean < 0 else (second, first)
        low, high = sorted((-self.low, -self.high) if self.mean < 0 else (self.low, self.high))
        gap = f"{abs(self.mean):.{digits}f}"
        if self.decision == "unclear":
            return (
                f"not clear after {games}: {better} needs {gap} fewer {moves} than {worse}, but it "
                f"may be {low:+.{digits}f} to {high:+.{digits}f}"
            )
        small = f", though within {self.margin:g} of each other" if high <= self.margin else ""
        return (
            f"{better} needs {gap} fewer {moves} than {worse} ({low:.{digits}f} to "
            f"{high:.{digits}f}): clear after {games}{small}"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a tidy row for each of the two: see `Result.to_frame`."""
        import pandas as pd

        return pd.DataFrame([each.figures() for each in (self.first, self.second)])

    def content(self) -> DuelRecord:
        """Return the record."""
        return DuelRecord(
            stream_version=self.first.stream_version,
            scenario=ScenarioRecord(**self.first.scenario.to_dict()),
            seed=self.first.seed,
            games=self.games,
            most=self.most,
            partial=self.partial,
            verdict=self.decision,
            text=self.text,
            margin=self.margin,
            difference=DuelDifference(mean=self.mean, low=self.low, high=self.high),
            race=msgspec.convert(self.race, RaceRecord, from_attributes=True),
            strategies=[_contestant(result) for result in self.results],
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row: the verdict."""
        record = self.to_dict()
        return [
            {
                "first": self.first.label,
                "second": self.second.label,
                "scenario": self.first.scenario.name,
                **{key: record[key] for key in ("seed", "games", "verdict", "margin")},
                **{f"difference_{key}": value for key, value in record["difference"].items()},
                **record["race"],
                "partial": self.partial,
            }
        ]


def _contestant(result: Result) -> Contestant:
    answers = result.answers
    return Contestant(
        label=result.label,
        name=result.strategy,
        parameters=result.parameters,
        source=result.source,
        sha256=result.strategy_sha256,
        counts=result.counts.tolist(),
        summary=SummaryRecord(**asdict(result.stats)),
        answers=AnswersRecord(**answers.to_dict()) if answers else UNSET,
    )


@with_options(GameOptions)
def duel(
    first: Given,
    second: Given,
    scenario: Place | None = None,
    *,
    margin: float = MARGIN,
    games: float | str | None = None,
    seed: int | None = None,
    progress: Watch | None = None,
    journal: Journal | None = None,
    **options: Unpack[GameOptions],
) -> Duel:
    """Let two strategies play the same games until it is clear which needs fewer moves.

    Parameters
    ----------
    first, second : str, Path, Strategy, type or callable
        As for `bsbench.run`.
    scenario : str, Path or Scenario, optional
        A scenario, its name, or the path of its TOML file. Default: the home that both
        share, else ``classic``.
    margin : float
        In moves: strategies that differ by less are as good as each other. It bounds how
        long a duel may take.
    games : int, optional
        The most games that each may play. Default: 100,000,000.
    seed : int
        Any non-negative integer. Default: 0.
    progress : callable, optional
        As for `bsbench.run`.
    journal : Journal, optional
        What keeps the duel while it is played: see `bsbench.runs.comparing.play`.
    **options

    Returns
    -------
    Duel
        The first look is after 4,096 games (or 32 learners), the others each after twice as
        many as the one before. Ctrl-C ends the duel early, and what has been played counts.

    Raises
    ------
    BsbenchError
        If an argument is out of range, or a strategy needs more feedback than the scenario
        gives.
    StrategyError
        If one of them breaks the rules, raises, or takes too long.
    KeyboardInterrupt
        If interrupted before the first look.

    Examples
    --------
    >>> duel("random", "linear", "classic", seed=1).verdict
    'linear'
    """
    request = Request.of(scenario, seed, games=games, **options)
    request.check_single("a duel")
    shooters = [as_strategy(each, request.limits) for each in (first, second)]
    (where,) = request.scenarios_or(shared_home(shooters))
    games, seed, cores = check_duel(shooters, where, margin, request)
    with opened(request.engine) as workers:
        cores = cores if workers is None else workers.threads
        players = [Run(shooter, where, seed, cores, request.timeout) for shooter in shooters]
        return _dueled(players, margin, games, progress, journal, workers)


def _dueled(
    players: Sequence[Run],
    margin: float,
    games: int,
    progress: Watch | None,
    journal: Journal | None,
    workers: Workers | None,
) -> Duel:
    unit = unit_of(*players)
    look = first_look(unit, games)
    # The differences are those to the second.
    panel = Panel(players, reference=1, keep_totals=True, workers=workers)
    reach = players[0].scenario.rules.reach

    def interval() -> tuple[float, float]:
        return sequence_interval(*panel.pairs[0].unit_means(), reach)

    def next_round(played: int) -> int:
        if played == 0:
            return look
        for player in players:
            if player.fault is not None:
                raise player.fault
        decided = _verdict(*interval(), margin) != "unclear"
        return played if decided else min(_GROWTH * played, games)

    def shown(run: Run, setting_up: bool) -> None:
        if progress is not None:
            progress(Progress(run.strategy.label, run.games, setting_up=setting_up))

    interrupted = panel.play(next_round, games, shown, journal, "duel")
    # The intervals hold at every number of games, also at that of an interruption.
    begun = panel.settle(whole=True)
    panel.check_kept(len(begun) == 2 and panel.games >= look)
    requested = games if interrupted else None
    low, high = interval()
    first = panel.result(0, requested)
    return Duel(
        first,
        panel.result(1, requested),
        margin=margin,
        mean=panel.pairs[0].difference.mean,
        low=low,
        high=high,
        race=panel.pairs[0].race,
        most=games,
        **first.provenance,
    )


def about_duel(first: Given, second: Given, scenario: Scenario, seed: int = 0) -> dict[str, Any]:
    """Return what identifies a duel, for `Journal.open`."""
    return about_games([as_strategy(first), as_strategy(second)], [scenario], [seed], duel=True)


def check_duel(
    shooters: Sequence[Strategy], scenario: Scenario, margin: float, request: Request
) -> tuple[int, int, int]:
    """Return the numbers of a duel: most games, in whole learners, seed, threads.

    Parameters
    ----------
    shooters : sequence of Strategy
        The two of them.
    scenario : Scenario
    margin : float
        As for `duel`.
    request : Request
        Its other options.

    Raises
    ------
    BsbenchError
        If one is out of range, or a strategy can't play on the scenario.
    """
    check_width(margin, "the margin")
    request.check(shooters, [scenario])
    if scenario.placement.law == "each":
        raise BsbenchError(
            "a duel is decided by random layouts: leave out the placement law 'each', or compare "
            f"the strategies exactly: use compare with {option('exact', True)}"
        )
    most = MOST_GAMES if request.games is None else request.games
    games, seed, threads = most, request.seed or 0, request.cores
    unit = math.lcm(*(in_a_row(shooter, scenario) for shooter in shooters))
    if games < _FEWEST_UNITS * unit:
        raise BsbenchError(
            f"a duel can't be decided by {games:,} games: allow {_FEWEST_UNITS * unit:,} or more"
        )
    return games // unit * unit, seed, threads


def _verdict(low: float, high: float, margin: float) -> Decision:
    if high < 0:
        return "first"
    if low > 0:
        return "second"
    return "close" if -margin <= low and high <= margin else "unclear"
