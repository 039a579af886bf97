import os

import bsbench


class Mine(bsbench.Strategy):
    """Forks, and both processes play on.

    fails: FIRES
    names: shoot
    line: os.fork()
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            os.fork()
        return view.shots.copy()
