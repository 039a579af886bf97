"""64 games' numbers as one value.

A `Numbers` value holds one number for each of the 64 lanes of a *word* of a bit
plane, all of one type (uint8, uint16, …, float64)::

    word of a plane   bit 63 … 2 1 0        does it hold in this lane?
    numbers               63 … 2 1 0        how much, in this lane?

``+``, ``-``, ``*`` and comparisons act on all of them at once; a comparison returns a
word, and a word says in `choose` and `ones` which lanes are meant. It compiles to as
many vector registers as the processor needs.

In memory a value is a row of a C-contiguous array whose last axis has length 64;
rows are numbered through all other axes, as in a flat array of rows. The dtype of
an array decides the type of its values; sums and products wrap as that type does.

The type and what acts on its values are in `_numbers`, and kernels import them from here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import late
from bsbench.kernels._sizes import LANES as LANES

__getattr__ = late("bsbench.kernels._numbers")

TOO_LARGE = 1 << 1000
"""What float64 numbers should stay below: they hold up to 2^1023."""


def empty_numbers(*shape: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an uninitialised array of rows of numbers, on a cache-line boundary.

    Returns
    -------
    ndarray of ``dtype``, shape ``(*shape, 64)``
    """
    size = np.dtype(dtype).itemsize * LANES * int(np.prod(shape))
    spare = np.empty(size + LANES, np.uint8)
    offset = -spare.ctypes.data % LANES
    return spare[offset : offset + size].view(dtype).reshape(*shape, LANES)
