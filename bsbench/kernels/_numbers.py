"""The type of `bsbench.kernels.numbers`, for numba: how it lies in memory, and what acts on it."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, overload, register_model

from bsbench.kernels import LANES

_ELEMENTS = {
    types.uint8: ir.IntType(8),
    types.uint16: ir.IntType(16),
    types.uint32: ir.IntType(32),
    types.uint64: ir.IntType(64),
    types.int32: ir.IntType(32),
    types.int64: ir.IntType(64),
    types.float64: ir.DoubleType(),
}


class _NumbersType(types.Type):  # type: ignore[misc]
    def __init__(self, element: Any) -> None:
        super().__init__(name=f"Numbers({element})")
        self.element = element
        self.vector = ir.VectorType(_ELEMENTS[element], LANES)
        self.is_float = element is types.float64
        self.is_signed = not self.is_float and element.signed


_NUMBERS_OF = {element: _NumbersType(element) for element in _ELEMENTS}


@register_model(_NumbersType)
class _NumbersModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, frontend_type.vector)


def _numbers_of(array: Any) -> Any:
    """Return the type of the values in an array."""
    if not isinstance(array, types.Array) or array.dtype not in _NUMBERS_OF or array.layout != "C":
        raise TypingError(f"rows of numbers are a C-contiguous array, not {array}")
    return _NUMBERS_OF[array.dtype]


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    first = builder.mul(args[1], ir.Constant(args[1].type, LANES))
    vector = _NUMBERS_OF[signature.args[0].dtype].vector
    return builder.bitcast(builder.gep(array.data, [first]), vector.as_pointer())


def _align(array: Any) -> int:
    return int(_ELEMENTS[array.dtype].width // 8) if array.dtype is not types.float64 else 8


@intrinsic
def load(typing: Any, array: Any, row: Any) -> Any:
    """Return the value in a row."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, args), align=_align(array))

    return _numbers_of(array)(array, types.int64), generate


@intrinsic
def store(typing: Any, array: Any, row: Any, value: Any) -> Any:
    """Write a value into a row."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature, args)
        builder.store(args[2], pointer, align=_align(array))
        return context.get_dummy_value()

    return types.void(array, types.int64, _numbers_of(array)), generate


def _splat(builder: Any, vector: Any, scalar: Any) -> Any:
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, undefined, zeros)


@intrinsic
def everywhere(typing: Any, array: Any, number: Any) -> Any:
    """Return one number in all lanes, of the type of those in an array."""
    numbers = _numbers_of(array)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _splat(builder, numbers.vector, args[1])

    return numbers(array, numbers.element), generate


def _as_flags(builder: Any, word: Any) -> Any:
    return builder.bitcast(word, ir.VectorType(ir.IntType(1), LANES))


@intrinsic
def choose(typing: Any, word: Any, a: Any, b: Any) -> Any:
    """Return ``a`` in the lanes set in a word (uint64), ``b`` in the others."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(_as_flags(builder, args[0]), args[1], args[2])

    if not isinstance(a, _NumbersType) or a != b:
        raise TypingError(f"two numbers of one type to choose from, not {a} and {b}")
    return a(types.uint64, a, a), generate


@intrinsic
def ones(typing: Any, array: Any, word: Any) -> Any:
    """Return 1 in the lanes set in a word (uint64), 0 in the others, typed as in an array."""
    numbers = _numbers_of(array)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        flags = _as_flags(builder, args[1])
        if numbers.is_float:
            one = ir.Constant(numbers.vector, [1.0] * LANES)
            return builder.select(flags, one, ir.Constant(numbers.vector, [0.0] * LANES))
        return builder.zext(flags, numbers.vector)

    return numbers(array, types.uint64), generate


@intrinsic
def typed_as(typing: Any, array: Any, value: Any) -> Any:
    """Return non-negative numbers as those of the type in an array."""
    numbers = _numbers_of(array)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if numbers == value:
            return args[1]
        if numbers.is_float:
            # Of 32 bits, a signed conversion is an instruction on all processors.
            if value.element.bitwidth < 32:
                signed = ir.VectorType(ir.IntType(32), LANES)
                return builder.sitofp(builder.zext(args[1], signed), numbers.vector)
            return builder.uitofp(args[1], numbers.vector)
        if numbers.element.bitwidth > value.element.bitwidth:
            return builder.zext(args[1], numbers.vector)
        if numbers.element.bitwidth < value.element.bitwidth:
            return builder.trunc(args[1], numbers.vector)
        return args[1]

    if not isinstance(value, _NumbersType) or (value.is_float and value != numbers):
        raise TypingError(f"can't turn {value} into {numbers}")
    return numbers(array, value), generate


def _operator(symbol: Any, of_whole: str, of_float: str) -> None:
    @intrinsic
    def combine(typing: Any, a: Any, b: Any) -> Any:
        instruction = of_float if a.is_float else of_whole

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(args[0], args[1])

        return a(a, b), generate

    # Without annotations, since numba compares this signature with the lambda's.
    def implementation(a, b):
        if isinstance(a, _NumbersType) and a == b:
            return lambda a, b: combine(a, b)
        return None

    overload(symbol)(implementation)


_operator(operator.add, "add", "fadd")
_operator(operator.sub, "sub", "fsub")
_operator(operator.mul, "mul", "fmul")


@intrinsic
def divided(typing: Any, a: Any, b: Any) -> Any:
    """Return the quotients of two float64 numbers."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fdiv(args[0], args[1])

    if not isinstance(a, _NumbersType) or a != b or not a.is_float:
        raise TypingError(f"only float64 numbers are divided, not {a} by {b}")
    return a(a, b), generate


def _comparison(symbol: str) -> Any:
    @intrinsic
    def compare(typing: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if a.is_float:
                flags = builder.fcmp_ordered(symbol, args[0], args[1])
            elif a.is_signed:
                flags = builder.icmp_signed(symbol, args[0], args[1])
            else:
                flags = builder.icmp_unsigned(symbol, args[0], args[1])
            return builder.bitcast(flags, ir.IntType(64))

        if not isinstance(a, _NumbersType) or a != b:
            raise TypingError(f"two numbers of one type to compare, not {a} and {b}")
        return types.uint64(a, b), generate

    return compare


greater = _comparison(">")
"""Return the word of the lanes in which ``a`` is greater than ``b``."""

equal = _comparison("==")
"""Return the word of the lanes in which ``a`` equals ``b``."""
