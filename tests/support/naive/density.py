"""What the twins that count slots share: what a shooter knows, and slots through cells."""

from __future__ import annotations

import math
from functools import cache

from tests.support.naive.layouts import excluded, slots


class Record:
    """What a shooter who hears of sinkings has been told, and what follows from it.

    Attributes
    ----------
    unshot : set
        Cells not shot yet.
    misses : set
        Cells known to hold no ship: shots that missed and, unless ``no_touch`` is
        ``ignore`` or ships may touch, the neighbours of sunk ships.
    open_hits : set
        Hits on ships afloat.
    sunk : set
        Cells of sunk ships.
    afloat : list
        Ships not sunk, in fleet order.
    """

    def __init__(self, rules, no_touch: str) -> None:
        assert no_touch in ("ignore", "sunk", "full")
        self.rules = rules
        self.no_touch = "ignore" if rules.touching is True else no_touch
        self.unshot = set(range(rules.cells))
        self.misses: set[int] = set()
        self.open_hits: set[int] = set()
        self.sunk: set[int] = set()
        self.afloat = list(range(len(rules.fleet)))

    def note(self, cell: int, reply) -> None:
        self.unshot.remove(cell)
        if not reply.hit:
            self.misses.add(cell)
            return
        self.open_hits.add(cell)
        if reply.sunk and reply.ship is not None:
            self.afloat.remove(reply.ship)
            cells = reply.cells or self.follows(cell, reply.ship)
            self.open_hits.difference_update(cells)
            self.sunk.update(cells)
            if self.no_touch != "ignore":
                self.misses.update(excluded(self.rules, cells) - set(cells))

    def follows(self, cell: int, ship: int) -> tuple[int, ...]:
        """Return the cells of a ship that a shot has sunk, if they follow from the hits."""
        slots = [each for each in self.slots(ship) if self.open_hits.issuperset(each)]
        whole = [each for each in slots if cell in each]
        return whole[0] if len(whole) == 1 else ()

    def slots(self, ship: int) -> list[tuple[int, ...]]:
        """Return all slots on the board of a ship's length."""
        return slots(self.rules.rows, self.rules.cols, self.rules.fleet[ship])

    def candidates(self) -> list[int]:
        """Return the cells worth a shot, in row-major order."""
        return sorted(self.unshot - self.misses)

    def touches(self, slot: tuple[int, ...], hits: set[int]) -> bool:
        """Tell whether a slot touches one of some hits that it does not contain."""
        return any(
            hit not in slot and not excluded(self.rules, (hit,)).isdisjoint(slot) for hit in hits
        )


def through(cells: int, weighed) -> list:
    """Return for each cell the sum of the weights of the slots through it."""
    sums = [0] * cells
    for slot, weight in weighed:
        for cell in slot:
            sums[cell] += weight
    return sums


def first_maximum(cells: list[int], scores) -> int:
    best = max(cells, key=lambda cell: scores[cell])  # the first one, where several are
    assert scores[best] > 0
    return best


# --- told what sank ----------------------------------------------------------------------


def slots_afloat(record: Record, closed: set[int]) -> list[tuple[int, ...]]:
    """Return the slots of all ships afloat that hold no closed cell, ship by ship."""
    return [
        slot
        for ship in record.afloat
        for slot in record.slots(ship)
        if closed.isdisjoint(slot)
        # A slot that touches a hit without containing it is not that of the ship hit,
        # nor, where ships may not touch, of another one.
        and not (record.no_touch == "full" and record.touches(slot, record.open_hits))
    ]


# --- probability that any ship is there, ships taken as independent -----------------------
#
# A factor is a pair (total, counts): the number of places a ship (or a pair of ships)
# can have, and for each cell the number of those that cover it.


def factor(rules, places) -> tuple[int, list[int]]:
    return len(places), through(rules.cells, dict.fromkeys(places, 1).items())


def pair_factor(rules, slots_of_one, slots_of_other) -> tuple[int, list[int]]:
    """Count the ways to place both ships: without overlap, and apart where rules demand it."""
    totals, counts = [], [0] * rules.cells
    for here, there in ((slots_of_one, slots_of_other), (slots_of_other, slots_of_one)):
        clashes, bits = _clashes(rules, len(here[0]), len(there[0]))
        possible_there = sum(bits[slot] for slot in there)
        total = 0
        for slot in here:
            ways = len(there) - (clashes[slot] & possible_there).bit_count()
            total += ways
            for cell in slot:
                counts[cell] += ways
        totals.append(total)
    assert totals[0] == totals[1]
    return totals[0], counts


