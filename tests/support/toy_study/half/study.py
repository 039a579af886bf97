"""After how many moves half of all games are over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bsbench.common.found import Found
from bsbench.common.progress import Watch
from bsbench.common.record import Content, Count, Record
from bsbench.rules.scenario import Scenario, ScenarioRecord
from bsbench.runs.results import Result
from bsbench.runs.running import run
from bsbench.strategies import Strategy


class Halfway(Record, frozen=True):
    """A strategy, and the moves after which at least half of its games are over."""

    strategy: str
    moves: Count


class HalfRecord(Content, frozen=True):
    """What `bsbench half --export-json` writes: when half of all games are over.

    Attributes
    ----------
    seed
        Seed of the layouts.
    games
        Games of each strategy.
    halves
        One for each strategy.
    """

    schema = "bsbench-half-1"
    scenario: ScenarioRecord
    seed: Count
    games: Count
    halves: list[Halfway]


@dataclass(frozen=True, eq=False)
class Halves(Found):
    """When half of the games of some strategies are over; see `HalfRecord`."""

    form: ClassVar = HalfRecord
    entries: ClassVar = "halves"

    scenario: Scenario
    seed: int
    games: int
    halves: list[Halfway]


def halfway(result: Result) -> Halfway:
    """Return when half of the games of a result are over."""
    moves = int(np.searchsorted(2 * result.counts.cumsum(), result.games))
    return Halfway(strategy=result.label, moves=moves)


def half(
    strategies: Sequence[Strategy], scenario: Scenario, games: int, seed: int, progress: Watch
) -> Halves:
    """Let strategies play, and find when half of their games are over."""
    results = (run(each, scenario, games=games, seed=seed, threads=1) for each in strategies)
    halves = [*map(halfway, results)]
    return Halves(threads=1, scenario=scenario, seed=seed, games=games, halves=halves)
