"""Single instructions on 64-bit words that numba has no name for."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from bsbench.kernels._jit import helper


@intrinsic
def population_count(typing: Any, word: Any) -> Any:
    """Return the number of bits set in a uint64, as uint64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


@intrinsic
def trailing_zeros(typing: Any, word: Any) -> Any:
    """Return the place of the lowest bit set in a uint64 (64 if none), as int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@helper
def place_of_bit(word, rank):
    """Return the place (0 to 63) of the set bit number ``rank``, counted from 0.

    A binary search: skip the lower half where it holds at most ``rank`` bits.
    """
    place = np.uint64(0)
    for half in (32, 16, 8, 4, 2, 1):
        width = np.uint64(half)
        below = population_count((word >> place) & ((np.uint64(1) << width) - np.uint64(1)))
        if rank >= below:
            rank -= below
            place += width
    return place
