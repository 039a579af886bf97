import bsbench


class Mine(bsbench.Strategy):
    """Prints without end.

    fails: FIRES
    names: shoot, 0.5 s
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            while True:
                print("again")
        return view.shots.copy()
