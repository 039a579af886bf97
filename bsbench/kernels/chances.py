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
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import trailing_zeros
from bsbench.kernels.numbers import (
    LANES,
    TOO_LARGE,
    WordPlane,
    choose,
    closed_table,
    divided,
    drop_around,
    empty_numbers,
    everywhere,
    fill_lanes,
    greater,
    load,
    ones,
    store,
    typed_as,
    word_plane,
    words_of,
)
from bsbench.kernels.random import uniform_at
from bsbench.kernels.slots import read_slot
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
    shot : ndarray of uint64, shape (cells,)
        Scratch: 64 lanes' last shots.
    cross : ndarray of uint64, shape (ships, cells)
        Scratch: crosses of those that hit each ship, and did not sink it.
    hit : ndarray of uint64, shape (ships,)
        Scratch: lanes that hit each ship.
    fleet : ndarray of int64, shape (ships,)
    rows, cols : int
    around : ndarray of int64, shape (cells, at most 8)
        The cells around each cell that are water once a ship has sunk there.
    full : bool
        Whether they are closed to others once a ship is hit there.
    """

    unshot: WordPlane
    may: WordPlane
    afloat: npt.NDArray[np.uint64]
    shot: npt.NDArray[np.uint64]
    cross: WordPlane
    hit: npt.NDArray[np.uint64]
    fleet: npt.NDArray[np.int64]
    rows: int
    cols: int
    around: npt.NDArray[np.int64]
    full: bool


def unknown_ships(rules: Rules, lanes: int, no_touch: str, planes: int) -> Ships:
    """Make room for what is known in some lanes, with a plane per ship or one for all."""
    ships = Ships(
        unshot=word_plane(lanes, rules.cells),
        may=np.array([word_plane(lanes, rules.cells)] * planes),
        afloat=np.zeros((len(rules.fleet), words_of(lanes)), np.uint64),
        shot=np.zeros(rules.cells, np.uint64),
        cross=np.zeros((len(rules.fleet), rules.cells), np.uint64),
        hit=np.zeros(len(rules.fleet), np.uint64),
        fleet=np.array(rules.fleet),
        rows=rules.rows,
        cols=rules.cols,
        around=closed_table(rules, no_touch != "ignore"),
        full=rules.apart.sides and no_touch == "full",
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


@helper
def _add_cross(board, bit, hit, length, rows, cols):
    """Set a lane's bits of all cells of the slots through a hit."""
    row, col = hit // cols, hit % cols
    for c in range(max(col - length + 1, 0), min(col + length, cols)):
        board[row * cols + c] |= bit
    for r in range(max(row - length + 1, 0), min(row + length, rows)):
        board[r * cols + col] |= bit


@kernel
def learn_ships(cell, outcome, ship, slot, ships):
    """Take note of the last shot in every lane; all but ``ships`` as in `View`.

    The shots of 64 lanes are collected first, so that each plane is changed once for all of them.
    """
    fleet, rows, cols, may = ships.fleet, ships.rows, ships.cols, ships.may
    shot, cross, hit_by = ships.shot, ships.cross, ships.hit
    for word in range(len(ships.unshot)):
        unshot = ships.unshot[word]
        shot[:] = 0
        cross[:] = 0
        hit_by[:] = 0
        hits = np.uint64(0)
        for place in range(min(LANES, len(cell) - word * LANES)):
            lane = word * LANES + place
            bit = _ONE << np.uint64(place)
            last = cell[lane]
            # A game that is over may be shown again: what has been shot is known already.
            if last < 0 or not unshot[last] & bit:
                continue
            shot[last] |= bit
            if outcome[lane] != MISS:
                hits |= bit
                hit_by[ship[lane]] |= bit
                # A sunk ship has no slot left.
                if outcome[lane] != SUNK:
                    _add_cross(cross[ship[lane]], bit, last, fleet[ship[lane]], rows, cols)
        for c in range(rows * cols):
            unshot[c] &= ~shot[c]
        for other in range(len(fleet)):
            plane, kept, hit = may[other, word], cross[other], hit_by[other]
            for c in range(rows * cols):
                plane[c] &= kept[c] | ~(shot[c] | hit)
        while hits:
            place = trailing_zeros(hits)
            lane = word * LANES + place
            bit = _ONE << np.uint64(place)
            hits &= ~bit
            hit = ship[lane]
            if ships.full:
                for other in range(len(fleet)):
                    if other != hit:
                        drop_around(may[other, word], bit, cell[lane], ships.around)
            if outcome[lane] != SUNK:
                continue
            ships.afloat[hit, word] &= ~bit
            if ships.around.size:
                first, step = read_slot(slot[lane], cols)
                for part in range(first, first + fleet[hit] * step, step):
                    drop_around(unshot, bit, part, ships.around)
                    for other in range(len(fleet)):
                        if other != hit:
                            drop_around(may[other, word], bit, part, ships.around)


