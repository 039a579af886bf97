import bsbench


class Mine(bsbench.Strategy):
    """Makes the fleet smaller.

    fails: FIRES
    names: shoot, rules
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            object.__setattr__(view.rules, "fleet", (1,))
        return view.shots.copy()
