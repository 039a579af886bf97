import os

import bsbench


class Mine(bsbench.Strategy):
    """Ends its process.

    fails: FIRES
    names: shoot, exit code 6
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            os._exit(6)
        return view.shots.copy()
