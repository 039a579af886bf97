"""Many boards in lockstep are many single ones, whether a turn has one shot or several."""

from __future__ import annotations

import copy as copying
import pickle

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="needs bsbench[gym]")

from gymnasium.vector import AutoresetMode, SyncVectorEnv

from bsbench.env import BattleshipEnv, BattleshipVectorEnv
from bsbench.rules.scenario import find_scenario
from tests.support.envs import CLASSIC, EACH, HARBOUR, JOINTLY, SINGLE, agree, cells, name_of, some
from tests.support.refusals import refused

pytestmark = pytest.mark.ci

BOARDS = 3


def _actions(env, rng) -> np.ndarray:
    """Return mostly legal actions, so that games are won."""
    rules, masks = env.scenario.rules, env.action_masks()
    if rules.salvos:
        actions = (rng.random((BOARDS, rules.cells)) < 0.1).astype(np.int8)
    else:
        actions = rng.integers(-2, rules.cells + 2, BOARDS)
    for board in np.flatnonzero((rng.random(BOARDS) < 0.9) & masks.any(axis=1)):
        chosen = some(masks[board], rules.most_shots, rng)
        actions[board] = chosen if rules.salvos else rng.choice(np.flatnonzero(masks[board]))
    return actions


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(
    ("arguments", "copy"),
    [
        ({"scenario": "gym-5x5", "mask": True, "max_episode_steps": 20}, True),
        ({"scenario": "gym-6x9", "obs": "seed", "invalid_action": "terminate"}, True),
        ({"scenario": "harbour", "obs": "planes", "rewards": {"hit": 0.5}}, False),
        ({"scenario": "classic", "obs": "flat", "max_episode_steps": 90}, False),
        ({"scenario": EACH, "mask": True, "max_episode_steps": 8}, True),
        ({"scenario": JOINTLY, "rewards": "turns"}, True),
        ({"scenario": SINGLE, "mask": True, "invalid_action": "terminate"}, False),
        ({"scenario": CLASSIC, "obs": "planes", "rewards": {"turn": -0.5}}, False),
        ({"scenario": HARBOUR, "obs": "flat", "max_episode_steps": 22}, True),
    ],
    ids=lambda value: name_of(value["scenario"]) if isinstance(value, dict) else "",
)
def test_vector_env_equals_sync_vector_env_step_by_step(mode, arguments, copy):
    ours = BattleshipVectorEnv(BOARDS, **arguments, autoreset_mode=mode, copy=copy)
    theirs = SyncVectorEnv([lambda: BattleshipEnv(**arguments)] * BOARDS, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.action_space == theirs.action_space
    agree(ours.reset(seed=7), theirs.reset(seed=7))
    rng = np.random.default_rng(5)
    ended = invalid = 0
    for _ in range(160):
        actions = _actions(ours, rng)
        found, expected = ours.step(actions), theirs.step(actions)
        agree(found, expected)
        over = found[2] | found[3]
        ended += over.sum()
        invalid += found[4]["invalid_actions"].sum()
        if mode is AutoresetMode.DISABLED and over.any():
            with refused("reset"):
                ours.step(actions)
            reset = [{"options": {"reset_mask": over.copy()}} for _ in range(2)]
            agree(ours.reset(**reset[0]), theirs.reset(**reset[1]))
    assert found[0] in ours.observation_space
    assert ended > 2
    assert invalid > 2 or "invalid_action" in arguments
    seeds = [3, None, 2**40]
    agree(ours.reset(seed=list(seeds)), theirs.reset(seed=list(seeds)))


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("scenario", [find_scenario("gym-6x6"), JOINTLY], ids=name_of)
def test_what_a_step_returns_is_kept_unless_copies_are_declined(scenario, kept):
    boards = BattleshipVectorEnv(2, scenario, copy=kept)
    first, infos = boards.reset(seed=0)
    before, about = copying.deepcopy(first), copying.deepcopy(infos)
    actions = np.tile(cells(1, 2), (2, 1)) if scenario is JOINTLY else [3, 4]
    second, *ends, _ = boards.step(actions)
    for name, array in first.items():
        assert np.shares_memory(array, second[name]) != kept
    assert all(np.array_equal(first[name], before[name]) for name in first) == kept
    assert all(np.array_equal(infos[name], about[name]) for name in infos) == kept
    _, *later, _ = boards.step(actions)
    for one, other in zip(ends, later, strict=True):
        assert np.shares_memory(one, other) != kept


@pytest.mark.parametrize("clone", [copying.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(
    ("scenario", "kept"),
    [(find_scenario("gym-5x5"), True), (EACH, False), (JOINTLY, False)],
    ids=name_of,
)
def test_a_copy_in_the_middle_of_a_game_goes_on_by_itself(clone, scenario, kept):
    if scenario.rules.salvos:
        turns = [cells(1, 2, 3), cells(7, 9), cells(20, 11, 12)]
    else:
        turns = [1, 7, 20, 3, 24]
    for env in (BattleshipEnv(scenario), BattleshipVectorEnv(BOARDS, scenario, copy=kept)):
        single = isinstance(env, BattleshipEnv)
        played = [turn if single else np.array([turn] * BOARDS) for turn in turns]
        env.reset(seed=1)
        env.reset()
        env.step(played[0])
        before = env.action_masks()
        twin = clone(env)
        told = [copying.deepcopy(twin.step(turn)) for turn in played[1:]]
        assert np.array_equal(env.action_masks(), before)
        agree([copying.deepcopy(env.step(turn)) for turn in played[1:]], told)
        # The games after it, too, and chance.
        for options in ({}, {"game": 40}):
            agree(twin.reset(options=options), env.reset(options=options))
