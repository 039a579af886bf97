"""Regret: how many moves more than a best strategy others need, on small boards."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

from msgspec import UNSET, UnsetType

from bsbench.common.errors import BsbenchError, option
from bsbench.common.found import Found
from bsbench.common.journal import Journal
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.common.record import Content, Count, Record
from bsbench.counting.optimum import MOST_STATES, Optimum, find_optimum
from bsbench.roster import make_strategy, strategy_names
from bsbench.rules.drawing import cell_name
from bsbench.rules.position import Position
from bsbench.rules.scenario import Scenario, ScenarioRecord
from bsbench.runs.exact import check_exact
from bsbench.runs.request import TIMEOUT, Request
from bsbench.runs.results import Result
from bsbench.runs.running import run
from bsbench.strategies import Strategy

GAMES = 100_000
"""Random games of a strategy that uses random numbers."""


class Regret(Record, frozen=True):
    """The regret of a strategy.

    Attributes
    ----------
    strategy
        Label.
    mean
        Mean moves; of random games, if the strategy uses random numbers.
    exact
        The same as a fraction, or null if the strategy uses random numbers.
    half_width
        Half the width of its 95 % interval.
    regret
        The mean less the least one.
    """

    strategy: str
    mean: float
    exact: str | None
    half_width: float | None
    regret: float


class OptimumRecord(Content, frozen=True):
    """What `bsbench optimum --export-json` writes: the least mean on a small board.

    Attributes
    ----------
    scenario
        What was played.
    layouts
        Layouts, with indistinguishable ships.
    least
        The least mean of any strategy, as a fraction; or null if only bounds are known.
    greedy
        The mean of the best strategy that always shoots a most likely cell, as a fraction.
    first_shots
        Cells with which the least mean can be reached; none if they are not known.
    states
        States that the search looked at.
    strategies
        One for each strategy asked for.
    bounds
        Two fractions, if only bounds are known: the least mean is between them.
    partial
        True if it was interrupted.
    position
        What was known before, as one text; the means are those of the moves after it.
    seconds.search
        The search.
    """

    schema = "bsbench-optimum-1"
    steps = {"search": "search_seconds"}  # noqa: RUF012
    scenario: ScenarioRecord
    layouts: Count
    least: str | None
    greedy: str
    first_shots: list[str]
    states: Count
    strategies: list[Regret]
    bounds: list[str] | UnsetType = UNSET
    partial: bool | UnsetType = UNSET
    position: str | UnsetType = UNSET


@dataclass(frozen=True, eq=False)
class Regrets(Found):
    """The optimum of a scenario, and the regret of strategies.

    Attributes
    ----------
    position : Position
        What was known before the first shot that counts; of most, nothing.
    optimum : Optimum
    results : tuple of Result
        Of each strategy: exact, or if it uses random numbers, of random games. After Ctrl-C, of
        those that have played; of none while only bounds of the least mean are known.
    search_seconds : float
    interrupted : bool
        Whether Ctrl-C ended the search, or the games.
    """

    form: ClassVar = OptimumRecord

    position: Position
    optimum: Optimum
    results: tuple[Result, ...] = field(repr=False)
    search_seconds: float
    interrupted: bool = False

    @property
    def partial(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.interrupted

    @property
    def scenario(self) -> Scenario:
        """The rules, and the law of placement."""
        return self.position.scenario

    @property
    def first_shots(self) -> list[str]:
        """Names of the cells with which the least mean can be reached."""
        cols = self.scenario.rules.cols
        return [cell_name(cell, cols) for cell in self.optimum.first_shots]

    def regret(self, result: Result) -> Fraction:
        """Return the mean of a result less the least mean."""
        return result.mean_as_fraction - self.optimum.mean

    def content(self) -> OptimumRecord:
        """Return the record."""
        optimum = self.optimum
        return OptimumRecord(
            scenario=ScenarioRecord(**self.scenario.to_dict()),
            layouts=optimum.layouts,
            least=str(optimum.mean) if optimum.proven else None,
            greedy=str(optimum.greedy_mean),
            first_shots=self.first_shots,
            states=optimum.states,
            strategies=[
                Regret(
                    strategy=result.label,
                    mean=float(result.mean_as_fraction),
                    exact=str(result.mean_as_fraction) if result.exact else None,
                    half_width=result.stats.half_width,
                    regret=float(self.regret(result)),
                )
                for result in self.results
            ],
            bounds=UNSET if optimum.proven else [str(bound) for bound in optimum.bounds],
            partial=self.partial or UNSET,
            position=str(self.position) if self.position.answers else UNSET,
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each strategy, with what it plays; without any, what is known."""
        rules, record = self.scenario.rules, self.to_dict()
        played = {
            "board": rules.board,
            "fleet": "-".join(map(str, rules.fleet)),
            "touching": rules.touching,
            "feedback": str(rules.feedback),
            **{key: record[key] for key in ("layouts", "least", "greedy")},
            "first_shots": " ".join(self.first_shots),
            **({"bounds": " ".join(record["bounds"])} if "bounds" in record else {}),
        }
        return [{**played, **row} for row in record["strategies"] or [{}]]


