"""Experiments: strategies x scenarios x seeds, on one range of games.

Each scenario and seed is a *panel*: strategies that play the same games. A single run is an
experiment of one strategy, a comparison one of several, a sweep one of many variants of one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import bsbench
from bsbench.common.errors import BsbenchError, StrategyError, option
from bsbench.common.settings import check_choice
from bsbench.rules.placement import STREAM_VERSION
from bsbench.rules.scenario import Scenario
from bsbench.runs.exact import all_layouts
from bsbench.runs.identity import layouts_hash, revision, strategy_hash
from bsbench.runs.request import CLEAR, GAMES, MARGIN, MOST_GAMES, Request, Until, in_a_row
from bsbench.strategies import Strategy

_FEWEST_UNITS = 9
"""Games, or learners, that may make it clear who is better: fewer don't, however they differ."""


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
    until : float, str or None
        Half-width of the interval of the mean, or with several strategies of each difference, in
        moves, at which to stop; or `CLEAR`.
    margin : float
        In moves: with `CLEAR`, strategies that differ by less are equal.
    reference : str or None
        The label of the strategy that the others are compared with; None is the best.
    keep_moves : bool or None
        As for `bsbench.run`.
    seconds : float
        That each strategy may take for its games under one seed, on all threads together.
    keep_going : bool
        Whether whatever keeps a strategy from playing on is a fault of it.
    refused : mapping of str to StrategyError
        By label, why others can't play that were named.

    Raises
    ------
    BsbenchError
        If it can't become clear who is better.
    """

    strategies: tuple[Strategy, ...]
    scenarios: tuple[Scenario, ...]
    seeds: tuple[int, ...] = (0,)
    first_game: int = 0
    games: int = GAMES
    until: Until = None
    reference: str | None = None
    keep_moves: bool | None = None
    seconds: float = math.inf
    margin: float = MARGIN
    keep_going: bool = False
    refused: Mapping[str, StrategyError] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.until != CLEAR:
            return
        until = option("until", CLEAR)
        if len(self.strategies) < 2:
            raise BsbenchError(f"{until} says which strategy is better: name two or more")
        if len(self.seeds) > 1:
            raise BsbenchError(f"{until} plays as many games of a seed as it needs: name one seed")
        for scenario in self.scenarios:
            unit = math.lcm(*(in_a_row(each, scenario) for each in self.strategies))
            if self.games < _FEWEST_UNITS * unit:
                raise BsbenchError(
                    f"{self.games:,} games can't make it clear who is better: allow "
                    f"{_FEWEST_UNITS * unit:,} or more"
                )

    @property
    def goal(self) -> float | None:
        """The half-width at which to stop, if that is what ends it."""
        return None if isinstance(self.until, str) else self.until

    @property
    def panels(self) -> Iterator[Experiment]:
        """For each scenario and seed, the experiment of that alone."""
        for scenario, seed in product(self.scenarios, self.seeds):
            yield replace(self, scenarios=(scenario,), seeds=(seed,))

    @property
    def scenario(self) -> Scenario:
        """The scenario of a panel."""
        return self.scenarios[0]

    @property
    def seed(self) -> int:
        """The seed of a panel."""
        return self.seeds[0]

    @property
    def runs(self) -> int:
        """Runs of one strategy, on one scenario under one seed each."""
        return len(self.strategies) * len(self.scenarios) * len(self.seeds)

    def about(self) -> dict[str, Any]:
        """Return what identifies the experiment, for `Journal.open`.

        Number of games and half-width are not in it: one may ask for others when it goes on. Where
        all ends when it is clear who is better, more is kept of learners.
        """
        clear = {"until": CLEAR} if self.until == CLEAR else {}
        return about_games(
            self.strategies,
            self.scenarios,
            self.seeds,
            first_game=self.first_game,
            reference=self.reference,
            keep_moves=self.keep_moves,
            **clear,
            **({} if math.isinf(self.seconds) else {"seconds": self.seconds}),
        )


def experiment_of(
    request: Request,
    shooters: Sequence[Strategy],
    scenarios: Sequence[Scenario],
    refused: Mapping[str, StrategyError] | None = None,
) -> Experiment:
    """Return the experiment that is asked for, if it can be played.

    Parameters
    ----------
    request : Request
    shooters : sequence of Strategy
    scenarios : sequence of Scenario
    refused : mapping of str to StrategyError, optional
        As for `Experiment`.

    Raises
    ------
    BsbenchError
        If two strategies are the same, or one can't play: see `Request.check`; or there is no such
        reference.
    """
    labels, reference = [shooter.label for shooter in shooters], request.reference
    for label in labels:
        if labels.count(label) > 1:
            raise BsbenchError(f"{label!r} is named twice: name each strategy once")
    if reference is not None:
        check_choice("reference", reference, labels)
    request.check(shooters, scenarios)
    games = request.games
    if games is None:
        games = MOST_GAMES if request.until is not None else all_layouts(scenarios) or GAMES
    return Experiment(
        tuple(shooters),
        tuple(scenarios),
        tuple(map(int, request.seeds or (0,))),
        first_game=request.first_game or 0,
        games=games,
        until=request.until,
        reference=reference,
        keep_moves=request.keep_moves,
        margin=request.margin or MARGIN,
        seconds=request.limit_seconds or math.inf,
        keep_going=request.keep_going,
        refused=refused or {},
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
