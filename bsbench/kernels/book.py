"""A book of decisions: what was found for a position once serves all games that come to it.

Threads share one book without locks. A row is found by the *key* of a position, a hash of 128
bits, in a table without deletions::

    key                          rows
    high 64 bits | low 64 bits   high 64 bits | low bits 63 … 16 | cell + 1
          |                            0      |        0         |    0       free
          +----- mod rows ------>  1B5C…07   |     9E…3D        |   45       shoot cell 44
                 and onwards

A row is written in two stores. Whoever reads in between, or finds what two threads have written
across each other, sees a row of some other key: the position is then worked out once more, with
the same result. So games don't depend on threads, nor on what is in the book.

112 bits distinguish keys; the probability that any two of n positions are the same there is
below n^2 / 2^113, 10^-14 for 10^10.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel

BYTES_OF_ROW = 16

_PROBES = 32
"""Rows that are looked at for a key. If all of them are others', the book is full there."""

_CELL = np.uint64(0xFFFF)
_ONE = np.uint64(1)

Rows = npt.NDArray[np.uint64]


class Book(NamedTuple):
    """Decisions by position, and which of them were dear.

    Attributes
    ----------
    rows : ndarray of uint64, shape (a power of 2, 2)
        The table drawn above.
    dear : ndarray of uint64, shape (n, 2)
        Rows that took much work, in the order in which they were found: those to be kept in a file.
    counts : ndarray of int64, shape (2,)
        Number of dear rows, and the work of those that are not in the file yet.
    """

    rows: Rows
    dear: Rows
    counts: npt.NDArray[np.int64]


def empty_book(size: int, dear: int) -> Book:
    """Return an empty book of at most ``size`` bytes, or of one row; with room for dear rows."""
    rows = 1 << (max(size // BYTES_OF_ROW, 1).bit_length() - 1)
    # Zeros take no memory until they are written to.
    return Book(
        np.zeros((rows, 2), np.uint64), np.zeros((dear, 2), np.uint64), np.zeros(2, np.int64)
    )


@helper
def find(key, book):
    """Return the cell that the book has for a position, or -1."""
    rows = book.rows
    last = np.uint64(len(rows) - 1)
    row = key[0] & last
    for _ in range(_PROBES):
        found = rows[row, 1]
        if found == 0:
            return -1
        if rows[row, 0] == key[0] and (found ^ key[1]) <= _CELL:
            return np.int64(found & _CELL) - 1
        row = (row + _ONE) & last
    return -1


@helper
def _place(high, low, rows):
    """Write a row, if there is room and it is not there yet."""
    last = np.uint64(len(rows) - 1)
    row = high & last
    for _ in range(min(_PROBES, len(rows))):
        if rows[row, 1] == 0:
            rows[row, 0] = high
            rows[row, 1] = low
            return
        if rows[row, 0] == high and rows[row, 1] == low:
            return
        row = (row + _ONE) & last


@helper
def note(key, cell, work, least_dear, book):
    """Write a decision into the book; if it took ``least_dear`` work, among the dear ones, too."""
    low = key[1] & ~_CELL | np.uint64(cell + 1)
    _place(key[0], low, book.rows)
    if work >= least_dear:
        number = book.counts[0]
        if number < len(book.dear):
            book.dear[number, 0] = key[0]
            book.dear[number, 1] = low
            book.counts[0] = number + 1
            book.counts[1] += work


@kernel
def fill(rows, book):
    """Put dear rows, of a file, into an empty book."""
    number = min(len(rows), len(book.dear))
    for index in range(number):
        _place(rows[index, 0], rows[index, 1], book.rows)
        book.dear[index, 0] = rows[index, 0]
        book.dear[index, 1] = rows[index, 1]
    book.counts[0] = number
