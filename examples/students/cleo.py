"""A strategy that waits for something that never comes."""

import time


class Patient:
    """Shoots at 30 cells in order, and waits."""

    def shoot(self, view):
        """Return a cell, 30 times."""
        while len(view.shots) == 30:
            time.sleep(1)
        return view.open_cells[0]
