"""Many boards in lockstep as a Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import suggestion
from bsbench.common.texts import shortened
from bsbench.env.making import (
    action_space,
    as_array,
    observation_space,
    options_of,
    read_options,
    sampler_of,
    scenario_of,
    turns_of,
)
from bsbench.env.rendering import METADATA, check_render_mode, render
from bsbench.own.observation import Observation, Observing
from bsbench.play.arena import Arena, Rewards, check_seed
from bsbench.rules.scenario import Scenario

Lanes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Infos = dict[str, Any]
"""The infos beside observations: arrays by name, and under ``_name`` which boards have a value."""


class BattleshipVectorEnv(VectorEnv[Observation, Any, npt.NDArray[Any]]):
    """Many boards in lockstep: the same, step by step, as ``SyncVectorEnv`` of `BattleshipEnv`.

    Observations, rewards and infos are those of `BattleshipEnv`, with an axis for the boards in
    front. Under ``reset(seed=s)``, board i plays the games of seed s + i.

    Parameters
    ----------
    num_envs : int
        How many boards.
    scenario, board_size, layouts, obs, mask, rewards, invalid_action, max_episode_steps
        As for `BattleshipEnv`, the same for all boards.
    render_mode
        Likewise; `render` returns a tuple, a picture or text for each board.
    autoreset_mode : AutoresetMode or {"NextStep", "SameStep", "Disabled"}
        When a board whose episode is over begins the next: in the step after, which ignores its
        action; in the same step, with ``final_obs`` and ``final_info`` in the infos; or when it is
        reset with the option ``reset_mask``.
    copy : bool
        Whether `reset` and `step` return copies. Without copies, they are faster, but may return
        the same arrays of observations, rewards and infos each time: read them before the next
        step, and never write to them.

    Raises
    ------
    BsbenchError
        If an argument is invalid.
    """

    metadata: dict[str, Any] = METADATA

    # Options are keywords, as `gymnasium.make` passes them.
    @checked
    def __init__(
        self,
        num_envs: int = 1,
        scenario: str | Path | Scenario | None = None,
        *,
        board_size: tuple[int, int] | None = None,
        layouts: str | Path | Sequence[Any] | None = None,
        obs: str | None = None,
        mask: bool = False,
        rewards: Rewards = "seed",
        invalid_action: str = "penalty",
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
    ) -> None:
        self.scenario = scenario_of(scenario, board_size)
        self.render_mode = check_render_mode(render_mode)
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.copy = copy
        rules = self.scenario.rules
        self.observing = observing = Observing(rules, obs, mask)
        sampler = sampler_of(self.scenario, layouts)
        self._arena = Arena(rules, sampler, num_envs, rewards, invalid_action, max_episode_steps)
        self.num_envs = self._arena.lanes
        self.single_observation_space = observation_space(observing)
        self.single_action_space = action_space(rules)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._salvos = rules.salvos
        self._watched = render_mode == "human"
        self._show = observing.show
        self._everyone = np.arange(self.num_envs)
        self._seeded = np.zeros(self.num_envs, np.bool_)
        # Boards that never had a game.
        self._unbegun = self.num_envs
        # Boards whose episode is over and that have not begun another: as flags, and as numbers.
        self._over = np.zeros(self.num_envs, np.bool_)
        self._ended: Lanes = np.zeros(0, np.int64)
        self._nobody = np.zeros(self.num_envs, np.bool_)
        self._keys = *self._arena.names, *self._arena.answers, "action_mask"
        self._flags = tuple(f"_{key}" for key in self._keys)
        self._all_keys = np.ones((len(self._keys), self.num_envs), np.bool_)
        self._standing_infos: Infos | None = None

    def __getstate__(self) -> dict[str, Any]:
        # Infos that are not copied look at the arena, and a copy has an arena of its own.
        return self.__dict__ | {"_standing_infos": None}

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, Infos]:
        """Begin a game on every board, or on some.

        Parameters
        ----------
        seed : int or list of int or None, optional
            Board i plays the games of seed + i, or of entry i, from game 0 on. Without one, it
            plays the next game of its last seed, see `BattleshipEnv.reset`.
        options : dict, optional
            As for `BattleshipEnv.reset`, for each board. Besides, ``reset_mask``, bool of shape
            (num_envs,): which boards; the others continue.

        Returns
        -------
        observations, infos

        Raises
        ------
        BsbenchError
            For the reasons that `BattleshipEnv.reset` has, or if the number of seeds or the
            mask does not fit.
        """
        seeds = self._seeds_of(seed)
        options = options_of(options)
        mask = options.pop("reset_mask", None)
        lanes = self._everyone if mask is None else self._lanes_of(mask)
        game, layout = read_options(options, self.scenario.rules)
        super().reset(seed=seed if isinstance(seed, int) else None)
        arena = self._arena
        drawn = self._everyone[:0] if self._seeded.all() else lanes[~self._seeded[lanes]]
        for lane in drawn.tolist():
            if seeds[lane] is None:
                seeds[lane] = int(self.np_random.integers(2**31))
        self._seeded[lanes] = True
        self._unbegun = int(np.count_nonzero(~self._seeded))
        for lane in lanes.tolist():
            own = seeds[lane]
            if own is not None or game is not None:
                arena.seed(lane, int(arena.seeds[lane]) if own is None else own, game or 0)
        if layout is None:
            arena.begin(lanes)
        else:
            arena.begin_on(lanes, layout)
        self._over[lanes] = False
        self._ended = np.flatnonzero(self._over)
        flagged = None if mask is None else np.isin(self._everyone, lanes)
        if self._watched:
            self.render()
        return self._show(arena.shown, self.copy), self._infos(flagged)

    def step(
        self, actions: Any
    ) -> tuple[
        Observation, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], Infos
    ]:
        """Shoot at a cell of every board, or in salvos at all cells of a turn.

        Parameters
        ----------
        actions : array of int, shape (num_envs,), in salvos (num_envs, cells)
            As for `BattleshipEnv.step`. Those of boards that begin a new game in this step are not
            read.

        Returns
        -------
        observations, rewards, terminations, truncations, infos

        Raises
        ------
        BsbenchError
            If there is a board without a game, or, where boards do not reset themselves, one
            whose game is over; if actions are no whole numbers of that shape; or if one is
            invalid, and invalid actions are errors. Nothing has changed then.
        """
        arena, mode = self._arena, self.autoreset_mode
        cells = self._actions_of(actions)
        if self._unbegun:
            raise BsbenchError("there is no game yet: call reset() to begin one")
        over, ended = self._over, self._ended
        resting = self._nobody
        if len(ended):
            if mode is AutoresetMode.DISABLED:
                raise BsbenchError(
                    f"the game of board {int(ended[0])} is over: call reset() with the option "
                    "reset_mask to begin another there"
                )
            arena.check(cells, over)
            arena.begin(ended)
            resting = over
        ended = arena.ended[: arena.act(cells, resting)].copy()
        if len(self._ended):
            over[self._ended] = False
        infos: Infos = {}
        if len(ended):
            if mode is AutoresetMode.SAME_STEP:
                # The results of the step, before `begin` overwrites them.
                infos = self._final(ended)
                arena.begin(ended)
                ended = ended[:0]
            over[ended] = True
        self._ended = ended
        infos |= self._infos()
        if self._watched:
            self.render()
        reward, terminated, truncated = arena.reward, arena.terminated, arena.truncated
        if self.copy:
            reward, terminated, truncated = reward.copy(), terminated.copy(), truncated.copy()
        return self._show(arena.shown, self.copy), reward, terminated, truncated, infos

    def render(self) -> tuple[Any, ...]:
        """Return all boards in the form that ``render_mode`` names, see `BattleshipEnv.render`."""
        known = self._arena.shown
        return tuple(
            render(self.scenario.rules, known.of(lane), self.render_mode)
            for lane in range(self.num_envs)
        )

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are valid: bool, shape (num_envs, cells)."""
        return self._arena.known.open.astype(np.bool_)

    def _infos(self, shown: Flags | None = None) -> Infos:
        """Return the infos of all boards, or of those flagged alone."""
        rows, is_open = self._arena.facts, self._arena.known.open
        answers = tuple(self._arena.answers.values()) if self._salvos else ()
        if shown is not None:
            column = shown[:, None]
            told = (*(rows * shown), *[each * column for each in answers], is_open * column)
            return self._named(told, np.tile(shown, (len(self._keys), 1)))
        if self.copy:
            if answers:
                answers = tuple(each.copy() for each in answers)
            return self._named((*rows.copy(), *answers, is_open.copy()), self._all_keys.copy())
        if self._standing_infos is None:
            self._standing_infos = self._named((*rows, *answers, is_open), self._all_keys)
        return self._standing_infos.copy()

    def _named(self, arrays: tuple[npt.NDArray[Any], ...], flags: Flags) -> Infos:
        infos: Infos = dict(zip(self._keys, arrays, strict=True))
        infos.update(zip(self._flags, flags, strict=True))
        return infos

    def _final(self, lanes: Lanes) -> Infos:
        """Return the last observations and infos of some boards, before their next games begin."""
        final_obs = np.full(self.num_envs, None, dtype=object)
        known = self._arena.shown
        for lane in lanes.tolist():
            final_obs[lane] = self._show(known.of(lane))
        ended = np.zeros(self.num_envs, np.bool_)
        ended[lanes] = True
        return {
            "final_obs": final_obs,
            "_final_obs": ended,
            "final_info": self._infos(ended),
            "_final_info": ended.copy(),
        }

    def _seeds_of(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if hasattr(seed, "__index__"):
            first = check_seed(seed)
            return [check_seed(first + lane) for lane in range(self.num_envs)]
        if not isinstance(seed, Sequence | np.ndarray) or len(seed) != self.num_envs:
            raise BsbenchError(
                f"a seed is a whole number, or a list of one for each of the {self.num_envs} "
                f"boards, not {shortened(seed)}"
            )
        return [None if own is None else check_seed(own) for own in seed]

    def _lanes_of(self, mask: Any) -> Lanes:
        fits = isinstance(mask, np.ndarray) and mask.shape == (self.num_envs,)
        if not (fits and mask.dtype == np.bool_ and mask.any()):
            raise BsbenchError(
                f"the option reset_mask is a numpy array of bool, shape ({self.num_envs},), with "
                "one True at least"
            )
        return np.flatnonzero(mask)

    def _actions_of(self, actions: Any) -> npt.NDArray[Any]:
        if self._salvos:
            return turns_of(actions, self.scenario.rules, self.num_envs)
        array = as_array(actions)
        if array.shape != (self.num_envs,) or array.dtype.kind not in "iu":
            raise BsbenchError(
                f"actions are whole numbers, one for each board, shape ({self.num_envs},), not of "
                f"shape {array.shape} and type {array.dtype}"
            )
        return array.astype(np.int64, copy=False)


def _autoreset_mode(mode: str | AutoresetMode) -> AutoresetMode:
    for each in AutoresetMode if isinstance(mode, str | AutoresetMode) else ():
        if mode in (each, each.value, each.name.lower()):
            return each
    hint = suggestion(str(mode), [each.value for each in AutoresetMode])
    raise BsbenchError(f"unknown autoreset_mode {shortened(mode)}: {hint}")
