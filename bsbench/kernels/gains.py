"""Gains: how many bits the answer to a turn tells, cell by cell, if ships were independent.

Slots that agree (see `salvos`) all weigh the same. Of a ship, they fall into classes by what would
be answered to the cells chosen so far: by which of them they hold, or where all shots have one
answer, by how many. With n slots in a class, of N in all, the answer tells on average::

    log N - (sum of n log n over all classes) / N      bits

and one cell more parts classes (or moves slots from one to the next), so that its gain is a
difference of numbers ``n log n``. They are whole numbers here, multiples of 2^-32: sums do not
depend on their order, and ties are exact.

Most slots hold none of the chosen cells: they are the class *apart*. What a cell gains from this
class depends only on how many of its slots run through the cell, and is looked up::

    . . . . . . .       c: chosen. Of a ship of 2, only slots through c are in another class, so
    . . . + . . .       that for all cells but c and + the gain is one of five numbers: of 0 to 4
    . . + c + . .       slots through the cell.
    . . . + . . .
    . . . . . . .

The others are counted class by class. With answers for each shot, ``members`` lists their slots,
class by class, and a cell that parts a class exchanges members, so that those which hold the cell
are behind the others::

    ship 0    class 1 | class 2 | class 3 …                     begin, size: of each class
    members   17 18   | 3 4 5 6 | 80      . . . . . . .
                          3 4 | 5 6  parted by a cell: classes 2 and 4

With joint answers, ``held`` has the bits of the slots that hold 0, 1, 2, … of the chosen cells, and
``through`` counts these through each cell.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import population_count, trailing_zeros
from bsbench.kernels.salvos import Counts, Rows, count_agreeing, is_possible, no_counts
from bsbench.kernels.slots import read_slot
from bsbench.rules.board import NOTHING, Rules

ONE_BIT = 1 << 32
"""A bit, as gains are counted."""

_BIT = np.uint64(1)


class Gains(NamedTuple):
    """Room to work out gains in one lane.

    ``longest`` is the length of the longest ship.

    Attributes
    ----------
    counts : Counts
        All slots that agree.
    held : ndarray of uint64, shape (longest + 1, words)
        Slots that hold so many of the chosen cells; with answers for each shot, only row 0 is
        used, the class apart.
    through : ndarray of int32, shape (ships, longest + 1, cells)
        How many of them run through each cell.
    sizes : ndarray of int64, shape (ships, longest + 1)
        How many they are.
    told : ndarray of int64, shape (ships, cells)
        What each cell gains from the other classes: the sum of differences of ``n log n``.
    members : ndarray of int32, shape (64 * words,)
        Slots of these classes, by their places in `Agreeing.code`; those of a ship from
        64 * `Agreeing.begin` on.
    begin, size : ndarray of int32, shape (64 * words,)
        Where each class begins in ``members``, and how many it has; entries of ships as there.
    classes : ndarray of int64, shape (ships,)
        How many there are.
    part : ndarray of int32, shape (cells,)
        How many slots of a class run through each cell; 0 in between.
    quotient : ndarray of int64, shape (ships, 2 * longest + 1)
        What a cell is worth for a ship by its slots through it, if they are all apart.
    logs : ndarray of int64, shape (most slots + 1,)
        n log n.
    candidates, score : ndarray of int64, shape (cells,)
        Cells that may be chosen; and what each cell is worth.
    """

    counts: Counts
    held: Rows
    through: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int64]
    told: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]
    begin: npt.NDArray[np.int32]
    size: npt.NDArray[np.int32]
    classes: npt.NDArray[np.int64]
    part: npt.NDArray[np.int32]
    quotient: npt.NDArray[np.int64]
    logs: npt.NDArray[np.int64]
    candidates: npt.NDArray[np.int64]
    score: npt.NDArray[np.int64]


def no_gains(rules: Rules) -> Gains:
    """Return room for gains."""
    ships, longest = len(rules.fleet), max(rules.fleet)
    slots = [len(rules.slots(length)) for length in rules.fleet]
    words = sum(-(-count // 64) for count in slots)
    logs = [round(n * math.log2(n) * ONE_BIT) for n in range(1, max(slots) + 1)]
    return Gains(
        counts=no_counts(rules),
        held=np.zeros((longest + 1, words), np.uint64),
        through=np.zeros((ships, longest + 1, rules.cells), np.int32),
        sizes=np.zeros((ships, longest + 1), np.int64),
        told=np.zeros((ships, rules.cells), np.int64),
        members=np.zeros(64 * words, np.int32),
        begin=np.zeros(64 * words, np.int32),
        size=np.zeros(64 * words, np.int32),
        classes=np.zeros(ships, np.int64),
        part=np.zeros(rules.cells, np.int32),
        quotient=np.zeros((ships, 2 * longest + 1), np.int64),
        logs=np.array([0, *logs], np.int64),
        candidates=np.zeros(rules.cells, np.int64),
        score=np.zeros(rules.cells, np.int64),
    )


@helper
def _first_slot(known, ship, word):
    """Return the place in ``code`` of the first slot of a word of a ship."""
    return 64 * (known.source[ship] + word - known.begin[ship])


@helper
def _begin_turn(lane, known, gains):
    """Put all agreeing slots into the class apart; return how many cells may be chosen."""
    count_agreeing(lane, known, gains.counts)
    for word in range(gains.held.shape[1]):
        gains.held[0, word] = known.agree[lane, word]
    for ship in range(len(known.fleet)):
        for cell in range(len(gains.score)):
            gains.through[ship, 0, cell] = gains.counts.through[ship, cell]
        gains.told[ship, :] = 0
        gains.sizes[ship, :] = 0
        gains.sizes[ship, 0] = gains.counts.total[ship]
        gains.classes[ship] = 0
    count = 0
    for cell in range(len(gains.score)):
        if is_possible(lane, cell, known, gains.counts):
            gains.candidates[count] = cell
            count += 1
    return count


@helper
def _end_turn(known, gains):
    """Leave ``held`` and ``through`` as `_begin_turn` expects them: 0 beyond the class apart."""
    for ship in range(len(known.fleet)):
        for number in range(1, known.fleet[ship] + 1):
            if gains.sizes[ship, number] == 0:
                continue
            for word in range(known.begin[ship], known.begin[ship + 1]):
                bits, place = gains.held[number, word], _first_slot(known, ship, word)
                gains.held[number, word] = np.uint64(0)
                while bits:
                    slot = place + trailing_zeros(bits)
                    bits &= bits - _BIT
                    first, step = read_slot(known.code[slot], known.cols)
                    for part in range(known.fleet[ship]):
                        gains.through[ship, number, first + part * step] = 0


@helper
def _from_apart(ship, through, joint, gains):
    """Return what a cell gains from the class apart, by how many of its slots run through it.

    With joint answers, where no other slots run through it.
    """
    logs, apart = gains.logs, gains.sizes[ship, 0]
    if joint:
        one = gains.sizes[ship, 1]
        return logs[apart] + logs[one] - logs[apart - through] - logs[one + through]
    return logs[apart] - logs[through] - logs[apart - through]


@helper
def _from_counts(ship, cell, most, gains):
    """Return what a cell gains with joint answers, when slots hold so many chosen cells at most."""
    logs, gain, came = gains.logs, 0, 0
    for number in range(most + 1):
        size, goes = gains.sizes[ship, number], gains.through[ship, number, cell]
        gain += logs[size] - logs[size - goes + came]
        came = goes
    # No slot held one more so far.
    return gain - logs[came]


@helper
def _prepare(joint, bonus, known, gains):
    """Fill ``quotient``."""
    for ship in range(len(known.fleet)):
        total, apart = gains.counts.total[ship], gains.sizes[ship, 0]
        for through in range(1, min(2 * known.fleet[ship], apart) + 1):
            gain = _from_apart(ship, through, joint, gains) + bonus * through
            gains.quotient[ship, through] = gain // total


@helper
def _worth(cell, chosen, joint, bonus, known, gains):
    """Return what a cell is worth beside so many chosen ones: gain and hits, of all ships."""
    worth = 0
    for ship in range(len(gains.classes)):
        through, apart = gains.counts.through[ship, cell], gains.through[ship, 0, cell]
        if through == 0:
            continue
        if through == apart:
            worth += gains.quotient[ship, through]
            continue
        if joint:
            gain = _from_counts(ship, cell, min(chosen, known.fleet[ship]), gains)
        else:
            gain = _from_apart(ship, apart, False, gains) + gains.told[ship, cell]
        worth += (gain + bonus * through) // gains.counts.total[ship]
    return worth


@helper
def _tell(ship, index, sign, known, gains):
    """Add to ``told``, or subtract, what each cell gains from a class of a ship."""
    size, begin = gains.size[index], gains.begin[index]
    # A slot alone is known.
    if size == 1:
        return
    logs, part, told = gains.logs, gains.part, gains.told
    for member in range(begin, begin + size):
        first, step = read_slot(known.code[gains.members[member]], known.cols)
        for number in range(known.fleet[ship]):
            part[first + number * step] += 1
    for member in range(begin, begin + size):
        first, step = read_slot(known.code[gains.members[member]], known.cols)
        for number in range(known.fleet[ship]):
            cell = first + number * step
            if part[cell]:
                gain = logs[size] - logs[part[cell]] - logs[size - part[cell]]
                told[ship, cell] += sign * gain
                part[cell] = 0


@helper
def _is_in(row, slot):
    return (row[slot >> 6] >> np.uint64(slot & 63) & _BIT) != np.uint64(0)


@helper
def _part_class(ship, cell, index, into, known, gains):
    """Move the members of a class that hold a cell into a new one; return whether there are any.

    It stays as it is where all of its members hold the cell, or none.
    """
    begin, end = gains.begin[index], gains.begin[index] + gains.size[index]
    members, row = gains.members, known.through[cell]
    holding = 0
    for member in range(begin, end):
        holding += _is_in(row, members[member])
    if holding == 0 or holding == end - begin:
        return False
    _tell(ship, index, -1, known, gains)
    front, back = begin, end - 1
    while front <= back:
        slot = members[front]
        if _is_in(row, slot):
            members[front], members[back] = members[back], slot
            back -= 1
        else:
            front += 1
    gains.size[index] -= holding
    gains.begin[into], gains.size[into] = front, holding
    _tell(ship, index, 1, known, gains)
    _tell(ship, into, 1, known, gains)
    return True


@helper
def _choose_each(ship, cell, known, gains):
    """Part a ship's classes by whether slots hold a chosen cell."""
    origin, classes = 64 * known.begin[ship], gains.classes[ship]
    total = gains.counts.total[ship] - gains.sizes[ship, 0]
    for number in range(gains.classes[ship]):
        if _part_class(ship, cell, origin + number, origin + classes, known, gains):
            classes += 1
    begin = end = origin + total
    for word in range(known.begin[ship], known.begin[ship + 1]):
        place = _first_slot(known, ship, word)
        bits = gains.held[0, word] & known.through[cell, place >> 6]
        gains.held[0, word] ^= bits
        while bits:
            slot = place + trailing_zeros(bits)
            bits &= bits - _BIT
            gains.members[end] = slot
            end += 1
            first, step = read_slot(known.code[slot], known.cols)
            for part in range(known.fleet[ship]):
                gains.through[ship, 0, first + part * step] -= 1
    if end > begin:
        gains.sizes[ship, 0] -= end - begin
        gains.begin[origin + classes], gains.size[origin + classes] = begin, end - begin
        _tell(ship, origin + classes, 1, known, gains)
        classes += 1
    gains.classes[ship] = classes


