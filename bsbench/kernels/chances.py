"""Chances: the probability that each cell holds a ship, if ships were independent.

Each ship has a plane of its own, the cells where it may still lie. A shot that misses,
or hits another ship, closes its cell. A hit reduces the ship's plane to the cross
of its slots through the hit; every slot within two crosses contains both hits::

    . . . . . .         . . # . . .         . . . . . .
    . . . . . .         . . # . . .         . . . . . .
    . . . . . .   hit   # # H # # .   hit   # # H H # .      ship of 3
    . . . . . .         . . # . . .         . . . . . .
    . . . . . .         . . # . . .         . . . . . .

So the ship's possible slots are those within its plane, hit or not. A sunk ship's
plane is empty, and its factor 1. (Where the shooter never learns which ship was hit, all
ships share one plane, closed by misses alone, and no ship ever sinks.) With c_k slots
of ship k through a cell, of t_k in all, the cell is water with the probability
product over k of (t_k - c_k) / t_k, the ships afloat taken as independent.

64 games are counted at a time, one `numbers` value per ship and cell.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.kernels._jit import allocating, helper, kernel
from bsbench.kernels.numbers import (
    LANES,
    TOO_LARGE,
    choose,
    divided,
    empty_numbers,
    everywhere,
    load,
    ones,
    store,
    typed_as,
)
from bsbench.kernels.random import uniform_at
from bsbench.kernels.slots import read_slot
from bsbench.kernels.words import WordPlane, drop_around, fill_lanes, word_plane, words_of
from bsbench.rules.board import MISS, SUNK, Rules

_ONE = np.uint64(1)

EXACT_FLOAT = 1 << 53
"""Whole numbers below are exact as float64."""


class Ships(NamedTuple):
    """What is known of each game where the feedback reveals which ship is hit.

    Attributes
    ----------
    unshot : ndarray of uint64, shape (words, cells)
        Plane of the cells not shot yet, nor known to be water.
    may : ndarray of uint64, shape (ships or 1, words, cells)
        Planes of the cells where each ship may lie; one may serve them all.
    afloat : ndarray of uint64, shape (ships, words)
        Lanes in which each ship is afloat.
    first_hit : ndarray of int32, shape (ships, lanes)
        The cell of the first hit on each ship, or -1.
    fleet : ndarray of int64, shape (ships,)
    rows, cols : int
    apart, full : bool
        Whether cells around a sunk ship are water; and those around a hit, for others.
    """

    unshot: WordPlane
    may: WordPlane
    afloat: npt.NDArray[np.uint64]
    first_hit: npt.NDArray[np.int32]
    fleet: npt.NDArray[np.int64]
    rows: int
    cols: int
    apart: bool
    full: bool


def unknown_ships(rules: Rules, lanes: int, no_touch: str, planes: int) -> Ships:
    """Make room for what is known in some lanes, with a plane per ship or one for all."""
    ships = Ships(
        unshot=word_plane(lanes, rules.cells),
        may=np.array([word_plane(lanes, rules.cells)] * planes),
        afloat=np.zeros((len(rules.fleet), words_of(lanes)), np.uint64),
        first_hit=np.zeros((len(rules.fleet), lanes), np.int32),
        fleet=np.array(rules.fleet),
        rows=rules.rows,
        cols=rules.cols,
        apart=not rules.touching and no_touch != "ignore",
        full=not rules.touching and no_touch == "full",
    )
    forget_ships(np.arange(lanes), ships)
    return ships


@kernel
def forget_ships(lanes, ships):
    """Begin fresh games in some lanes."""
    fill_lanes(ships.unshot, lanes, True)
    for may in ships.may:
        fill_lanes(may, lanes, True)
    for ship in range(len(ships.fleet)):
        for lane in lanes:
            ships.afloat[ship, lane // LANES] |= _ONE << np.uint64(lane % LANES)
            ships.first_hit[ship, lane] = -1


@helper
def _leave_cross(board, bit, first_hit, hit, length, rows, cols, kept):
    """Clear a lane's cells of a ship except the cross of a hit; without branches on bits."""
    row, col = hit // cols, hit % cols
    left, right = max(col - length + 1, 0), min(col + length, cols)
    top, bottom = max(row - length + 1, 0), min(row + length, rows)
    for c in range(left, right):
        kept[c] = board[row * cols + c] & bit
    for r in range(top, bottom):
        kept[cols + r] = board[r * cols + col] & bit
    _clear_ship(board, bit, first_hit, length, rows, cols)
    for c in range(left, right):
        board[row * cols + c] |= kept[c]
    for r in range(top, bottom):
        board[r * cols + col] |= kept[cols + r]


