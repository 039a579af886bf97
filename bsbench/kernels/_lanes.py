"""The type of `bsbench.kernels.lanes`, for numba: how it lies in memory, and what acts on it."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, overload, register_model

from bsbench.kernels import WORDS


class _LanesType(types.Type):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(name="Lanes")


_LANES = _LanesType()
_VECTOR = ir.VectorType(ir.IntType(64), WORDS)


@register_model(_LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
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

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, args), align=8)

    _check_rows(rows)
    return _LANES(rows, types.int64), generate


@intrinsic
def store(typing: Any, rows: Any, row: Any, value: Any) -> Any:
    """Write a value into a row."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    _check_rows(rows)
    return types.void(rows, types.int64, _LANES), generate


@intrinsic
def no_lanes(typing: Any) -> Any:
    """Return the value with no bit set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_VECTOR, [0] * WORDS)

    return _LANES(), generate


@intrinsic
def every_word(typing: Any, word: Any) -> Any:
    """Return the value with all words alike."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = ir.Constant(_VECTOR, ir.Undefined)
        for place in range(WORDS):
            value = builder.insert_element(value, args[0], ir.Constant(ir.IntType(32), place))
        return value

    return _LANES(types.uint64), generate


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
