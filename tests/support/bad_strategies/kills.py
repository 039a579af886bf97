import os
import signal


class Mine:
    """Kills its process.

    fails: fires at cells
    says: its process ended with signal SIGKILL
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return view.open_cells[0]
