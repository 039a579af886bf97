"""Pairs of ships: in how many ways two ships lie together, through each cell and in all.

With a slot of the one ship go all possible slots of the other, but for those that meet its cells,
or the cells around it that the rules close. These are of two kinds::

    . . | . | . .        across: through a cell from p to q of the line; in a line of three
    . . A A A . .        along:  begin where they reach p, up to q
    = = = | . . .
        p   q

so that their number is a sum over a stretch of the line, which moves on with the slot: one cell
comes in at the front, and another leaves at the back. (Where ships may touch at corners only, the
stretch ends with the slot, and the two cells beyond its ends come extra.) Each cell of the slot
gets the number of the others, and so from the other side: since the two never overlap, a joint
placement covers a cell with one of them only. The sum over the slots of either ship is the number
of joint placements in all.

64 games are counted at a time, one `numbers` value per cell.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.chances import Chances, chances, count_ship
from bsbench.kernels.numbers import choose, empty_numbers, everywhere, load, ones, store
from bsbench.rules.board import Rules


class Pairs(NamedTuple):
    """Room to count joint placements in 64 games.

    Attributes
    ----------
    begins : ndarray of uint64, shape (2, 2, cells)
        Where slots of two ships begin, along rows and down columns.
    across : ndarray, shape (2, cells, 64)
        For slots along rows and down columns of the one ship: how many of the other one's, in
        the other direction, meet the cell or, where ships may not touch at sides, the two beside
        it.
    ways : ndarray, shape (side, 64)
        With how many of the other ship's slots the slots of a line go.
    sides, corners : int
        1 where ships may not touch at sides, and at corners; else 0.
    ends : ndarray of bool, shape (0,), or None
        None unless these differ: so code without ends is compiled for the others, which is faster.
    """

    begins: npt.NDArray[np.uint64]
    across: npt.NDArray[Any]
    ways: npt.NDArray[Any]
    sides: int
    corners: int
    ends: npt.NDArray[np.bool_] | None


def pair_chances(rules: Rules, exact: bool) -> tuple[Pairs, Chances]:
    """Return room for pairs, and for chances with a factor for the 1st and 2nd ship, and so on."""
    slots = [len(rules.slots(length)) for length in rules.fleet]
    most = [slots[k] * (slots[k + 1] if k + 1 < len(slots) else 1) for k in range(0, len(slots), 2)]
    # A cell is covered by no more joint placements than there are.
    dtype = np.uint16 if max(most) <= np.iinfo(np.uint16).max else np.uint32
    pairs = Pairs(
        np.zeros((2, 2, rules.cells), np.uint64),
        empty_numbers(2, rules.cells, dtype=dtype),
        empty_numbers(max(rules.rows, rules.cols), dtype=dtype),
        int(rules.apart.sides),
        int(rules.apart.corners),
        np.zeros(0, np.bool_) if rules.apart.sides > rules.apart.corners else None,
    )
    return pairs, chances(rules, list(range(len(most))), most, dtype, exact)


@helper
def _find_begins(plane, length, rows, cols, begins):
    """Find where slots within a plane begin."""
    for cell in range(rows * cols):
        along = down = np.uint64(0)
        if cell % cols + length <= cols:
            along = plane[cell]
            for part in range(1, length):
                along &= plane[cell + part]
        # A slot of one cell is the same along and down.
        if length > 1 and cell // cols + length <= rows:
            down = plane[cell]
            for part in range(1, length):
                down &= plane[cell + part * cols]
        begins[0, cell] = along
        begins[1, cell] = down


@helper
def _count_across(begins, length, rows, cols, reach, across):
    """Fill ``across`` from the begins of the other ship; return how many there are."""
    in_all = everywhere(across, 0)
    cells = rows * cols
    for down in range(2):
        positions, step = (rows, cols) if down else (cols, 1)
        for line in range(cells // positions):
            first = line if down else line * cols
            meeting = everywhere(across, 0)
            for p in range(min(reach, positions)):
                meeting = meeting + ones(across, begins[down, first + p * step])
            in_all = in_all + meeting
            for p in range(positions):
                if p + reach < positions:
                    one = ones(across, begins[down, first + (p + reach) * step])
                    meeting = meeting + one
                    in_all = in_all + one
                if p - reach - length >= 0:
                    gone = begins[down, first + (p - reach - length) * step]
                    meeting = meeting - ones(across, gone)
                store(across, (1 - down) * cells + first + p * step, meeting)
    return in_all


@helper
def _begun(begins, down, line, p, rows, cols, reach, like):
    """Return how many slots begin at a position of a line, or of those beside it, in reach."""
    lines, line_step, step = (cols, 1, cols) if down else (rows, cols, 1)
    begun = everywhere(like, 0)
    for near in range(max(line - reach, 0), min(line + reach + 1, lines)):
        begun = begun + ones(like, begins[down, near * line_step + p * step])
    return begun


@helper
def _beyond(begins, length, down, line, p, begin, rows, cols, like):
    """Return how many slots use a cell beyond the end of a slot: across, or from ``begin`` on."""
    positions, line_step, step = (rows, 1, cols) if down else (cols, cols, 1)
    found = everywhere(like, 0)
    if 0 <= p < positions:
        if begin >= 0:
            found = found + ones(like, begins[down, line * line_step + begin * step])
        for near in range(max(line - length + 1, 0), line + 1):
            found = found + ones(like, begins[1 - down, near * line_step + p * step])
    return found


@kernel
def _add_slots(own, length, others, other_length, partner, ships, pairs, counts, unit):
    """Add up a ship's joint placements with its partner; return how many.

    Parameters
    ----------
    own, others : ndarray of uint64, shape (2, cells)
        Where its slots, and those of the partner, begin.
    length, other_length : int
    partner : uint64
        Lanes in which the partner is afloat; in the others, each slot counts once.
    ships : Ships
    pairs : Pairs
    counts : ndarray, shape (units, cells, 64)
        Changed in place.
    unit : int
    """
    across, ways, sides, reach = pairs.across, pairs.ways, pairs.sides, pairs.corners
    rows, cols = ships.rows, ships.cols
    cells = rows * cols
    none, one = everywhere(across, 0), everywhere(across, 1)
    slots = _count_across(others, other_length, rows, cols, sides, across)
    in_all = none
    for down in range(2):
        positions, step = (rows, cols) if down else (cols, 1)
        for line in range(cells // positions):
            first = line if down else line * cols
            through = meeting = none
            for front in range(positions + length + reach):
                # The slot that begins at p meets what lies from p - reach to the front.
                p = front - length - reach + 1
                if front < positions:
                    begun = _begun(others, down, line, front, rows, cols, sides, across)
                    meeting = meeting + load(across, down * cells + first + front * step) + begun
                if p < 0 or p >= positions:
                    continue
                cell = first + p * step
                if p + length <= positions:
                    met = meeting
                    if pairs.ends is not None:
                        end, back = p + length, p - other_length
                        for beyond, begin in ((p - 1, back), (end, end)):
                            met = met + _beyond(
                                *(others, other_length, down, line, beyond, begin),
                                *(rows, cols, across),
                            )
                    free = choose(partner, slots - met, one)
                    free = choose(own[down, cell], free, none)
                    in_all = in_all + free
                    through = through + free
                    store(ways, p, free)
                if p >= length:
                    through = through - load(ways, p - length)
                row = unit * cells + cell
                store(counts, row, load(counts, row) + through)
                back = p - reach
                if back >= 0:
                    meeting = meeting - load(across, down * cells + first + back * step)
                back -= other_length - 1
                if back >= 0:
                    begun = _begun(others, down, line, back, rows, cols, sides, across)
                    meeting = meeting - begun
    return in_all


@kernel
def count_pairs(ships, pairs, word, chances):
    """Count the joint placements of all pairs of ships in 64 games.

    A ship without a partner, or whose partner has sunk, counts alone.
    """
    counts, totals = chances.counts, chances.totals
    fleet, rows, cols = ships.fleet, ships.rows, ships.cols
    cells = rows * cols
    for unit in range(len(counts)):
        a, b = 2 * unit, 2 * unit + 1
        a_afloat = ships.afloat[a, word]
        if b == len(fleet):
            count_ship(ships.may[a, word], chances, unit, fleet[a], rows, cols)
            alone = load(totals, unit)
            store(totals, unit, choose(a_afloat, alone, everywhere(totals, 1)))
            continue
        b_afloat = ships.afloat[b, word]
        for cell in range(cells):
            store(counts, unit * cells + cell, everywhere(counts, 0))
        of_a, of_b = pairs.begins[0], pairs.begins[1]
        _find_begins(ships.may[a, word], fleet[a], rows, cols, of_a)
        _find_begins(ships.may[b, word], fleet[b], rows, cols, of_b)
        ways = _add_slots(of_a, fleet[a], of_b, fleet[b], b_afloat, ships, pairs, counts, unit)
        alone = _add_slots(of_b, fleet[b], of_a, fleet[a], a_afloat, ships, pairs, counts, unit)
        alone = choose(b_afloat, alone, everywhere(totals, 1))
        store(totals, unit, choose(a_afloat, ways, alone))
