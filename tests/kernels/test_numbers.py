"""64 numbers as one value, against numpy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from numba.core.errors import NumbaError, TypingError

from bsbench.kernels import numbers
from bsbench.kernels._jit import kernel

WHOLE = [np.uint8, np.uint16, np.uint32, np.uint64, np.int32, np.int64]
DTYPES = [*WHOLE, np.float64]

# A kernel for each type: the quick suite has one without a sign, one with a sign, and float64.
_QUICK = (np.uint8, np.int64, np.float64)
EACH = [
    dtype if dtype in _QUICK else pytest.param(dtype, marks=pytest.mark.slow) for dtype in DTYPES
]

_ROWS = 40


@kernel
def _calculate(a, b, words, number, results, compared):
    """Write to ``results`` what each operation makes of every row of two arrays."""
    for row in range(len(a)):
        left, right = numbers.load(a, row), numbers.load(b, row)
        numbers.store(results, 6 * row, left + right)
        numbers.store(results, 6 * row + 1, left - right)
        numbers.store(results, 6 * row + 2, left * right)
        numbers.store(results, 6 * row + 3, numbers.choose(words[row], left, right))
        numbers.store(results, 6 * row + 4, numbers.ones(results, words[row]))
        numbers.store(results, 6 * row + 5, numbers.everywhere(results, number))
        compared[row, 0] = numbers.greater(left, right)
        compared[row, 1] = numbers.equal(left, right)


@kernel
def _convert(a, u8, u16, u32, u64, i32, i64, f64):
    """Write the rows of a whole-number array to arrays of all types."""
    for row in range(len(a)):
        value = numbers.load(a, row)
        numbers.store(u8, row, numbers.typed_as(u8, value))
        numbers.store(u16, row, numbers.typed_as(u16, value))
        numbers.store(u32, row, numbers.typed_as(u32, value))
        numbers.store(u64, row, numbers.typed_as(u64, value))
        numbers.store(i32, row, numbers.typed_as(i32, value))
        numbers.store(i64, row, numbers.typed_as(i64, value))
        numbers.store(f64, row, numbers.typed_as(f64, value))


@kernel
def _divide(a, b, results):
    for row in range(len(a)):
        quotient = numbers.divided(numbers.load(a, row), numbers.load(b, row))
        numbers.store(results, row, numbers.typed_as(results, quotient))


def _values(dtype, generator, least=None):
    """Return rows of numbers over the whole range of a type, its ends and small ones among them."""
    values = numbers.empty_numbers(_ROWS, dtype=dtype)
    if dtype is np.float64:
        values[:] = generator.normal(size=values.shape) * 10.0 ** generator.integers(
            -9, 9, values.shape
        )
    else:
        info = np.iinfo(dtype)
        low = info.min if least is None else least
        values[:] = generator.integers(low, info.max, values.shape, dtype, endpoint=True)
        values[:10] = generator.integers(max(low, -3), 4, (10, numbers.LANES))
        values[0, :8], values[1, :8] = info.max, low
    return values


def _word(flags) -> int:
    """Return the word whose bit n is the flag of lane n."""
    return sum(1 << lane for lane in range(numbers.LANES) if flags[lane])


@pytest.mark.parametrize("dtype", EACH)
def test_operations_agree_with_numpy(dtype):
    generator = np.random.default_rng(1)
    a, b = _values(dtype, generator), _values(dtype, generator)
    # Equal numbers in some lanes.
    b[:, ::5] = a[:, ::5]
    flags = generator.random((_ROWS, numbers.LANES)) < 0.5
    flags[3], flags[4] = True, False
    words = np.array([_word(row) for row in flags], np.uint64)
    results = numbers.empty_numbers(_ROWS, 6, dtype=dtype)
    compared = np.zeros((_ROWS, 2), np.uint64)
    _calculate(a, b, words, 200, results, compared)
    # numpy wraps whole numbers as the type does, and says nothing of it in arrays.
    assert (results[:, 0] == a + b).all()
    assert (results[:, 1] == a - b).all()
    assert (results[:, 2] == a * b).all()
    assert (results[:, 3] == np.where(flags, a, b)).all()
    assert (results[:, 4] == flags).all()
    assert (results[:, 5] == 200).all()
    assert compared[:, 0].tolist() == [_word(row) for row in a > b]
    assert compared[:, 1].tolist() == [_word(row) for row in a == b]


@pytest.mark.parametrize("dtype", EACH[:-1])  # whole numbers
def test_numbers_that_are_not_negative_are_converted(dtype):
    values = _values(dtype, np.random.default_rng(2), least=0)
    converted = [numbers.empty_numbers(_ROWS, dtype=other) for other in DTYPES]
    _convert(values, *converted)
    for result in converted:
        # Too large ones are cut to the bits of the type, as by numpy.
        assert (result == values.astype(result.dtype)).all(), result.dtype


def test_quotients():
    generator = np.random.default_rng(3)
    a, b = _values(np.float64, generator), _values(np.float64, generator)
    b[0] = 0
    results = numbers.empty_numbers(_ROWS, dtype=np.float64)
    _divide(a, b, results)
    with np.errstate(divide="ignore"):
        assert (results == a / b).all()


def test_nothing_compares_with_nan():
    a = np.full((1, numbers.LANES), np.nan)
    compared = np.ones((1, 2), np.uint64)
    results = numbers.empty_numbers(1, 6, dtype=np.float64)
    _calculate(a, a, np.zeros(1, np.uint64), 0, results, compared)
    assert not compared.any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_begin_on_a_cache_line(dtype):
    for shape in ((), (1,), (3, 5)):
        rows = numbers.empty_numbers(*shape, dtype=dtype)
        assert rows.shape == (*shape, numbers.LANES)
        assert rows.dtype == dtype
        assert rows.ctypes.data % 64 == 0
        assert rows.flags.c_contiguous


def test_rows_are_numbered_through_all_other_axes():
    a = np.arange(6 * numbers.LANES, dtype=np.int64).reshape(3, 2, numbers.LANES)
    results = numbers.empty_numbers(3, 2, dtype=np.int64)
    _copy(a, results, 5)
    assert (results[2, 1] == a[2, 1]).all()


@kernel
def _copy(a, results, row):
    numbers.store(results, row, numbers.load(a, row))


@kernel
def _add(a, b):
    numbers.store(a, 0, numbers.load(a, 0) + numbers.load(b, 0))


@kernel
def _choose(a, b):
    numbers.store(a, 0, numbers.choose(np.uint64(1), numbers.load(a, 0), numbers.load(b, 0)))


@kernel
def _compare(a, b):
    return numbers.greater(numbers.load(a, 0), numbers.load(b, 0))


@kernel
def _store_other(a, b):
    numbers.store(a, 0, numbers.load(b, 0))


@kernel
def _retype(a, b):
    numbers.store(a, 0, numbers.typed_as(a, numbers.load(b, 0)))


@kernel
def _choose_scalars(a, b):
    return numbers.choose(np.uint64(1), 1, 2)


@pytest.mark.parametrize(
    ("wrong", "dtypes", "words"),
    [
        (_add, (np.uint8, np.uint16), r"Numbers\(uint8\)"),
        (_choose, (np.int64, np.uint64), "two numbers of one type to choose from"),
        (_compare, (np.int32, np.float64), "two numbers of one type to compare"),
        (_store_other, (np.uint16, np.int32), r"Cannot cast Numbers\(int32\) to Numbers\(uint16\)"),
        (_retype, (np.int64, np.float64), r"can't turn Numbers\(float64\) into Numbers\(int64\)"),
        (_choose_scalars, (np.int64, np.int64), "two numbers of one type to choose from"),
        (_add, (np.float32, np.float32), "rows of numbers are a C-contiguous array"),
        (_add, (np.int8, np.int8), "rows of numbers are a C-contiguous array"),
    ],
)
def test_wrong_types_are_refused(wrong, dtypes, words):
    with pytest.raises(NumbaError, match=words):
        wrong(*(np.zeros((1, numbers.LANES), dtype) for dtype in dtypes))


def test_whole_numbers_are_not_divided():
    row = np.ones((1, numbers.LANES), np.int64)
    with pytest.raises(TypingError, match="only float64 numbers are divided"):
        _divide(row, row, row)


def test_rows_that_are_not_contiguous_are_refused():
    row = np.ones((1, 2 * numbers.LANES), np.int64)[:, ::2]
    with pytest.raises(TypingError, match="C-contiguous"):
        _copy(row, row, 0)


def test_operators_are_known_before_any_kernel_is_made():
    """A kernel that wrote ~ could not be compiled if what it calls brought that operator along."""
    code = (
        "import sys\n"
        "from bsbench.layouts.one_by_one import _draw_layouts\n"
        "_draw_layouts.made\n"
        "print({'bsbench.kernels._lanes', 'bsbench.kernels._numbers'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    passed_on = {name for name in ("_lanes", "_numbers") if name in done.stdout}
    assert "_lanes" in passed_on
