"""512 games' bits as one value.

Games played in lockstep are *lanes*. A `Lanes` value holds one bit for each of
the 512 lanes of a *group*, in eight 64-bit words::

    lane in group   511 … 448 | … | 127 … 64 | 63 … 2 1 0
    word                7     | … |     1    |     0

and ``&``, ``|``, ``^``, ``~`` act on all of them at once; ``<<`` and ``>>`` shift each word by
the number in the same word of the other value. It compiles to one vector
register where the processor has 512 bits, and to two or four where it has less.

numba can't be relied on to vectorise a loop over eight words between arrays that
might overlap; this type says outright what is meant. In memory a value is a row
of a C-contiguous uint64 array whose last axis has length 8; rows are numbered
through all other axes, as in a flat array of rows.

The type and what acts on its values are in `_lanes`, and kernels import them from here.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bsbench.kernels import WORDS as WORDS
from bsbench.kernels._jit import late

__getattr__ = late("bsbench.kernels._lanes")

GROUP = 64 * WORDS
"""Lanes in a group."""

_CACHE_LINE = 64


def empty_rows(*shape: int) -> npt.NDArray[np.uint64]:
    """Return an uninitialised array of `Lanes` rows, on a cache-line boundary.

    Parameters
    ----------
    *shape : int
        All axes but the last.

    Returns
    -------
    ndarray of uint64, shape ``(*shape, 8)``
    """
    size = 8 * WORDS * math.prod(shape)
    spare = np.empty(size + _CACHE_LINE, np.uint8)
    offset = -spare.ctypes.data % _CACHE_LINE
    return spare[offset : offset + size].view(np.uint64).reshape(*shape, WORDS)
