import contextlib
import os

import bsbench


class Mine(bsbench.Strategy):
    """Writes into all files of its process, which harms no check.

    passes
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            for descriptor in range(3, 64):
                with contextlib.suppress(OSError):
                    os.write(descriptor, b"A shot in the dark.\n" * 100)
        return view.shots.copy()
