import time


class Mine:
    """Sleeps for an hour.

    fails: FIRES
    names: 0.5 s
    line: time.sleep(3600)
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            time.sleep(3600)
        return view.open_cells[0]
