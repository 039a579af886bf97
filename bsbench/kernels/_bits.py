"""What `bsbench.kernels.bits` passes on: instructions on 64-bit words, for numba."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
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


@intrinsic
def leading_zeros(typing: Any, word: Any) -> Any:
    """Return the number of zeros above the highest bit set in a uint64 (64 if none), as int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def multiply_high(typing: Any, a: Any, b: Any) -> Any:
    """Return the high 64 bits of the 128-bit product of two uint64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        high = builder.lshr(product, ir.Constant(wide, 64))
        return builder.trunc(high, ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


def _has_bit_deposit() -> bool:
    """Return whether kernels are compiled for a processor with the instruction PDEP."""
    if numba.config.CPU_NAME or numba.config.CPU_FEATURES:
        return "+bmi2" in (numba.config.CPU_FEATURES or "")
    return bool(get_host_cpu_features().get("bmi2"))


@intrinsic
def _deposit(typing: Any, bits: Any, mask: Any) -> Any:
    """Return the low bits of ``bits``, spread over the set places of ``mask``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        pdep = builder.module.declare_intrinsic(
            "llvm.x86.bmi.pdep.64", fnty=ir.FunctionType(word, [word, word])
        )
        return builder.call(pdep, args)

    return types.uint64(types.uint64, types.uint64), generate


@helper
def _place_by_deposit(word, rank):
    return np.uint64(trailing_zeros(_deposit(np.uint64(1) << rank, word)))


@helper
def _place_by_halving(word, rank):
    # Skip the lower half where it holds at most ``rank`` bits.
    place = np.uint64(0)
    for half in (32, 16, 8, 4, 2, 1):
        width = np.uint64(half)
        below = population_count((word >> place) & ((np.uint64(1) << width) - np.uint64(1)))
        if rank >= below:
            rank -= below
            place += width
    return place


place_of_bit = _place_by_deposit if _has_bit_deposit() else _place_by_halving
"""Return the place (0 to 63) of a word's set bit number ``rank``, counted from 0; all are
uint64, and the word has more than ``rank`` bits set."""


@intrinsic
def prefetch_row(typing: Any, rows: Any, row: Any) -> Any:
    """Ask for a row of four words, of a C-contiguous uint64 array, before it is read."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        word = builder.shl(args[1], ir.Constant(args[1].type, 2))
        flag, octets = ir.IntType(32), ir.IntType(8).as_pointer()
        prefetch = builder.module.declare_intrinsic(
            "llvm.prefetch", [octets], fnty=ir.FunctionType(ir.VoidType(), [octets, *[flag] * 3])
        )
        # For reading; to be kept in all caches; data.
        kind = (ir.Constant(flag, value) for value in (0, 3, 1))
        pointer = builder.bitcast(builder.gep(array.data, [word]), octets)
        builder.call(prefetch, [pointer, *kind])
        return context.get_dummy_value()

    return types.void(rows, types.uint64), generate
