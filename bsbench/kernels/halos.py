"""Slots weighed by the room that they leave to the other ships, where ships keep apart.

A ship excludes its own cells and all around them, its *halo*. (Where ships may touch at corners, it
excludes less; the halo stays the same, as a measure of room.) A slot counts less the more slots of
the other ships meet its halo::

    . . | . . . . .        the halo of A, from p - 1 to q + 1 on the line and those beside it.
    . h h h h h . .        Slots along the line meet it that begin from p - K to q + 1 on these
    . h A A A h . .        lines, K being their length; slots across it that begin from p - 1 to
    . h h h h h . .        q + 1, on the lines from K above to the next one.
    . . | . . . . .

With x the share of a ship's slots that do, and T the sum of x over the other ships afloat, the slot
is weighed by (1 - a T / n)^n: for a = 1 nearly the probability that none of n ships is there.
Weights of the slots of one length are then scaled so that their sum stays the same.

Where the ship of each hit is reported, a slot must hold no hit on a ship of another length; and a
hit, if all ships of its length are hit.

64 games are weighed at a time. Scores are rounded to 1 / 2^20, so that ties stay ties in whatever
order numbers were added up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.numbers import (
    LANES,
    choose,
    divided,
    empty_numbers,
    everywhere,
    greater,
    load,
    store,
    typed_as,
    words_of,
)
from bsbench.kernels.slots import read_slot
from bsbench.rules.board import HIT, SUNK, Rules

Floats = npt.NDArray[np.float64]

_ONE, _NO_LANES = np.uint64(1), np.uint64(0)

_BEYOND = 3
"""As in `bsbench.kernels.density`."""

_LEAST = 1e-3
"""1 - a T / n is at least so large."""

_ROUND = 1.5 * 2**32
"""A number that is added and subtracted rounds to 1 / 2^20."""


class Halos(NamedTuple):
    """Room to weigh slots by their halos.

    Attributes
    ----------
    slots : ndarray of float64, shape (longest, 2, cells, 64)
        Weight of the slots of each length that begin at a cell, along rows and down columns.
    total, kept : ndarray of float64, shape (longest, 64)
        Their sum, before and after.
    share : ndarray of float64, shape (longest, 64)
        1 / total; 0 where no such ship is afloat.
    ships : ndarray of float64, shape (longest, 64)
        Number of ships afloat.
    cover : ndarray of float64, shape (longest, cells, 64)
        Weight of the slots through each cell.
    ends, begins : ndarray of float64, shape (longest, side + 1, 64)
        For a line: share of the slots that begin before the end of a halo, and of those before its
        begin; the difference is x.
    all_ends, all_begins : ndarray of float64, shape (side + 1, 64)
        The sums of these over the ships afloat.
    doublings : int
        n is 2 to this power.
    strength : float
        a.
    """

    slots: Floats
    total: Floats
    kept: Floats
    share: Floats
    ships: Floats
    cover: Floats
    ends: Floats
    begins: Floats
    all_ends: Floats
    all_begins: Floats
    doublings: int
    strength: float


def halos_of(rules: Rules, strength: float) -> Halos:
    """Return room to weigh the slots of a fleet."""
    longest, places = max(rules.fleet), max(rules.rows, rules.cols) + 1

    def room(*shape: int) -> Floats:
        numbers: npt.NDArray[Any] = empty_numbers(*shape, dtype=np.float64)
        numbers.fill(0)
        return numbers

    return Halos(
        slots=room(longest, 2, rules.cells),
        total=room(longest),
        kept=room(longest),
        share=room(longest),
        ships=room(longest),
        cover=room(longest, rules.cells),
        ends=room(longest, places),
        begins=room(longest, places),
        all_ends=room(places),
        all_begins=room(places),
        doublings=max(len(rules.fleet) - 1, 1).bit_length(),
        strength=strength,
    )


class Owners(NamedTuple):
    """Which ships the hits are on, where that is reported.

    Attributes
    ----------
    hits : ndarray of uint64, shape (longest, words, cells)
        Planes of the open hits on ships of each length, from 1 on.
    unhit : ndarray of uint64, shape (ships, words)
        Lanes in which each ship has not been hit.
    """

    hits: npt.NDArray[np.uint64]
    unhit: npt.NDArray[np.uint64]


def no_owners(rules: Rules, lanes: int) -> Owners:
    """Return what is known of fresh games."""
    words = words_of(lanes)
    return Owners(
        np.zeros((max(rules.fleet), words, rules.cells), np.uint64),
        np.full((len(rules.fleet), words), ~_NO_LANES),
    )


@kernel
def note_owners(cell, outcome, ship, slot, evidence, owners):
    """Take note of the last shot in every lane; all but the last two as in `View`."""
    for lane in range(len(cell)):
        if cell[lane] < 0 or outcome[lane] < HIT:
            continue
        word, bit = lane // LANES, _ONE << np.uint64(lane % LANES)
        length = evidence.fleet[ship[lane]]
        owners.unhit[ship[lane], word] &= ~bit
        if outcome[lane] == HIT:
            owners.hits[length - 1, word, cell[lane]] |= bit
        elif outcome[lane] == SUNK:
            first, step = read_slot(slot[lane], evidence.cols)
            for part in range(first, first + length * step, step):
                owners.hits[length - 1, word, part] &= ~bit


@kernel
def forget_owners(lanes, owners):
    """Begin fresh games in some lanes."""
    for lane in lanes:
        word, bit = lane // LANES, _ONE << np.uint64(lane % LANES)
        for ship in range(len(owners.unhit)):
            owners.unhit[ship, word] |= bit
        for length in range(len(owners.hits)):
            for cell in range(owners.hits.shape[2]):
                owners.hits[length, word, cell] &= ~bit


@helper
def _agrees(first, end, step, hits, unhit, struck):
    """Return the lanes in which the owners of hits allow a slot.

    Parameters
    ----------
    first, end, step : int
        The slot's cells.
    hits, struck : ndarray of uint64, shape (cells,)
        Open hits on ships of its length, and all.
    unhit : uint64
        Lanes in which some ship of its length has not been hit.
    """
    mine = others = _NO_LANES
    for part in range(first, end, step):
        mine |= hits[part]
        others |= struck[part] & ~hits[part]
    return (mine | unhit) & ~others


@kernel
def _weigh_all(evidence, word, scales, halos, owners):
    """Fill ``slots``, ``total``, ``share`` and ``ships``."""
    rows, cols, struck = scales.rows, scales.cols, evidence.struck[word]
    factor, slots = scales.factor, halos.slots
    below, cells = cols + _BEYOND, rows * cols
    longest, words, _ = evidence.afloat.shape
    none, one = everywhere(slots, 0.0), everywhere(slots, 1.0)
    for index in range(longest):
        length = index + 1
        afloat = typed_as(slots, load(evidence.afloat, index * words + word))
        store(halos.ships, index, afloat)
        present = greater(afloat, none)
        unhit = _NO_LANES
        if owners is not None:
            for ship in range(len(evidence.fleet)):
                if evidence.fleet[ship] == length:
                    unhit |= owners.unhit[ship, word]
        in_all = none
        for down in range(1 if length == 1 else 2):
            positions, step, stride = (rows, cols, below) if down else (cols, 1, 1)
            sheet = down * (rows + _BEYOND) * below
            for cell in range(cells):
                row, col = cell // cols, cell % cols
                p = row if down else col
                place = (index * 2 + down) * cells + cell
                if not present or p + length > positions:
                    store(slots, place, none)
                    continue
                corner = sheet + row * below + col
                product = load(factor, corner)
                for part in range(1, length):
                    product = product * load(factor, corner + part * stride)
                beside = struck[cell - step] if p > 0 else np.uint64(0)
                beside |= struck[cell + length * step] if p + length < positions else np.uint64(0)
                if length == 1:
                    beside |= struck[cell - cols] if row > 0 else np.uint64(0)
                    beside |= struck[cell + cols] if row + 1 < rows else np.uint64(0)
                allowed = present & ~beside
                if owners is not None:
                    end = cell + length * step
                    hits = owners.hits[index, word]
                    allowed &= _agrees(cell, end, step, hits, unhit, struck)
                product = choose(allowed, product, none)
                in_all = in_all + product
                store(slots, place, product)
        store(halos.total, index, in_all)
        some = greater(in_all, none)
        store(halos.share, index, choose(some, divided(one, choose(some, in_all, one)), none))


@kernel
def _add_line(down, line, rows, cols, halos):
    """Fill ``ends`` and ``begins`` for a line."""
    slots, ends, begins = halos.slots, halos.ends, halos.begins
    all_ends, all_begins, ships = halos.all_ends, halos.all_begins, halos.ships
    places, cells = all_ends.shape[0], rows * cols
    lines, positions, across, step = (cols, rows, 1, cols) if down else (rows, cols, cols, 1)
    none = everywhere(slots, 0.0)
    for p in range(positions + 1):
        store(all_ends, p, none)
        store(all_begins, p, none)
    for index in range(len(slots)):
        length = index + 1
        if not greater(load(ships, index), none):
            continue
        along, crossing = (index * 2 + down) * cells, (index * 2 + 1 - down) * cells
        share = load(halos.share, index)
        # The number of slots before each position: along the line, and both.
        before = both = none
        store(begins, index * places, none)
        store(ends, index * places, none)
        for p in range(positions):
            met = none
            for near in range(max(line - 1, 0), min(line + 2, lines)):
                met = met + load(slots, along + near * across + p * step)
            before = before + met
            for near in range(max(line - length, 0), min(line + 2, lines)):
                met = met + load(slots, crossing + near * across + p * step)
            both = both + met
            store(ends, index * places + p + 1, both * share)
            store(begins, index * places + p + 1, before * share)
        # Slots along begin up to K cells before the halo's first one; others, in it.
        for p in range(positions, -1, -1):
            a, b = max(p - length, 0), max(p - 1, 0)
            here = load(ends, index * places + b) - load(begins, index * places + b)
            store(begins, index * places + p, load(begins, index * places + a) + here)
        of_all = load(ships, index)
        for p in range(positions + 1):
            end, begin = load(ends, index * places + p), load(begins, index * places + p)
            store(all_ends, p, load(all_ends, p) + of_all * end)
            store(all_begins, p, load(all_begins, p) + of_all * begin)


@kernel
def weigh_halos(evidence, word, scales, halos, owners):
    """Add up, for every cell, the weights of the slots through it.

    Parameters
    ----------
    evidence : Evidence
    word : int
        Which 64 lanes.
    scales : Scales
        Of float64, with ``full``. Reads ``factor`` and ``times``; fills ``score``.
    halos : Halos
    owners : Owners or None
    """
    rows, cols, score, times = scales.rows, scales.cols, scales.score, scales.times
    slots, cover, ends, begins = halos.slots, halos.cover, halos.ends, halos.begins
    cells, places = rows * cols, halos.all_ends.shape[0]
    none, one, least = (
        everywhere(score, 0.0),
        everywhere(score, 1.0),
        everywhere(score, _LEAST),
    )
    part_of = everywhere(score, halos.strength / (1 << halos.doublings))
    _weigh_all(evidence, word, scales, halos, owners)
    for index in range(len(slots)):
        store(halos.kept, index, none)
        for cell in range(cells):
            store(cover, index * cells + cell, none)
    for down in range(2):
        lines, positions, across, step = (cols, rows, 1, cols) if down else (rows, cols, cols, 1)
        for line in range(lines):
            _add_line(down, line, rows, cols, halos)
            for index in range(down, len(slots)):
                length = index + 1
                if not greater(load(halos.ships, index), none):
                    continue
                kept = load(halos.kept, index)
                for p in range(positions - length + 1):
                    cell = line * across + p * step
                    end = min(p + length + 1, positions)
                    met = load(halos.all_ends, end) - load(halos.all_begins, p)
                    own = load(ends, index * places + end) - load(begins, index * places + p)
                    free = one - (met - own) * part_of
                    free = choose(greater(free, least), free, least)
                    for _ in range(halos.doublings):
                        free = free * free
                    free = free * load(slots, (index * 2 + down) * cells + cell)
                    kept = kept + free
                    for part in range(cell, cell + length * step, step):
                        row = index * cells + part
                        store(cover, row, load(cover, row) + free)
                store(halos.kept, index, kept)
    for cell in range(cells):
        store(score, cell, none)
    for index in range(len(slots)):
        kept = load(halos.kept, index)
        some = greater(kept, none)
        scale = divided(load(halos.total, index), choose(some, kept, one)) * load(times, index)
        scale = choose(some, scale, none)
        for cell in range(cells):
            through = load(cover, index * cells + cell)
            store(score, cell, load(score, cell) + scale * through)


@kernel
def round_scores(score):
    """Round scores to 1 / 2^20, those of 64 games."""
    high = everywhere(score, _ROUND)
    for cell in range(len(score)):
        store(score, cell, load(score, cell) + high - high)
