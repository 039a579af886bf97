import bsbench


class Mine(bsbench.Strategy):
    """Makes the fleet smaller.

    fails: fires at cells
    says: shoot changes the rules, which can only be read
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            object.__setattr__(view.rules, "fleet", (1,))
        return view.shots.copy()
