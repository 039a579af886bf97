import time

time.sleep(3600)


class Mine:
    """Waits for ever when it is imported.

    fails:
    says: import
    """

    def shoot(self, view):
        return view.open_cells[0]
