import os


class Mine:
    """Forks, and both processes play on.

    fails: FIRES
    line: os.fork()
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            os.fork()
        return view.open_cells[0]
