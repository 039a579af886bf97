"""How fast games are played on this machine: for `bsbench bench`, and for the benchmarks.

Speeds leave out the time to compile kernels and build tables, and include that to draw
layouts. A record of schema ``bsbench-bench-1`` has these keys:

``schema``, ``bsbench``, ``stream_version``
    This schema's name, the version of bsbench, and that of the layout stream.
``speeds``
    For each strategy ``strategy`` (its label), ``scenario`` and ``setup_seconds``
    (compiling or loading kernels, and building tables); ``all_threads`` and
    ``one_thread``, each with the ``games`` played, the ``seconds`` that took, and
    ``games_per_second``; and ``seconds_per_million``, extrapolated from ``all_threads``.
``requested``
    Strategies asked for: fewer were measured if Ctrl-C ended it.
``load``
    Mean number of running processes in the last 1, 5 and 15 minutes before, or null
    where the system does not say. On a busy machine all is slower.
``threads``
    Threads of the runs on all threads.
``machine``, ``versions``, ``date``
    As in the record of a run.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bsbench.common.errors import BsbenchError
from bsbench.common.machine import Provenance, now
from bsbench.layouts import STREAM_VERSION
from bsbench.roster import make_variant
from bsbench.rules.scenario import Scenario
from bsbench.runs.engine import run
from bsbench.runs.request import check_playable, check_request, scenario_for
from bsbench.runs.results import Result
from bsbench.strategies import Strategy

SCHEMA = "bsbench-bench-1"

DEFAULTS = ("prob", "datagenetics", "over9000", "hunt-target", "random")
"""Strategies that are measured unless others are named."""

_LONGEST = 3600.0
_FIRST_AMOUNT = 1_000
_FASTER = 10
"""By how much a trial grows at most, from one to the next."""

_TRIAL = 1 / 8
"""Share of the time asked for in which a trial shows how much fits."""


@dataclass(frozen=True)
class Pace:
    """Games played, and the seconds that took."""

    games: int
    seconds: float
    games_per_second: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "games_per_second", self.games / self.seconds)


@dataclass(frozen=True)
class Speed:
    """How fast one strategy plays on one scenario.

    Attributes
    ----------
    strategy : str
        Its label.
    scenario : str
    setup_seconds : float
        Compiling or loading kernels and building tables, once in each process.
    all_threads, one_thread : Pace
        The same object where all threads are one.
    """

    strategy: str
    scenario: str
    setup_seconds: float
    all_threads: Pace
    one_thread: Pace

    @property
    def seconds_per_million(self) -> float:
        """How long a million games on all threads would take, by the games measured."""
        return 1e6 / self.all_threads.games_per_second

    def to_dict(self) -> dict[str, Any]:
        """Return the record, as described at the top of this module."""
        return asdict(self) | {"seconds_per_million": self.seconds_per_million}


@dataclass(frozen=True, eq=False)
class SpeedReport(Provenance):
    """Speeds, and where they were measured; see the top of this module for ``load``."""

    speeds: list[Speed]
    load: list[float] | None
    requested: int

    @property
    def partial(self) -> bool:
        """Whether it was interrupted before all strategies were measured."""
        return len(self.speeds) < self.requested

    def to_dict(self) -> dict[str, Any]:
        """Return the record, as described at the top of this module."""
        content = {
            "stream_version": STREAM_VERSION,
            "speeds": [speed.to_dict() for speed in self.speeds],
            "requested": self.requested,
            "load": self.load,
        }
        return self.record(SCHEMA, content)


def bench(
    variants: Sequence[str] = (),
    scenario: str | Path | Scenario | None = None,
    *,
    seconds: float = 2.0,
    threads: int | None = None,
    progress: Callable[[str], object] = lambda what: None,
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
        Called with what is measured next.

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
            progress(f"{strategy.label} on {where.name}")
            setup = play(strategy, where, games=1).setup_seconds
            one = _pace(strategy, where, seconds, 1)
            every = one if threads == 1 else _pace(strategy, where, seconds, threads)
            speeds.append(Speed(strategy.label, where.name, setup, every, one))
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
    return Pace(result.games, result.play_seconds)


def load_averages() -> list[float] | None:
    """Return the mean number of running processes in the last 1, 5 and 15 minutes, if known."""
    try:
        return [round(mean, 2) for mean in os.getloadavg()]
    except (AttributeError, OSError):
        return None
