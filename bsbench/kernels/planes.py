"""Bit planes: the boards of many games side by side, one bit per game.

A *plane* says one yes-or-no thing about every cell of every board, here "open"
(neither shot nor eliminated). For each cell it has one bit per lane (game)::

                       plane[group, cell] : 512 lanes of a group
    lane            0 1 2 3 4 5 …
    cell 0          1 1 1 0 1 1          lane 3: cell 0 is closed
    cell 1          1 0 1 1 1 1          lane 1: cell 1 is closed
    cell 2          1 1 1 1 0 1
    …

so that one instruction asks "are cell 0 and cell 1 both open?" in 512 games. A
plane is a uint64 array of shape ``(groups, cells, 8)``; see `lanes` for the last
axis. Lane ``n`` is bit ``n % 64`` of word ``n // 64 % 8`` in group ``n // 512``.

A number per cell and lane is `BITS` planes, its binary digits::

    counts[group, cell, 0]   the ones of 512 lanes
    counts[group, cell, 1]   the twos
    …

and is added up by carry-save adders, all lanes at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import allocating, helper, kernel
from bsbench.kernels.bits import trailing_zeros
from bsbench.kernels.boards import Boards, is_set
from bsbench.kernels.lanes import (
    GROUP,
    WORDS,
    empty_rows,
    every_word,
    load,
    no_lanes,
    store,
    word_dtype,
    words_set,
)

BITS = 5
"""Binary digits of a count per cell: it may reach 31."""

Planes = npt.NDArray[Any]
"""Rows of lanes: words of 64 bits, or of 8 bits where there are few lanes."""

_ONE = np.uint64(1)


def groups_of(lanes: int) -> int:
    """Return how many groups hold that many lanes."""
    return -(-lanes // GROUP)


def full_plane(lanes: int, cells: int) -> Planes:
    """Return a plane with every bit set.

    Returns
    -------
    ndarray of uint64, shape ``(groups, cells, 8)``
    """
    plane = empty_rows(groups_of(lanes), cells, dtype=word_dtype(lanes))
    plane.fill(np.iinfo(plane.dtype).max)
    return plane


def no_mask(lanes: int) -> Planes:
    """Return a mask (one bit per lane) with no bit set.

    Returns
    -------
    ndarray of uint64, shape ``(groups, 8)``
    """
    mask = empty_rows(groups_of(lanes), dtype=word_dtype(lanes))
    mask.fill(0)
    return mask


def lane_of_plane(plane: Planes, lane: int) -> npt.NDArray[np.bool_]:
    """Return one lane's bits, shape ``(cells,)``."""
    words = plane[lane // GROUP, :, lane // 64 % WORDS]
    return np.asarray(words >> np.uint64(lane % 64) & _ONE, np.bool_)


def lane_of_mask(mask: Planes, lane: int) -> bool:
    """Return one lane's bit."""
    return bool(mask[lane // GROUP, lane // 64 % WORDS] >> np.uint64(lane % 64) & _ONE)


def lane_of_counts(counts: Planes, lane: int) -> npt.NDArray[np.int64]:
    """Return one lane's counts, shape ``(cells,)``."""
    words = counts[lane // GROUP, :, :, lane // 64 % WORDS]
    digits = np.asarray(words >> np.uint64(lane % 64) & _ONE, np.int64)
    return digits @ (1 << np.arange(BITS))


@helper
def set_lane(mask, lane):
    """Set, in place, the bit of ``lane`` in a mask."""
    mask[lane // GROUP, lane // 64 % WORDS] |= _ONE << np.uint64(lane % 64)


# From boards

_BLOCK = 64
"""Lanes, and cells, that are turned at once: the bits in a word."""

_HALF = np.uint64((1 << 32) - 1)


def turn_boards(boards: Boards, plane: Planes) -> None:
    """Turn the boards of all lanes, where a lane's cells lie together, into a plane.

    Parameters
    ----------
    boards : ndarray of uint64, shape (lanes, words)
        See `boards`.
    plane : ndarray of uint64 or uint8, shape (groups, cells, 8)
        Overwritten.
    """
    if plane.dtype == np.uint8:
        _turn_few(boards, plane)
    else:
        _turn_groups(boards, plane, empty_rows(_BLOCK))


@kernel
def _turn_few(boards, plane):
    for cell in range(plane.shape[1]):
        lanes = np.uint64(0)
        for lane in range(len(boards)):
            lanes |= np.uint64(is_set(boards, lane, cell)) << np.uint64(lane)
        plane[0, cell, 0] = lanes


@kernel
def _turn_groups(boards, plane, block):
    """Turn 64 cells of the 512 lanes of a group at a time.

    A word of the boards is a row of 64 bits, and 64 lanes are a square that is turned over
    its diagonal, eight squares side by side: first the quarters of 32 x 32 bits above and
    below the diagonal change places, then those of 16 x 16 bits within each, and so on (H. S.
    Warren, "Hacker's Delight", 2nd edition, 2012, section 7-3)::

        lane 0    cells 63 … 32 | 31 … 0           lane 0    A  B            A  C
        …                A      |    B       that is         C  D   becomes  B  D
        lane 32          C      |    D

    with bit 0 on the right, so that A and D change places.
    """
    groups, cells, _ = plane.shape
    lanes, words = boards.shape
    for group in range(groups):
        for word in range(words):
            for row in range(_BLOCK):
                for square in range(WORDS):
                    lane = group * GROUP + square * _BLOCK + row
                    block[row, square] = boards[lane, word] if lane < lanes else np.uint64(0)
            size, low = 32, _HALF
            while size:
                mask, shift = every_word(block, low), every_word(block, np.uint64(size))
                for first in range(0, _BLOCK, 2 * size):
                    for row in range(first, first + size):
                        above, below = load(block, row), load(block, row + size)
                        swap = ((above >> shift) ^ below) & mask
                        store(block, row, above ^ (swap << shift))
                        store(block, row + size, below ^ swap)
                size >>= 1
                low ^= low << np.uint64(size)
            for row in range(min(_BLOCK, cells - word * _BLOCK)):
                store(plane, group * cells + word * _BLOCK + row, load(block, row))


# Counting slots


class SlotLengths(NamedTuple):
    """Which slots `count_slots` counts, in the form that its loop reads.

    Attributes
    ----------
    longest : int
        The greatest length.
    windows : ndarray of int64, shape (m, 4)
        Positions of ``line`` to add up for the line's first cell, four at a time: a
        slot of length L reaches the cell p from L positions, p - L + 1 … p.
    line : ndarray of uint64, shape ((longest + 1) * width, 8)
        Scratch for one row or column of the board, ``width`` positions for each
        length::

            slots of length 1   0 … 0 | open cells    | 0 … 0
            slots of length 2   0 … 0 | begins here?  | 0 … 0
            …
            nothing             0 … 0 | 0 …         0 | 0 … 0
                                      lead

    lead : int
        Position of the line's first cell within ``width``.
    width : int
        Positions for each length.
    """

    longest: int
    windows: npt.NDArray[np.int64]
    line: Planes
    lead: int
    width: int


def slot_lengths(rows: int, cols: int, lengths: Sequence[int], lanes: int) -> SlotLengths:
    """Prepare the counting of slots on a board.

    Parameters
    ----------
    rows, cols : int
        Size of the board.
    lengths : sequence of int
        Slot lengths; one that occurs twice is counted twice. A slot of length 1
        counts once in its row and once in its column.
    lanes : int
        Lanes of the planes to count on.

    Raises
    ------
    ValueError
        If a count could pass the largest number `BITS` planes can hold.
    """
    if 2 * sum(lengths) >= 1 << BITS:
        raise ValueError(f"slots of lengths {list(lengths)} may count more than {BITS} bits hold")
    longest = max(lengths)
    lead = longest
    width = max(rows, cols) + 2 * lead
    windows = [(length - 1) * width + lead - back for length in lengths for back in range(length)]
    # An incomplete group of four is filled with positions that stay zero.
    windows += [longest * width + lead] * (-len(windows) % 4)
    line = empty_rows((longest + 1) * width, dtype=word_dtype(lanes))
    line.fill(0)
    return SlotLengths(longest, np.array(windows, np.int64).reshape(-1, 4), line, lead, width)


@helper
def _full_adder(a, b, c):
    """Return ones and twos of a + b + c."""
    return (a ^ b) ^ c, (a & b) | (c & (a | b))


def empty_counts(lanes: int, cells: int) -> Planes:
    """Return the array that `count_slots` fills, shape ``(groups, cells, BITS, 8)``."""
    return empty_rows(groups_of(lanes), cells, BITS, dtype=word_dtype(lanes))


# The fields of `SlotLengths` one by one: through the record, this hot loop is 7 % slower.
@kernel
def _count_slots(plane, wanted, rows, cols, longest, windows, line, lead, width, counts):
    groups, cells, _ = plane.shape
    for group in range(groups):
        if not words_set(load(wanted, group)):
            continue
        for down in range(2):
            positions, step = (rows, cols) if down else (cols, 1)
            for edge in range(lead):
                store(line, edge, no_lanes(line))
                store(line, lead + positions + edge, no_lanes(line))
            for number in range(cells // positions):
                first = group * cells + (number if down else number * cols)
                for p in range(positions):
                    store(line, lead + p, load(plane, first + p * step))
                # A slot is the one that is shorter by a cell, and that cell.
                for begin in range(lead + width, lead + longest * width, width):
                    cell = lead + begin // width
                    for p in range(positions):
                        slot = load(line, begin - width + p) & load(line, cell + p)
                        store(line, begin + p, slot)
                for p in range(positions):
                    row = (first + p * step) * BITS
                    if down:
                        n0, n1, n2 = load(counts, row), load(counts, row + 1), load(counts, row + 2)
                        n3, n4 = load(counts, row + 3), load(counts, row + 4)
                    else:
                        n0 = n1 = n2 = n3 = n4 = no_lanes(line)
                    for four in range(len(windows)):
                        a = load(line, windows[four, 0] + p)
                        b = load(line, windows[four, 1] + p)
                        c = load(line, windows[four, 2] + p)
                        d = load(line, windows[four, 3] + p)
                        abc, twos = _full_adder(a, b, c)
                        n0, more_twos = _full_adder(n0, abc, d)
                        n1, fours = _full_adder(n1, twos, more_twos)
                        n2, eights = n2 ^ fours, n2 & fours
                        n3, sixteens = n3 ^ eights, n3 & eights
                        n4 = n4 ^ sixteens
                    store(counts, row, n0)
                    store(counts, row + 1, n1)
                    store(counts, row + 2, n2)
                    store(counts, row + 3, n3)
                    store(counts, row + 4, n4)


def count_slots(
    plane: Planes, wanted: Planes, rows: int, cols: int, slots: SlotLengths, counts: Planes
) -> None:
    """Count, for every cell, the slots through it whose cells are all set.

    Parameters
    ----------
    plane : ndarray of uint64, shape (groups, cells, 8)
        The cells a slot may use.
    wanted : ndarray of uint64, shape (groups, 8)
        Lanes whose counts are asked for; groups without any are left out.
    rows, cols : int
        Size of the board.
    slots : SlotLengths
        Which slots count; its scratch is written to, so one for each thread.
    counts : ndarray of uint64, shape (groups, cells, BITS, 8)
        The counts, overwritten; of no meaning at cells not set.
    """
    _count_slots(plane, wanted, rows, cols, *slots, counts)


@allocating
def first_maximum(plane, wanted, counts, best):
    """Find, in each wanted lane, the first set cell with the largest count.

    Parameters
    ----------
    plane : ndarray of uint64, shape (groups, cells, 8)
        The cells to choose from.
    wanted : ndarray of uint64, shape (groups, 8)
        The lanes that choose.
    counts : ndarray of uint64, shape (groups, cells, BITS, 8)
        A count per cell and lane.
    best : ndarray of int64, shape (lanes,)
        Receives the cells of the wanted lanes; others are left as they are.

    Returns
    -------
    int
        A wanted lane in which no set cell has a count above 0, or -1.

    Notes
    -----
    From the highest binary digit down: where any candidate has the digit, candidates
    without it are dropped. The remaining ones have the maximum; the first is chosen.
    """
    groups, cells, _ = plane.shape
    candidates = np.empty((cells, WORDS), plane.dtype)
    words = np.empty((1, WORDS), plane.dtype)
    for group in range(groups):
        chooses = load(wanted, group)
        if not words_set(chooses):
            continue
        first = group * cells
        any_has = no_lanes(plane)
        for cell in range(cells):
            candidate = load(plane, first + cell) & chooses
            store(candidates, cell, candidate)
            any_has |= candidate & load(counts, (first + cell) * BITS + BITS - 1)
        positive = any_has
        for digit in range(BITS - 1, 0, -1):
            # One pass drops candidates without this digit, and finds whether any has the next.
            any_has_next = no_lanes(plane)
            for cell in range(cells):
                row = (first + cell) * BITS + digit
                candidate = load(candidates, cell) & (load(counts, row) | ~any_has)
                store(candidates, cell, candidate)
                any_has_next |= candidate & load(counts, row - 1)
            any_has = any_has_next
            positive |= any_has
        for cell in range(cells):
            has = load(counts, (first + cell) * BITS)
            chosen = load(candidates, cell) & (has | ~any_has) & chooses
            left = words_set(chosen)
            if left:
                chooses &= ~chosen
                store(words, 0, chosen)
                while left:
                    word = trailing_zeros(left)
                    left &= left - _ONE
                    bits = np.uint64(words[0, word])
                    while bits:
                        best[group * GROUP + word * 64 + trailing_zeros(bits)] = cell
                        bits &= bits - _ONE
        without = load(wanted, group) & ~positive
        if words_set(without):
            store(words, 0, without)
            for word in range(WORDS):
                if words[0, word]:
                    return group * GROUP + word * 64 + trailing_zeros(np.uint64(words[0, word]))
    return -1
