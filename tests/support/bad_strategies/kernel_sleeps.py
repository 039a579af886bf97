import time

import bsbench


class Mine(bsbench.Strategy):
    """Sleeps for an hour.

    fails: fires at cells
    says: shoot took more than
    line: time.sleep(3600)
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            time.sleep(3600)
        return view.shots.copy()
