"""What learns: agents, by reinforcement, and the networks of `lattice-net`, from rollouts.

`bsbench.rl.training.train` makes a file, ``NAME.zip``, which can be named wherever a strategy can.
Stable-Baselines3 and torch are needed to train, and onnxruntime to play. `bsbench.rl.values` trains
the networks of `lattice-net`, without torch.
"""
