"""2,000 calls of public functions, most with an argument that is wrong.

Whatever they are given: what leaves is an error that the function documents, in a sentence.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import json
import math
import random
import re
import traceback
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bsbench
from bsbench import BsbenchError
from bsbench.stats import Counts
from tests.support.refusals import assert_sentence

CALLS = 2_000
MODULES = ("bsbench", "bsbench.env", "bsbench.stats")
POND = bsbench.Scenario("5x5", fleet=[3, 2], name="pond")


class Odd:
    """A class of a user; its objects can be called."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        pass

    def __call__(self, *args: Any, **keywords: Any) -> None:
        pass


def first_open(view: Any) -> int:
    """Return a shot."""
    return view.open_cells[0]


ANYTHING: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 7, 2**63, 10**400, 0.5, -2.5, -0.0, 1 + 2j),
    *(math.nan, math.inf, Decimal("0.5"), Fraction(1, 3)),
    *("", "x", "linear", "classic", "5x5", "hit", "0-3", "1e3", "\0", "\ud800", "a" * 5_000),
    *("over9000,noise=x", "@x", "none.json", "none.toml", "none.py", "none.zip"),
    *(b"x", bytearray(b"x"), Path("none.json"), Path("a" * 300)),
    *([], (), {}, set(), [1], [1, 2], (5, 5), [[1, 2], [3]], ["linear", 3], {"noise": 0.1}),
    *({3: 3}, range(3), slice(3), object(), Odd, Odd(), first_open, Exception("x"), ...),
    *(np.int64(3), np.uint8(2), np.float64(0.5), np.bool_(True), np.str_("linear"), np.array(3)),
    *(np.arange(5), np.ones((2, 3)), np.zeros(0), np.array(["x"]), np.array([None, 1])),
    *(np.array([math.nan, 1.0]), np.array([0, 0, 3, 4]), np.array([1, -1])),
    *(np.array([3, 5, 4], np.uint8), np.datetime64("2026-01-01")),
    *(POND, POND.rules, bsbench.Feedback.HIT),
]
"""What some function or other takes, and what none does."""

COUNTS = [np.array([0, 0, 3, 4]), np.array([0, 5, 5, 1, 0]), np.array([0, 0, 2, 0, 9], np.int32)]
GOOD: dict[str, list[Any]] = {
    "strategy": ["linear", "random", first_open],
    **{"strategies": [["linear", "random"]], "sides": [["linear", "random"]]},
    **{"scenario": [POND, "gym-5x5"], "board": ["5x5", (5, 5)], "board_size": [(5, 5)]},
    **{"rows": [5], "cols": [5], "fleet": [[3, 2], "3,2"], "touching": [True]},
    **{"games": [3, 10, "20"], "seed": [0, 1], "num_envs": [1, 3], "action": [0, 3]},
    **{"path": ["saved"], "folder": ["saved"], "parts": [["saved.json"]]},
    **{"counts": COUNTS, "share": [0.5, 0.9], "values": [np.arange(4.0)], "reach": [100]},
    **{"mean": [20.5], "half_width": [0.3], "games_per_learner": [1, 2], "replicates": [10]},
    # A name, of whatever it is; two histograms or strategies; what takes long is small.
    **{"name": ["linear", "classic"], "first": [*COUNTS, "linear"], "second": [*COUNTS, "random"]},
    **{"vary": [["noise=0:1"]], "races": [1], "candidates": [2]},
}
"""Arguments that are right, by the names of parameters, so that not all calls end at the door."""


def made() -> list[Any]:
    """Return an object of each class that has methods for users."""
    from bsbench.env import BattleshipEnv, BattleshipVectorEnv, StrategyAgent

    compared = bsbench.compare(["linear", "random"], POND, games=20)
    env, vector = BattleshipEnv(POND), BattleshipVectorEnv(2, POND)
    env.reset(seed=1)
    vector.reset(seed=1)
    return [
        *(compared, compared.results[0], bsbench.Results(compared.results), POND, POND.rules),
        bsbench.best("classic"),
        *(bsbench.match(["linear", "random"], POND, games=20), bsbench.replay("linear", POND)),
        *(env, vector, StrategyAgent("linear", env)),
    ]


