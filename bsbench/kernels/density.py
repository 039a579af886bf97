"""Density: a score for each cell, from the slots that run through it.

A ship afloat lies in one of the slots that are not ruled out. A strategy
gives every slot a weight; a cell's score is the weight of all slots through it::

    factor of the cells      1   1   5   1   0   1        5: an open hit, 0: water
    slots of length 3       |--- 5 ---|                   a product of factors,
                                |--- 5 ---|               times the ships of that
                                    |--- 0 ---|           length that are afloat
                                        |--- 0 ---|
    score                    5  10  10   5   0   0        and the same down the column

64 games are weighed at a time, one `numbers` value per cell. With factors of 0 and 1
the score is a number of slots.

This is for feedback that tells the length of a ship that sinks; `Evidence` is what the shooter
knows. If its cells are not told, the ship is taken out where they follow from the hits: where only
one slot of its length through the last shot consists of open hits. Else these stay open hits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import trailing_zeros
from bsbench.kernels.numbers import (
    LANES,
    TOO_LARGE,
    WordPlane,
    choose,
    closed_table,
    drop_around,
    empty_numbers,
    everywhere,
    fill_lanes,
    load,
    ones,
    store,
    typed_as,
    word_plane,
    words_of,
)
from bsbench.kernels.slots import read_slot
from bsbench.rules.board import MISS, NOTHING, SUNK, Rules

_ONE = np.uint64(1)

_BEYOND = 3
"""Factors beyond the end of each line: slots of up to 3 cells more are weighed together."""


class Evidence(NamedTuple):
    """What a shooter knows of each game where the referee reports what sank; and the rules.

    Attributes
    ----------
    unshot : ndarray of uint64, shape (words, cells)
        Plane of the cells not shot yet.
    dry : ndarray of uint64, shape (words, cells)
        Plane of the cells where a ship afloat may lie: all but *water*, which is
        misses, cells of sunk ships, and what these rule out around them.
    struck : ndarray of uint64, shape (words, cells)
        Plane of the open hits: hits on ships still afloat.
    afloat : ndarray of uint16, shape (longest, words, 64)
        Number of ships afloat of each length, from 1 on.
    fleet : ndarray of int64, shape (ships,)
    rows, cols : int
    sinking_blocks : bool
        Whether cells of a sunk ship are water.
    around : ndarray of int64, shape (cells, at most 8)
        The cells around each cell that are water, too, once a ship has sunk there.
    """

    unshot: WordPlane
    dry: WordPlane
    struck: WordPlane
    afloat: npt.NDArray[np.uint16]
    fleet: npt.NDArray[np.int64]
    rows: int
    cols: int
    sinking_blocks: bool
    around: npt.NDArray[np.int64]


def no_evidence(rules: Rules, lanes: int, sinking_blocks: bool, apart: bool) -> Evidence:
    """Return evidence of fresh games in ``lanes`` lanes.

    Parameters
    ----------
    rules : Rules
    lanes : int
    sinking_blocks : bool
        As in `Evidence`.
    apart : bool
        Whether what the rules close around a sunk ship is water.
    """
    evidence = Evidence(
        unshot=word_plane(lanes, rules.cells),
        dry=word_plane(lanes, rules.cells),
        struck=word_plane(lanes, rules.cells),
        afloat=empty_numbers(max(rules.fleet), words_of(lanes), dtype=np.uint16),
        fleet=np.array(rules.fleet),
        rows=rules.rows,
        cols=rules.cols,
        sinking_blocks=sinking_blocks,
        around=closed_table(rules, apart),
    )
    forget(np.arange(lanes), evidence)
    return evidence


@kernel
def forget(lanes, evidence):
    """Begin fresh games in some lanes."""
    fill_lanes(evidence.unshot, lanes, True)
    fill_lanes(evidence.dry, lanes, True)
    fill_lanes(evidence.struck, lanes, False)
    for lane in lanes:
        for length in range(len(evidence.afloat)):
            evidence.afloat[length, lane // LANES, lane % LANES] = 0
        for length in evidence.fleet:
            evidence.afloat[length - 1, lane // LANES, lane % LANES] += 1


@kernel
def _slot_that_follows(struck, bit, cell, length, rows, cols):
    """Return where a ship lies that a shot has sunk: in open hits; or -1 if several slots are."""
    found = NOTHING
    row, col = divmod(cell, cols)
    for down in range(2 if length > 1 else 1):
        at, line, step = (row, rows, cols) if down else (col, cols, 1)
        for back in range(max(at + length - line, 0), min(length - 1, at) + 1):
            first = cell - back * step
            whole = bit
            for part in range(length):
                whole &= struck[first + part * step]
            if whole:
                if found != NOTHING:
                    return NOTHING
                found = 2 * first + down
    return found


@kernel
def learn(cell, outcome, ship, slot, evidence):
    """Take note of the last shot in every lane; all but ``evidence`` as in `View`."""
    fleet, rows, cols = evidence.fleet, evidence.rows, evidence.cols
    for word in range(len(evidence.unshot)):
        unshot, dry, struck = evidence.unshot[word], evidence.dry[word], evidence.struck[word]
        sinks = np.uint64(0)
        for place in range(min(LANES, len(cell) - word * LANES)):
            lane = np.uint64(word * LANES + place)
            last = np.uint64(cell[lane])
            if last >= np.uint64(len(unshot)):
                continue
            # A game that is over may be shown again: what has been shot is known already.
            bit = unshot[last] & (_ONE << np.uint64(place))
            # Without branches: processors can't predict what a shot does.
            hit = bit if outcome[lane] != MISS else np.uint64(0)
            unshot[last] ^= bit
            dry[last] &= hit | ~bit
            struck[last] |= hit
            sinks |= hit if outcome[lane] == SUNK else np.uint64(0)
        while sinks:
            place = trailing_zeros(sinks)
            bit = sinks & ~(sinks - _ONE)
            sinks ^= bit
            lane = word * LANES + place
            if ship[lane] == NOTHING:
                # Without its length, that some ship has sunk is of no use here.
                continue
            length = fleet[ship[lane]]
            evidence.afloat[length - 1, word, place] -= 1
            code = slot[lane]
            if code == NOTHING:
                code = _slot_that_follows(struck, bit, cell[lane], length, rows, cols)
            if code == NOTHING:
                continue
            first, step = read_slot(code, cols)
            end = first + length * step
            if evidence.around.size:
                for sunk in range(first, end, step):
                    drop_around(dry, bit, sunk, evidence.around)
            for sunk in range(first, end, step):
                struck[sunk] &= ~bit
                dry[sunk] = dry[sunk] & ~bit if evidence.sinking_blocks else dry[sunk] | bit


class Scales(NamedTuple):
    """Room to weigh the slots of 64 games at a time.

    Attributes
    ----------
    factor : ndarray, shape (1 or 2, rows + 3, cols + 3, 64)
        Factor of each cell, for slots along rows and for slots down columns where these differ.
        Beyond the last row and the last column it stays 0, so that no slot lies there.
    times : ndarray, shape (1 + a multiple of 4, 64)
        What the product of a slot of each length, from 1 on, is multiplied by.
    longer : ndarray, shape (2, cells, 64)
        Scratch: product of the factors of the longest slots so far, along and down.
    score : ndarray, shape (cells, 64)
        Weight of the slots through each cell.
    singles : bool
        Whether the fleet has ships of one cell.
    rows, cols : int
    full : bool
        Whether a slot is impossible when it touches an open hit that is not in it.
    corners : bool
        Whether it touches one at a corner, too.
    """

    factor: npt.NDArray[Any]
    times: npt.NDArray[Any]
    longer: npt.NDArray[Any]
    score: npt.NDArray[Any]
    singles: bool
    rows: int
    cols: int
    full: bool
    corners: bool


def scales(rules: Rules, full: bool, largest: int) -> Scales:
    """Return room to weigh slots under some rules.

    Parameters
    ----------
    rules : Rules
    full : bool
    largest : int
        Bound of the scores of all unshot cells. They are exact integers while 63 bits hold
        it; beyond, they are float64, and rounding may decide ties. (Scores of
        cells already shot may pass it, and wrap: these cells are not chosen.)

    Raises
    ------
    BsbenchError
        If float64 can't hold the scores either.
    """
    if largest >= TOO_LARGE:
        raise BsbenchError(
            f"a ship of {max(rules.fleet)} cells and a factor for each hit in a slot multiply to "
            "more than a number can hold: use shorter ships, or a smaller factor"
        )
    dtypes: list[Any] = [np.uint16, np.int32, np.int64]
    fitting = [dtype for dtype in dtypes if largest <= np.iinfo(dtype).max]
    dtype = fitting[0] if fitting else np.float64
    room = Scales(
        factor=empty_numbers(1 + full, rules.rows + _BEYOND, rules.cols + _BEYOND, dtype=dtype),
        times=empty_numbers(5 + max(max(rules.fleet) - 2, 0) // 4 * 4, dtype=dtype),
        longer=empty_numbers(2, rules.cells, dtype=dtype),
        score=empty_numbers(rules.cells, dtype=dtype),
        singles=1 in rules.fleet,
        rows=rules.rows,
        cols=rules.cols,
        full=full,
        corners=rules.apart.corners,
    )
    room.factor.fill(0)
    room.times.fill(0)
    return room


@helper
def count_afloat(evidence, word, scales):
    """Let a slot count as often as there are ships of its length afloat, in 64 lanes."""
    longest, words, _ = evidence.afloat.shape
    for length in range(longest):
        afloat = load(evidence.afloat, length * words + word)
        store(scales.times, length, typed_as(scales.times, afloat))


@kernel
def set_factors(evidence, word, scales, hit_weight):
    """Set the factor of water to 0, of open hits to ``hit_weight``, of other cells to 1.

    With ``full``, slots that touch an open hit with their long side are ruled out here: a
    cell has factor 0 for slots along the row when an open hit is next to it in the row
    above or below, and likewise for slots down the column.
    """
    rows, cols, corners = scales.rows, scales.cols, scales.corners
    factor, dry, struck = scales.factor, evidence.dry[word], evidence.struck[word]
    below, down = cols + _BEYOND, (rows + _BEYOND) * (cols + _BEYOND)
    more, none = everywhere(factor, hit_weight - 1), everywhere(factor, 0)
    for row in range(rows):
        for col in range(cols):
            cell, place = row * cols + col, row * below + col
            # An open hit is never water.
            value = ones(factor, dry[cell]) + choose(struck[cell], more, none)
            if not scales.full:
                store(factor, place, value)
                continue
            above_or_below = left_or_right = np.uint64(0)
            for r in range(max(row - 1, 0), min(row + 2, rows)):
                for c in range(max(col - 1, 0), min(col + 2, cols)):
                    hit = struck[r * cols + c]
                    if r != row and (corners or c == col):
                        above_or_below |= hit
                    if c != col and (corners or r == row):
                        left_or_right |= hit
            store(factor, place, choose(above_or_below, none, value))
            store(factor, down + place, choose(left_or_right, none, value))


@helper
def _alone(weight, none, struck, before, after, left):
    """Return the weight of a slot; none where an open hit is before it, or after, on the board."""
    return choose(before | struck[after] if left > 0 else before, none, weight)


@helper
def _weigh_four(evidence, word, scales, least, full):
    """Add up the weights of the slots of four lengths, from ``least`` on.

    At each cell of a line, a, b, c, and d are the weights of those that begin there, the shortest
    first. All four reach the cell ``last``, where that of length 2 begins and longer ones are
    least - 2 cells on, and the next one. What they add to the cells from there on waits in
    registers::

        begin   last
          a   …   a   a                 a + b + c + d    at once, and in next_1
          b   …   b   b   b                 b + c + d    in next_2
          c   …   c   c   c   c                 c + d    in next_3
          d   …   d   d   d   d   d                 d    in next_4
    """
    factor, times, longer, score = scales.factor, scales.times, scales.longer, scales.score
    struck = evidence.struck[word]
    rows, cols = scales.rows, scales.cols
    below = cols + _BEYOND
    none = everywhere(score, 0)
    times_a, times_b = load(times, least - 1), load(times, least)
    times_c, times_d = load(times, least + 1), load(times, least + 2)
    for down in range(2):
        positions, lines, step = (rows, cols, cols) if down else (cols, rows, 1)
        stride = below if down else 1
        for line in range(lines):
            first = line if down else line * cols
            begin = line if down else line * below
            if down and full:
                begin += (rows + _BEYOND) * below
            next_1 = next_2 = next_3 = next_4 = none
            for p in range(positions - least + 1):
                cell, place = first + p * step, begin + p * stride
                row = down * rows * cols + cell
                product = load(factor, place) if least == 2 else load(longer, row)
                product = product * load(factor, place + (least - 1) * stride)
                a = product * times_a
                product = product * load(factor, place + least * stride)
                b = product * times_b
                product = product * load(factor, place + (least + 1) * stride)
                c = product * times_c
                product = product * load(factor, place + (least + 2) * stride)
                d = product * times_d
                if least + 4 < len(times):
                    store(longer, row, product)
                if full:
                    before = struck[cell - step] if p > 0 else np.uint64(0)
                    after, left = cell + least * step, positions - p - least
                    a = _alone(a, none, struck, before, after, left)
                    b = _alone(b, none, struck, before, after + step, left - 1)
                    c = _alone(c, none, struck, before, after + 2 * step, left - 2)
                    d = _alone(d, none, struck, before, after + 3 * step, left - 3)
                c = c + d
                b = b + c
                a = a + b
                last = cell + (least - 2) * step
                for part in range(cell, last, step):
                    store(score, part, load(score, part) + a)
                through = a + next_1
                next_1 = a + next_2
                next_2 = b + next_3
                next_3 = c + next_4
                next_4 = d
                # The first ones along rows begin the sum.
                store(score, last, load(score, last) + through if down or least > 2 else through)
            last = first + (positions - 1) * step
            store(score, last, load(score, last) + next_1 if down or least > 2 else next_1)


@kernel
def weigh_slots(evidence, word, scales):
    """Add up, for every cell, the weights of the slots through it.

    A slot's weight is the product of its cells' factors, times ``times`` of its length.
    With ``scales.full`` it has none when it ends beside an open hit.

    Parameters
    ----------
    evidence : Evidence
        Its open hits matter with ``scales.full``.
    word : int
        Which 64 lanes.
    scales : Scales
        Reads ``factor`` and ``times``; overwrites ``score`` and ``longer``.
    """
    full, factor, score = scales.full, scales.factor, scales.score
    if not full:
        # With both as constants, since the loop is a quarter faster so.
        _weigh_four(evidence, word, scales, 2, False)
    for least in range(2 if full else 6, len(scales.times), 4):
        _weigh_four(evidence, word, scales, least, full)
    if scales.singles:
        # A slot of one cell is the same along and down.
        none, struck, cols = everywhere(score, 0), evidence.struck[word], scales.cols
        for cell in range(scales.rows * cols):
            row, col = cell // cols, cell % cols
            weight = load(factor, row * (cols + _BEYOND) + col) * load(scales.times, 0)
            if full:
                before = struck[cell - 1] if col > 0 else np.uint64(0)
                weight = _alone(weight, none, struck, before, cell + 1, cols - 1 - col)
            store(score, cell, load(score, cell) + weight)