@helper
def _clear_ship(board, bit, first_hit, length, rows, cols):
    """Clear all of a lane's cells of a ship: after a hit, only its cross is set."""
    if first_hit < 0:
        for cell in range(len(board)):
            board[cell] &= ~bit
        return
    row, col = first_hit // cols, first_hit % cols
    for c in range(max(col - length + 1, 0), min(col + length, cols)):
        board[row * cols + c] &= ~bit
    for r in range(max(row - length + 1, 0), min(row + length, rows)):
        board[r * cols + col] &= ~bit


@allocating
def learn_ships(cell, outcome, ship, slot, ships):
    """Take note of the last shot in every lane; all but ``ships`` as in `View`."""
    fleet, rows, cols, may = ships.fleet, ships.rows, ships.cols, ships.may
    kept = np.empty(rows + cols, np.uint64)
    for word in range(len(ships.unshot)):
        unshot = ships.unshot[word]
        for place in range(min(LANES, len(cell) - word * LANES)):
            lane = word * LANES + place
            bit = _ONE << np.uint64(place)
            last = cell[lane]
            # A game that is over may be shown again: what has been shot is known already.
            if last < 0 or not unshot[last] & bit:
                continue
            unshot[last] &= ~bit
            hit = ship[lane] if outcome[lane] != MISS else -1
            for other in range(len(fleet)):
                if other != hit:
                    may[other, word, last] &= ~bit
            if hit < 0:
                continue
            sunk = outcome[lane] == SUNK
            first_hit, length = ships.first_hit[hit, lane], fleet[hit]
            board = may[hit, word]
            if sunk:
                _clear_ship(board, bit, first_hit, length, rows, cols)
            else:
                _leave_cross(board, bit, first_hit, last, length, rows, cols, kept)
            if first_hit < 0:
                ships.first_hit[hit, lane] = last
            if ships.full:
                for other in range(len(fleet)):
                    if other != hit:
                        drop_around(may[other, word], bit, last, rows, cols)
            if not sunk:
                continue
            ships.afloat[hit, word] &= ~bit
            if ships.apart:
                first, step = read_slot(slot[lane], cols)
                for part in range(first, first + length * step, step):
                    drop_around(unshot, bit, part, rows, cols)
                    for other in range(len(fleet)):
                        if other != hit:
                            drop_around(may[other, word], bit, part, rows, cols)


class Chances(NamedTuple):
    """Room to work out the chances in 64 games at a time.

    Attributes
    ----------
    begins : ndarray of uint64, shape (side,)
        Scratch: which lanes have a slot that begins at a position of the line.
    source : ndarray of int64, shape (units,)
        Where the counts of each factor stand: equal ships on one plane share them.
    counts : ndarray, shape (units, cells, 64)
        Slots through each cell.
    totals : ndarray, shape (units, 64)
        Slots in all; 1 where there is none afloat.
    water : ndarray, shape (cells, 64)
        Product of (total - count): float64, or uint64 where that is needed to be exact.
    product : ndarray, shape (1, 64)
        Product of the totals, of the same type.
    score : ndarray of float64, shape (cells, 64)
        Scores, where there are weights.
    """

    begins: npt.NDArray[np.uint64]
    source: npt.NDArray[np.int64]
    counts: npt.NDArray[Any]
    totals: npt.NDArray[Any]
    water: npt.NDArray[Any]
    product: npt.NDArray[Any]
    score: npt.NDArray[np.float64]


def chances(
    rules: Rules, source: list[int], most: list[int], count_dtype: npt.DTypeLike, exact: bool
) -> Chances:
    """Return room for chances.

    Parameters
    ----------
    rules : Rules
    source : list of int
        See `Chances`.
    most : list of int
        Slots on the empty board of each unit. Products are exact integers if that of all
        these stays below 2^64; beyond, they are float64, multiplied in this order.
    count_dtype : dtype
        Of the counts.
    exact : bool
        Whether products have to be exact integers where they can be.

    Raises
    ------
    BsbenchError
        If the fleet has so many ships that float64 can't hold the products either.
    """
    if math.prod(most) >= TOO_LARGE:
        raise BsbenchError(
            f"{len(rules.fleet)} ships on a {rules.board} board are too many to multiply their "
            "probabilities; use fewer ships or a smaller board, or a strategy that adds weights, "
            "such as datagenetics"
        )
    wide = exact and EXACT_FLOAT <= math.prod(most) < 1 << 64
    dtype = np.uint64 if wide else np.float64
    total_dtype = np.uint16 if max(most) <= np.iinfo(np.uint16).max else np.uint32
    return Chances(
        begins=np.zeros(max(rules.rows, rules.cols), np.uint64),
        source=np.array(source),
        counts=empty_numbers(len(most), rules.cells, dtype=count_dtype),
        totals=empty_numbers(len(most), dtype=total_dtype),
        water=empty_numbers(rules.cells, dtype=dtype),
        product=empty_numbers(1, dtype=dtype),
        score=empty_numbers(rules.cells, dtype=np.float64),
    )


