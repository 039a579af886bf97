import os


class Mine:
    """Ends its process.

    fails: FIRES
    names: exit code 3
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            os._exit(3)
        return view.open_cells[0]
