import time


class Mine:
    """Looks at the clock.

    fails: REPEATS
    names: batch
    """

    def shoot(self, view):
        return view.open_cells[time.monotonic_ns() // 1000 % len(view.open_cells)]