class Chances(NamedTuple):
    """Room to work out the chances in 64 games at a time.

    Attributes
    ----------
    begins : ndarray of uint64, shape (side,)
        Scratch: which lanes have a slot that begins at a position of the line.
    source : ndarray of int64, shape (units,)
        Where the counts of each factor stand: equal ships on one plane share them.
    begin : ndarray of int64, shape (groups + 1,)
        Units whose product fits the type of ``totals``, from one entry up to the next.
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
    begin: npt.NDArray[np.int64]
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
            f"{len(rules.fleet)} ships on the {rules.board} board are too many to multiply their "
            "probabilities; use fewer ships or a smaller board, or a strategy that adds weights, "
            "such as datagenetics"
        )
    wide = exact and EXACT_FLOAT <= math.prod(most) < 1 << 64
    dtype = np.uint64 if wide else np.float64
    total_dtype = np.uint16 if max(most) <= np.iinfo(np.uint16).max else np.uint32
    return Chances(
        begins=np.zeros(max(rules.rows, rules.cols), np.uint64),
        source=np.array(source),
        begin=np.array(_groups(most, int(np.iinfo(total_dtype).max))),
        counts=empty_numbers(len(most), rules.cells, dtype=count_dtype),
        totals=empty_numbers(len(most), dtype=total_dtype),
        water=empty_numbers(rules.cells, dtype=dtype),
        product=empty_numbers(1, dtype=dtype),
        score=empty_numbers(rules.cells, dtype=np.float64),
    )


def _groups(most: list[int], largest: int) -> list[int]:
    """Return where groups of factors begin whose products stay in bounds; and where all end."""
    groups = [0]
    for unit in range(1, len(most)):
        # Where products are rounded, their order matters.
        rounded = math.prod(most) >= EXACT_FLOAT
        if rounded or math.prod(most[groups[-1] : unit + 1]) > largest:
            groups.append(unit)
    return [*groups, len(most)]


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
            through = begun = everywhere(counts, 0)
            for p in range(positions):
                cell = first + p * step
                begins[p] = 0
                if p <= last_begin:
                    fits = plane[cell]
                    for part in range(1, length):
                        fits &= plane[cell + part * step]
                    begins[p] = fits
                    through = through + ones(counts, fits)
                    begun = begun + ones(counts, fits)
                if p >= length:
                    through = through - ones(counts, begins[p - length])
                row = unit * cells + cell
                store(counts, row, load(counts, row) + through if down else through)
            in_all = in_all + typed_as(totals, begun)
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


@helper
def _multiply_totals(chances):
    totals, water = chances.totals, chances.water
    product = everywhere(water, 1)
    for unit in range(len(totals)):
        product = product * typed_as(water, load(totals, unit))
    return product


@helper
def _multiply_missed(chances, cell):
    """Return the product of (total - count) of all units."""
    counts, totals, water, begin = chances.counts, chances.totals, chances.water, chances.begin
    product = everywhere(water, 1)
    for group in range(len(begin) - 1):
        part = everywhere(totals, 1)
        for unit in range(begin[group], begin[group + 1]):
            through = load(counts, chances.source[unit] * len(water) + cell)
            part = part * (load(totals, unit) - typed_as(totals, through))
        product = product * typed_as(water, part)
    return product


@kernel
def multiply_chances(chances):
    """Multiply up ``water`` and ``product`` from the counts of all units."""
    store(chances.product, 0, _multiply_totals(chances))
    for cell in range(len(chances.water)):
        store(chances.water, cell, _multiply_missed(chances, cell))


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


@kernel
def weigh_chances(chances, weighing, word, shots, wanted, open_words, complete):
    """Fill ``score`` from the counts of all units: weight * (1 - water / product) + noise * U.

    Parameters
    ----------
    chances : Chances
    weighing : Weighing
    word : int
    shots : ndarray of int64, shape (lanes,)
        Shots fired so far.
    wanted : uint64
        The lanes that choose.
    open_words : ndarray of uint64, shape (cells,)
        Where each cell may be chosen.
    complete : bool
        Whether noise is added to all cells of these lanes, or only where it may decide: to open
        cells that it may lift to the greatest score. Rounding keeps order, so that no other
        cell can win.
    """
    weights, noise, start = weighing
    score = chances.score
    cells = len(score)
    certain = everywhere(score, 1.0)
    part = divided(certain, _multiply_totals(chances))
    set_of_weights = word if len(weights) > 1 else 0
    greatest = everywhere(score, 0.0)
    for cell in range(cells):
        chance = certain - _multiply_missed(chances, cell) * part
        value = load(weights, set_of_weights * cells + cell) * chance
        store(score, cell, value)
        greatest = choose(greater(value, greatest) & open_words[cell], value, greatest)
    if noise > 0:
        most = everywhere(score, noise)
        for cell in range(cells):
            lanes = ~greater(greatest, load(score, cell) + most) & open_words[cell] & wanted
            if complete:
                lanes = wanted
            while lanes:
                lane = trailing_zeros(lanes)
                lanes &= lanes - _ONE
                index = shots[word * LANES + lane] * cells + cell
                score[cell, lane] += noise * uniform_at(start[word, lane], index)
