"""Many boards in lockstep for Stable-Baselines3."""

from __future__ import annotations

import sys

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs bsbench[gym]")

from bsbench.env import BattleshipEnv  # noqa: E402
from tests.support.refusals import refused  # noqa: E402


def test_without_the_library_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "stable_baselines3.common.vec_env", None)
    monkeypatch.delitem(sys.modules, "bsbench.env.sb3", raising=False)
    with refused("pip install 'bsbench[rl]'"):
        import bsbench.env.sb3  # noqa: F401


def library():
    """Return the module under test, or skip the test."""
    pytest.importorskip("stable_baselines3", reason="needs bsbench[rl]")
    from bsbench.env import sb3

    return sb3


@pytest.mark.parametrize("size", [(5, 5), (5, 12), (8, 8), (12, 12)])
@pytest.mark.parametrize("mask", [False, True])
def test_its_checker_finds_no_fault_and_warns_of_nothing(size, mask):
    library()
    from stable_baselines3.common.env_checker import check_env

    # Warnings are errors here.
    check_env(BattleshipEnv(board_size=size, obs="flat", mask=mask, render_mode="rgb_array"))


def test_boards_are_those_of_dummy_vec_env():
    sb3 = library()
    from stable_baselines3.common.vec_env import DummyVecEnv

    arguments = {"scenario": "gym-5x5", "obs": "planes", "mask": True, "max_episode_steps": 18}
    ours = sb3.BattleshipVecEnv(3, **arguments)
    theirs = DummyVecEnv([lambda: BattleshipEnv(**arguments)] * 3)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    for env in (ours, theirs):
        env.seed(4)
    same(ours.reset(), theirs.reset())
    rng = np.random.default_rng(0)
    truncated = ended = 0
    returns = np.zeros(3)
    for _ in range(200):
        actions = rng.integers(25, size=3)
        masks = ours.env_method("action_masks")
        assert np.array_equal(masks, theirs.env_method("action_masks"))
        assert np.array_equal(masks, ours.action_masks())
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        found, expected = ours.step(actions), theirs.step(actions)
        same(found[0], expected[0])
        assert np.array_equal(found[1], expected[1])
        assert found[1].dtype == expected[1].dtype
        assert np.array_equal(found[2], expected[2])
        returns += found[1]
        for board, (info, other) in enumerate(zip(found[3], expected[3], strict=True)):
            assert info["TimeLimit.truncated"] == other["TimeLimit.truncated"]
            for key in ("outcome", "ship", "shots", "invalid_actions", "seed", "game"):
                assert info[key] == other[key]
            assert ("terminal_observation" in info) == found[2][board]
            if found[2][board]:
                same(info["terminal_observation"], other["terminal_observation"])
                assert info["episode"]["r"] == returns[board]
                assert info["episode"]["l"] == other["shots"]
                returns[board] = 0
                ended += 1
                truncated += info["TimeLimit.truncated"]
    assert ended > truncated > 0


def same(ours, theirs) -> None:
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        assert array.dtype == theirs[name].dtype
        assert np.array_equal(array, theirs[name])


def test_attributes_methods_and_pictures():
    sb3 = library()
    env = sb3.BattleshipVecEnv(4, "gym-5x5", render_mode="rgb_array")
    env.reset()
    assert env.has_attr("action_masks")
    assert not env.has_attr("nothing")
    assert env.get_attr("render_mode", [0, 2]) == ["rgb_array"] * 2
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 4
    assert [mask.shape for mask in env.env_method("action_masks", indices=[1])] == [(25,)]
    assert env.get_images()[3].shape == (160, 160, 3)
    assert env.render().shape == (320, 320, 3)
    with refused("reset"):
        env.env_method("reset")
    with refused("indices"):
        env.set_attr("copy", False, indices=[0])
    with refused("gym-4x4"):
        sb3.BattleshipVecEnv(2, "gym-4x4")


def test_maskable_ppo_learns_on_it_without_an_invalid_action():
    sb3 = library()
    contrib = pytest.importorskip("sb3_contrib", reason="needs bsbench[rl]")
    env = sb3.BattleshipVecEnv(4, "gym-5x5", rewards="shots")
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, seed=0)
    model.learn(256)
    # As told by `episode`: as many actions as shots at most, since none was refused.
    assert model.ep_info_buffer
    assert all(episode["l"] == -episode["r"] <= 25 for episode in model.ep_info_buffer)