@helper
def _choose_joint(ship, cell, known, gains):
    """Let a ship's slots that hold a chosen cell hold one more."""
    held, through, sizes = gains.held, gains.through, gains.sizes
    for number in range(known.fleet[ship] - 1, -1, -1):
        if sizes[ship, number] == 0:
            continue
        for word in range(known.begin[ship], known.begin[ship + 1]):
            place = _first_slot(known, ship, word)
            bits = held[number, word] & known.through[cell, place >> 6]
            held[number, word] ^= bits
            held[number + 1, word] |= bits
            moved = np.int64(population_count(bits))
            sizes[ship, number] -= moved
            sizes[ship, number + 1] += moved
            while bits:
                slot = place + trailing_zeros(bits)
                bits &= bits - _BIT
                first, step = read_slot(known.code[slot], known.cols)
                for part in range(known.fleet[ship]):
                    through[ship, number, first + part * step] -= 1
                    through[ship, number + 1, first + part * step] += 1


@helper
def _likeliest(candidates, count, gains):
    """Return the index of the candidate with the most expected hits, the first of equals."""
    best, most = 0, -1
    for index in range(count):
        hits = 0
        for ship in range(len(gains.classes)):
            through = gains.counts.through[ship, candidates[index]]
            hits += through * ONE_BIT // gains.counts.total[ship]
        if hits > most:
            best, most = index, hits
    return best


