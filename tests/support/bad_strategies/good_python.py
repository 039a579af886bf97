class Mine:
    """Sound: shoots at random, by the seed that it is given.

    passes
    """

    def reset(self, rules, rng):
        self.rng = rng

    def shoot(self, view):
        return self.rng.choice(view.open_cells)
