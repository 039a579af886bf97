import numpy as np


class Mine:
    """Sound: shoots at random, by the seed that it is given.

    passes
    """

    obs, mask = "planes", True

    def reset(self, seed):
        self.rng = np.random.default_rng(seed)

    def select_action(self, observation):
        return int(self.rng.choice(np.flatnonzero(observation["action_mask"])))