@helper
def _best(count, chosen, joint, bonus, known, gains):
    """Return the index of the candidate that is worth most, the first of equals."""
    _prepare(joint, bonus, known, gains)
    candidates = gains.candidates
    best, most = -1, 0
    for index in range(count):
        worth = _worth(candidates[index], chosen, joint, bonus, known, gains)
        if worth > most:
            best, most = index, worth
    return best if best >= 0 else _likeliest(candidates, count, gains)


@kernel
def choose_turns(asked, allowed, joint, bonus, known, gains, turns):
    """Write a turn for every lane that is asked.

    Parameters
    ----------
    asked : ndarray of bool, shape (lanes,)
    allowed : ndarray of int64, shape (lanes,)
        Shots of the turn at most.
    joint : bool
        Whether they have one answer.
    bonus : ndarray of int64, shape (most + 1,)
        What an expected hit is worth beside bits, by the number of shots allowed.
    known : Agreeing
    gains : Gains
        Room.
    turns : ndarray of int64, shape (lanes, most)
        Receives the cells, then -1: the cells that are worth most one after the other, given those
        before; if no cell is worth anything, that with the most expected hits; of equal ones, the
        first. Cells where no ship may lie are left out.

    Returns
    -------
    int
        A lane that is asked and has no cell, or -1.
    """
    for lane in range(len(asked)):
        turns[lane, :] = NOTHING
        if not asked[lane]:
            continue
        count = _begin_turn(lane, known, gains)
        if count == 0:
            return lane
        shots = min(allowed[lane], count)
        for place in range(shots):
            best = _best(count, place, joint, bonus[allowed[lane]], known, gains)
            cell = gains.candidates[best]
            turns[lane, place] = cell
            count -= 1
            for index in range(best, count):
                gains.candidates[index] = gains.candidates[index + 1]
            # No cell is chosen after the last one.
            for ship in range(len(known.fleet) if place < shots - 1 else 0):
                if gains.counts.through[ship, cell] == 0:
                    continue
                if joint:
                    _choose_joint(ship, cell, known, gains)
                else:
                    _choose_each(ship, cell, known, gains)
        if joint:
            _end_turn(known, gains)
    return -1


@kernel
def score_first(lane, joint, bonus, known, gains):
    """Write to ``score`` what each cell of a lane is worth as the first of a turn.

    Parameters
    ----------
    lane : int
    joint : bool
    bonus : int
        What an expected hit is worth beside bits.
    known : Agreeing
    gains : Gains
        ``score`` is -1 where a cell is shot, or no ship may lie.
    """
    gains.score[:] = -1
    count = _begin_turn(lane, known, gains)
    _prepare(joint, bonus, known, gains)
    for index in range(count):
        cell = gains.candidates[index]
        gains.score[cell] = max(_worth(cell, 0, joint, bonus, known, gains), 0)
