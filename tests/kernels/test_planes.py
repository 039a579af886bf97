from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bsbench.kernels import _bits, bits, planes
from bsbench.kernels._jit import kernel
from bsbench.strategies.prob import slots_through
from tests.support import naive
from tests.support.helpers import as_words


@kernel
def _bit_kernels(word, rank):
    return (
        bits.population_count(word),
        bits.trailing_zeros(word),
        bits.place_of_bit(word, rank),
        _bits._place_by_halving(word, rank),
    )


@given(st.integers(1, 2**64 - 1), st.data())
def test_bit_instructions(word, data):
    ones = [place for place in range(64) if word >> place & 1]
    rank = data.draw(st.integers(0, len(ones) - 1))
    assert _bit_kernels(np.uint64(word), np.uint64(rank)) == (
        len(ones),
        ones[0],
        ones[rank],
        ones[rank],
    )


@given(st.integers(1, 170), st.sampled_from([1, 64, 65, 512]), st.integers(0, 1000))
def test_boards_turned_are_the_plane_bit_by_bit(cells, lanes, seed):
    flags = np.random.default_rng(seed).random((lanes, cells)) < 0.6
    squares = planes.as_squares(_boards(flags))
    plane = planes.empty_rows(64 * len(squares))
    planes.turn(squares, plane)
    bits = np.unpackbits(plane.view(np.uint8), axis=1, bitorder="little")
    assert (bits[:cells, :lanes] == flags.T).all()
    assert bits[:cells, lanes:].all()


def _boards(flags):
    """Return boards with the given bits, shape (lanes, words)."""
    lanes, cells = flags.shape
    return as_words(np.pad(flags, ((0, 0), (0, -cells % 64))).reshape(lanes, -1, 64))


def _most(flags, rows: int, cols: int) -> list[int]:
    """Return the cell with most slots in each lane."""
    cells = np.full(512, -1)
    planes.most_slots(planes.as_squares(_boards(flags)), cells, *planes.slot_scratch(rows, cols))
    return cells[: len(flags)].tolist()


@given(st.integers(1, 17), st.integers(1, 17), st.floats(0.3, 1), st.integers(0, 1000))
def test_the_cell_with_most_slots_agrees_with_the_twin(rows, cols, density, seed):
    flags = np.random.default_rng(seed).random((512, rows * cols)) < density
    most = _most(flags, rows, cols)
    for lane in (0, 7, 8, 63, 64, 511):
        is_open = set(np.flatnonzero(flags[lane]).tolist())
        expected = naive.slot_counts(rows, cols, (1, 2, 3, 4, 5), is_open)
        counts = slots_through(flags[lane].reshape(rows, cols)).ravel().tolist()
        assert counts == expected
        assert most[lane] == max(sorted(is_open), key=lambda cell: expected[cell], default=0)
