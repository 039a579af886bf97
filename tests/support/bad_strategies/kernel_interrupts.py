import bsbench


class Mine(bsbench.Strategy):
    """Presses Ctrl-C.

    fails: FIRES
    names: shoot, KeyboardInterrupt
    line: raise KeyboardInterrupt
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            raise KeyboardInterrupt
        return view.shots.copy()
