"""Every numba flag, in one place.

Kernels are written as ``@kernel`` (called from Python, or from other kernels),
``@helper`` (only from kernels, always inlined) or ``@allocating`` (a kernel that makes arrays)
and name no flag themselves:

``cache``
    compile once per machine, not once per process; ``_cache.py`` says when again;
``nogil``
    blocks of games run on a thread pool;
``error_model="numpy"``
    no test for a zero divisor in front of each division;
``_nrt``
    off except for ``@allocating``: arrays are not reference counted. Where a helper has branches,
    numba leaves the counting of its arrays in the loop, and it takes longer than the work.
    An array made in such a kernel is a typing error ("No implementation of function empty").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from bsbench.common.errors import BsbenchError
from bsbench.kernels._cache import KernelCache, folder_for_others

_FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

if numba.config.DISABLE_JIT:
    raise BsbenchError(
        "NUMBA_DISABLE_JIT is set, and the kernels of bsbench can't be interpreted: unset it"
    )


def _decorator(**flags: Any) -> Callable[..., Any]:
    """Return what compiles a function with these flags, and caches the machine code."""

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**_FLAGS, **flags)(function)
        dispatcher._cache = KernelCache(function)
        return dispatcher

    return decorate


numba.config.CACHE_DIR = str(folder_for_others())

kernel = _decorator(_nrt=False)
helper = _decorator(_nrt=False, forceinline=True)
allocating = _decorator(_nrt=True)
