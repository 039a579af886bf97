"""Arrays with an entry for each shot of a turn, or, with one axis, of single shots.

A kernel says ``at(cells, lane, place)`` for ``cells[lane, place]``. Where turns are single shots,
it is given arrays of one axis: numba then compiles it without loops over the shots of a turn.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from bsbench.kernels._jit import helper


def for_kernels(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array of shape (lanes, shots of a turn) as kernels take it: the same memory."""
    return array[:, 0] if array.shape[1] == 1 else array


@helper
def most_shots(array):
    """Return how many shots a turn has at most."""
    if array.ndim == 1:
        return 1
    return array.shape[1]


@helper
def at(array, lane, place):
    """Return the entry of a shot."""
    if array.ndim == 1:
        return array[lane]
    return array[lane, place]


@helper
def put(array, lane, place, value):
    """Write the entry of a shot."""
    if array.ndim == 1:
        array[lane] = value
    else:
        array[lane, place] = value
