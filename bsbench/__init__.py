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
    # With "as", type checkers take them as public.
    from bsbench.common.errors import BsbenchError as BsbenchError
    from bsbench.common.errors import BsbenchWarning as BsbenchWarning
    from bsbench.common.errors import StrategyError as StrategyError
    from bsbench.own.batch import BatchStrategy as BatchStrategy
    from bsbench.own.batch import BatchView as BatchView
    from bsbench.own.game import GameView as GameView
    from bsbench.present.replaying import Replay as Replay
    from bsbench.present.replaying import replay as replay
    from bsbench.roster import find_strategy as find_strategy
    from bsbench.roster import make_strategy as make_strategy
    from bsbench.roster import strategy_names as strategy_names
    from bsbench.rules.board import HIT as HIT
    from bsbench.rules.board import MISS as MISS
    from bsbench.rules.board import SUNK as SUNK
    from bsbench.rules.board import Feedback as Feedback
    from bsbench.rules.board import Rules as Rules
    from bsbench.rules.scenario import Scenario as Scenario
    from bsbench.rules.scenario import find_scenario as find_scenario
    from bsbench.runs.check import CheckReport as CheckReport
    from bsbench.runs.check import Report as Report
    from bsbench.runs.check import check_strategy as check_strategy
    from bsbench.runs.comparing import compare as compare
    from bsbench.runs.comparison import Comparison as Comparison
    from bsbench.runs.dueling import Duel as Duel
    from bsbench.runs.dueling import duel as duel
    from bsbench.runs.engine import run as run
    from bsbench.runs.merging import merge as merge
    from bsbench.runs.records import load_result as load_result
    from bsbench.runs.records import save_result as save_result
    from bsbench.runs.results import Result as Result
    from bsbench.runs.tuning import Tuning as Tuning
    from bsbench.runs.tuning import tune as tune
    from bsbench.stats import paired_difference as paired_difference
    from bsbench.strategies import Strategy as Strategy
    from bsbench.strategies.base import FixedOrder as FixedOrder
    from bsbench.strategies.base import Planner as Planner
    from bsbench.strategies.base import parameter as parameter

__version__ = "0.1.0"

_NAMES_OF = {
    "runs.check": "CheckReport Report check_strategy",
    "runs.comparing": "compare",
    "runs.comparison": "Comparison",
    "runs.dueling": "Duel duel",
    "runs.engine": "run",
    "runs.merging": "merge",
    "common.errors": "BsbenchError BsbenchWarning StrategyError",
    "own.batch": "BatchStrategy BatchView",
    "own.game": "GameView",
    "runs.records": "load_result save_result",
    "present.replaying": "Replay replay",
    "runs.results": "Result",
    "runs.tuning": "Tuning tune",
    "rules.board": "Feedback HIT MISS Rules SUNK",
    "rules.scenario": "Scenario find_scenario",
    "stats": "paired_difference",
    "roster": "find_strategy make_strategy strategy_names",
    "strategies": "Strategy",
    "strategies.base": "FixedOrder Planner parameter",
}
"""Public names, by the module that each is from."""

_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
