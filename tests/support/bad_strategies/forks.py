import os


class Mine:
    """Forks, and both processes play on.

    fails: fires at cells
    says: it forks its process, and the fork plays on
    line: os.fork()
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            os.fork()
        return view.open_cells[0]
