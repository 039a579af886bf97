"""The type of `bsbench.kernels.lanes`, for numba: how it lies in memory, and what acts on it."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, overload, register_model

from bsbench.kernels.lanes import WORDS


class _LanesType(types.Type):  # type: ignore[misc]
    def __init__(self, bits: int) -> None:
        super().__init__(name=f"Lanes({bits})")
        self.vector = ir.VectorType(ir.IntType(bits), WORDS)


_LANES_OF = {types.uint64: _LanesType(64), types.uint8: _LanesType(8)}


@register_model(_LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, frontend_type.vector)


def _lanes_of(rows: Any) -> Any:
    """Return the type of the values in an array."""
    if not isinstance(rows, types.Array) or rows.dtype not in _LANES_OF or rows.layout != "C":
        raise TypingError(f"rows of lanes are a C-contiguous uint64 or uint8 array, not {rows}")
    return _LANES_OF[rows.dtype]


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    word = builder.shl(args[1], ir.Constant(args[1].type, 3))
    vector = _LANES_OF[signature.args[0].dtype].vector
    return builder.bitcast(builder.gep(array.data, [word]), vector.as_pointer())


@intrinsic
def load(typing: Any, rows: Any, row: Any) -> Any:
    """Return the value in a row."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, args), align=8)

    return _lanes_of(rows)(rows, types.int64), generate


@intrinsic
def store(typing: Any, rows: Any, row: Any, value: Any) -> Any:
    """Write a value into a row."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.void(rows, types.int64, _lanes_of(rows)), generate


@intrinsic
def no_lanes(typing: Any, rows: Any) -> Any:
    """Return the value with no bit set, of the type of those in an array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(signature.return_type.vector, [0] * WORDS)

    return _lanes_of(rows)(rows), generate


@intrinsic
def every_word(typing: Any, rows: Any, word: Any) -> Any:
    """Return the value with all words alike, of the type of those in an array of 64-bit words."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = ir.Constant(signature.return_type.vector, ir.Undefined)
        for place in range(WORDS):
            value = builder.insert_element(value, args[1], ir.Constant(ir.IntType(32), place))
        return value

    return _LANES_OF[types.uint64](rows, types.uint64), generate


@intrinsic
def words_set(typing: Any, value: Any) -> Any:
    """Return a uint64 whose bit k is set if word k has any bit set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(args[0].type, [0] * WORDS)
        flags = builder.icmp_unsigned("!=", args[0], zero)
        packed = builder.bitcast(flags, ir.IntType(WORDS))
        return builder.zext(packed, ir.IntType(64))

    if not isinstance(value, _LanesType):
        raise TypingError(f"not lanes, but {value}")
    return types.uint64(value), generate


def _binary_operator(symbol: Any, in_place: Any, instruction: str) -> None:
    @intrinsic
    def combine(typing: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(args[0], args[1])

        return a(a, b), generate

    # Without annotations, since numba compares this signature with the lambda's.
    def implementation(a, b):
        if isinstance(a, _LanesType) and a == b:
            return lambda a, b: combine(a, b)
        return None

    overload(symbol)(implementation)
    overload(in_place)(implementation)


_binary_operator(operator.and_, operator.iand, "and_")
_binary_operator(operator.or_, operator.ior, "or_")
_binary_operator(operator.xor, operator.ixor, "xor")
_binary_operator(operator.lshift, operator.ilshift, "shl")
_binary_operator(operator.rshift, operator.irshift, "lshr")


@intrinsic
def _complement(typing: Any, a: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.not_(args[0])

    return a(a), generate


@overload(operator.invert)
def _invert(a):
    if isinstance(a, _LanesType):
        return lambda a: _complement(a)
    return None
