"""The slots of a board, and which of them are still possible.

All slots of all lengths are numbered and kept as one row of bits, the lengths in
descending order, each on words of its own, slots in the order of `Rules.slots`::

    word      0    1 | 2    3    4 | 5 …
    slots of   length 5 |  length 4   | length 3 …        (10 x 10: 120, 140, 160 …)
    free      1110…1 | 0111…1      | …

``free`` says which slots are still possible. For every slot, ``keep`` has a row of the
same form: the slots that stay possible once a ship lies there. Laying a ship is
one AND of two rows, whatever the board, the fleet and the touching rule; counting
is a popcount; the slot of rank k is found by counting words. Rows are padded to a
multiple of eight words, so that the AND takes few instructions (see `lanes`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import place_of_bit, population_count
from bsbench.kernels.boards import Boards
from bsbench.kernels.lanes import WORDS, empty_rows, load, store
from bsbench.rules.board import Rules
from bsbench.rules.slots import read_slot as _read_slot
from bsbench.rules.slots import slot_code

Bits = npt.NDArray[np.uint64]

read_slot = helper(_read_slot)

_LARGEST_TABLE = 1 << 28
"""Bytes that ``keep`` may take: enough for the classic fleet on 70 x 70 cells."""


class SlotTable(NamedTuple):
    """All slots of a fleet on a board, as bits.

    Attributes
    ----------
    free : ndarray of uint64, shape (words,)
        All slots, none excluded; ``words`` is a multiple of 8.
    keep : ndarray of uint64, shape (64 * words, words)
        Row s: the slots still possible when a ship lies in slot s.
    code : ndarray of int32, shape (64 * words,)
        The slot code of slot s, ``2 * first cell + down``.
    begin, end : ndarray of int64, shape (ships,)
        For each ship of the fleet, its slots' words: ``begin`` up to ``end``.
    """

    free: Bits
    keep: Bits
    code: npt.NDArray[np.int32]
    begin: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]


def slot_table(rules: Rules) -> SlotTable:
    """Give every slot of the fleet a number, and find which exclude each other.

    Raises
    ------
    BsbenchError
        If the board is so large that the table would not fit in memory.
    """
    slots = {length: rules.slots(length) for length in sorted(set(rules.fleet), reverse=True)}
    begin, words = {}, 0
    for length, listed in slots.items():
        begin[length] = words
        words += -(-len(listed) // 64)
    words = -(-words // WORDS) * WORDS
    if 64 * words * words * 8 > _LARGEST_TABLE:
        raise BsbenchError(
            f"the {rules.board} board is too large to draw layouts of the fleet "
            f"{list(rules.fleet)}: use a board of about 70x70 at most, or fewer ship lengths"
        )
    code = np.zeros(64 * words, np.int32)
    # through[cell]: the slots that use the cell.
    through = np.zeros((rules.cells, words), np.uint64)
    for length, listed in slots.items():
        for number, cells in enumerate(listed, start=64 * begin[length]):
            code[number] = slot_code(cells)
            through[cells, number // 64] |= np.uint64(1 << number % 64)
    # A ship excludes every slot that uses one of its cells, or of those closed around them.
    excluded_by_cell = with_closed(rules, through)
    keep = empty_rows(64 * words, words // WORDS).reshape(64 * words, words)
    keep.fill(0)
    for length, listed in slots.items():
        rows = slice(64 * begin[length], 64 * begin[length] + len(listed))
        for cells_in_place in np.array(listed, np.int64).T:
            keep[rows] |= excluded_by_cell[cells_in_place]
    free = np.bitwise_or.reduce(through, axis=0)
    end = {length: begin[length] + -(-len(listed) // 64) for length, listed in slots.items()}
    return SlotTable(
        free=free,
        keep=np.bitwise_and(np.bitwise_not(keep, out=keep), free, out=keep),
        code=code,
        begin=np.array([begin[length] for length in rules.fleet], np.int64),
        end=np.array([end[length] for length in rules.fleet], np.int64),
    )


def slot_masks(rules: Rules, length: int) -> tuple[npt.NDArray[np.int32], Boards, Boards]:
    """Return all slots of a ship, as codes and as boards of cells (see `boards`).

    Returns
    -------
    codes : ndarray of int32, shape (slots,)
        In the order of `Rules.slots`.
    cells, closed : ndarray of uint64, shape (slots, words)
        The cells of each slot; and these with all that a ship there closes to other ships.
    """
    slots = rules.slots(length)
    codes = np.array([slot_code(slot) for slot in slots], np.int32)
    parts = np.array(slots, np.int64)
    cells, closed = (np.bitwise_or.reduce(masks[parts], axis=1) for masks in _cell_masks(rules))
    return codes, cells, closed


def fitting(closed: Boards, cells: Boards) -> npt.NDArray[np.bool_]:
    """Return which sets of cells lie outside of which closed cells.

    Parameters
    ----------
    closed, cells : ndarray of uint64, shapes (n, words) and (m, at most as many words)

    Returns
    -------
    ndarray of bool, shape (n, m)
    """
    clash = np.zeros((len(closed), len(cells)), np.bool_)
    for word in range(cells.shape[1]):
        clash |= closed[:, word, np.newaxis] & cells[:, word] != 0
    return ~clash


@lru_cache(2)
def _cell_masks(rules: Rules) -> tuple[Boards, Boards]:
    """Return each cell as a board, and with it the cells that a ship there closes to others."""
    own = np.zeros((rules.cells, -(-rules.cells // 64)), np.uint64)
    for cell in range(rules.cells):
        own[cell, cell // 64] = 1 << cell % 64
    return own, with_closed(rules, own)


def with_closed(rules: Rules, rows: Bits) -> Bits:
    """Return each cell's row of bits, with those of the cells that a ship there closes to others.

    Parameters
    ----------
    rules : Rules
    rows : ndarray of uint64, shape (cells, words)
    """
    found = rows.copy()
    for cell in range(rules.cells):
        found[cell] |= np.bitwise_or.reduce(rows[rules.closed_around(cell)], axis=0, initial=0)
    return found


@kernel
def fill_boards(layouts, fleet, cols, boards):
    """Set the bits of the ships' cells.

    Parameters
    ----------
    layouts : ndarray of int32, shape (n, ships)
        A slot code for each ship.
    fleet : ndarray of int64, shape (ships,)
    cols : int
        Of the board.
    boards : ndarray of uint64, shape (n, words)
        Changed in place.
    """
    for game in range(len(layouts)):
        for ship in range(len(fleet)):
            first, step = read_slot(np.int64(layouts[game, ship]), cols)
            for part in range(fleet[ship]):
                cell = first + part * step
                boards[game, cell >> 6] |= np.uint64(1) << np.uint64(cell & 63)


@helper
def lay(free, keep, slot):
    """Exclude, in place, what a ship in ``slot`` excludes."""
    rows = len(free) // WORDS
    for row in range(rows):
        store(free, row, load(free, row) & load(keep, slot * rows + row))


@helper
def copy_free(source, free):
    """Overwrite ``free`` with ``source``."""
    for row in range(len(free) // WORDS):
        store(free, row, load(source, row))


@helper
def count_free(free, begin, end):
    """Return how many slots in the words ``begin`` up to ``end`` are possible."""
    count = np.uint64(0)
    for word in range(begin, end):
        count += population_count(free[word])
    return count


@helper
def find_free(free, begin, end, rank):
    """Return the possible slot number ``rank``, counted from 0, in the words ``begin`` to ``end``.

    Which word it is in is found without a branch, which would be mispredicted as often as
    not.
    """
    word, left, below = begin, rank, np.uint64(0)
    for next_word in range(begin + 1, end):
        below += population_count(free[next_word - 1])
        beyond = rank >= below
        word = next_word if beyond else word
        left = rank - below if beyond else left
    return word * 64 + np.int64(place_of_bit(free[word], left))
