"""Teach a network in plain torch to play like a strategy, and save it as ONNX.

It needs gymnasium, torch and onnxscript, and nothing of bsbench but the boards.
"""

import gymnasium
import torch

from bsbench.env import StrategyAgent

torch.manual_seed(0)
torch.set_num_threads(1)  # such a network is small
boards = gymnasium.make_vec("bsbench/Battleship-v0", num_envs=256, scenario="gym-5x5", obs="planes")
teacher = StrategyAgent("prob", boards)
network = torch.nn.Sequential(
    torch.nn.Flatten(), torch.nn.Linear(100, 128), torch.nn.ReLU(), torch.nn.Linear(128, 25)
)
optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)
observations, infos = boards.reset(seed=1_000_000)  # board i plays the games of this seed + i
for _ in range(2_000):
    actions = teacher.select_actions(observations, infos)
    logits = network(torch.tensor(observations["planes"], dtype=torch.float32))
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor(actions))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    observations, _, _, _, infos = boards.step(actions)
torch.onnx.export(
    network,
    (torch.zeros(2, 4, 5, 5),),
    "cloned.onnx",
    input_names=["planes"],
    output_names=["logits"],
    dynamic_shapes=[{0: torch.export.Dim.DYNAMIC}],  # any number of games
    dynamo=True,
    external_data=False,  # all weights in this file
)
