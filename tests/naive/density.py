"""Strategies that count, for each cell, the slots of ships through it.

Each is a generator: it yields a cell and is sent the `Reply`. The game is over when
all ship cells are hit, so that no shooter is asked for a cell that no slot covers:
where none does, the counting is wrong, and an assertion fails.
"""

from __future__ import annotations

import math
from functools import cache

from tests.naive.chance import Stream, stream_key
from tests.naive.layouts import AROUND, EAST, NORTH, SOUTH, WEST, beside, excluded, slots


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
        self.no_touch = "ignore" if rules.touching else no_touch
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
        if reply.sunk:
            self.afloat.remove(reply.ship)
            self.open_hits.difference_update(reply.cells)
            self.sunk.update(reply.cells)
            if self.no_touch != "ignore":
                self.misses.update(excluded(self.rules, reply.cells) - set(reply.cells))

    def slots(self, ship: int) -> list[tuple[int, ...]]:
        """Return all slots on the board of a ship's length."""
        return slots(self.rules.rows, self.rules.cols, self.rules.fleet[ship])

    def candidates(self) -> list[int]:
        """Return the cells worth a shot, in row-major order."""
        return sorted(self.unshot - self.misses)

    def touches(self, slot: tuple[int, ...], hits: set[int]) -> bool:
        """Tell whether a slot touches one of some hits that it does not contain."""
        rows, cols = self.rules.rows, self.rules.cols
        return any(
            hit not in slot and not _around(rows, cols, hit).isdisjoint(slot) for hit in hits
        )


@cache
def _around(rows: int, cols: int, cell: int) -> frozenset[int]:
    return frozenset(beside(rows, cols, cell, AROUND))


def _first_maximum(cells: list[int], scores) -> int:
    best = max(cells, key=lambda cell: scores[cell])  # the first one, where several are
    assert scores[best] > 0
    return best


# --- told what sank ----------------------------------------------------------------------


def _slots_afloat(record: Record, closed: set[int]) -> list[tuple[int, ...]]:
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


def hard_ai(rules, seed: int, game: int, *, block_sunk: bool = False, no_touch: str = "sunk"):
    stream = Stream(stream_key("strategy hard-ai", seed), game)
    record = Record(rules, no_touch)
    while record.afloat:
        closed = record.misses | record.sunk if block_sunk else record.misses
        scores = [0] * rules.cells
        for slot in _slots_afloat(record, closed):
            for cell in slot:
                scores[cell] += 1
        beside_hits: set[int] = set()
        for hit in record.open_hits:
            beside_hits.update(beside(rules.rows, rules.cols, hit, [NORTH, EAST, SOUTH, WEST]))
        for cell in beside_hits:
            scores[cell] *= 3
        highest = max(scores[cell] for cell in record.unshot)
        assert highest > 0
        tied = [cell for cell in sorted(record.unshot) if scores[cell] == highest]
        cell = tied[stream.draw(len(tied))]
        record.note(cell, (yield cell))


def datagenetics(rules, seed: int, game: int, *, hit_weight: int = 5, no_touch: str = "sunk"):
    record = Record(rules, no_touch)
    while record.afloat:
        scores = [0] * rules.cells
        for slot in _slots_afloat(record, record.misses | record.sunk):
            weight = hit_weight ** len(record.open_hits.intersection(slot))
            for cell in slot:
                scores[cell] += weight
        cell = _first_maximum(record.candidates(), scores)
        record.note(cell, (yield cell))


# How much water at a distance (row and column difference, in either order) adds to a
# cell, in thousandths: while a ship of 2 or less is afloat, and after that.
NEAR_WATER_PAIRS = {(0, 1): -30, (0, 2): 45, (1, 1): 25, (1, 2): -30, (2, 2): 10}
NEAR_WATER_THREES = {(0, 3): 80, (1, 1): 25, (1, 2): 10, (1, 3): -25, (2, 3): -20}


def lattice(rules, seed: int, game: int, *, no_touch: str = "sunk"):
    record = Record(rules, no_touch)
    while record.afloat:
        water = record.misses | record.sunk
        scores = [0] * rules.cells
        for slot in _slots_afloat(record, water):
            if record.open_hits:
                value = 10 if len(slot) <= 3 else 4
                value *= 6 ** len(record.open_hits.intersection(slot))
            else:
                value = 2 if len(slot) <= 4 else 1
            for cell in slot:
                scores[cell] += value
        if not record.open_hits:
            shortest = min(rules.fleet[ship] for ship in record.afloat)
            table = NEAR_WATER_PAIRS if shortest <= 2 else NEAR_WATER_THREES
            for cell in record.candidates():
                scores[cell] *= max(50, 1000 + _near_water(rules, cell, water, table))
        cell = _first_maximum(record.candidates(), scores)
        record.note(cell, (yield cell))


def _near_water(rules, cell: int, water: set[int], table: dict[tuple[int, int], int]) -> int:
    return sum(
        value * len(water & _at_distance(rules.rows, rules.cols, cell, near, far))
        for (near, far), value in table.items()
    )


@cache
def _at_distance(rows: int, cols: int, cell: int, near: int, far: int) -> frozenset[int]:
    """Return the cells so far away along one direction and so far along the other."""
    steps = {(down, right) for down in (near, -near) for right in (far, -far)}
    steps |= {(right, down) for down, right in steps}
    return frozenset(beside(rows, cols, cell, list(steps)))


