"""Models of Stable-Baselines3 as strategies; needs torch."""
# ruff: noqa: E402

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs bsbench[rl]")
pytest.importorskip("stable_baselines3", reason="needs bsbench[rl]")
pytest.importorskip("sb3_contrib", reason="needs bsbench[rl]")

from sb3_contrib import QRDQN, TRPO, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize
from torch import nn

import bsbench
from bsbench.env import BattleshipEnv, export, exporting
from bsbench.play.game import play_game
from bsbench.play.samplers import make_sampler
from bsbench.roster import find_strategy
from bsbench.rules.scenario import find_scenario
from tests.support import ROOT
from tests.support.refusals import names, refused

# What torch and Stable-Baselines3 warn of is theirs.
pytestmark = pytest.mark.filterwarnings("default")

SCENARIO = find_scenario("gym-5x5")
SALVOS = SCENARIO.override(shots=2, answers="each")


class Planes(BaseFeaturesExtractor):
    """Convolutions beside the other numbers."""

    def __init__(self, space, features_dim: int = 24) -> None:
        super().__init__(space, features_dim)
        self.conv = nn.Sequential(
            nn.Conv2d(4, 6, 3, padding=1),
            nn.ReLU(inplace=True),
            nn.BatchNorm2d(6),
            nn.Conv2d(6, 8, 3, padding="same", dilation=2),
            nn.ELU(),
            nn.Dropout(0.5),
            nn.Flatten(),
        )
        self.rest = nn.Sequential(nn.Linear(8 * 25 + 3, features_dim), nn.LayerNorm(24), nn.GELU())

    def forward(self, shown):
        counts = [shown["remaining_ships"] / 5, shown["move_count"] / shown["planes"][0, 0].numel()]
        return self.rest(torch.cat([self.conv(shown["planes"]), *counts], dim=1))


class Residual(BaseFeaturesExtractor):
    """Learned marks, the place of each cell, a residual block, and pooling."""

    def __init__(self, space, features_dim: int = 16) -> None:
        super().__init__(space, features_dim)
        self.marks = nn.Embedding(4, 3)
        self.first, self.second = nn.Conv2d(4, 4, 3, padding="same"), nn.Conv2d(4, 4, 3, padding=1)
        self.register_buffer("place", torch.linspace(-1, 1, 25).view(1, 1, 5, 5))
        self.out = nn.Linear(4 * 2 * 2 + 4 + 1, features_dim)

    def forward(self, shown):
        marks = self.marks(shown["attack_board"].long()).permute(0, 3, 1, 2)
        planes = torch.cat([marks, self.place.expand(len(marks), -1, -1, -1)], 1)
        planes = torch.relu(self.first(planes))
        planes = planes + nn.functional.silu(self.second(planes))
        pooled = nn.functional.max_pool2d(planes, 2).flatten(1)
        left = 1 - shown["action_mask"].mean(dim=1, keepdim=True)
        return torch.tanh(self.out(torch.cat([pooled, planes.mean(dim=(2, 3)), left], 1)))


class Growing(BaseFeaturesExtractor):
    """A layer that is rare."""

    def __init__(self, space) -> None:
        super().__init__(space, 77)

    def forward(self, shown):
        return torch.cumsum(shown, dim=1)


class Choosing(Growing):
    """Something that torch can't follow."""

    def forward(self, shown):
        return shown if shown.sum() > 3 else -shown


def boards(**options):
    given = {"scenario": SCENARIO, "obs": "flat", "rewards": "shots", **options}
    return make_vec_env("bsbench/Battleship-v0", n_envs=4, env_kwargs=given)


def made(algorithm, policy="MlpPolicy", steps: int = 256, extractor=None, env=None, **options):
    """Return a model that has learned a little."""
    torch.set_num_threads(1)
    obs = {name: options.pop(name) for name in ("obs", "mask") if name in options}
    if extractor is not None:
        options["policy_kwargs"] = {"features_extractor_class": extractor}
    if algorithm in (PPO, MaskablePPO, RecurrentPPO, TRPO):
        options |= {"n_steps": 32}
    if algorithm in (DQN, QRDQN):
        options |= {"learning_starts": 64}
    env = boards(**obs) if env is None else env
    model = algorithm(policy, env, seed=0, device="cpu", **options)
    return model.learn(steps)


MODELS = {
    "ppo": lambda: made(PPO),
    "ppo-rare": lambda: made(PPO, extractor=Growing),
    "maskable-ppo": lambda: made(MaskablePPO),
    "maskable-cnn": lambda: made(MaskablePPO, "MultiInputPolicy", obs="planes", extractor=Planes),
    "a2c-cnn": lambda: made(A2C, "MultiInputPolicy", obs="sunk", mask=True, extractor=Residual),
    "a2c-seed": lambda: made(A2C, "MultiInputPolicy", obs="seed"),
    "dqn": lambda: made(DQN, env=DummyVecEnv([lambda: BattleshipEnv(SCENARIO, obs="flat")])),
    "dqn-cnn": lambda: made(DQN, "MultiInputPolicy", obs="planes", extractor=Planes),
    "qrdqn": lambda: made(QRDQN, policy_kwargs={"n_quantiles": 5}),
    "trpo": lambda: made(TRPO),
}


