import bsbench


class Mine(bsbench.Strategy):
    """Prints without end.

    fails: fires at cells
    says: shoot took more than
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            while True:
                print("again")
        return view.shots.copy()
