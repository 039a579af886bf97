import sys

import bsbench


class Mine(bsbench.Strategy):
    """Leaves the program.

    fails: FIRES
    names: shoot, SystemExit
    line: sys.exit(0)
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            sys.exit(0)
        return view.shots.copy()
