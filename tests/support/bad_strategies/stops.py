import os
import signal


class Mine:
    """Stops its process.

    fails: FIRES
    names: process
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            os.kill(os.getpid(), signal.SIGSTOP)
        return view.open_cells[0]
