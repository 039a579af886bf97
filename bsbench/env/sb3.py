"""Many boards in lockstep for Stable-Baselines3, whose `VecEnv` is not Gymnasium's `VectorEnv`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from bsbench.common.errors import BsbenchError, how_to_install
from bsbench.env.making import scenario_of
from bsbench.env.vector import BattleshipVectorEnv, Infos
from bsbench.play.arena import FACTS
from bsbench.rules.scenario import Scenario

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    raise BsbenchError(
        f"this needs Stable-Baselines3, which is not installed: {how_to_install('rl')}"
    ) from None


class BattleshipVecEnv(VecEnv):  # type: ignore[misc]
    """`BattleshipVectorEnv` as a `VecEnv` of Stable-Baselines3.

    Parameters
    ----------
    num_envs : int
        How many boards.
    scenario : str, Path or Scenario, optional
        See `BattleshipEnv`, as for all others.
    obs : str
        Default: ``flat``, a vector, as ``MlpPolicy`` needs.
    **options
        Other arguments of `BattleshipEnv`.

    Attributes
    ----------
    boards : BattleshipVectorEnv
        The vector environment behind it; a board begins its next game in the step that ends one.

    Notes
    -----
    ``MaskablePPO`` finds the masks by itself. An info has the keys of `BattleshipEnv`'s but for
    ``action_mask``, and ``TimeLimit.truncated``; where a game has ended, those are of that game,
    and there are ``terminal_observation`` and ``episode`` (return ``r``, actions ``l``, seconds
    ``t``), too, so that no ``VecMonitor`` is needed.

    Raises
    ------
    BsbenchError
        For the reasons that `BattleshipVectorEnv` has.
    """

    def __init__(
        self,
        num_envs: int,
        scenario: str | Path | Scenario | None = None,
        *,
        obs: str = "flat",
        **options: Any,
    ) -> None:
        # Its algorithms with sets of cells for actions know no bound of their size.
        board_size = options.pop("board_size", None)
        played = scenario_of(scenario, board_size)
        played.rules.check_single_shots("the environment of Stable-Baselines3 is played")
        self.boards = BattleshipVectorEnv(
            num_envs, played, obs=obs, autoreset_mode=AutoresetMode.SAME_STEP, **options
        )
        self._actions: Any = None
        self._begun = time.monotonic()
        self._return = np.zeros(self.boards.num_envs)
        super().__init__(
            self.boards.num_envs,
            self.boards.single_observation_space,
            self.boards.single_action_space,
        )

    def reset(self) -> Any:
        """Begin a game on every board; return the observations."""
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        options = self._options[0]
        if any(each != options for each in self._options):
            raise BsbenchError("options of reset are the same for all boards")
        observations, infos = self.boards.reset(seed=seeds, options=options)
        self.reset_infos = _rows(infos)
        self._return[:] = 0
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[Any], list[Infos]]:
        """Act; return observations, rewards, what is over, and infos."""
        observations, reward, terminated, truncated, infos = self.boards.step(self._actions)
        rows = _rows(infos)
        self._return += reward
        done = terminated | truncated
        if done.any():
            last = _rows(infos["final_info"])
            seconds = round(time.monotonic() - self._begun, 6)
            for board in np.flatnonzero(done).tolist():
                row = rows[board] = last[board]
                row["terminal_observation"] = infos["final_obs"][board]
                row["TimeLimit.truncated"] = bool(truncated[board] and not terminated[board])
                row["episode"] = {
                    "r": round(float(self._return[board]), 6),
                    "l": row["shots"] + row["invalid_actions"],
                    "t": seconds,
                }
            self._return[done] = 0
        return observations, reward.astype(np.float32), done, rows

    def close(self) -> None:
        """Do nothing: there is nothing to be closed."""

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are valid: bool, shape (num_envs, cells)."""
        return self.boards.action_masks()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the boards, the same for each of those asked for."""
        value = getattr(self.boards, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of all boards.

        Raises
        ------
        BsbenchError
            If only some are asked for.
        """
        if sorted(self._get_indices(indices)) != list(range(self.num_envs)):
            raise BsbenchError("an attribute is set for all boards: leave out the indices")
        setattr(self.boards, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call ``action_masks`` or ``render``; return what they return for each board asked for.

        Raises
        ------
        BsbenchError
            If it is another method.
        """
        if method_name not in ("action_masks", "render"):
            raise BsbenchError(
                f"{method_name} can't be called for each board: only action_masks and render can"
            )
        results = getattr(self.boards, method_name)(*method_args, **method_kwargs)
        return [results[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False for each board: none has a wrapper."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Return a picture of each board, where that is the mode of rendering."""
        return list(self.boards.render())


def _rows(infos: Infos) -> list[dict[str, Any]]:
    """Return the infos as one dictionary for each board."""
    columns = [infos[key].tolist() for key in FACTS]
    rows = [dict(zip(FACTS, row, strict=True)) for row in zip(*columns, strict=True)]
    for row in rows:
        row["TimeLimit.truncated"] = False
    return rows
