import random


class Mine:
    """Chooses at random, by no seed.

    fails: plays the same game under the same seed
    says: All randomness must come from rng
    """

    def shoot(self, view):
        return random.choice(view.open_cells)
