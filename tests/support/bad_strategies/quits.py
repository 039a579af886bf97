import sys


class Mine:
    """Leaves the program.

    fails: FIRES
    names: SystemExit
    line: sys.exit(0)
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            sys.exit(0)
        return view.open_cells[0]