def ship_chances(rules: Rules, shared_plane: bool, exact: bool) -> Chances:
    """Return room for chances with a factor for each ship."""
    fleet = rules.fleet
    source = [fleet.index(length) if shared_plane else k for k, length in enumerate(fleet)]
    most = [len(rules.slots(length)) for length in fleet]
    dtype = np.uint8 if 2 * max(fleet) <= np.iinfo(np.uint8).max else np.uint16
    return chances(rules, source, most, dtype, exact)


@kernel
def count_ship(plane, chances, unit, length, rows, cols):
    """Count a ship's slots within its plane, through every cell and in all.

    Reads the plane's words of 64 lanes, shape (cells,); writes ``counts`` and ``totals`` of the
    unit. Along a line, the slots through a cell are the last ``length`` that began.
    """
    begins, counts, totals = chances.begins, chances.counts, chances.totals
    cells = rows * cols
    in_all = everywhere(totals, 0)
    for down in range(2):
        positions, step = (rows, cols) if down else (cols, 1)
        # A slot of one cell is the same along and down.
        last_begin = -1 if down and length == 1 else positions - length
        for line in range(cells // positions):
            first = line if down else line * cols
            through = everywhere(counts, 0)
            for p in range(positions):
                cell = first + p * step
                begins[p] = 0
                if p <= last_begin:
                    fits = plane[cell]
                    for part in range(1, length):
                        fits &= plane[cell + part * step]
                    begins[p] = fits
                    through = through + ones(counts, fits)
                    in_all = in_all + ones(totals, fits)
                if p >= length:
                    through = through - ones(counts, begins[p - length])
                row = unit * cells + cell
                store(counts, row, load(counts, row) + through if down else through)
    store(totals, unit, in_all)


@kernel
def count_ships(ships, word, chances):
    """Count the slots of all ships in 64 games."""
    one = everywhere(chances.totals, 1)
    for ship in range(len(ships.fleet)):
        source = chances.source[ship]
        # A ship that shares another's counts shares its total: only where no ship ever sinks.
        if source == ship:
            plane = ships.may[ship % len(ships.may), word]
            count_ship(plane, chances, ship, ships.fleet[ship], ships.rows, ships.cols)
        slots = choose(ships.afloat[ship, word], load(chances.totals, source), one)
        store(chances.totals, ship, slots)


@kernel
def multiply_chances(chances):
    """Multiply up ``water`` and ``product`` from the counts of all units."""
    counts, totals, water = chances.counts, chances.totals, chances.water
    units, cells, _ = counts.shape
    product = everywhere(water, 1)
    for unit in range(units):
        product = product * typed_as(water, load(totals, unit))
    store(chances.product, 0, product)
    for cell in range(cells):
        value = everywhere(water, 1)
        for unit in range(units):
            through = typed_as(totals, load(counts, chances.source[unit] * cells + cell))
            value = value * typed_as(water, load(totals, unit) - through)
        store(water, cell, value)


class Weighing(NamedTuple):
    """What turns chances into scores: weight of the cell * chance + noise * U.

    Attributes
    ----------
    weights : ndarray of float64, shape (words or 1, cells, 64)
        Weight of each cell; one set may serve all words.
    noise : float
    start : ndarray of uint64, shape (words, 64)
        Where each lane's random stream starts. U of a cell is the draw number
        shots * cells + cell.
    """

    weights: npt.NDArray[np.float64]
    noise: float
    start: npt.NDArray[np.uint64]


@allocating
def weigh_chances(chances, weighing, word, shots):
    """Turn ``water`` and ``product`` into scores: weight * (1 - water / product) + noise * U.

    Parameters
    ----------
    chances : Chances
    weighing : Weighing
    word : int
    shots : ndarray of int64, shape (lanes,)
        Shots fired so far.
    """
    weights, noise, start = weighing
    water, score = chances.water, chances.score
    cells = len(water)
    certain = everywhere(score, 1.0)
    part = divided(certain, load(chances.product, 0))
    set_of_weights = word if len(weights) > 1 else 0
    for cell in range(cells):
        chance = certain - load(water, cell) * part
        store(score, cell, load(weights, set_of_weights * cells + cell) * chance)
    if noise > 0:
        drawn = np.zeros(LANES, np.uint64)
        for lane in range(min(LANES, len(shots) - word * LANES)):
            drawn[lane] = shots[word * LANES + lane] * cells
        for cell in range(cells):
            for lane in range(LANES):
                index = drawn[lane] + np.uint64(cell)
                score[cell, lane] += noise * uniform_at(start[word, lane], index)
