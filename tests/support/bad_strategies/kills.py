import os
import signal


class Mine:
    """Kills its process.

    fails: FIRES
    names: SIGKILL
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return view.open_cells[0]
