import os

import bsbench


class Mine(bsbench.Strategy):
    """Forks, and both processes play on.

    fails: fires at cells
    says: shoot forked its process, and the fork plays on
    line: os.fork()
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            os.fork()
        return view.shots.copy()
