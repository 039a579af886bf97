"""Regret: how many moves more than a best strategy others need, on small boards.

The record of ``bsbench optimum --export-json`` has these keys:

``scenario``
    As in the record of a run.
``layouts``
    Layouts, with indistinguishable ships.
``least``, ``greedy``
    The least mean of the move counts, and that of the best strategy that always shoots a most
    likely cell: fractions such as ``9/2``.
``first_shots``
    Names of all cells with which the least mean can be reached.
``states``
    States that the search looked at.
``strategies``
    For each strategy ``strategy``, its label; ``mean``; ``exact``, the same as a fraction, or null
    if the strategy uses random numbers: then ``mean`` is that of random games, and ``half_width``
    that of its 95 % interval; and ``regret``, the mean less the least.
``seconds``
    Time of the ``search``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from bsbench.common.errors import BsbenchError
from bsbench.common.machine import Provenance
from bsbench.counting.optimum import MOST_STATES, Optimum, find_optimum
from bsbench.roster import make_strategy, strategy_names
from bsbench.rules.drawing import cell_name
from bsbench.rules.scenario import Scenario
from bsbench.runs.engine import run
from bsbench.runs.exact import check_exact
from bsbench.runs.odds import check_law
from bsbench.runs.request import TIMEOUT, check_playable, check_timeout
from bsbench.runs.results import Result
from bsbench.strategies import Strategy

SCHEMA = "bsbench-optimum-1"

GAMES = 100_000
"""Random games of a strategy that uses random numbers."""


@dataclass(frozen=True, eq=False)
class Regrets(Provenance):
    """The optimum of a scenario, and the regret of strategies.

    Attributes
    ----------
    scenario : Scenario
    optimum : Optimum
    results : tuple of Result
        Of each strategy: exact, or if it uses random numbers, of random games.
    search_seconds : float
    """

    scenario: Scenario
    optimum: Optimum
    results: tuple[Result, ...] = field(repr=False)
    search_seconds: float

    @property
    def first_shots(self) -> list[str]:
        """Names of the cells with which the least mean can be reached."""
        cols = self.scenario.rules.cols
        return [cell_name(cell, cols) for cell in self.optimum.first_shots]

    def regret(self, result: Result) -> Fraction:
        """Return the mean of a result less the least mean."""
        return result.mean_as_fraction - self.optimum.mean

    def to_dict(self) -> dict[str, Any]:
        """Return the record, as described at the top of this module."""
        optimum = self.optimum
        content = {
            "scenario": self.scenario.to_dict(),
            "layouts": optimum.layouts,
            "least": str(optimum.mean),
            "greedy": str(optimum.greedy_mean),
            "first_shots": self.first_shots,
            "states": optimum.states,
            "strategies": [
                {
                    "strategy": result.label,
                    "mean": float(result.mean_as_fraction),
                    "exact": str(result.mean_as_fraction) if result.exact else None,
                    "half_width": result.stats.half_width,
                    "regret": float(self.regret(result)),
                }
                for result in self.results
            ],
        }
        return self.record(SCHEMA, content, search=self.search_seconds)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each strategy, with what it plays."""
        rules, optimum = self.scenario.rules, self.optimum
        played = {
            "board": rules.board,
            "fleet": "-".join(map(str, rules.fleet)),
            "touching": rules.touching,
            "feedback": str(rules.feedback),
            "layouts": optimum.layouts,
            "least": str(optimum.mean),
            "greedy": str(optimum.greedy_mean),
            "first_shots": " ".join(self.first_shots),
        }
        return [{**played, **row} for row in self.to_dict()["strategies"]]


def find_regrets(
    scenario: Scenario,
    strategies: Sequence[Strategy] | None = None,
    *,
    games: int = GAMES,
    seed: int = 0,
    threads: int | None = None,
    states: int = MOST_STATES,
    timeout: float = TIMEOUT,
    progress: Callable[[str], object] = lambda text: None,
) -> Regrets:
    """Find the least mean on a small board, and the regret of strategies.

    Parameters
    ----------
    scenario : Scenario
        With layouts of the law ``uniform``.
    strategies : sequence of Strategy, optional
        By default, all built-in ones that can play there.
    games, seed : int
        Random games of strategies that use random numbers.
    threads : int, optional
        As for `bsbench.run`.
    states, progress
        As for `find_optimum`.
    timeout : float
        As for `bsbench.run`.

    Raises
    ------
    BsbenchError
        As for `find_optimum`; if a strategy needs more feedback, or layouts follow another law.
    StrategyError
        If a user's strategy breaks the rules, raises, or takes too long.
    """
    check_law(scenario)
    check_timeout(timeout)
    if strategies is None:
        strategies = [
            strategy
            for strategy in map(make_strategy, strategy_names())
            if scenario.rules.feedback.covers(strategy.needs) and strategy.fits(scenario.rules)
        ]
    for strategy in strategies:
        check_playable(strategy, scenario)
    begun = time.perf_counter()
    optimum = find_optimum(scenario.rules, states, progress)
    seconds = time.perf_counter() - begun
    each = scenario.override(placement="each")
    results = []
    for strategy in strategies:
        progress(f"playing {strategy.label}")
        try:
            check_exact(strategy, each, None, timeout)
        except BsbenchError:
            drawn = -(-games // strategy.games_per_learner) * strategy.games_per_learner
            result = run(
                strategy, scenario, games=drawn, seed=seed, threads=threads, timeout=timeout
            )
        else:
            result = run(strategy, each, threads=threads, timeout=timeout)
        results.append(result)
    results.sort(key=lambda result: result.stats.mean)
    return Regrets(
        threads=results[0].threads if results else 1,
        scenario=scenario,
        optimum=optimum,
        results=tuple(results),
        search_seconds=seconds,
    )
