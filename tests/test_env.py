"""The Gymnasium environments: one board, and many in lockstep."""

from __future__ import annotations

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs bsbench[gym]")

from gymnasium.utils.env_checker import data_equivalence  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from bsbench.env import BattleshipEnv, BattleshipVectorEnv  # noqa: E402
from bsbench.errors import BsbenchError  # noqa: E402

FORMATS = "sunk", "seed", "planes", "flat"


def agree(ours, theirs) -> None:
    """Fail unless both are the same, types and shapes included; a copy is compared with it."""
    assert data_equivalence(ours, theirs, exact=True), (ours, theirs)


# --- many boards in lockstep are many single ones -------------------------------------------


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(
    "arguments",
    [
        {"scenario": "gym-5x5", "mask": True, "max_episode_steps": 20},
        {"scenario": "gym-6x9", "obs": "seed", "invalid_action": "terminate"},
        {"scenario": "harbour", "obs": "planes", "rewards": {"hit": 0.5}, "max_episode_steps": 70},
        {"scenario": "classic", "obs": "flat", "rewards": "shots", "max_episode_steps": 90},
    ],
    ids=lambda arguments: arguments["scenario"],
)
@pytest.mark.parametrize("copy", [True, False])
def test_vector_env_equals_sync_vector_env_step_by_step(mode, arguments, copy):
    boards, steps = 4, 300
    ours = BattleshipVectorEnv(boards, **arguments, autoreset_mode=mode, copy=copy)
    theirs = SyncVectorEnv([lambda: BattleshipEnv(**arguments)] * boards, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.action_space == theirs.action_space
    agree(ours.reset(seed=7), theirs.reset(seed=7))
    rng = np.random.default_rng(5)
    cells = ours.single_action_space.n
    masks = ours.action_masks()
    ended = 0
    for _ in range(steps):
        # Mostly open cells, so that games are won; some shot before, some off the board.
        actions = rng.integers(-2, cells + 2, boards)
        for board in np.flatnonzero(rng.random(boards) < 0.9):
            if masks[board].any():
                actions[board] = rng.choice(np.flatnonzero(masks[board]))
        found, expected = ours.step(actions), theirs.step(actions)
        agree(found, expected)
        assert found[0] in ours.observation_space
        masks = ours.action_masks()
        over = found[2] | found[3]
        ended += over.sum()
        if mode is AutoresetMode.DISABLED and over.any():
            with pytest.raises(BsbenchError, match="is over: call reset"):
                ours.step(actions)
            reset = [{"options": {"reset_mask": over.copy()}} for _ in range(2)]
            agree(ours.reset(**reset[0]), theirs.reset(**reset[1]))
    assert ended > 2 * boards
    seeds = [3, None, 2**40, None]
    agree(ours.reset(seed=list(seeds)), theirs.reset(seed=list(seeds)))
