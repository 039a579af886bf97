"""512 games' bits as one value.

Games played in lockstep are *lanes*. A `Lanes` value holds one bit for each of
the 512 lanes of a *group*, in eight 64-bit words::

    lane in group   511 … 448 | … | 127 … 64 | 63 … 2 1 0
    word                7     | … |     1    |     0

and ``&``, ``|``, ``^``, ``~`` act on all of them at once. It compiles to one vector
register where the processor has 512 bits, and to two or four where it has less.

numba can't be relied on to vectorise a loop over eight words between arrays that
might overlap; this type says outright what is meant. In memory a value is a row
of a C-contiguous uint64 array whose last axis has length 8; rows are numbered
through all other axes, as in a flat array of rows.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, overload, register_model

WORDS = 8
"""64-bit words in a value."""

GROUP = 64 * WORDS
"""Lanes in a group."""

_VECTOR = ir.VectorType(ir.IntType(64), WORDS)


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
    size = WORDS
    for axis in shape:
        size *= axis
    spare = np.empty(size + WORDS, np.uint64)
    offset = -(spare.ctypes.data // 8) % WORDS
    return spare[offset : offset + size].reshape(*shape, WORDS)


class _LanesType(types.Type):
    def __init__(self) -> None:
        super().__init__(name="Lanes")


_lanes = _LanesType()


@register_model(_LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, _VECTOR)


def _check_rows(rows: Any) -> None:
    if not isinstance(rows, types.Array) or rows.dtype != types.uint64 or rows.layout != "C":
        raise TypingError(f"rows of lanes are a C-contiguous uint64 array, not {rows}")


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    word = builder.shl(args[1], ir.Constant(args[1].type, 3))
    return builder.bitcast(builder.gep(array.data, [word]), _VECTOR.as_pointer())


@intrinsic
def load(typing: Any, rows: Any, row: Any) -> Any:
    """Return the value in a row."""
    _check_rows(rows)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, args), align=8)

    return _lanes(rows, types.int64), generate


@intrinsic
def store(typing: Any, rows: Any, row: Any, value: Any) -> Any:
    """Write a value into a row."""
    _check_rows(rows)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.void(rows, types.int64, _lanes), generate


@intrinsic
def no_lanes(typing: Any) -> Any:
    """Return the value with no bit set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_VECTOR, [0] * WORDS)

    return _lanes(), generate


@intrinsic
def words_set(typing: Any, value: Any) -> Any:
    """Return a uint64 whose bit k tells whether word k has any bit set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        flags = builder.icmp_unsigned("!=", args[0], ir.Constant(_VECTOR, [0] * WORDS))
        packed = builder.bitcast(flags, ir.IntType(WORDS))
        return builder.zext(packed, ir.IntType(64))

    return types.uint64(_lanes), generate


def _binary_operator(symbol: Any, in_place: Any, instruction: str) -> None:
    @intrinsic
    def combine(typing: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(args[0], args[1])

        return _lanes(_lanes, _lanes), generate

    # Without annotations, since numba compares this signature with the lambda's.
    def implementation(a, b):
        if a == _lanes and b == _lanes:
            return lambda a, b: combine(a, b)
        return None

    overload(symbol)(implementation)
    overload(in_place)(implementation)


_binary_operator(operator.and_, operator.iand, "and_")
_binary_operator(operator.or_, operator.ior, "or_")
_binary_operator(operator.xor, operator.ixor, "xor")


@intrinsic
def _complement(typing: Any, a: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.not_(args[0])

    return _lanes(_lanes), generate


@overload(operator.invert)
def _invert(a):
    if a == _lanes:
        return lambda a: _complement(a)
    return None
