import ctypes

import bsbench


class Mine(bsbench.Strategy):
    """Reads memory that is not its own.

    fails: FIRES
    names: shoot, SIGSEGV
    line: ctypes.string_at(0)
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            ctypes.string_at(0)
        return view.shots.copy()
