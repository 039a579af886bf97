"""bsbench: the benchmark of Battleship shooting strategies.

>>> import bsbench
>>> result = bsbench.run("prob", games=10_000, seed=1)
>>> result.summary()  # a pandas frame  # doctest: +SKIP

Names are imported when first used, so that ``import bsbench`` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bsbench.check import Report, check_strategy
    from bsbench.comparing import compare
    from bsbench.comparison import Comparison
    from bsbench.dueling import Duel, duel
    from bsbench.engine import run
    from bsbench.errors import BsbenchError, BsbenchWarning, StrategyError
    from bsbench.plugins.batch import BatchStrategy, BatchView
    from bsbench.plugins.game import GameView
    from bsbench.replaying import Replay, replay
    from bsbench.results import Result, load_result, save_result
    from bsbench.rules import HIT, MISS, SUNK, Feedback, Rules
    from bsbench.scenario import Scenario, find_scenario
    from bsbench.stats import paired_difference
    from bsbench.strategies import Strategy, find_strategy, make_strategy, strategy_names
    from bsbench.strategies.base import Planner, parameter

__version__ = "0.1.0"

__all__ = [
    "HIT",
    "MISS",
    "SUNK",
    "BatchStrategy",
    "BatchView",
    "BsbenchError",
    "BsbenchWarning",
    "Comparison",
    "Duel",
    "Feedback",
    "GameView",
    "Planner",
    "Replay",
    "Report",
    "Result",
    "Rules",
    "Scenario",
    "Strategy",
    "StrategyError",
    "check_strategy",
    "compare",
    "duel",
    "find_scenario",
    "find_strategy",
    "load_result",
    "make_strategy",
    "paired_difference",
    "parameter",
    "replay",
    "run",
    "save_result",
    "strategy_names",
]

_MODULE_OF = {
    "BatchStrategy": "plugins.batch",
    "BatchView": "plugins.batch",
    "BsbenchError": "errors",
    "BsbenchWarning": "errors",
    "Comparison": "comparison",
    "Duel": "dueling",
    "Feedback": "rules",
    "GameView": "plugins.game",
    "HIT": "rules",
    "MISS": "rules",
    "Planner": "strategies.base",
    "Replay": "replaying",
    "Report": "check",
    "Result": "results",
    "Rules": "rules",
    "SUNK": "rules",
    "Scenario": "scenario",
    "Strategy": "strategies",
    "StrategyError": "errors",
    "check_strategy": "check",
    "compare": "comparing",
    "duel": "dueling",
    "find_scenario": "scenario",
    "find_strategy": "strategies",
    "load_result": "results",
    "make_strategy": "strategies",
    "paired_difference": "stats",
    "parameter": "strategies.base",
    "replay": "replaying",
    "run": "engine",
    "save_result": "results",
    "strategy_names": "strategies",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
