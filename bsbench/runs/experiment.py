"""Experiments: strategies x scenarios x seeds, on one range of games.

Each scenario and seed is a *panel*: strategies that play the same games. A single run is an
experiment of one strategy, a comparison one of several, a sweep one of many variants of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bsbench.rules.scenario import Scenario
from bsbench.runs.comparing import compare
from bsbench.runs.comparison import Comparison
from bsbench.runs.engine import run
from bsbench.runs.request import GAMES, TIMEOUT
from bsbench.strategies import Strategy

Progress = Callable[[Scenario, int, str, int], None]
"""Called with scenario, seed, the label of the strategy that plays, and its games so far."""


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


def play(
    experiment: Experiment,
    *,
    threads: int | None = None,
    timeout: float = TIMEOUT,
    progress: Progress | None = None,
) -> tuple[Comparison, ...]:
    """Play an experiment.

    Returns
    -------
    tuple of Comparison
        One for each scenario and seed, in order, of one result or more. After Ctrl-C, the last one
        may be partial, and those not begun are missing.
    """
    comparisons = []
    for scenario in experiment.scenarios:
        for seed in experiment.seeds:
            shown = progress and partial(progress, scenario, seed)
            if len(experiment.strategies) > 1:
                each = compare(
                    experiment.strategies,
                    scenario,
                    games=experiment.games,
                    seed=seed,
                    threads=threads,
                    reference=experiment.reference,
                    until=experiment.until,
                    timeout=timeout,
                    progress=shown,
                )
            else:
                (strategy,) = experiment.strategies
                result = run(
                    strategy,
                    scenario,
                    games=experiment.games,
                    first_game=experiment.first_game,
                    seed=seed,
                    threads=threads,
                    until=experiment.until,
                    timeout=timeout,
                    keep_moves=experiment.keep_moves,
                    progress=shown and partial(shown, strategy.label),
                )
                each = Comparison((result,), result.label)
            comparisons.append(each)
            if each.partial:
                return tuple(comparisons)
    return tuple(comparisons)