# --- probability that any ship is there, ships taken as independent -----------------------
#
# A factor is a pair (total, counts): the number of places a ship (or a pair of ships)
# can have, and for each cell the number of those that cover it.


def _factor(rules, places) -> tuple[int, list[int]]:
    counts = [0] * rules.cells
    for place in places:
        for cell in place:
            counts[cell] += 1
    return len(places), counts


def _pair_factor(rules, slots_of_one, slots_of_other) -> tuple[int, list[int]]:
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


def _smallest_product(rules, cells: list[int], factors) -> int:
    """Return the first cell where the product of (total - count) is smallest."""
    empty_board = math.prod(len(slots(rules.rows, rules.cols, length)) for length in rules.fleet)
    # Products that do not fit in 64 bits are rounded, in fleet order.
    one = 1 if empty_board < 1 << 64 else 1.0
    best, smallest = None, None
    for cell in cells:
        product = one
        for total, counts in factors:
            assert total > 0
            product *= total - counts[cell]
        if smallest is None or product < smallest:
            best, smallest = cell, product
    assert any(counts[best] > 0 for _, counts in factors)
    return best


def _highest_weighted(cells: list[int], factors, weights, noise: float, uniforms) -> int:
    """Return the first cell where weight * P + noise * U is highest."""
    all_ways = 1.0
    for total, _ in factors:
        all_ways *= float(total)
    best, highest = None, 0.0
    for cell in cells:
        ways_missed = 1.0
        for total, counts in factors:
            ways_missed *= float(total - counts[cell])
        score = weights[cell] * (1.0 - ways_missed * (1.0 / all_ways))
        if noise != 0:
            score = score + noise * uniforms[cell]
        if score > highest:
            best, highest = cell, score
    assert best is not None
    assert any(counts[cell] > 0 for cell in cells for _, counts in factors)
    return best


def _edge_weights(rules, edge_weight: float) -> list[float]:
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
        return [_factor(self.rules, self.possible_slots(ship)) for ship in self.afloat]

    def pair_factors(self) -> list[tuple[int, list[int]]]:
        """Return factors of the first ship with the second one, the third with the fourth, …"""
        found = []
        for first in range(0, len(self.rules.fleet), 2):
            pair = [ship for ship in (first, first + 1) if ship in self.afloat]
            places = [self.possible_slots(ship) for ship in pair]
            if len(pair) == 2:
                found.append(_pair_factor(self.rules, *places))
            elif len(pair) == 1:
                found.append(_factor(self.rules, *places))
        return found


def over9000(
    rules,
    seed: int,
    game: int,
    *,
    edge_weight: float = 1.1,
    noise: float = 0.001,
    no_touch: str = "sunk",
):
    record = RecordByShip(rules, no_touch)
    stream = Stream(stream_key("strategy over9000", seed), game)
    yield from _over9000(rules, record, record.factors, stream, edge_weight, noise)


def over9000_pairs(
    rules,
    seed: int,
    game: int,
    *,
    edge_weight: float = 1.0,
    noise: float = 0.0,
    no_touch: str = "sunk",
):
    record = RecordByShip(rules, no_touch)
    stream = Stream(stream_key("strategy over9000-pairs", seed), game)
    yield from _over9000(rules, record, record.pair_factors, stream, edge_weight, noise)


def _over9000(rules, record: RecordByShip, factors, stream, edge_weight: float, noise: float):
    weights = _edge_weights(rules, edge_weight)
    while record.afloat:
        if edge_weight == 1 and noise == 0:
            cell = _smallest_product(rules, record.candidates(), factors())
        else:
            # One number for every cell of the board at every shot, used or not.
            uniforms = [(stream.bits() >> 11) * 2.0**-53 for _ in range(rules.cells)]
            cell = _highest_weighted(record.candidates(), factors(), weights, noise, uniforms)
        record.note(cell, (yield cell))


def over9000_adaptive(
    rules,
    seed: int,
    game: int,
    *,
    growth: float = 0.01,
    games_per_learner: int = 1000,
    no_touch: str = "sunk",
    memory: dict[int, int] | None = None,
):
    """One game of a learner, whose memory holds the hits of its earlier games by cell.

    Which games are a learner's is the caller's to see to, so that the number of games
    is not used here.
    """
    memory = {} if memory is None else memory
    weights = [1.0 + growth * memory.get(cell, 0) for cell in range(rules.cells)]
    record = RecordByShip(rules, no_touch)
    while record.afloat:
        cell = _highest_weighted(record.candidates(), record.factors(), weights, 0, [])
        record.note(cell, (yield cell))
    for cell in record.sunk:
        memory[cell] = memory.get(cell, 0) + 1


def bob(rules, seed: int, game: int):
    unshot, misses, hits = set(range(rules.cells)), set(), 0
    while hits < rules.ship_cells:
        factors = [
            _factor(
                rules,
                [slot for slot in slots(rules.rows, rules.cols, length) if misses.isdisjoint(slot)],
            )
            for length in rules.fleet
        ]
        cell = _smallest_product(rules, sorted(unshot), factors)
        reply = yield cell
        unshot.remove(cell)
        if reply.hit:
            hits += 1
        else:
            misses.add(cell)
