"""Experiments: strategies x scenarios x seeds, on one range of games.

Each scenario and seed is a *panel*: strategies that play the same games. A single run is an
experiment of one strategy, a comparison one of several, a sweep one of many variants of one.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import bsbench
from bsbench.common.errors import BsbenchError, BsbenchWarning, StoppedError
from bsbench.common.journal import Journal
from bsbench.common.settings import suggestion
from bsbench.rules.placement import STREAM_VERSION
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparing import Games, play_together
from bsbench.runs.comparison import Comparison
from bsbench.runs.engines import LOCAL, Engine
from bsbench.runs.exact import all_layouts
from bsbench.runs.identity import layouts_hash, revision, strategy_hash
from bsbench.runs.opening import opened
from bsbench.runs.panel import Watch
from bsbench.runs.request import (
    GAMES,
    TIMEOUT,
    Request,
    check_first_game,
    check_learners,
    check_playable,
    check_request,
    check_timeout,
)
from bsbench.runs.results import Result
from bsbench.strategies import Strategy


@dataclass(frozen=True)
class Experiment:
    """What is played.

    Attributes
    ----------
    strategies : tuple of Strategy
        With different labels; the points of a sweep are variants among them.
    scenarios : tuple of Scenario
    seeds : tuple of int
    first_game, games : int
        Games ``first_game`` … ``first_game + games - 1`` of each seed are played; with ``until``,
        at most.
    until : float or None
        Half-width of the interval of the mean, or with several strategies of each difference, in
        moves, at which to stop.
    reference : str or None
        The label of the strategy that the others are compared with; None is the first.
    keep_moves : bool or None
        As for `bsbench.run`.
    """

    strategies: tuple[Strategy, ...]
    scenarios: tuple[Scenario, ...]
    seeds: tuple[int, ...] = (0,)
    first_game: int = 0
    games: int = GAMES
    until: float | None = None
    reference: str | None = None
    keep_moves: bool | None = None

    @property
    def runs(self) -> int:
        """Runs of one strategy, on one scenario under one seed each."""
        return len(self.strategies) * len(self.scenarios) * len(self.seeds)

    def about(self) -> dict[str, Any]:
        """Return what identifies the experiment, for `Journal.open`.

        Number of games and half-width are not in it: one may ask for others when it goes on.
        """
        return about_games(
            self.strategies,
            self.scenarios,
            self.seeds,
            first_game=self.first_game,
            reference=self.reference or self.strategies[0].label,
            keep_moves=self.keep_moves,
        )


def experiment_of(
    request: Request,
    shooters: Sequence[Strategy],
    scenarios: Sequence[Scenario],
) -> Experiment:
    """Return the experiment that is asked for, if it can be played.

    Parameters
    ----------
    request : Request
    shooters : sequence of Strategy
    scenarios : sequence of Scenario

    Raises
    ------
    BsbenchError
        If two strategies are the same, or one can't play on a scenario or begin with a game; or
        there is no such reference.
    """
    labels, reference = [shooter.label for shooter in shooters], request.reference
    for label in labels:
        if labels.count(label) > 1:
            raise BsbenchError(f"{label!r} is named twice: name each strategy once")
    if reference is not None and reference not in labels:
        hint = suggestion(reference, labels)
        raise BsbenchError(f"the reference {reference!r} is none of the strategies: {hint}")
    games, first = request.check(shooters), request.first_game or 0
    if request.games is None and request.until is None:
        games = all_layouts(scenarios) or games
    for shooter in shooters:
        for scenario in scenarios:
            check_playable(shooter, scenario)
        check_learners(shooter, first, first)
    return Experiment(
        tuple(shooters),
        tuple(scenarios),
        request.seeds or (0,),
        first_game=first,
        games=games,
        until=request.until,
        reference=reference,
        keep_moves=request.keep_moves,
    )


def about_games(
    strategies: Sequence[Strategy],
    scenarios: Sequence[Scenario],
    seeds: Sequence[int],
    **more: Any,
) -> dict[str, Any]:
    """Return what identifies games: the same strategies play the same games on the same stream."""
    return {
        "bsbench": bsbench.__version__,
        "revision of bsbench": revision(),
        "stream_version": STREAM_VERSION,
        "strategies": [
            {
                "label": each.label,
                "name": each.name,
                "source": each.source,
                "parameters": each.parameters,
                "hash of the source": strategy_hash(each),
            }
            for each in strategies
        ],
        "scenarios": [scenario.to_dict() for scenario in scenarios],
        "hash of the layouts": [layouts_hash(scenario.placement) for scenario in scenarios],
        "seeds": list(seeds),
        **more,
    }


def play(
    experiment: Experiment,
    *,
    threads: int | None = None,
    engine: Engine = LOCAL,
    timeout: float = TIMEOUT,
    watch: Watch | None = None,
    before: Mapping[tuple[str, Scenario, int], Result] | None = None,
    journal: Journal | None = None,
) -> tuple[Comparison, ...]:
    """Play an experiment.

    Parameters
    ----------
    experiment : Experiment
    threads : int, optional
        Default: as many as there are cores. The results do not depend on it.
    engine : str or distributed.Client
        As for `bsbench.run`.
    timeout : float
        As for `bsbench.run`.
    watch : callable, optional
        Called now and then, from the calling thread, with a `Progress`.
    before : mapping of (str, Scenario, int) to Result, optional
        By label, scenario and seed, results of the first games, to go on from.
    journal : Journal, optional
        What keeps all that is played, opened with `Experiment.about`; what it has is not played
        again. Its file stays until `Journal.discard`.

    Returns
    -------
    tuple of Comparison
        One for each scenario and seed, in order, of one result or more. After Ctrl-C, the last one
        may be partial, and those not begun are missing.

    Raises
    ------
    BsbenchError, StrategyError
        As for `bsbench.run` and `bsbench.compare`.
    KeyboardInterrupt
        If interrupted before there was anything to compare, or of one strategy any game.
    """
    games, _, cores = check_request(experiment.games, 0, threads, experiment.until)
    first_game, timeout = check_first_game(experiment.first_game, games), check_timeout(timeout)
    strategies = experiment.strategies
    reference = experiment.reference or strategies[0].label
    comparisons: list[Comparison] = []
    panels = enumerate(product(experiment.scenarios, experiment.seeds))
    with opened(engine, threads) as crew:
        for number, (scenario, seed) in panels:
            _, seed, _ = check_request(games, seed, threads)
            known = {
                strategy.label: result
                for strategy in strategies
                if (result := (before or {}).get((strategy.label, scenario, seed))) is not None
            }
            asked = Games(
                scenario, games, seed, first_game, experiment.until, experiment.keep_moves
            )
            lost = crew and crew.lost
            try:
                comparison = play_together(
                    strategies,
                    reference,
                    asked,
                    cores,
                    timeout,
                    watch=watch,
                    before=known,
                    journal=journal,
                    key=f"panel {number}",
                    crew=crew,
                )
            except (KeyboardInterrupt, StoppedError) as ended:
                if not comparisons:
                    raise
                if isinstance(ended, StoppedError):
                    warnings.warn(
                        f"{ended}; the games before are kept", BsbenchWarning, stacklevel=2
                    )
                break
            comparisons.append(comparison)
            # Where the crew has lost a piece, the rest goes on.
            if comparison.partial and lost == (crew and crew.lost):
                break
    return tuple(comparisons)
