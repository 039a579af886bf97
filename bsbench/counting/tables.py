"""Slots as bits, by the length of ships: what `joins` counts with.

`bsbench.kernels.slots` numbers the slots of all lengths in one row. Here each length (each *kind*
of ship) has a row of its own, all of the same width, so that a kernel knows the width when it is
compiled::

    kind  length   word 0     word 1     word 2
      0      5     1111…11    111…100    000…000      120 slots on 10 x 10 cells
      1      4     1111…11    1111…11    110…000      140
      2      3     1111…11    1111…11    11111…0      160
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels.slots import slot_table
from bsbench.rules.board import NOTHING, Rules
from bsbench.rules.slots import read_slot

Bits = npt.NDArray[np.uint64]

UNROLLED = 3
"""Words of a row that loops are unrolled for: enough for 10 x 10 cells."""


class Tables(NamedTuple):
    """Slots of a fleet on a board, by kind: kinds are the distinct lengths, longest first.

    Attributes
    ----------
    kind, length : ndarray of int64, shape (ships,)
        Kind and length of each ship of the fleet.
    code : ndarray of int64, shape (kinds, 64 * words)
        The slot code of each slot, ``2 * first cell + down``; -1 where there is no slot.
    all : ndarray of uint64, shape (kinds, words)
        All slots.
    through : ndarray of uint64, shape (kinds, cells, words)
        The slots that use a cell.
    keep : ndarray of uint64, shape (kinds, 64 * words, kinds, words)
        ``keep[a, slot, b]``: the slots of kind b that stay possible when a ship of kind a lies in
        the slot.
    """

    kind: npt.NDArray[np.int64]
    length: npt.NDArray[np.int64]
    code: npt.NDArray[np.int64]
    all: Bits
    through: Bits
    keep: Bits


def tables_of(rules: Rules) -> Tables:
    """Return the tables of some rules; feedback does not matter.

    Raises
    ------
    BsbenchError
        If the board is so large that they would not fit in memory.
    """
    return _tables(rules.layout_rules)


@lru_cache(8)
def _tables(rules: Rules) -> Tables:
    slots = slot_table(rules)
    lengths = sorted(set(rules.fleet), reverse=True)
    kinds = range(len(lengths))
    ships = [rules.fleet.index(length) for length in lengths]
    begin, end = slots.begin[ships], slots.end[ships]
    words = max(UNROLLED, int((end - begin).max()))
    code = np.full((len(lengths), 64 * words), NOTHING, np.int64)
    whole = np.zeros((len(lengths), words), np.uint64)
    through = np.zeros((len(lengths), rules.cells, words), np.uint64)
    keep = np.zeros((len(lengths), 64 * words, len(lengths), words), np.uint64)
    for kind in kinds:
        first, last = begin[kind], end[kind]
        number = len(rules.slots(lengths[kind]))
        code[kind, :number] = slots.code[64 * first : 64 * first + number]
        whole[kind, : last - first] = slots.free[first:last]
        for slot in range(number):
            start, step = read_slot(int(code[kind, slot]), rules.cols)
            cells = range(start, start + step * lengths[kind], step)
            through[kind, cells, slot // 64] |= np.uint64(1 << slot % 64)
        for other in kinds:
            rows = slots.keep[64 * first : 64 * last, begin[other] : end[other]]
            keep[kind, : rows.shape[0], other, : rows.shape[1]] = rows
    return Tables(
        kind=np.array([lengths.index(length) for length in rules.fleet], np.int64),
        length=np.array(rules.fleet, np.int64),
        code=code,
        all=whole,
        through=through,
        keep=keep,
    )


def members(bits: Bits) -> list[int]:
    """Return the numbers of the bits that are set, ascending: of one row of words."""
    octets = np.ascontiguousarray(bits).view(np.uint8)
    return np.flatnonzero(np.unpackbits(octets, bitorder="little")).tolist()


def as_bits(numbers: npt.NDArray[np.int64], words: int) -> Bits:
    """Return a row of words in which these bits are set."""
    flags = np.zeros(64 * words, np.uint8)
    flags[numbers] = 1
    return np.packbits(flags, bitorder="little").view(np.uint64)
