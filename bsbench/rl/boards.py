"""Boards in lockstep as Stable-Baselines3 trains on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from bsbench.env import BattleshipVectorEnv
from bsbench.scenario import Scenario

REWARDS = {"miss": -0.1, "hit": 0.0, "sunk": 0.0, "win": 0.0}
"""What a learner is paid: it loses by misses alone, since the hits of a game are always as many. A
tenth, so that returns are of the order of one, where optimisers work best."""


class Boards(VecEnv):
    """Battleship on many boards, with masks, so that no invalid action is ever chosen.

    Parameters
    ----------
    boards : int
    scenario : Scenario

    Attributes
    ----------
    shots : list of int
        Shots of each game that ended, in order; to be cleared by whoever reads it.
    """

    def __init__(self, boards: int, scenario: Scenario) -> None:
        self._env = BattleshipVectorEnv(
            boards, scenario, obs="flat", rewards=REWARDS, autoreset_mode=AutoresetMode.SAME_STEP
        )
        env = self._env
        super().__init__(boards, env.single_observation_space, env.single_action_space)
        self._actions: npt.NDArray[Any] = np.zeros(boards, np.int64)
        self.shots: list[int] = []

    def reset(self) -> Any:
        """Begin game 0 of each board's seed, as `seed` set it."""
        observations, _ = self._env.reset(seed=list(self._seeds))
        self._reset_seeds()
        return observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take note of the actions."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Shoot; where a game ends, the next one of that board begins."""
        observations, rewards, terminated, truncated, infos = self._env.step(self._actions)
        over = terminated | truncated
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for board in np.flatnonzero(over).tolist():
            told[board]["terminal_observation"] = infos["final_obs"][board]
            told[board]["TimeLimit.truncated"] = bool(truncated[board] and not terminated[board])
            self.shots.append(int(infos["final_info"]["shots"][board]))
        return observations, rewards.astype(np.float32), over, told

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def has_attr(self, attr_name: str) -> bool:
        """Tell whether boards have an attribute; ``action_masks`` is what MaskablePPO asks for."""
        return hasattr(self._env, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, which all boards share."""
        return [getattr(self._env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: boards can't be changed.

        Raises
        ------
        AttributeError
            Always.
        """
        raise AttributeError(f"{attr_name!r} can't be set: make the boards anew")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return what the method ``action_masks`` returns for each board.

        Raises
        ------
        AttributeError
            If it is another method.
        """
        if method_name != "action_masks":
            raise AttributeError(f"boards have no method {method_name!r} of their own")
        masks = self._env.action_masks()
        return [masks[board] for board in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each board."""
        return [False for _ in self._get_indices(indices)]