@cache
def _clashes(rules, length: int, other_length: int):
    """Return a bit for each slot of another ship, and which of them clash with each slot."""
    bits = {
        slot: 1 << index for index, slot in enumerate(slots(rules.rows, rules.cols, other_length))
    }
    clashes = {}
    for slot in slots(rules.rows, rules.cols, length):
        closed = excluded(rules, slot)
        clashes[slot] = sum(bit for other, bit in bits.items() if not closed.isdisjoint(other))
    return clashes, bits


def ways_missed(factors, cell: int, one=1.0):
    """Return in how many ways no ship lies at a cell; as floats, one after the other is rounded."""
    return math.prod((total - counts[cell] for total, counts in factors), start=one)


def smallest_product(rules, cells: list[int], factors) -> int:
    """Return the first cell where the product of (total - count) is smallest."""
    empty_board = math.prod(len(slots(rules.rows, rules.cols, length)) for length in rules.fleet)
    # Products that do not fit in 64 bits are rounded, in fleet order.
    one = 1 if empty_board < 1 << 64 else 1.0
    assert all(total > 0 for total, _ in factors)
    best = min(cells, key=lambda cell: ways_missed(factors, cell, one))
    assert any(counts[best] > 0 for _, counts in factors)
    return best


def weighted(factors, weights, noise: float, uniforms):
    """Return what scores a cell: weight * P + noise * U."""
    all_ways = math.prod((float(total) for total, _ in factors), start=1.0)

    def score(cell: int) -> float:
        chance = 1.0 - ways_missed(factors, cell) * (1.0 / all_ways)
        return weights[cell] * chance + (noise * uniforms[cell] if noise else 0.0)

    return score


def highest_weighted(cells: list[int], factors, weights, noise: float, uniforms) -> int:
    """Return the first cell of the highest score."""
    score = weighted(factors, weights, noise, uniforms)
    best = max(cells, key=score)
    assert score(best) > 0
    assert any(counts[cell] > 0 for cell in cells for _, counts in factors)
    return best


def edge_weights(rules, edge_weight: float) -> list[float]:
    weights = []
    for cell in range(rules.cells):
        row, col = divmod(cell, rules.cols)
        border = row in (0, rules.rows - 1) or col in (0, rules.cols - 1)
        weights.append(float(edge_weight) if border else 1.0)
    return weights


class RecordByShip(Record):
    """Also what a shooter knows who hears which ship each hit is on."""

    def __init__(self, rules, no_touch: str) -> None:
        super().__init__(rules, no_touch)
        self.hits_on: list[set[int]] = [set() for _ in rules.fleet]

    def note(self, cell: int, reply) -> None:
        super().note(cell, reply)
        if reply.hit:
            self.hits_on[reply.ship].add(cell)

    def possible_slots(self, ship: int) -> list[tuple[int, ...]]:
        """Return the slots of unshot cells and own hits that contain all own hits."""
        own = self.hits_on[ship]
        usable = (self.unshot - self.misses) | own
        others = self.open_hits - own
        return [
            slot
            for slot in self.slots(ship)
            if usable.issuperset(slot)
            and own.issubset(slot)
            and not (self.no_touch == "full" and self.touches(slot, others))
        ]

    def factors(self) -> list[tuple[int, list[int]]]:
        return [factor(self.rules, self.possible_slots(ship)) for ship in self.afloat]

    def pair_factors(self) -> list[tuple[int, list[int]]]:
        """Return factors of the first ship with the second one, the third with the fourth, …"""
        found = []
        for first in range(0, len(self.rules.fleet), 2):
            pair = [ship for ship in (first, first + 1) if ship in self.afloat]
            places = [self.possible_slots(ship) for ship in pair]
            if len(pair) == 2:
                found.append(pair_factor(self.rules, *places))
            elif len(pair) == 1:
                found.append(factor(self.rules, *places))
        return found


def slot_counts(rows: int, cols: int, lengths, is_open: set[int]) -> list[int]:
    """Return, for each cell, the slots through it that are all open.

    Each length counts along rows and down columns; length 1 therefore twice.
    """
    weighed = (
        (slot, 2 if length == 1 else 1)
        for length in lengths
        for slot in slots(rows, cols, length)
        if is_open.issuperset(slot)
    )
    return through(rows * cols, weighed)
