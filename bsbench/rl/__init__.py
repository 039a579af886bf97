"""Agents that learn: training by reinforcement, over the environments of `bsbench.env`.

`bsbench.rl.training.train` makes a file, ``NAME.zip``, which can be named wherever a strategy can.
Stable-Baselines3 and torch are needed to train, and not to play.
"""
