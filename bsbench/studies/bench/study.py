"""How fast games are played on this machine: for `bsbench bench`, and for the benchmarks.

Speeds leave out the time to compile kernels and build tables, and include that to draw
layouts.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bsbench.common.errors import BsbenchError
from bsbench.common.found import Found
from bsbench.common.machine import now
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.common.record import Content, Count, Record
from bsbench.layouts import STREAM_VERSION
from bsbench.roster import make_variant
from bsbench.rules.scenario import Scenario
from bsbench.runs.engine import run
from bsbench.runs.request import check_playable, check_request, scenario_for
from bsbench.runs.results import Result
from bsbench.strategies import Strategy

DEFAULTS = ("prob", "datagenetics", "over9000", "hunt-target", "random")
"""Strategies that are measured unless others are named."""

_LONGEST = 3600.0
_FIRST_AMOUNT = 1_000
_FASTER = 10
"""By how much a trial grows at most, from one to the next."""

_TRIAL = 1 / 8
"""Share of the time asked for in which a trial shows how much fits."""


class Pace(Record, frozen=True):
    """Games played within some time.

    Attributes
    ----------
    games
        Games played.
    seconds
        What they took.
    games_per_second
        Games in each second.
    """

    games: Count
    seconds: float
    games_per_second: float


class Speed(Record, frozen=True):
    """How fast one strategy plays on one scenario.

    Attributes
    ----------
    strategy
        Label.
    scenario
        Name of the scenario.
    setup_seconds
        Compiling or loading kernels, and building tables, once in each process.
    all_threads
        On all threads.
    one_thread
        On one.
    seconds_per_million
        Time for a million games on all threads, extrapolated.
    """

    strategy: str
    scenario: str
    setup_seconds: float
    all_threads: Pace
    one_thread: Pace
    seconds_per_million: float


class BenchRecord(Content, frozen=True):
    """What `bsbench bench --export-json` writes: how many games a second this machine plays.

    Attributes
    ----------
    stream_version
        Version of the rule that turns seed and number of a game into a layout.
    speeds
        One for each strategy.
    requested
        Strategies asked for; fewer were measured if Ctrl-C ended it.
    load
        Mean number of running processes in the last 1, 5 and 15 minutes before, or null. On a
        busy machine everything is slower.
    """

    schema = "bsbench-bench-1"
    heading = "Benchmark"
    stream_version: Count
    speeds: list[Speed]
    requested: Count
    load: list[float] | None


@dataclass(frozen=True, eq=False)
class SpeedReport(Found):
    """Speeds, and where they were measured: see `BenchRecord`."""

    form: ClassVar = BenchRecord
    entries: ClassVar = "speeds"
    stream_version: ClassVar = STREAM_VERSION

    speeds: list[Speed]
    load: list[float] | None
    requested: int

    @property
    def partial(self) -> bool:
        """Whether it was interrupted before all strategies were measured."""
        return len(self.speeds) < self.requested


def bench(
    variants: Sequence[str] = (),
    scenario: str | Path | Scenario | None = None,
    *,
    seconds: float = 2.0,
    threads: int | None = None,
    progress: Watch = ignored,
) -> SpeedReport:
    """Measure how fast some strategies play, on all threads and on one.

    Parameters
    ----------
    variants : sequence of str
        Each ``NAME,PARAMETER=VALUE,…``. Default: a few that differ much.
    scenario : str, Path or Scenario, optional
        Default: the home of each strategy, else ``classic``.
    seconds : float
        About how long each of the two measurements of a strategy takes.
    threads : int, optional
        Default: as many as there are cores.
    progress : callable, optional
        Called with a `bsbench.common.progress.Progress` that names what is measured next.

    Returns
    -------
    SpeedReport
        Ctrl-C ends it early; it then holds the strategies that were measured to the end.

    Raises
    ------
    BsbenchError
        If an argument is out of range, or a strategy can't play on the scenario.
    KeyboardInterrupt
        If interrupted before the first strategy was measured.
    """
    if not (0 < seconds <= _LONGEST and math.isfinite(seconds)):
        raise BsbenchError(
            f"can't measure for {seconds:g} seconds: ask for more than 0 and at most {_LONGEST:g}"
        )
    _, _, threads = check_request(1, 0, threads)
    entries = []
    for strategy in map(make_variant, variants or DEFAULTS):
        where = scenario_for(strategy, scenario)
        check_playable(strategy, where)
        entries.append((strategy, where))
    # Before this makes the machine busy.
    load, date = load_averages(), now()
    speeds: list[Speed] = []
    try:
        for strategy, where in entries:
            progress(Progress(f"{strategy.label} on {where.name}"))
            setup = play(strategy, where, games=1).setup_seconds
            one = _pace(strategy, where, seconds, 1)
            every = one if threads == 1 else _pace(strategy, where, seconds, threads)
            speeds.append(
                Speed(
                    strategy=strategy.label,
                    scenario=where.name,
                    setup_seconds=setup,
                    all_threads=every,
                    one_thread=one,
                    seconds_per_million=1e6 / every.games_per_second,
                )
            )
    except KeyboardInterrupt:
        if not speeds:
            raise
    return SpeedReport(speeds, load, len(entries), threads=threads, date=date)


def play(strategy: Strategy, scenario: Scenario, games: int, threads: int = 1) -> Result:
    """Play games to the end.

    Raises
    ------
    KeyboardInterrupt
        If interrupted: the time of a part of the games would mislead.
    """
    result = run(strategy, scenario, games=games, threads=threads)
    if result.partial:
        raise KeyboardInterrupt
    return result


def amount_within(
    seconds_for: Callable[[int], float], seconds: float, first: int = _FIRST_AMOUNT
) -> int:
    """Return how much of something takes about so many seconds, by trials that grow.

    Parameters
    ----------
    seconds_for : callable
        Does so much of it, and returns the seconds that took.
    seconds : float
    first : int
        The first trial.
    """
    amount = first
    while True:
        taken = seconds_for(amount)
        fitting = max(round(amount * seconds / taken), 1)
        if taken >= _TRIAL * seconds or fitting <= amount:
            return fitting
        amount = min(fitting, _FASTER * amount)


def games_within(strategy: Strategy, scenario: Scenario, seconds: float, threads: int = 1) -> int:
    """Return how many games take about so many seconds."""
    return amount_within(
        lambda games: play(strategy, scenario, games, threads).play_seconds, seconds
    )


def _pace(strategy: Strategy, scenario: Scenario, seconds: float, threads: int) -> Pace:
    games = games_within(strategy, scenario, seconds, threads)
    result = play(strategy, scenario, games, threads)
    seconds = result.play_seconds
    return Pace(games=result.games, seconds=seconds, games_per_second=result.games / seconds)


def load_averages() -> list[float] | None:
    """Return the mean number of running processes in the last 1, 5 and 15 minutes, if known."""
    try:
        return [round(mean, 2) for mean in os.getloadavg()]
    except (AttributeError, OSError):
        return None
