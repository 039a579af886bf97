"""Train an agent with MaskablePPO, and save it as ONNX: needs the extra rl.

``python examples/train_agent.py gym-8x8 --steps 1500000 -o mine.onnx``
"""

import argparse

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import bsbench.env  # registers bsbench/Battleship-v0

parser = argparse.ArgumentParser(description="Train an agent with MaskablePPO.")
parser.add_argument("scenario", nargs="?", default="gym-5x5", help="default: %(default)s")
parser.add_argument("--steps", type=int, default=400_000, help="shots (%(default)s)")
parser.add_argument("-o", "--output", default="mine.onnx", help="default: %(default)s")
asked = parser.parse_args()

torch.set_num_threads(1)  # such a network is small
boards = make_vec_env(
    "bsbench/Battleship-v0",
    n_envs=128,
    env_kwargs={
        "scenario": asked.scenario,
        "obs": "flat",
        # Only misses cost: every game has the same number of hits. A tenth, since optimisers work
        # best where returns are of the order of one.
        "rewards": {"miss": -0.1, "hit": 0.0, "sunk": 0.0, "win": 0.0},
    },
)
model = MaskablePPO(
    "MlpPolicy",
    boards,
    learning_rate=lambda remaining: 1e-3 * max(remaining, 0.02),
    n_steps=64,
    batch_size=1024,
    n_epochs=4,
    gamma=0.95,  # a shot is judged by about the next twenty
    ent_coef=0.01,
    policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU},
    seed=1_000_000,  # of the layouts, too: board i plays the games of this seed + i
    device="cpu",
)
model.learn(asked.steps)
bsbench.env.export(model, asked.output, scenario=asked.scenario, force=True)
