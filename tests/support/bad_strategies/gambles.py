import random


class Mine:
    """Chooses at random, by no seed.

    fails: REPEATS
    names: rng
    """

    def shoot(self, view):
        return random.choice(view.open_cells)