def find_regrets(
    place: Scenario | Position,
    strategies: Sequence[Strategy] | None = None,
    *,
    games: int = GAMES,
    seed: int = 0,
    threads: int | None = None,
    states: int = MOST_STATES,
    timeout: float = TIMEOUT,
    progress: Watch = ignored,
    journal: Journal | None = None,
) -> Regrets:
    """Find the least mean on a small board, and the regret of strategies.

    Parameters
    ----------
    place : Scenario or Position
        With layouts of the law ``uniform``. After a shot, the least mean is that of the moves to
        come.
    strategies : sequence of Strategy, optional
        By default, all built-in ones that can play there; none after a shot, since they would have
        shot elsewhere.
    games, seed : int
        Random games of strategies that use random numbers.
    threads : int, optional
        As for `bsbench.run`.
    states, progress
        As for `find_optimum`.
    timeout : float
        As for `bsbench.run`.
    journal : Journal, optional
        Has the bounds that were found before, and keeps those that are found.

    Returns
    -------
    Regrets
        After Ctrl-C, what is known.

    Raises
    ------
    BsbenchError, KeyboardInterrupt
        As for `find_optimum`; if a strategy needs more feedback, or layouts follow another law.
    StrategyError
        If a user's strategy breaks the rules, raises, or takes too long.
    """
    position = place if isinstance(place, Position) else Position(place)
    scenario = position.scenario
    scenario.check_uniform()
    scenario.rules.check_single_shots("perfect play is found")
    request = Request.of(scenario, seed, games=games, threads=threads, timeout=timeout)
    if position.answers:
        if strategies:
            raise BsbenchError(
                "strategies begin at the first shot, and the position is after it: leave out "
                f"{option('strategy')}"
            )
        strategies = ()
    if strategies is None:
        strategies = [
            strategy
            for strategy in map(make_strategy, strategy_names())
            if strategy.plays(scenario.rules)
        ]
    request.check(strategies, [scenario])
    begun = time.perf_counter()
    optimum = find_optimum(scenario.rules, states, progress, position.single_answers)
    if journal is not None:
        optimum = _with_known(optimum, journal)
    seconds = time.perf_counter() - begun
    interrupted, results = optimum.interrupted, []
    try:
        for strategy in () if interrupted else strategies:
            progress(Progress(f"playing {strategy.label}"))
            result = _played(strategy, scenario, games, seed, threads, timeout)
            if interrupted := result.partial:
                break
            results.append(result)
    except KeyboardInterrupt:
        interrupted = True
    results.sort(key=lambda result: result.stats.mean)
    return Regrets(
        threads=results[0].threads if results else 1,
        position=position,
        optimum=optimum,
        results=tuple(results),
        search_seconds=seconds,
        interrupted=interrupted,
    )


def _with_known(optimum: Optimum, journal: Journal) -> Optimum:
    """Return an optimum with bounds no worse than those of a journal, which keeps the better."""
    known = journal.read("bounds")
    if known is not None:
        try:
            low, high = known
        except (TypeError, ValueError):
            raise journal.damaged() from None
        whole = type(low) is type(high) is int
        if not (whole and low <= optimum.moves and optimum.at_least <= high):
            raise journal.damaged()
        low, high = max(low, optimum.at_least), min(high, optimum.moves)
        optimum = replace(optimum, at_least=low, moves=high)
    journal.put("bounds", [optimum.at_least, optimum.moves])
    return optimum


def _played(
    strategy: Strategy,
    scenario: Scenario,
    games: int,
    seed: int,
    threads: int | None,
    timeout: float,
) -> Result:
    """Return the games of a strategy on each layout; if it uses random numbers, random ones."""
    each = scenario.override(placement="each")
    try:
        check_exact(strategy, each, None, timeout)
    except BsbenchError:
        drawn = -(-games // strategy.games_per_learner) * strategy.games_per_learner
        return run(strategy, scenario, games=drawn, seed=seed, threads=threads, timeout=timeout)
    return run(strategy, each, threads=threads, timeout=timeout)
