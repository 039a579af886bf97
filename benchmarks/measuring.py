"""How long games take, and how many fit into some time.

Times leave out compiling kernels and building tables, and include drawing layouts.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from bsbench.rules.scenario import Scenario
from bsbench.runs.results import Result
from bsbench.runs.running import run
from bsbench.strategies import Strategy

STRATEGIES = ("prob", "datagenetics", "over9000", "hunt-target", "random")
"""Strategies that are measured: they differ much."""

_FIRST_AMOUNT = 1_000
_FASTER = 10
"""By how much a trial grows at most, from one to the next."""

_TRIAL = 1 / 8
"""Share of the time asked for in which a trial shows how much fits."""


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


def load_averages() -> list[float] | None:
    """Return the mean number of running processes in the last 1, 5 and 15 minutes, if known.

    On a busy machine everything is slower.
    """
    try:
        return [round(mean, 2) for mean in os.getloadavg()]
    except (AttributeError, OSError):
        return None
