"""Workers of one run of the tests compile each kernel once.

Whoever needs a version of a kernel first compiles it and leaves it in the cache; another worker
that needs it meanwhile waits, and loads it.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from filelock import FileLock
from numba.core.dispatcher import Dispatcher


def compile_once(run: str) -> None:
    """Let a kernel be compiled by one worker at a time.

    Kernels call each other without circles, so workers can't wait for each other in one, either.

    Parameters
    ----------
    run : str
        What the workers have in common.
    """
    folder = Path(tempfile.gettempdir()) / f"bsbench-tests-{run}"
    folder.mkdir(exist_ok=True)
    unlocked = Dispatcher.compile

    def locked(self, sig):
        code = self.py_func.__code__
        name = hashlib.sha1(f"{code.co_filename}:{code.co_firstlineno}".encode()).hexdigest()
        with FileLock(folder / name):
            return unlocked(self, sig)

    Dispatcher.compile = locked
