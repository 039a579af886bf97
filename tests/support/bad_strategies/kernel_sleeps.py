import time

import bsbench


class Mine(bsbench.Strategy):
    """Sleeps for an hour.

    fails: FIRES
    names: shoot, 0.5 s
    line: time.sleep(3600)
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            time.sleep(3600)
        return view.shots.copy()
