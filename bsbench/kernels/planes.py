"""Bit planes: the boards of 512 games side by side, one bit per game.

A *plane* says one yes-or-no thing about every cell of every board, here "open"
(neither shot nor eliminated). For each cell it has one bit per lane (game)::

                       plane[cell] : 512 lanes
    lane            0 1 2 3 4 5 …
    cell 0          1 1 1 0 1 1          lane 3: cell 0 is closed
    cell 1          1 0 1 1 1 1          lane 1: cell 1 is closed
    cell 2          1 1 1 1 0 1
    …

so that one instruction asks "are cell 0 and cell 1 both open?" in 512 games. A
plane is a uint64 array of shape ``(cells, 8)``; see `lanes` for the last axis. A number for each
lane is several rows, its binary digits: the ones of 512 lanes, the twos, the fours ….

Lanes that go ways of their own keep their boards (see `boards`) as *squares*, from which a plane
is made in a nanosecond a lane: ``squares[word, bit, column]`` is the board word of lane
``64 column + bit``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.boards import Boards, full_boards
from bsbench.kernels.lanes import GROUP, WORDS, empty_rows, every_word, load, no_lanes, store

Rows = npt.NDArray[np.uint64]
"""Rows of lanes, shape (rows, 8): see `lanes`."""

LONGEST = 5
"""The greatest length of slots that `most_slots` counts."""

_SIDE = 64
"""Lanes, and cells, in a square: the bits in a word."""

_RUN, _SUM = 3, 4
"""Binary digits of a run, at most 5, and of the slots along a line through a cell, at most 15."""

_HALF = np.uint64((1 << 32) - 1)
_HALF_OF_OCTET = np.uint64(0x0F0F0F0F0F0F0F0F)


def as_squares(boards: Boards) -> Rows:
    """Return the boards of at most 512 lanes, shape (lanes, words), as squares.

    Returns
    -------
    ndarray of uint64, shape (words, 64, 8)
        All cells of lanes beyond the last one are set.
    """
    lanes, words = boards.shape
    squares = empty_rows(words, _SIDE)
    padded = full_boards(GROUP, 64 * words)
    padded[:lanes] = boards
    squares[:] = padded.reshape(WORDS, _SIDE, words).transpose(2, 1, 0)
    return squares


@helper
def _turn_over(rows, first, size, low):
    """Turn squares of ``2 * size`` rows over their diagonals, in place, all words side by side.

    First the quarters above and below the diagonal change places, then those within each
    quarter, and so on (H. S. Warren, "Hacker's Delight", 2nd edition, 2012, section 7-3)::

        row 0       bits 63 … 32 | 31 … 0           row 0      A  B            A  C
        …                A       |    B      that is           C  D   becomes  B  D
        row 32           C       |    D

    with bit 0 on the right, so that A and D change places. ``low`` has the bits of D set.
    """
    end = first + 2 * size
    while size:
        mask, shift = every_word(low), every_word(np.uint64(size))
        for begin in range(first, end, 2 * size):
            for row in range(begin, begin + size):
                above, below = load(rows, row), load(rows, row + size)
                swap = ((above >> shift) ^ below) & mask
                store(rows, row, above ^ (swap << shift))
                store(rows, row + size, below ^ swap)
        size >>= 1
        low ^= low << np.uint64(size)


@kernel
def turn(squares, plane):
    """Write boards into a plane.

    Parameters
    ----------
    squares : ndarray of uint64, shape (words, 64, 8)
    plane : ndarray of uint64, shape (64 * words, 8)
        Overwritten.
    """
    for word in range(len(squares)):
        first = word * _SIDE
        for row in range(first, first + _SIDE):
            store(plane, row, load(squares, row))
        _turn_over(plane, first, 32, _HALF)


class SlotScratch(NamedTuple):
    """What `most_slots` takes on a board, and works with.

    Attributes
    ----------
    cols : int
        Of the board.
    plane : ndarray of uint64, shape (64 * words, 8)
        The open cells.
    down : ndarray of uint64, shape (3 * cells, 8)
        How many open cells there are from each cell on downward, 5 at most.
    right : ndarray of uint64, shape (3 * cols, 8)
        The same to the right, in one row.
    above : ndarray of uint64, shape (7 * cols, 8)
        For each column, how many open cells end at the cell above, 5 at most; and how many slots
        down the column run through it.
    best : ndarray of uint64, shape (8 or 16, 8)
        The digits of the best cell.
    """

    cols: int
    plane: Rows
    down: Rows
    right: Rows
    above: Rows
    best: Rows


def slot_scratch(rows: int, cols: int) -> SlotScratch:
    """Make room for `most_slots` on a board."""
    cells = rows * cols
    return SlotScratch(
        cols,
        empty_rows(_SIDE * -(-cells // _SIDE)),
        empty_rows(_RUN * cells),
        empty_rows(_RUN * cols),
        empty_rows((_RUN + _SUM) * cols),
        empty_rows(8 if cells <= 256 else 16),
    )


@helper
def _select(condition, chosen, other):
    return (condition & chosen) | (~condition & other)


@helper
def _add(a, b, c):
    """Return ones and twos of a + b + c."""
    differ = a ^ b
    return differ ^ c, _select(differ, c, a)


@helper
def _longer(n0, n1, n2, is_open):
    """Return the length of a run with one cell more: 5 at most, and 0 where that is closed."""
    return (n2 | ~n0) & is_open, (n0 ^ n1) & ~n2 & is_open, (n2 | (n0 & n1)) & is_open


@helper
def _one_further(n0, n1, n2, n3, b0, b1, b2, e0, e1, e2):
    """Return the number of slots through a cell, from n through the one before.

    As many begin here as the run from here on is long, and as many ended before as the run up
    to there is long: n + b - e, which is n + b + ~e + 1 in 4 digits.
    """
    n0, twos = _add(n0, b0, ~e0)
    n1, fours = _add(n1, b1, ~e1)
    n2, eights = _add(n2, b2, ~e2)
    n1, more_fours = _add(n1, twos, n0)
    n2, more_eights = _add(n2, fours, more_fours)
    return ~n0, n1, n2, ~(n3 ^ eights ^ more_eights)


@helper
def _run(rows, row):
    return load(rows, row), load(rows, row + 1), load(rows, row + 2)


@helper
def _store_run(rows, row, n0, n1, n2):
    store(rows, row, n0)
    store(rows, row + 1, n1)
    store(rows, row + 2, n2)


@kernel
def most_slots(squares, cells, cols, plane, down, right, above, best):
    """Find, in each lane, the first open cell through which most slots of open cells run.

    Slots are those of lengths 1 to `LONGEST`; one of length 1 counts once in its row and once in
    its column.

    Parameters
    ----------
    squares : ndarray of uint64, shape (words, 64, 8)
        The open cells of 512 lanes.
    cells : ndarray of int64, shape (512,)
        Receives the cells; 0 in lanes without any open cell.
    cols, plane, down, right, above, best
        The fields of `SlotScratch`, one by one: through the record, this loop takes a third longer.

    Notes
    -----
    Row by row, the number of slots through a cell follows from that of the cell before, and from
    the open cells in a row (a *run*) from here on, and up to there. Where it is greater than the
    maximum so far, it and its cell replace that.
    """
    turn(squares, plane)
    none, board = no_lanes(), len(down) // _RUN
    for col in range(cols):
        r0 = r1 = r2 = none
        for cell in range(board - cols + col, -1, -cols):
            r0, r1, r2 = _longer(r0, r1, r2, load(plane, cell))
            _store_run(down, _RUN * cell, r0, r1, r2)
        for row in range((_RUN + _SUM) * col, (_RUN + _SUM) * (col + 1)):
            store(above, row, none)
    for digit in range(len(best)):
        store(best, digit, none)
    m0 = m1 = m2 = m3 = m4 = none
    for first in range(0, board, cols):
        r0 = r1 = r2 = none
        for col in range(cols - 1, -1, -1):
            r0, r1, r2 = _longer(r0, r1, r2, load(plane, first + col))
            _store_run(right, _RUN * col, r0, r1, r2)
        l0 = l1 = l2 = a0 = a1 = a2 = a3 = none
        for col in range(cols):
            cell, up = first + col, (_RUN + _SUM) * col
            is_open = load(plane, cell)
            r0, r1, r2 = _run(right, _RUN * col)
            a0, a1, a2, a3 = _one_further(a0, a1, a2, a3, r0, r1, r2, l0, l1, l2)
            l0, l1, l2 = _longer(l0, l1, l2, is_open)
            d0, d1, d2 = _run(down, _RUN * cell)
            u0, u1, u2 = _run(above, up)
            b0, b1 = load(above, up + 3), load(above, up + 4)
            b2, b3 = load(above, up + 5), load(above, up + 6)
            b0, b1, b2, b3 = _one_further(b0, b1, b2, b3, d0, d1, d2, u0, u1, u2)
            u0, u1, u2 = _longer(u0, u1, u2, is_open)
            _store_run(above, up, u0, u1, u2)
            store(above, up + 3, b0)
            store(above, up + 4, b1)
            store(above, up + 5, b2)
            store(above, up + 6, b3)
            n0, n1 = a0 ^ b0, a0 & b0
            n1, n2 = _add(a1, b1, n1)
            n2, n3 = _add(a2, b2, n2)
            n3, n4 = _add(a3, b3, n3)
            more = n0 & ~m0
            more = _select(n1 ^ m1, n1, more)
            more = _select(n2 ^ m2, n2, more)
            more = _select(n3 ^ m3, n3, more)
            more = _select(n4 ^ m4, n4, more) & is_open
            m0, m1, m2 = _select(more, n0, m0), _select(more, n1, m1), _select(more, n2, m2)
            m3, m4 = _select(more, n3, m3), _select(more, n4, m4)
            for digit in range(len(best)):
                if cell >> digit & 1:
                    store(best, digit, load(best, digit) | more)
                else:
                    store(best, digit, load(best, digit) & ~more)
    # After this, each octet of a word holds the digits of a lane.
    for octet in range(0, len(best), 8):
        _turn_over(best, octet, 4, _HALF_OF_OCTET)
    eight, byte = np.uint64(8), np.uint64(255)
    for row in range(eight):
        for column in range(np.uint64(WORDS)):
            for octet in range(eight):
                cell = best[row, column] >> eight * octet & byte
                if len(best) > 8:
                    cell |= (best[row + eight, column] >> eight * octet & byte) << eight
                cells[np.uint64(_SIDE) * column + eight * octet + row] = cell
