"""Small networks that compare a few cells: from which does a game take the fewest shots.

They know the board of `classic`. All inputs are 0 or 1, so a layer is a sum of rows of weights.
A cell is seen in its own *frame*: the board is turned over so that the cell lies in one
eighth of it, and what is around is listed by the difference of rows and columns::

    row     is added if
    0       the cell 5 rows up and 5 columns left is water … 5 rows down and 5 columns right
    121     likewise for open hits, up to 4 rows and columns away
    202     the cell is in one of 15 places, in the eighth of the board
    217     a ship of 2 is afloat, a ship of 3, both of these, the ship of 4, that of 5
    222     0 to 4 cells to the right are no water, up to the first water; likewise to the left,
            down and up
    242     likewise for open hits
    262     the cell has the highest, second … eighth highest score of the base
    270     its score is 0 to 31 of 32 parts of the highest
    302     0 to 4, 5 to 9, … cells have not been shot
    323

Two hidden layers of rectified units follow, and one sum. There are six networks: for hunting and
for open hits, while the shortest ship afloat has 2 cells, 3 cells, or more.

Rows are added one after the other, in the order of their numbers but for the first 202, so that
the same position has the same value to the last bit, in games, in training, and in the twin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper
from bsbench.kernels.bits import population_count, trailing_zeros
from bsbench.kernels.boards import Boards

Floats = npt.NDArray[np.float32]

SIDE, CELLS = 10, 100
FLEET = (5, 4, 3, 3, 2)
FEW = 8
"""Cells that are compared at most."""

PARTS = 32
NETWORKS = 6

_REACH, _HIT_REACH, _ARM = 5, 4, 4
_PLACE, _AFLOAT, _FREE, _HITS, _RANK, _PART, _OPEN, ROWS = 202, 217, 222, 242, 262, 270, 302, 323
MOST_INPUTS = 160
"""More than all inputs that can be 1 at once."""

_WAYS = ((0, 1), (0, -1), (1, 0), (-1, 0))
_ONE, _NONE = np.uint64(1), np.uint64(0)
_ZERO = np.float32(0)
_LAST = np.uint64((1 << CELLS - 64) - 1)


class Frames(NamedTuple):
    """Every cell's frame.

    Attributes
    ----------
    water, hit : ndarray of int64, shape (cells, cells)
        The row of water, or of an open hit, at the second cell, seen from the first; -1 beyond
        reach.
    arm : ndarray of int64, shape (cells, 4, 4)
        The cells in each direction, the nearest first; -1 beyond the board.
    place : ndarray of int64, shape (cells,)
        The row of the cell's place.
    """

    water: npt.NDArray[np.int64]
    hit: npt.NDArray[np.int64]
    arm: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]


def frames() -> Frames:
    """Return the frames of all cells."""
    water, hit = np.full((2, CELLS, CELLS), -1)
    arm, place = np.full((CELLS, len(_WAYS), _ARM), -1), np.zeros(CELLS, np.int64)
    places: dict[tuple[int, int], int] = {}
    for cell in range(CELLS):
        row, col = divmod(cell, SIDE)
        up, left = row >= SIDE // 2, col >= SIDE // 2
        near_row, near_col = min(row, SIDE - 1 - row), min(col, SIDE - 1 - col)
        corner = min(near_row, near_col), max(near_row, near_col)
        place[cell] = _PLACE + places.setdefault(corner, len(places))
        for other in range(CELLS):
            down, right = other // SIDE - row, other % SIDE - col
            down, right = -down if up else down, -right if left else right
            if near_row > near_col:
                down, right = right, down
            if max(abs(down), abs(right)) <= _REACH:
                water[cell, other] = (down + _REACH) * (2 * _REACH + 1) + right + _REACH
            if max(abs(down), abs(right)) <= _HIT_REACH:
                at = (down + _HIT_REACH) * (2 * _HIT_REACH + 1) + right + _HIT_REACH
                hit[cell, other] = (2 * _REACH + 1) ** 2 + at
            for way, (each_down, each_right) in enumerate(_WAYS):
                for step in range(1, _ARM + 1):
                    if (down, right) == (each_down * step, each_right * step):
                        arm[cell, way, step - 1] = other
    return Frames(water, hit, arm, place)


class Networks(NamedTuple):
    """The weights of six networks.

    Attributes
    ----------
    first : ndarray of float32, shape (6, rows, width)
    first_bias : ndarray of float32, shape (6, width)
    second : ndarray of float32, shape (6, width, second width)
    second_bias, third : ndarray of float32, shape (6, second width)
    """

    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    third: Floats


class Position(NamedTuple):
    """What is known in one game, or in many: then each array has one axis more, in front.

    Attributes
    ----------
    dry, struck : ndarray of uint64, shape (2,)
        As `bsbench.kernels.density.Evidence` has them, as boards.
    afloat : ndarray of uint8, shape (5,)
        Number of ships afloat of each length, from 1 on.
    """

    dry: Boards
    struck: Boards
    afloat: npt.NDArray[np.uint8]


class Room(NamedTuple):
    """Room to compare up to `FEW` cells.

    Attributes
    ----------
    rows : ndarray of int64, shape (8, 160)
        The rows that are added for each cell.
    counts : ndarray of int64, shape (8,)
        How many these are.
    one, two : ndarray of float32, shapes (8, width) and (8, second width)
        The sums of both layers.
    """

    rows: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    one: Floats
    two: Floats


def room_for(networks: Networks) -> Room:
    """Return room to compare cells."""
    return Room(
        np.zeros((FEW, MOST_INPUTS), np.int64),
        np.zeros(FEW, np.int64),
        np.zeros((FEW, networks.first.shape[2]), np.float32),
        np.zeros((FEW, networks.second.shape[2]), np.float32),
    )


@helper
def network_of(struck, afloat):
    """Return which network knows a position."""
    short = 0 if afloat[1] else (1 if afloat[2] else 2)
    return short if struck[0] == _NONE and struck[1] == _NONE else 3 + short


@helper
def _holds(board, cell):
    return board[cell >> 6] >> np.uint64(cell & 63) & _ONE != _NONE


@helper
def _list_rows(dry, struck, afloat, cell, rank, part, frames, rows):
    """List the rows to add for a cell; return how many."""
    count = unshot = 0
    for word in range(2):
        water = ~dry[word] if word == 0 else ~dry[word] & _LAST
        unshot += population_count(dry[word] & ~struck[word])
        while water:
            row = frames.water[cell, word * 64 + trailing_zeros(water)]
            water &= water - _ONE
            rows[count] = row
            count += row >= 0
    for word in range(2):
        hits = struck[word]
        while hits:
            row = frames.hit[cell, word * 64 + trailing_zeros(hits)]
            hits &= hits - _ONE
            rows[count] = row
            count += row >= 0
    rows[count] = frames.place[cell]
    count += 1
    for index in range(5):
        length = 1 if index == 0 else (2 if index <= 2 else index)
        rows[count] = _AFLOAT + index
        count += afloat[length] > (1 if index == 2 else 0)
    for way in range(4):
        free = struck_in_a_row = 0
        for step in range(_ARM):
            at = frames.arm[cell, way, step]
            if at < 0 or not _holds(dry, at):
                break
            struck_in_a_row += struck_in_a_row == free and _holds(struck, at)
            free += 1
        rows[count + way] = _FREE + way * (_ARM + 1) + free
        rows[count + 4 + way] = _HITS + way * (_ARM + 1) + struck_in_a_row
    count += 8
    rows[count] = _RANK + rank
    rows[count + 1] = _PART + part
    rows[count + 2] = _OPEN + unshot // 5
    return count + 3


@helper
def _value(networks, which, rows, count, one, two):
    """Return the value of a network whose inputs are listed."""
    for unit in range(len(one)):
        one[unit] = networks.first_bias[which, unit]
    for index in range(count):
        row = rows[index]
        for unit in range(len(one)):
            one[unit] += networks.first[which, row, unit]
    for unit in range(len(two)):
        two[unit] = networks.second_bias[which, unit]
    for before in range(len(one)):
        factor = one[before]
        if factor > _ZERO:
            for unit in range(len(two)):
                two[unit] += factor * networks.second[which, before, unit]
    value = _ZERO
    for unit in range(len(two)):
        if two[unit] > _ZERO:
            value += two[unit] * networks.third[which, unit]
    return value


@helper
def compare(dry, struck, afloat, cells, ranks, parts, count, frames, networks, room, values):
    """Write the value of each of the first ``count`` cells: the less, the fewer shots follow.

    Parameters
    ----------
    dry, struck, afloat
        The position: see `Position`.
    cells, ranks, parts : ndarray of whole numbers, shape (8,)
        The cells, their ranks by the base's score, from 0 on, and these scores in
        parts of the highest: see `part_of`.
    count : int
    frames : Frames
    networks : Networks
    room : Room
        Overwritten.
    values : ndarray of float32, shape (8,)
    """
    which = network_of(struck, afloat)
    for index in range(count):
        cell, rank, part = np.int64(cells[index]), np.int64(ranks[index]), np.int64(parts[index])
        rows, one, two = room.rows[index], room.one[index], room.two[index]
        room.counts[index] = _list_rows(dry, struck, afloat, cell, rank, part, frames, rows)
        values[index] = _value(networks, which, rows, room.counts[index], one, two)


@helper
def part_of(score, highest):
    """Return a score in 32 parts of the highest one, 31 at most."""
    return min(PARTS - 1, np.int64(score) * PARTS // np.int64(highest))
