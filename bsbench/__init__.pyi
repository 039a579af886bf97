# ruff: isort: skip_file
# The public names of bsbench, by what one does with them: the one list of them, which `__init__.py`
# reads. Each is imported when first used. A name without a docstring has its summary behind it.

__version__: str

# Play

from bsbench.runs.running import run as run
from bsbench.runs.comparing import compare as compare
from bsbench.studies.match.study import match as match
from bsbench.studies.tune.study import tune as tune
from bsbench.present.replaying import replay as replay

# Results

from bsbench.studies.best.study import best as best
from bsbench.studies.survey.study import survey as survey
from bsbench.runs.several import load as load
from bsbench.runs.pooling import merge as merge
from bsbench.runs.results import Result as Result
from bsbench.runs.several import Results as Results
from bsbench.runs.comparison import Comparison as Comparison
from bsbench.studies.best.study import Best as Best
from bsbench.studies.survey.study import Verdicts as Verdicts
from bsbench.studies.match.study import Match as Match
from bsbench.studies.tune.study import Tuning as Tuning
from bsbench.present.replaying import Replay as Replay
from bsbench.stats import paired_difference as paired_difference

# Scenarios

from bsbench.rules.scenario import Scenario as Scenario
from bsbench.rules.scenario import scenario_names as scenario_names
from bsbench.rules.scenario import find_scenario as find_scenario
from bsbench.rules.board import Rules as Rules
from bsbench.rules.board import Feedback as Feedback
from bsbench.rules.position import Position as Position

# Strategies

from bsbench.roster import strategy_names as strategy_names
from bsbench.roster import find_strategy as find_strategy
from bsbench.roster import make_strategy as make_strategy
from bsbench.studies.check.study import check_strategy as check_strategy
from bsbench.studies.check.study import CheckReport as CheckReport

# Strategies of your own

from bsbench.own.game import GameView as GameView
from bsbench.rules.board import MISS as MISS  # The outcome of a shot at water: 0.
from bsbench.rules.board import HIT as HIT  # The outcome of a shot at a ship: 1.
from bsbench.rules.board import SUNK as SUNK  # The outcome of a shot that sinks a ship: 2.
from bsbench.common.parameters import parameter as parameter
from bsbench.own.batch import BatchStrategy as BatchStrategy
from bsbench.own.batch import BatchView as BatchView
from bsbench.strategies import Strategy as Strategy
from bsbench.strategies.base import FixedOrder as FixedOrder
from bsbench.strategies.base import Planner as Planner

# Errors

from bsbench.common.errors import BsbenchError as BsbenchError
from bsbench.common.errors import StrategyError as StrategyError
from bsbench.common.errors import BsbenchWarning as BsbenchWarning
