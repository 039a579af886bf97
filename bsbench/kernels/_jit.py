"""Every numba flag, and the folder of compiled kernels, in one place.

Kernels are written as ``@kernel`` (called from Python, or from other kernels),
``@helper`` (only from kernels, always inlined) or ``@allocating`` (a kernel that makes arrays)
and name no flag themselves:

``cache``
    compile once per machine, not once per process;
``nogil``
    blocks of games run on a thread pool;
``error_model="numpy"``
    no test for a zero divisor in front of each division;
``_nrt``
    off but for ``@allocating``: arrays are not reference counted. Where a helper has branches,
    numba leaves the counting of its arrays in the loop, and it takes longer than the work.
    An array made in such a kernel is a typing error ("No implementation of function empty").

numba notices an edit of the module a kernel stands in, but not of a module whose
kernels it calls, and would then run stale code. So the cache folder is named by
a hash of the sources and the numba version: edited sources mean another folder. The two
games have a folder each.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs

_FLAGS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}

_UNUSED_DAYS = 30
"""Folders of other versions that nobody opened for so long are removed."""


_WITHOUT_KERNELS = (
    *("charts/", "check.py", "cli/", "drawing.py", "env/", "human.py", "observation.py"),
    *("plugins/", "replaying/", "report/", "rl/", "stats/", "templates/", "workers.py"),
)
"""Parts that no kernel can import."""

_SECOND_GAME = "connect4/"
_SECOND_GAME_KERNELS = ("connect4/position.py", "connect4/kernels/", "connect4/players/")
"""Its kernels have a folder of their own, since neither game's kernels call those of the other.
They stand in these parts of it, and call nothing else but ``kernels/``."""


def _source_hash(second_game: bool) -> str:
    """Hash the sources on which the kernels of one of the games depend."""
    package = Path(__file__).parent.parent
    digest = hashlib.blake2b(f"numba {numba.__version__}".encode(), digest_size=8)
    for path in sorted(package.rglob("*.py")):
        relative = path.relative_to(package).as_posix()
        if second_game:
            counts = relative.startswith((*_SECOND_GAME_KERNELS, "kernels/"))
        else:
            counts = not relative.startswith((_SECOND_GAME, *_WITHOUT_KERNELS))
        if counts:
            digest.update(relative.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _cache_folder(second_game: bool) -> Path:
    """Return a writable folder for this version's kernels of one game, made if missing.

    It lies in the user's cache folder, or in ``NUMBA_CACHE_DIR`` if that is set. Where
    nothing can be written, a temporary folder serves this process alone.
    """
    parent = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir()
    folder = Path(parent) / "bsbench-kernels" / _source_hash(second_game)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        temporary = Path(tempfile.mkdtemp(prefix="bsbench-kernels-"))
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        return temporary
    for other in folder.parent.iterdir():
        try:
            unused = time.time() - other.stat().st_mtime > _UNUSED_DAYS * 86400
        except OSError:
            continue
        if unused:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def _decorator(**flags: Any) -> Callable[..., Any]:
    """Return what compiles a function with these flags, and keeps it in the folder of its game."""

    def decorate(function: Callable[..., Any]) -> Any:
        # numba looks the folder up when a function is decorated.
        second_game = function.__module__.startswith(f"bsbench.{_SECOND_GAME[:-1]}.")
        numba.config.CACHE_DIR = str(_cache_folder(second_game))
        try:
            return numba.njit(**_FLAGS, **flags)(function)
        finally:
            numba.config.CACHE_DIR = str(_cache_folder(False))

    return decorate


# For functions that users decorate with numba's own decorators, too.
numba.config.CACHE_DIR = str(_cache_folder(False))

kernel = _decorator(_nrt=False)
helper = _decorator(_nrt=False, forceinline=True)
allocating = _decorator(_nrt=True)
