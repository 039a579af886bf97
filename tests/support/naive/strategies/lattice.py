"""The twin of ``lattice``."""

from functools import cache

from tests.support.naive.density import Record, first_maximum, slots_afloat, through
from tests.support.naive.layouts import beside

VARIANTS = [{}, {"no_touch": "full"}, {"no_touch": "ignore"}]

SLOWNESS = 16


# How much water at a distance (row and column difference, in either order) adds to a
# cell, in thousandths: while a ship of 2 or less is afloat, and after that.
NEAR_WATER_PAIRS = {(0, 1): -30, (0, 2): 45, (1, 1): 25, (1, 2): -30, (2, 2): 10}
NEAR_WATER_THREES = {(0, 3): 80, (1, 1): 25, (1, 2): 10, (1, 3): -25, (2, 3): -20}


def lattice(rules, seed: int, game: int, *, no_touch: str = "sunk"):
    record = Record(rules, no_touch)
    while record.afloat:
        cell = first_maximum(record.candidates(), scores(record))
        record.note(cell, (yield cell))


def scores(record: Record) -> list[int]:
    """Return the score of each cell; those of cells not worth a shot mean nothing."""
    rules, water = record.rules, record.misses | record.sunk

    def weight(slot) -> int:
        if record.open_hits:
            return (10 if len(slot) <= 3 else 4) * 6 ** len(record.open_hits.intersection(slot))
        return 2 if len(slot) <= 4 else 1

    found = through(rules.cells, ((slot, weight(slot)) for slot in slots_afloat(record, water)))
    if not record.open_hits:
        shortest = min(rules.fleet[ship] for ship in record.afloat)
        table = NEAR_WATER_PAIRS if shortest <= 2 else NEAR_WATER_THREES
        for cell in record.candidates():
            found[cell] *= max(50, 1000 + near_water(rules, cell, water, table))
    return found


def near_water(rules, cell: int, water: set[int], table: dict[tuple[int, int], int]) -> int:
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
