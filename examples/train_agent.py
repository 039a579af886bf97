"""Train an agent with Stable-Baselines3, and export it: needs the extra rl."""

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

import bsbench.env  # registers bsbench/Battleship-v0

torch.set_num_threads(1)  # such a network is small
options = {"scenario": "gym-5x5", "obs": "flat", "rewards": "shots"}
boards = make_vec_env("bsbench/Battleship-v0", n_envs=16, env_kwargs=options)
model = PPO(
    "MlpPolicy",
    boards,
    n_steps=128,
    batch_size=512,
    gamma=0.95,
    ent_coef=0.01,
    seed=1_000_000,  # of the layouts, too: board i plays the games of this seed + i
)
model.learn(200_000)
model.save("model.zip")  # to continue the training
bsbench.env.export(model, "mine.onnx", scenario="gym-5x5")
