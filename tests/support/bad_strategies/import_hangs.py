import time

time.sleep(3600)


class Mine:
    """Waits for ever when it is imported.

    refused: 4 s
    line: time.sleep(3600)
    """

    def shoot(self, view):
        return view.open_cells[0]
