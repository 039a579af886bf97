"""2,000 calls of public functions with hostile arguments: only documented errors leave."""

from __future__ import annotations

import importlib
import inspect
import itertools
import math
import random
import re
import traceback
import warnings
from collections import Counter
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bsbench
from bsbench.common.errors import BsbenchError
from tests.support.refusals import assert_sentence

CALLS = 2_000

POND = bsbench.Scenario("5x5", fleet=[3, 2], name="pond")


class Odd:
    """A class that is none of bsbench's; its objects can be called."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        pass

    def __call__(self, *args: Any, **keywords: Any) -> None:
        pass


def _first(view: Any) -> int:
    return view.open_cells[0]


ANYTHING = [
    *(None, True, False, 0, 1, -1, 2, 7, 0.5, -2.5, math.nan, math.inf, -0.0, 1 + 2j, 2**63, 10**400),
    *("", " ", "x", "linear", "classic", "5x5", "hit", "0-3", "1e3", "\0", "\ud800", "a" * 5_000),
    *("@nothing", "none.json", "none.toml", "none.py", "none.zip", "over9000,noise=x", "@x"),
    *(b"x", bytearray(b"x"), Path("none.json"), Path("a" * 300), Decimal("0.5"), Fraction(1, 3)),
    *([], (), {}, set(), [1], [1, 2], (5, 5), [[1, 2], [3]], ["linear", 3], {"noise": 0.1}, {3: 3}),
    *(range(3), slice(3), slice(None), object(), Odd, Odd(), _first, int, Exception("x"), ...),
    *(np.int64(3), np.uint8(2), np.float64(0.5), np.bool_(True), np.str_("linear"), np.array(3)),
    *(np.arange(5), np.ones((2, 3)), np.zeros(0), np.array(["x"]), np.array([None, 1]), np.array([np.nan, 1.0])),
    *(np.array([0, 0, 3, 4]), np.array([1, -1]), np.array([3, 5, 4], np.uint8), np.datetime64("2026-01-01")),
    *(POND, bsbench.Feedback.HIT, POND.rules),
]  # fmt: skip
"""Arguments that something or other takes; most calls have one that is wrong."""

COUNTS = [np.array([0, 0, 3, 4]), np.array([0, 5, 5, 1, 0]), np.array([0, 0, 2, 0, 9], np.int32)]
MOVES = [np.array([5, 6, 7, 9]), np.array([6, 6, 8, 7], np.uint8), [4, 5, 9, 5]]
GOOD: dict[str, list[Any]] = {
    "strategy": ["linear", "random", _first], "strategies": [["linear", "random"]],
    "sides": [["linear", "random"]], "scenario": [POND, POND, "gym-5x5"], "games": [3, 10, "20"],
    "seed": [0, 1], "board_size": [(5, 5)], "text": ["A1"], "action": [0, 3], "vary": [["noise=0:1"]],
    "counts": COUNTS, "share": [0.5, 0.9], "games_per_learner": [1, 2], "style": ["grid"],
    "mean": [20.5], "half_width": [0.3], "threads": [1, 2], "path": ["saved"], "folder": ["saved"],
    "settings": [{}], "meaning": ["what it is"], "default": [1, 0.5], "independent": [True],
    "point": [np.ones((2, 2, 5))], "reach": [100, 100.0], "values": [np.arange(4.0)],
    "board": ["5x5"], "fleet": [[3, 2], "3,2"], "rows": [5], "cols": [5], "touching": [True],
    "env": [], "num_envs": [1, 3], "feedback": ["hit", "ship"], "placement": ["uniform"],
}  # fmt: skip
GOOD_OF: dict[str, list[Any]] = {
    "make_strategy.name": ["linear", "prob"], "find_strategy.name": ["linear", "prob"],
    "find_scenario.name": ["classic", "gym-5x5"], "duel.first": ["linear"], "duel.second": ["random"],
    "tune.strategy": ["over9000"], "tune.races": [1, 2], "tune.candidates": [2, 3], "tune.games": [300],
    "load.path": ["saved.json"], "merge.parts": [["saved.json"]], "best.scenario": ["classic"],
    "versus.first": COUNTS, "versus.second": COUNTS, "dominance.first": COUNTS, "dominance.second": COUNTS,
    "Scenario.board": ["5x5", (5, 5)], "bootstrap.replicates": [10],
    "check_strategy.timeout": [5.0], "check_strategy.games": [2],
}  # fmt: skip
"""Arguments that are right, by the name of the parameter, and by that of the function."""


def _public() -> dict[str, Any]:
    """Return what users call, by its name: functions, classes that they make objects of, methods."""
    found: dict[str, Any] = {}
    for module in ("bsbench", "bsbench.env", "bsbench.stats"):
        for name in importlib.import_module(module).__all__:
            value = getattr(importlib.import_module(module), name)
            if inspect.isfunction(value) or (inspect.isclass(value) and _is_made_by_users(value)):
                found[f"{module}.{name}"] = value
    for made in _made():
        for name, method in inspect.getmembers(made, inspect.ismethod):
            if not name.startswith("_") and method.__module__.startswith("bsbench."):
                found[f"{type(made).__name__}.{name}"] = method
    return found


def _is_made_by_users(kind: type) -> bool:
    documented = inspect.getdoc(kind) or ""
    return not issubclass(kind, Exception | Enum) and (
        "Parameters\n-" in documented or "Raises\n-" in documented
    )


def _made() -> list[Any]:
    """Return an object of each class that functions return."""
    from bsbench.env import BattleshipEnv, BattleshipVectorEnv, StrategyAgent

    compared = bsbench.compare(["linear", "random"], POND, games=20)
    compared.results[0].save("saved")
    env = BattleshipEnv(POND)
    env.reset(seed=1)
    vector = BattleshipVectorEnv(2, POND)
    vector.reset(seed=1)
    return [
        *(compared, compared.results[0], bsbench.Results(compared.results), POND, POND.rules),
        *(bsbench.duel("linear", "random", POND, games=100), bsbench.best("classic")),
        *(bsbench.match(["linear", "random"], POND, games=20), bsbench.replay("linear", POND)),
        *(env, vector, StrategyAgent("linear", env)),
    ]


def _arguments(name: str, call: Any, draw: random.Random) -> dict[str, Any]:
    """Return the arguments of a call that Python takes, at most half of them hostile."""
    given = {}
    short = name.rpartition(".")[0].rpartition(".")[2] or name, name.rpartition(".")[2]
    for each in inspect.signature(call).parameters.values():
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            continue
        good = GOOD_OF.get(f"{short[1]}.{each.name}") or GOOD.get(each.name, [])
        needed = each.default is each.empty
        if not needed and each.name != "games" and draw.random() < 0.75:
            continue
        pool = good if good and draw.random() < 0.7 else ANYTHING
        given[each.name] = draw.choice(pool)
    return given


def _documented(call: Any) -> tuple[str, ...]:
    """Return the names of the errors that a docstring lists."""
    text = inspect.getdoc(call) or ""
    _, _, raises = text.partition("Raises\n------\n")
    return tuple(re.findall(r"^(\w+)$", raises, re.MULTILINE))


def _told(name: str, given: dict[str, Any], error: BaseException) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    words = ", ".join(f"{key}={value!r:.60}" for key, value in given.items())
    at = f"{Path(place.filename).name}:{place.lineno}"
    return f"{type(error).__name__} at {at}: {error!s:.80} | {name}({words})"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_only_documented_errors_leave(in_folder):
    import os

    draw, public, wrong = random.Random(50), _public(), []
    n = int(os.environ.get("FUZZ", CALLS))
    kinds = Counter()
    import time

    for name in itertools.islice(itertools.cycle(public), n):
        call = public[name]
        given = _arguments(name, call, draw)
        t = time.time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                call(**given)
                kinds["fine"] += 1
            except BsbenchError as error:
                kinds["refused"] += 1
                try:
                    assert_sentence(str(error), lines=len(str(error).splitlines()))
                except AssertionError as problem:
                    wrong.append(f"SENTENCE {problem!s:.200} | {name}({given!r:.100})")
            except Exception as error:
                if type(error).__name__ in _documented(call):
                    kinds["documented"] += 1
                    continue
                kinds["inner"] += 1
                wrong.append(_told(name, given, error))
        if time.time() - t > 2:
            print("SLOW", time.time() - t, name, f"{given!r:.300}", flush=True)
    print(kinds)
    assert not wrong, "\n".join(sorted(wrong))
