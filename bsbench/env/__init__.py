"""Battleship as a Gymnasium environment, one board or thousands in lockstep.

Importing it registers ``bsbench/Battleship-v0``::

    import gymnasium
    import bsbench.env

    env = gymnasium.make("bsbench/Battleship-v0", scenario="gym-8x8")
    boards = gymnasium.make_vec("bsbench/Battleship-v0", num_envs=1024)

``gymnasium.make("bsbench.env:bsbench/Battleship-v0")`` does that import itself. (Since Gymnasium
1.0, plugins can no longer register themselves.)

`bsbench.env.two_player` is Battleship for two, an environment of PettingZoo.
"""

from __future__ import annotations

from bsbench.common.errors import BsbenchError, how_to_install

try:
    import gymnasium
except ImportError:
    raise BsbenchError(
        f"the environments need Gymnasium, which is not installed: {how_to_install('gym')}"
    ) from None

from bsbench.env.agents import LLMAgent, StrategyAgent
from bsbench.env.exporting import export
from bsbench.env.single import BattleshipEnv
from bsbench.env.vector import BattleshipVectorEnv
from bsbench.llm.text import action_to_text, how_to_answer, obs_to_text, parse_action

__all__ = [
    "ID",
    "BattleshipEnv",
    "BattleshipVectorEnv",
    "LLMAgent",
    "StrategyAgent",
    "action_to_text",
    "export",
    "how_to_answer",
    "obs_to_text",
    "parse_action",
]

ID = "bsbench/Battleship-v0"
"""The name of the environment in Gymnasium. The number rises when the same actions on the same
layouts would bring other observations or rewards."""

if ID not in gymnasium.registry:
    gymnasium.register(
        id=ID,
        entry_point="bsbench.env.single:BattleshipEnv",
        vector_entry_point="bsbench.env.vector:BattleshipVectorEnv",
    )
