"""What shots revealed in many games at once, and counts in each: for strategies and rollouts.

`bsbench.counting.evidence` says the same of one position, in Python. Here each lane has a row of
its own, and takes note of one shot in less than a microsecond::

    possible[lane]   for each ship, the slots that no answer excludes, as bits
    mark[lane]       for each cell: not shot, water, or a hit
    hits[lane]       the hits that some ship has to explain: open[lane] of them
    afloat[lane]     the ships that have not sunk, as bits
    key[lane]        hash of all shots and answers, in whatever order

*Water* is a miss or a cell of a sunk ship. A sunk ship is done with: the slots that it excludes are
no longer possible. Where each hit says which ship it is on, hits only exclude slots, and none
has to be explained.

To count in a lane, `set_out` writes its evidence into a `Walk`; then `count_layouts` of
`bsbench.counting.joins` counts, or `pick_layouts` finds the layouts of some ranks.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.counting.joins import Fleet, Stack, count_layouts, empty_stack, unrolled
from bsbench.counting.tables import Bits, Tables, tables_of
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import trailing_zeros
from bsbench.kernels.random import mix
from bsbench.kernels.slots import read_slot
from bsbench.rules.board import MISS, NOTHING, SUNK, Rules

OPEN, WATER, STRUCK = 0, 1, 2
"""What `LaneEvidence.mark` says of a cell."""

MOST_WORK = 50_000_000_000
"""Words joined for a position at most, by `work_at_most`: about ten seconds."""

_ONE = np.uint64(1)


class LaneEvidence(NamedTuple):
    """What shots revealed in each lane: see the picture above.

    Attributes
    ----------
    possible : ndarray of uint64, shape (lanes, ships, words)
        Of a ship that has sunk, the row means nothing.
    mark : ndarray of uint8, shape (lanes, cells)
    hits : ndarray of int16, shape (lanes, ship cells)
    open, afloat : ndarray of int64, shape (lanes,)
    key : ndarray of uint64, shape (lanes, 2)
    """

    possible: Bits
    mark: npt.NDArray[np.uint8]
    hits: npt.NDArray[np.int16]
    open: npt.NDArray[np.int64]
    afloat: npt.NDArray[np.int64]
    key: npt.NDArray[np.uint64]


class Board(NamedTuple):
    """What kernels know of the rules.

    Attributes
    ----------
    tables : Tables
    number : ndarray of int64, shape (kinds, 2 * cells)
        The number of a slot within its kind, by its code; -1 where there is none.
    cols : int
    announces : bool
        Whether a ship that sinks is announced.
    words : tuple or ndarray
        See `unrolled`.
    """

    tables: Tables
    number: npt.NDArray[np.int64]
    cols: int
    announces: bool
    words: Any


class Walk(NamedTuple):
    """Room for counting, for one thread.

    Attributes
    ----------
    fleet : Fleet
    stack : Stack
    counts : ndarray of uint64, shape (ships, 64 * words)
        Layouts with each ship in each slot of its kind: see `count_layouts`.
    """

    fleet: Fleet
    stack: Stack
    counts: Bits


def board_of(rules: Rules) -> Board:
    """Return what kernels know of the rules.

    Raises
    ------
    BsbenchError
        If the board is too large for tables.
    """
    tables = tables_of(rules)
    kinds, slots = tables.code.shape
    number = np.full((kinds, 2 * rules.cells), NOTHING, np.int64)
    for kind in range(kinds):
        known = tables.code[kind] != NOTHING
        number[kind, tables.code[kind, known]] = np.arange(slots)[known]
    announces = rules.reveals.sinkings
    return Board(tables, number, rules.cols, announces, unrolled(slots // 64))


def no_evidence(rules: Rules, board: Board, lanes: int) -> LaneEvidence:
    """Return room for that many lanes; `forget` begins a game."""
    words = board.tables.all.shape[1]
    return LaneEvidence(
        possible=np.zeros((lanes, len(rules.fleet), words), np.uint64),
        mark=np.zeros((lanes, rules.cells), np.uint8),
        hits=np.zeros((lanes, rules.ship_cells), np.int16),
        open=np.zeros(lanes, np.int64),
        afloat=np.zeros(lanes, np.int64),
        key=np.zeros((lanes, 2), np.uint64),
    )


def walk_of(rules: Rules, board: Board) -> Walk:
    """Return room for counting."""
    tables, ships = board.tables, len(rules.fleet)
    words = tables.all.shape[1]
    fleet = Fleet(
        kind=tables.kind,
        length=tables.length,
        equal=np.zeros(ships, np.int64),
        keep=tables.keep,
        explain=np.zeros((ships, rules.ship_cells, words), np.uint64),
        explained=np.zeros((ships, 64 * words), np.uint64),
    )
    return Walk(fleet, empty_stack(ships, words), np.zeros((ships, 64 * words), np.uint64))


def work_at_most(rules: Rules) -> int:
    """Return a bound of the words that `count_layouts` joins for the empty board.

    Up to `MOST_WORK`, all counts fit 63 bits.
    """
    numbers = sorted(len(rules.slots(length)) for length in rules.fleet)
    words = -(-numbers[-1] // 64)
    return math.prod(numbers[:-2]) * sum(numbers[-2:]) * words


@kernel
def forget(lanes, board, evidence):
    """Begin a game in some lanes: nothing is known."""
    tables = board.tables
    ships = len(tables.kind)
    for lane in lanes:
        for ship in range(ships):
            for word in range(len(board.words)):
                evidence.possible[lane, ship, word] = tables.all[tables.kind[ship], word]
        evidence.mark[lane] = OPEN
        evidence.open[lane] = 0
        evidence.afloat[lane] = (1 << ships) - 1
        evidence.key[lane] = 0


@helper
def _add_to_key(key, cell, outcome, ship, slot):
    # Without loss: on 250x250 cells a cell has 16 bits and a slot 17; an outcome has 2, and
    # a ship fewer than 23. Sums don't depend on the order of shots.
    shot = np.uint64(cell) << np.uint64(2) | np.uint64(outcome)
    shot = shot << np.uint64(23) | np.uint64(ship + 1)
    shot = shot << np.uint64(17) | np.uint64(slot + 1)
    shot += _ONE
    key[0] += mix(shot)
    key[1] += mix(~shot)


@kernel
def _sink(lane, ship, slot, board, evidence):
    """Settle a ship: its cells are water, and what it excludes is impossible."""
    tables = board.tables
    kind = tables.kind[ship]
    number = board.number[kind, slot]
    first, step = read_slot(slot, board.cols)
    for part in range(tables.length[ship]):
        evidence.mark[lane, first + part * step] = WATER
    evidence.afloat[lane] &= ~(1 << ship)
    for other in range(len(tables.kind)):
        for word in range(len(board.words)):
            kept = tables.keep[kind, number, tables.kind[other], word]
            evidence.possible[lane, other, word] &= kept
    hits = 0
    for index in range(evidence.open[lane]):
        cell = evidence.hits[lane, index]
        if evidence.mark[lane, cell] == STRUCK:
            evidence.hits[lane, hits] = cell
            hits += 1
    evidence.open[lane] = hits


@kernel
def _exclude_whole(lane, cell, board, evidence):
    """Exclude the slots through a cell all of whose cells are hit: the ship would have sunk."""
    tables = board.tables
    for ship in range(len(tables.kind)):
        if not evidence.afloat[lane] >> ship & 1:
            continue
        kind = tables.kind[ship]
        for word in range(len(board.words)):
            bits = evidence.possible[lane, ship, word] & tables.through[kind, cell, word]
            while bits:
                lowest = bits & (~bits + _ONE)
                first, step = read_slot(
                    tables.code[kind, word * 64 + trailing_zeros(bits)], board.cols
                )
                bits ^= lowest
                whole = True
                for part in range(tables.length[ship]):
                    whole &= evidence.mark[lane, first + part * step] == STRUCK
                if whole:
                    evidence.possible[lane, ship, word] &= ~lowest


@helper
def learn_shot(lane, cell, outcome, ship, slot, board, evidence):
    """Take note of a shot in a lane at a cell that was not shot before, all as in `View`."""
    tables = board.tables
    _add_to_key(evidence.key[lane], cell, outcome, ship, slot)
    for other in range(len(tables.kind)):
        kind = tables.kind[other]
        for word in range(len(board.words)):
            through = tables.through[kind, cell, word]
            if outcome == MISS or (ship != NOTHING and other != ship):
                evidence.possible[lane, other, word] &= ~through
            elif other == ship:
                evidence.possible[lane, other, word] &= through
    evidence.mark[lane, cell] = WATER if outcome == MISS else STRUCK
    if outcome == SUNK:
        _sink(lane, ship, slot, board, evidence)
    elif outcome != MISS:
        if ship == NOTHING:
            evidence.hits[lane, evidence.open[lane]] = cell
            evidence.open[lane] += 1
        if board.announces:
            _exclude_whole(lane, cell, board, evidence)


@kernel
def learn_shots(cell, outcome, ship, slot, board, evidence):
    """Take note of the last shots, as they stand in a `View`; those noted before are skipped."""
    for lane in range(len(cell)):
        if cell[lane] >= 0 and evidence.mark[lane, cell[lane]] == OPEN:
            learn_shot(lane, cell[lane], outcome[lane], ship[lane], slot[lane], board, evidence)


@kernel
def set_out(lane, board, evidence, walk):
    """Begin the walk over the layouts that agree with what is known in a lane."""
    tables, fleet, stack = board.tables, walk.fleet, walk.stack
    afloat, hits = evidence.afloat[lane], evidence.open[lane]
    for ship in range(len(tables.kind)):
        if not afloat >> ship & 1:
            continue
        kind = tables.kind[ship]
        for word in range(len(board.words)):
            stack.possible[0, ship, word] = evidence.possible[lane, ship, word]
        fleet.equal[ship] = ship
        for other in range(ship):
            if afloat >> other & 1 and tables.kind[other] == kind and fleet.equal[other] == other:
                alike = True
                for word in range(len(board.words)):
                    alike &= stack.possible[0, other, word] == stack.possible[0, ship, word]
                if alike:
                    fleet.equal[ship] = other
                    break
        if hits:
            fleet.explained[ship] = 0
            for index in range(hits):
                for word in range(len(board.words)):
                    bits = tables.through[kind, evidence.hits[lane, index], word]
                    fleet.explain[ship, index, word] = bits
                    bits &= stack.possible[0, ship, word]
                    while bits:
                        slot = word * 64 + trailing_zeros(bits)
                        fleet.explained[ship, slot] |= _ONE << np.uint64(index)
                        bits &= bits - _ONE
    stack.left[0] = afloat
    stack.hits[0] = (_ONE << np.uint64(hits)) - _ONE if hits < 64 else ~np.uint64(0)
    stack.weight[0] = 1


@kernel
def count_lane(lane, board, evidence, walk, most_work):
    """Count the layouts left in a lane, and with each ship in each slot: see `count_layouts`."""
    set_out(lane, board, evidence, walk)
    walk.counts[:] = 0
    return count_layouts(walk.fleet, walk.stack, walk.counts, most_work, board.words)
