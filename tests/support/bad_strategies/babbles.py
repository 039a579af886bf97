import contextlib
import os


class Mine:
    """Writes into all files of its process, those by which it is asked included.

    fails: FIRES
    names: process
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            for descriptor in range(3, 64):
                with contextlib.suppress(OSError):
                    os.write(descriptor, b"A shot in the dark.\n" * 100)
        return view.open_cells[0]