def public() -> dict[str, Callable[..., Any]]:
    """Return what users call: functions, classes of which they make objects, and methods."""
    found: dict[str, Callable[..., Any]] = {}
    for name in MODULES:
        module = importlib.import_module(name)
        for each in module.__all__:
            value = getattr(module, each)
            if inspect.isfunction(value) or (inspect.isclass(value) and is_for_users(value)):
                found[f"{name}.{each}"] = value
    for each in made():
        for name, method in inspect.getmembers(each, inspect.ismethod):
            if not name.startswith("_") and method.__module__.startswith("bsbench."):
                found[f"{type(each).__name__}.{name}"] = method
    return found


def is_for_users(kind: type) -> bool:
    """Return whether users make objects of a class: its docstring says how."""
    how = re.search(r"^(Parameters|Raises)\n-", inspect.getdoc(kind) or "", re.MULTILINE)
    return bool(how) and not issubclass(kind, Exception | Enum) and kind is not Counts


def arguments(call: Callable[..., Any], draw: random.Random) -> dict[str, Any]:
    """Return arguments of which Python itself refuses none."""
    given = {}
    for each in inspect.signature(call).parameters.values():
        needed = each.default is each.empty or each.name in ("games", "scenario")
        if each.kind is not each.VAR_KEYWORD and (needed or draw.random() < 0.25):
            right = each.name in GOOD and draw.random() < 0.7
            given[each.name] = draw.choice(GOOD[each.name] if right else ANYTHING)
    return given


def errors_of(call: Callable[..., Any]) -> list[str]:
    """Return the names of the errors that a docstring lists."""
    _, _, raises = (inspect.getdoc(call) or "").partition("Raises\n------\n")
    return re.findall(r"^(\w+)$", raises, re.MULTILINE)


def problem_of(call: Callable[..., Any], given: dict[str, Any]) -> str:
    """Return what is wrong with what leaves a call; empty if nothing is."""
    try:
        call(**given)
    except BsbenchError as error:
        try:
            assert_sentence(str(error), lines=str(error).count("\n") + 1)
        except AssertionError as wrong:
            return str(wrong)
    except Exception as error:
        *_, place = traceback.extract_tb(error.__traceback__)
        # What a function of the user raises is the user's.
        if type(error).__name__ not in errors_of(call) and place.filename != __file__:
            at = f"{Path(place.filename).name}:{place.lineno}"
            return f"{type(error).__name__}, {error!s:.80}, at {at}"
    return ""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_only_documented_errors_leave(in_folder):
    bsbench.run("linear", POND, games=20).save("saved")
    draw, calls, problems = random.Random(50), public(), []
    for name in itertools.islice(itertools.cycle(calls), CALLS):
        given = arguments(calls[name], draw)
        if problem := problem_of(calls[name], given):
            words = ", ".join(f"{key}={value!r:.60}" for key, value in given.items())
            problems.append(f"{name}({words}): {problem}")
    assert not problems, "\n".join([f"{len(problems)} of {CALLS} calls:", *problems])


@pytest.mark.parametrize(
    ("plain", "of_numpy"),
    [
        (7, np.int64(7)), (7, np.array(7)), (0.5, np.float64(0.5)), (True, np.bool_(True)),
        ("linear", np.str_("linear")),
    ],
)  # fmt: skip
def test_scalars_of_numpy_are_plain_values(plain, of_numpy):
    keyword = {int: "seed", float: "timeout", bool: "keep_moves", str: "reference"}[type(plain)]
    results = [
        bsbench.run("linear", POND, games=9, **{keyword: each}) for each in (plain, of_numpy)
    ]
    # Their records say when they were played, and how long that took.
    first, second = ({**result.to_dict(), "seconds": 0, "date": 0} for result in results)
    assert json.dumps(first) == json.dumps(second)
