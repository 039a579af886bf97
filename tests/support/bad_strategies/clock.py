import time


class Mine:
    """Looks at the clock.

    fails: plays the same game under the same seed
    says: in the same batch again
    """

    def shoot(self, view):
        return view.open_cells[time.monotonic_ns() // 1000 % len(view.open_cells)]
