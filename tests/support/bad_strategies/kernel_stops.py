import os
import signal

import bsbench


class Mine(bsbench.Strategy):
    """Stops its process.

    fails: FIRES
    names: shoot, SIGSTOP
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            os.kill(os.getpid(), signal.SIGSTOP)
        return view.shots.copy()