def wanted_cell(model, observation, mask) -> int:
    """Return what a model would shoot, by what Stable-Baselines3 itself says."""
    if isinstance(model, MaskablePPO):
        return int(model.predict(observation, action_masks=mask, deterministic=True)[0])
    cell = int(model.predict(observation, deterministic=True)[0])
    if mask[cell]:
        return cell
    # It would shoot a cell again. What it thinks of the others:
    tensors, _ = model.policy.obs_to_tensor(observation)
    with torch.no_grad():
        if hasattr(model.policy, "get_distribution"):
            scores = model.policy.get_distribution(tensors).distribution.probs
        elif isinstance(model, DQN):
            scores = model.policy.q_net(tensors)
        elif isinstance(model, QRDQN):
            scores = model.policy.quantile_net(tensors).mean(dim=1)
        else:
            scores = model.policy.action_net(tensors.float())
    return int(np.where(mask, scores[0].numpy(), -np.inf).argmax())


@pytest.mark.parametrize("name", MODELS)
def test_what_is_exported_plays_what_the_model_plays(tmp_path, name):
    model = MODELS[name]()
    path = export(model, tmp_path / name, SCENARIO)
    assert path == tmp_path / f"{name}.onnx"
    strategy = find_strategy(str(path))()
    sampler = make_sampler(SCENARIO.rules, SCENARIO.placement)
    space = model.policy.observation_space
    fields = getattr(space, "spaces", {})
    obs = name.partition("-")[2] if name.endswith("seed") else "flat"
    obs = "planes" if "planes" in fields else "sunk" if name == "a2c-cnn" else obs
    env = BattleshipEnv(SCENARIO, obs=obs, mask="action_mask" in fields)
    cells = []
    for game in range(3):
        observation, _ = env.reset(seed=3, options={"game": game})
        for move in play_game(strategy.copy(), SCENARIO.rules, sampler, 3, game):
            assert move.cell == wanted_cell(model, observation, env.action_masks())
            observation, *_ = env.step(move.cell)
            cells.append(move.cell)
    assert len(set(cells)) > 15
    assert names(strategy.source, type(model).__name__)


def test_what_can_not_be_exported_is_played_as_a_class_around_it(in_folder):
    """As the page on the environment says."""
    for model, named in (
        (made(PPO, extractor=Choosing), "torch"),
        (made(RecurrentPPO, "MlpLstmPolicy", policy_kwargs={"lstm_hidden_size": 8}), "memory"),
    ):
        with refused(named):
            export(model, "mine.onnx", SCENARIO)
    assert not list(in_folder.iterdir())
    model = made(PPO)
    model.save("model.zip")
    page = (ROOT / "docs" / "gymnasium.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(# my_model.py.*?)```", page, re.DOTALL)
    Path("my_model.py").write_text(code)
    played, exported = (
        bsbench.run(each, SCENARIO, games=50, keep_moves=True).moves
        for each in ("my_model.py:Mine", str(export(model, "mine.onnx")))
    )
    assert (played == exported).all()


def test_bad_input_is_told_in_a_sentence(in_folder):
    model = made(PPO, steps=128)
    model.save("model.zip")
    Path("there.onnx").touch()
    alone = PPO.load("model.zip", device="cpu")
    normal = VecNormalize(DummyVecEnv([lambda: BattleshipEnv(SCENARIO, obs="flat")]))
    changed = PPO("MlpPolicy", normal, n_steps=32, device="cpu")
    for arguments, named in (
        ((model, "x.txt"), ["'x.txt'", ".onnx"]),
        ((model, "there.onnx"), ["there.onnx", "force=True"]),
        ((model, "none/x.onnx"), ["none"]),
        ((model, "x.onnx", "gym-6x6"), ["gym-6x6"]),
        ((model, "x.onnx", "nowhere"), ["'nowhere'"]),
        ((alone, "x.onnx"), ["scenario='gym-8x8'"]),
        ((3, "x.onnx"), ["int"]),
        ((changed, "x.onnx"), ["VecNormalize"]),
        ((model, "x.onnx", SALVOS), [SALVOS.rules.turn_text]),
    ):
        with refused(*named):
            export(*arguments)
    assert {path.name for path in in_folder.iterdir()} == {"model.zip", "there.onnx"}
    assert export(alone, "there.onnx", SCENARIO, force=True).stat().st_size > 1_000


def test_a_network_that_computes_something_else_is_not_saved(in_folder, monkeypatch):
    model = made(PPO, steps=128)
    compared = exporting._compare
    monkeypatch.setattr(exporting, "_compare", lambda found, wanted: compared(found, 0 * wanted))
    with refused("policy"):
        export(model, "mine.onnx")
    assert not list(in_folder.iterdir())


def test_a_network_of_torch_alone_is_compared(in_folder):
    script = (ROOT / "examples" / "clone_agent.py").read_text(encoding="utf-8")
    Path("clone.py").write_text(script.replace("2_000", "200"))
    subprocess.run([sys.executable, "clone.py"], check=True, capture_output=True)
    found = bsbench.compare(["cloned.onnx", "prob", "random"], SCENARIO, games=2_000)
    cloned, prob, random = (result.stats.mean for result in found.results)
    assert prob <= cloned < (prob + random) / 2
