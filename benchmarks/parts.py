"""The parts of the benchmark: each measures one thing and returns rows of figures.

Speeds are taken in rounds, and each round measures everything once: what slows a shared
machine for a while slows all alike. A ratio is taken within a round, from two
measurements next to each other. Of the rounds, median and extremes are kept.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from benchmarks import reference
from benchmarks.measuring import STRATEGIES, amount_within, games_within, play
from bsbench.common.machine import usable_cores
from bsbench.kernels._jit import kernel
from bsbench.own.adapter import Adapter
from bsbench.play.samplers import make_sampler
from bsbench.play.spot_the_ships import Problem, solve
from bsbench.roster import make_strategy, make_variant, strategy_names
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import DEFAULT, Scenario, find_scenario
from bsbench.strategies import Strategy

ROOT = Path(__file__).parent.parent

Row = dict[str, Any]
Rates = list[float]
_Key = TypeVar("_Key", bound=Hashable)
_Figure = TypeVar("_Figure")


@dataclass(frozen=True)
class Effort:
    """How thoroughly to measure.

    Attributes
    ----------
    rounds : int
    seconds : float
        Of one measurement in a round.
    quick : bool
        Whether to leave out what takes long.
    """

    rounds: int
    seconds: float
    quick: bool


FULL = Effort(rounds=5, seconds=0.6, quick=False)
QUICK = Effort(rounds=3, seconds=0.06, quick=True)


def spread(values: Iterable[float]) -> dict[str, float]:
    """Return median and extremes."""
    values = list(values)
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def ratio(of: Rates, to: Rates) -> dict[str, float]:
    """Return the spread of ratios, each within a round."""
    return spread(a / b for a, b in zip(of, to, strict=True))


def in_rounds(
    measurements: Mapping[_Key, Callable[[], _Figure]], rounds: int
) -> dict[_Key, list[_Figure]]:
    """Measure all once in every round, in the order given."""
    figures: dict[_Key, list[_Figure]] = {key: [] for key in measurements}
    for _ in range(rounds):
        for key, measure in measurements.items():
            figures[key].append(measure())
    return figures


def _rate(seconds_for: Callable[[int], float], amount: int) -> float:
    """Return the rate at which something is done, per second."""
    return amount / seconds_for(amount)


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _home_of(strategy: Strategy) -> Scenario:
    return find_scenario(strategy.home or DEFAULT)


# --- games and layouts --------------------------------------------------------------------


def games(effort: Effort) -> list[Row]:
    """Games per second and core, layouts included, warm; at home and on classic."""
    measurements: dict[tuple[str, str, str], Callable[[], float]] = {}
    for variant in dict.fromkeys((*strategy_names(), *reference.PLAYERS)):
        strategy = make_variant(variant)
        for scenario in dict.fromkeys((_home_of(strategy), find_scenario("classic"))):
            fitting = games_within(strategy, scenario, effort.seconds)
            key = strategy.label, scenario.name
            measurements[*key, "bsbench"] = partial(_games_rate, strategy, scenario, fitting)
            if variant in reference.PLAYERS:
                board = reference.board_of(scenario.rules)
                # Its rate doesn't depend on how many games there are.
                measurements[*key, "reference"] = _sized(
                    partial(_reference_seconds, variant, board), effort.seconds / 3, 100
                )
    rates = in_rounds(measurements, effort.rounds)
    return [
        {"strategy": label, "scenario": name} | _compared(rates, (label, name), "games_per_second")
        for label, name, who in measurements
        if who == "bsbench"
    ]


def _games_rate(strategy: Strategy, scenario: Scenario, count: int, threads: int = 1) -> float:
    return play(strategy, scenario, count, threads).games_per_second


def _reference_seconds(variant: str, board: reference.Board, count: int) -> float:
    def work() -> None:
        layouts = reference.draw_layouts(board, 0, 0, count)
        reference.play(variant, board, layouts, 0)

    return _seconds(work)


def _sized(
    seconds_for: Callable[[int], float], seconds: float, first: int = 1000
) -> Callable[[], float]:
    """Return what measures the rate of so much of something as takes some seconds."""
    seconds_for(1)  # compiles
    return partial(_rate, seconds_for, amount_within(seconds_for, seconds, first))


def _compared(rates: Mapping[Any, Rates], key: tuple[str, str], unit: str) -> Row:
    """Return the rates of bsbench and of the reference, where there is one."""
    ours, plain = rates[*key, "bsbench"], rates.get((*key, "reference"))
    return {
        unit: spread(ours),
        "reference": plain and spread(plain),
        "ratio": plain and ratio(ours, plain),
    }


def layouts(effort: Effort) -> list[Row]:
    """Layouts per second and core."""
    measurements: dict[tuple[str, str, str], Callable[[], float]] = {}
    for name in ("classic", "harbour"):
        rules = find_scenario(name).rules
        for law in ("uniform", "edge"):
            sampler = make_sampler(rules, Placement.parse(law))
            measurements[name, law, "bsbench"] = _sized(
                lambda count, draw=sampler.draw: _seconds(partial(draw, 0, 0, count)),
                effort.seconds / 2,
            )
        board = reference.board_of(rules)
        measurements[name, "uniform", "reference"] = _sized(
            lambda count, board=board: _seconds(
                partial(reference.draw_layouts, board, 0, 0, count)
            ),
            effort.seconds / 3,
        )
    rates = in_rounds(measurements, effort.rounds)
    return [
        {"scenario": name, "law": law} | _compared(rates, (name, law), "layouts_per_second")
        for name, law, who in measurements
        if who == "bsbench"
    ]


# --- processes ----------------------------------------------------------------------------


def _python(*arguments: str, cache: str | None = None) -> str:
    """Run Python on the sources of this checkout; return what it prints."""
    environment = dict(os.environ)
    # Users have byte code: without it, start-up takes half as long again.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, check=True, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ).stdout


def _child(function: str, *arguments: Any, cache: str | None = None) -> Any:
    """Call a function of `benchmarks.children` in a process of its own; return what it tells."""
    call = f"from benchmarks import children; children.{function}(*{arguments!r})"
    return json.loads(_python("-c", call, cache=cache))


def _bsbench(*arguments: str, cache: str | None = None) -> str:
    return _python("-m", "bsbench", *arguments, cache=cache)


def startup(effort: Effort) -> list[Row]:
    """Seconds until a command has helped, or played its first game."""
    with tempfile.TemporaryDirectory() as folder:
        cold: dict[str, float] = {}
        warm: dict[str, Callable[[], float]] = {
            "--help": lambda: _seconds(partial(_bsbench, "--help")),
            "list": lambda: _seconds(partial(_bsbench, "list")),
        }
        for name in ("prob",) if effort.quick else STRATEGIES:
            scenario = _home_of(make_strategy(name)).name
            start = partial(_child, "first_game", name, scenario, cache=f"{folder}/{name}")
            what = f"the first game of {name} on {scenario}"
            cold[what] = _seconds(start)
            warm[what] = partial(_seconds, start)
        thousand = ("run", "-q", "-s", "prob", "-n", "1000", "--force", "-o", f"{folder}/run")
        warm["run -s prob -n 1000"] = lambda: _seconds(
            partial(_bsbench, *thousand, cache=f"{folder}/prob")
        )
        seconds = in_rounds(warm, effort.rounds)
    return [
        {"what": what, "cold_seconds": cold.get(what), "warm_seconds": spread(taken)}
        for what, taken in seconds.items()
    ]


def compiling(effort: Effort) -> list[Row]:
    """Seconds that each kernel takes to compile, those it calls not counted."""
    names = ("prob",) if effort.quick else strategy_names()
    matches = [(name, _home_of(make_strategy(name)).name) for name in names]
    with tempfile.TemporaryDirectory() as cache:
        found: list[Row] = _child("compile_times", matches, cache=cache)
    return found


def commands(effort: Effort) -> list[Row]:
    """Seconds of whole commands as a user types them: start-up, a million games, charts."""
    names = ["prob", "smart", "datagenetics", "hunt-target", "random", "linear"]
    with tempfile.TemporaryDirectory() as folder:
        measurements = {}
        for name in names[: 1 if effort.quick else None]:
            options = ("run", "-q", "--force", "-s", name, "-o", f"{folder}/{name}")
            _bsbench(*options, "-n", "1000")  # compiles
            measurements[name] = partial(_seconds, partial(_bsbench, *options, "-n", "1000000"))
        seconds = in_rounds(measurements, 1 if effort.quick else 3)
    return [
        {"command": f"run -s {name} -n 1000000", "seconds": spread(taken)}
        for name, taken in seconds.items()
    ]


# --- threads ------------------------------------------------------------------------------


@kernel
def _arithmetic(count):
    """Do nothing but arithmetic on one word: what threads can gain at best."""
    state = np.uint64(0x9E3779B97F4A7C15)
    for _ in range(count):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
    return state


def _arithmetic_rate(count: int, threads: int) -> float:
    workers = [threading.Thread(target=_arithmetic, args=(count,)) for _ in range(threads)]

    def work() -> None:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    return count * threads / _seconds(work)


def scaling(effort: Effort) -> list[Row]:
    """What all cores gain over one, and what a loop of arithmetic gains in the same round."""
    threads = usable_cores()
    if threads == 1:
        return []
    names = ("prob",) if effort.quick else ("prob", "datagenetics", "over9000", "random")
    # Long enough that the end of a run, when lanes have no more games to play, matters little.
    seconds = 2 * effort.seconds
    _arithmetic(1)
    count = amount_within(lambda count: _seconds(partial(_arithmetic, count)), seconds / 2)
    measurements: dict[tuple[str, int], Callable[[], float]] = {}
    for name in names:
        strategy = make_strategy(name)
        scenario = _home_of(strategy)
        fitting = games_within(strategy, scenario, seconds)
        for used in (1, threads):
            measurements[f"arithmetic beside {name}", used] = partial(_arithmetic_rate, count, used)
            measurements[name, used] = partial(
                _games_rate, strategy, scenario, used * fitting, used
            )
    rates = in_rounds(measurements, effort.rounds)
    rows = []
    for name in names:
        gains, best = (
            [
                all_cores / one
                for one, all_cores in zip(rates[of, 1], rates[of, threads], strict=True)
            ]
            for of in (name, f"arithmetic beside {name}")
        )
        rows.append(
            {
                "strategy": name,
                "scenario": _home_of(make_strategy(name)).name,
                "threads": threads,
                "gain": spread(gains),
                "arithmetic_gain": spread(best),
                "share": ratio(gains, best),
            }
        )
    return rows


# --- strategies of users ------------------------------------------------------------------


def plugins(effort: Effort) -> list[Row]:
    """Games per second of strategies of users: what processes gain, and shared decisions."""
    counts = {
        "benchmarks.users:Alone": 20 if effort.quick else 500,
        "examples/parity_line_hunter.py:ParityLineHunter": 20 if effort.quick else 2_000,
    }
    if not effort.quick:
        counts |= {
            "examples/corner_shy.py:CornerShy": 100_000,
            "examples/spiral_hunter.py:SpiralHunter": 1_000_000,
        }
    measurements = {}
    for variant, count in counts.items():
        strategy = make_variant(variant)
        scenario = _home_of(strategy)
        play(strategy, scenario, games=100)  # compiles
        for threads in dict.fromkeys((1, usable_cores())):
            measurements[variant, threads] = partial(
                _games_rate, strategy, scenario, count, threads
            )
    rates = in_rounds(measurements, min(effort.rounds, 3))
    alone = rates["benchmarks.users:Alone", 1]
    return [
        {
            "strategy": make_variant(variant).label,
            "kind": _kind(variant),
            "threads": threads,
            "games": counts[variant],
            "games_per_second": spread(rates[variant, threads]),
            "ratio": ratio(rates[variant, threads], alone),
        }
        for variant, threads in measurements
    ]


def _kind(variant: str) -> str:
    strategy = make_variant(variant)
    if isinstance(strategy, Adapter) and not strategy.chooser.in_batches:
        return "Python, shared" if strategy.deterministic else "Python"
    return "numpy" if isinstance(strategy, Adapter) else "numba"


def bots(effort: Effort) -> list[Row]:
    """Processor time of one strategy on classic, which reports what sank: built in and as a bot.

    That of bots is their own and that of bsbench, which talks with them.
    """
    if shutil.which("g++") is None:
        return []
    from benchmarks.bots import BUILT_IN, measurements

    with tempfile.TemporaryDirectory() as folder:
        costs = in_rounds(measurements(Path(folder), effort.quick), effort.rounds)
    totals = {what: [sum(cost) for cost in found] for what, found in costs.items()}
    return [
        {
            "what": what,
            "games_per_second": spread(1 / total for total in totals[what]),
            "here": spread(1e6 * cost.here for cost in found),
            "elsewhere": spread(1e6 * cost.elsewhere for cost in found),
            "slower": ratio(totals[what], totals[BUILT_IN]),
        }
        for what, found in costs.items()
    ]


# --- growth -------------------------------------------------------------------------------


def growth(effort: Effort) -> list[Row]:
    """Seconds and peak memory of runs of more and more games, on all cores."""
    largest = {"linear": 10**7, "random": 10**7, "prob": 10**6}
    rows = []
    for name, most in largest.items():
        scenario = _home_of(make_strategy(name)).name
        _child("first_game", name, scenario)  # compiles
        count = 10**4
        while count <= (most // 10 if effort.quick else most):
            told = _child("long_run", name, scenario, count, usable_cores())
            rows.append({"strategy": name, "scenario": scenario, "games": count} | told)
            count *= 10
    return rows


def cells(effort: Effort) -> list[Row]:
    """Seconds per shot on boards of more and more cells, with the fleet of classic."""
    fleet = find_scenario("classic").rules.fleet
    measurements: dict[tuple[str, int], Callable[[], float]] = {}
    for name in ("prob", "hunt-target", "datagenetics", "over9000"):
        strategy = make_strategy(name)
        for side in (6, 8, 10, 12, 14, 16, 20):
            rules = Rules(side, side, fleet, touching=True, feedback=Feedback.SHIP)
            scenario = Scenario(name=f"{side}x{side}", rules=rules)
            fitting = games_within(strategy, scenario, effort.seconds / 2)
            measurements[name, side] = partial(_shots_rate, strategy, scenario, fitting)
    rates = in_rounds(measurements, effort.rounds)
    return [
        {
            "strategy": name,
            "board": f"{side}x{side}",
            "cells": side**2,
            "seconds_per_shot": spread(1 / rate for rate in rates[name, side]),
        }
        for name, side in measurements
    ]


def _shots_rate(strategy: Strategy, scenario: Scenario, count: int) -> float:
    result = play(strategy, scenario, count)
    return result.stats.mean * result.games_per_second


# --- large boards -------------------------------------------------------------------------

_SIDE, _TILE = 200, 11


def solving(effort: Effort) -> list[Row]:
    """Seconds to solve one board of 200x200 cells: 18 x 18 harbours beside each other."""
    ships = _many_harbours()
    measurements = {}
    for name in ("linear", "smart"):
        measurements[name] = partial(_solve_seconds, name, ships)
    seconds = in_rounds(measurements, effort.rounds)
    if not effort.quick:
        seconds["prob"] = [_solve_seconds("prob", ships)]
    return [{"strategy": name, "seconds": spread(taken)} for name, taken in seconds.items()]


def _many_harbours() -> tuple[tuple[int, ...], ...]:
    harbour = find_scenario("harbour")
    drawn = make_sampler(harbour.rules, harbour.placement).draw(0, 0, (_SIDE // _TILE) ** 2)
    ships = []
    for tile, codes in enumerate(drawn):
        down, across = divmod(tile, _SIDE // _TILE)
        for code, length in zip(codes.tolist(), harbour.rules.fleet, strict=True):
            row, col = divmod(code // 2, harbour.rules.cols)
            first = (row + _TILE * down) * _SIDE + col + _TILE * across
            step = _SIDE if code % 2 else 1
            ships.append(tuple(first + part * step for part in range(length)))
    return tuple(ships)


def _solve_seconds(name: str, ships: tuple[tuple[int, ...], ...]) -> float:
    player = make_strategy(name)
    solve(Problem(name, 2, 2, ((0,),)), player)  # compiles
    return _seconds(partial(solve, Problem(name, _SIDE, _SIDE, ships), player))


# --- environments -------------------------------------------------------------------------


def environments(effort: Effort) -> list[Row]:
    """Shots, resets included, and resets per second on 10x10, beside those of gym-battleship."""
    try:
        import gymnasium  # noqa: F401
    except ImportError:
        return []
    from benchmarks.environments import measurements

    rates = in_rounds(measurements(effort.seconds), effort.rounds)
    return [
        {
            "what": what,
            "environment": where,
            "per_second": spread(found),
            "seed": spread(rates[what, "seed"]),
            "ratio": ratio(found, rates[what, "seed"]),
        }
        for (what, where), found in rates.items()
        if where != "seed"
    ]


PARTS: dict[str, Callable[[Effort], Sequence[Row]]] = {
    "games": games,
    "layouts": layouts,
    "startup": startup,
    "compiling": compiling,
    "scaling": scaling,
    "plugins": plugins,
    "bots": bots,
    "growth": growth,
    "cells": cells,
    "commands": commands,
    "solving": solving,
    "environments": environments,
}
