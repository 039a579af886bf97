from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsbench.kernels import _bits, bits, planes
from bsbench.kernels._jit import kernel
from bsbench.kernels.boards import full_boards
from tests import naive
from tests.helpers import as_words


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


def _plane_of(boards: list[set[int]], cells: int):
    """Return the plane whose lanes are the given sets of cells, bit by bit."""
    plane = planes.full_plane(len(boards), cells)
    plane.fill(0)
    for lane, board in enumerate(boards):
        for cell in board:
            plane[lane // 512, cell, lane // 64 % 8] |= plane.dtype.type(1 << lane % 64)
    return plane


def _boards_of(plane, lanes: int) -> list[set[int]]:
    return [
        {
            cell
            for cell in range(plane.shape[1])
            if int(plane[lane // 512, cell, lane // 64 % 8]) >> lane % 64 & 1
        }
        for lane in range(lanes)
    ]


@given(
    st.integers(1, 13), st.integers(1, 13), st.sampled_from([1, 8, 9, 64, 511, 512, 700]), st.data()
)
def test_boards_turned_are_the_plane_bit_by_bit(rows, cols, lanes, data):
    generator = np.random.default_rng(data.draw(st.integers(0, 1000)))
    cells = rows * cols
    flags = generator.random((lanes, cells)) < 0.6
    boards = full_boards(lanes, cells)
    boards[:] = as_words(np.pad(flags, ((0, 0), (0, -cells % 64))).reshape(lanes, -1, 64))
    plane = planes.full_plane(lanes, cells)
    planes.turn_boards(boards, plane)
    assert _boards_of(plane, lanes) == [set(np.flatnonzero(row).tolist()) for row in flags]


@kernel
def _mark(mask, lane):
    planes.set_lane(mask, lane)


@pytest.mark.parametrize("lanes", [8, 700])
def test_a_mask_holds_the_lanes_that_were_set(lanes):
    mask, some = planes.no_mask(lanes), {0, 5, lanes - 1}
    for lane in some:
        _mark(mask, lane)
    assert {lane for lane in range(lanes) if planes.lane_of_mask(mask, lane)} == some


def _count(board_lanes: list[set[int]], wanted: list[bool], rows: int, cols: int, lengths):
    """Run the counting and the choosing kernel; return counts[lane][cell] and best[lane]."""
    cells, lanes = rows * cols, len(board_lanes)
    plane = _plane_of(board_lanes, cells)
    mask = planes.no_mask(lanes)
    for lane in np.flatnonzero(wanted):
        mask[lane // 512, lane // 64 % 8] |= mask.dtype.type(1 << int(lane) % 64)
    counts = planes.empty_counts(lanes, cells)
    counts.fill(np.iinfo(counts.dtype).max)
    slots = planes.slot_lengths(rows, cols, lengths, lanes)
    planes.count_slots(plane, mask, rows, cols, slots, counts)
    best = np.full(lanes, -1)
    stuck = planes.first_maximum(plane, mask, counts, best)

    def number(lane: int, cell: int) -> int:
        digits = counts[lane // 512, cell, :, lane // 64 % 8]
        return sum((int(digit) >> lane % 64 & 1) << place for place, digit in enumerate(digits))

    numbers = [[number(lane, cell) for cell in range(cells)] for lane in range(lanes)]
    return numbers, best.tolist(), stuck


@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.lists(st.integers(1, 6), min_size=1, max_size=5).filter(lambda some: sum(some) < 15),
    st.sampled_from([1, 8, 9, 65, 520]),
    st.floats(0.3, 1),
    st.integers(0, 1000),
)
def test_counting_and_choosing_agree_with_the_twin(rows, cols, lengths, lanes, density, seed):
    generator = np.random.default_rng(seed)
    boards = [
        set(np.flatnonzero(generator.random(rows * cols) < density).tolist()) for _ in range(lanes)
    ]
    lengths = [1, *lengths]  # so that every open cell counts something
    wanted = [bool(boards[lane]) and lane % 3 != 1 for lane in range(lanes)]
    counts, best, stuck = _count(boards, wanted, rows, cols, lengths)
    assert stuck == -1
    for lane in {0, lanes // 2, lanes - 1}:
        if wanted[lane]:
            expected = naive.slot_counts(rows, cols, lengths, boards[lane])
            assert [counts[lane][cell] for cell in sorted(boards[lane])] == [
                expected[cell] for cell in sorted(boards[lane])
            ]
            assert best[lane] == max(sorted(boards[lane]), key=lambda cell: expected[cell])
        else:
            assert best[lane] == -1


def test_the_empty_5x6_board_of_the_source():
    # Spot the ships, section 5c: rows 5 9 11 11 9 5, columns 5 8 9 8 5, and their sums.
    counts, best, _ = _count([set(range(30))], [True], 5, 6, (1, 2, 3, 4, 5))
    assert np.array(counts[0]).reshape(5, 6).tolist() == [
        [10, 14, 16, 16, 14, 10],
        [13, 17, 19, 19, 17, 13],
        [14, 18, 20, 20, 18, 14],
        [13, 17, 19, 19, 17, 13],
        [10, 14, 16, 16, 14, 10],
    ]
    assert divmod(best[0], 6) == (2, 2)


def test_the_matrix_after_a_hit_of_the_source():
    # Spot the ships, section 5c: a hit at (2,2) of 5 x 6, its diagonals closed. The text prints
    # the rows of this matrix among those of another and lost the first one, which equals the
    # last by symmetry. The next position is (0,4) = 14.
    is_open = set(range(30)) - {14, 7, 9, 19, 21}
    counts, best, _ = _count([is_open], [True], 5, 6, (1, 2, 3, 4, 5))
    matrix = [counts[0][cell] if cell in is_open else -1 for cell in range(30)]
    assert np.array(matrix).reshape(5, 6).tolist() == [
        [10, 10, 13, 12, 14, 10],
        [9, -1, 3, -1, 10, 10],
        [11, 3, -1, 4, 13, 12],
        [9, -1, 3, -1, 10, 10],
        [10, 10, 13, 12, 14, 10],
    ]
    assert divmod(best[0], 6) == (0, 4)


def test_a_lane_without_any_slot_is_reported():
    boards = [{0, 1, 2}, {0, 2}, {4, 5}]
    _, best, stuck = _count(boards, [True, True, True], 3, 3, (2,))
    assert stuck == 1
    assert best[0] == 1


def test_counts_that_could_overflow_are_refused():
    planes.slot_lengths(20, 20, (5, 5, 5), 1)
    with pytest.raises(ValueError, match="more than 5 bits"):
        planes.slot_lengths(20, 20, (6, 5, 5), 1)
