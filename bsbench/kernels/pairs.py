"""Pairs of ships: in how many ways two ships lie together, through each cell and in all.

For a slot of the one ship, the other one has as many slots left as bits are set in both
of two rows: its slots within its plane, and those that the first slot leaves possible
(see `slots`)::

    slots of ship b within its plane     1 1 0 1 1 1 …
    kept by slot 17 of ship a            1 0 0 1 0 1 …      3 joint placements with slot 17

Each cell of the slot gets that number, and so from the other side: since the two
never overlap, a joint placement covers a cell with one of them only. The sum over
the slots of either ship is the number of joint placements in all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import population_count, trailing_zeros
from bsbench.kernels.chances import Chances, chances
from bsbench.kernels.numbers import LANES, everywhere, store
from bsbench.kernels.slots import Bits, read_slot, slot_table
from bsbench.rules.board import Rules

_ONE = np.uint64(1)


class Pairs(NamedTuple):
    """The slots of the board, for counting joint placements.

    Attributes
    ----------
    all_slots, keep, through, code, begin, end
        ``free`` and the other arrays of `bsbench.kernels.slots.SlotTable`; their words
        are of 64 slots, where those of planes are of 64 lanes.
    possible : ndarray of uint64, shape (64, 2, slot words)
        Scratch: each lane's slots of two ships that lie within their planes.
    """

    all_slots: Bits
    keep: Bits
    through: Bits
    code: npt.NDArray[np.int32]
    begin: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    possible: Bits


def pairs_of_ships(rules: Rules) -> Pairs:
    """Return what counting the pairs of a fleet takes.

    Raises
    ------
    BsbenchError
        If the board is so large that the table of slots would not fit in memory.
    """
    table = slot_table(rules, "count pairs of ships")
    possible = np.zeros((LANES, 2, len(table.free)), np.uint64)
    return Pairs(
        table.free, table.keep, table.through, table.code, table.begin, table.end, possible
    )


def pair_chances(rules: Rules, exact: bool) -> Chances:
    """Return room for chances with a factor for the 1st and 2nd ship, for the 3rd and 4th."""
    slots = [len(rules.slots(length)) for length in rules.fleet]
    most = [slots[k] * (slots[k + 1] if k + 1 < len(slots) else 1) for k in range(0, len(slots), 2)]
    return chances(rules, list(range(len(most))), most, np.uint32, exact)


@helper
def _find_possible(ships, pairs, ship, word, wanted, side):
    """Find the slots of a ship that lie within its plane, in the wanted ones of 64 lanes."""
    plane = ships.may[ship, word]
    begin, end = pairs.begin[ship], pairs.end[ship]
    lanes = wanted
    while lanes:
        possible = pairs.possible[trailing_zeros(lanes), side]
        lanes &= lanes - _ONE
        for w in range(begin, end):
            possible[w] = pairs.all_slots[w]
    for cell in range(len(plane)):
        lanes = ~plane[cell] & wanted
        while lanes:
            possible = pairs.possible[trailing_zeros(lanes), side]
            lanes &= lanes - _ONE
            for w in range(begin, end):
                possible[w] &= ~pairs.through[cell, w]


@helper
def _add_slots(ships, pairs, lane, side, ship, partner, counts):
    """Add up a ship's joint placements with its partner (-1: none); return how many."""
    own, others = pairs.possible[lane, side], pairs.possible[lane, 1 - side]
    total = np.uint64(0)
    for w in range(pairs.begin[ship], pairs.end[ship]):
        left = own[w]
        while left:
            slot = w * 64 + trailing_zeros(left)
            left &= left - _ONE
            ways = np.uint64(1)
            if partner >= 0:
                ways = np.uint64(0)
                for v in range(pairs.begin[partner], pairs.end[partner]):
                    ways += population_count(others[v] & pairs.keep[slot, v])
            total += ways
            first, step = read_slot(pairs.code[slot], ships.cols)
            for part in range(ships.fleet[ship]):
                counts[first + part * step, lane] += np.uint32(ways)
    return total


@kernel
def count_pairs(ships, pairs, word, wanted, chances):
    """Count the joint placements of all pairs of ships in the wanted ones of 64 games.

    A ship without a partner, or whose partner has sunk, counts alone. Elsewhere all counts
    are 0, and totals 1.
    """
    counts, totals = chances.counts, chances.totals
    fleet, cells = ships.fleet, counts.shape[1]
    for unit in range(len(counts)):
        first, second = 2 * unit, 2 * unit + 1
        store(totals, unit, everywhere(totals, 1))
        for cell in range(cells):
            store(counts, unit * cells + cell, everywhere(counts, 0))
        _find_possible(ships, pairs, first, word, wanted, 0)
        one = ships.afloat[first, word]
        two = np.uint64(0)
        if second < len(fleet):
            _find_possible(ships, pairs, second, word, wanted, 1)
            two = ships.afloat[second, word]
        lanes = (one | two) & wanted
        while lanes:
            lane = trailing_zeros(lanes)
            lanes &= lanes - _ONE
            has_one = (one >> np.uint64(lane)) & _ONE
            has_two = (two >> np.uint64(lane)) & _ONE
            ways = np.uint64(0)
            if has_one:
                partner = second if has_two else -1
                ways = _add_slots(ships, pairs, lane, 0, first, partner, counts[unit])
            if has_two:
                partner = first if has_one else -1
                ways = _add_slots(ships, pairs, lane, 1, second, partner, counts[unit])
            totals[unit, lane] = ways
