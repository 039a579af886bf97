"""The twin of ``datagenetics``."""

from tests.support.naive.density import Record, first_maximum, slots_afloat, through

VARIANTS = [
    {},
    {"hit_weight": 1},
    {"hit_weight": 3},
    {"hit_weight": 1000},
    {"hit_weight": 100, "no_touch": "full"},
    {"no_touch": "ignore"},
]

SLOWNESS = 12


def datagenetics(rules, seed: int, game: int, *, hit_weight: int = 5, no_touch: str = "sunk"):
    record = Record(rules, no_touch)
    while record.afloat:
        cell = first_maximum(record.candidates(), scores(record, hit_weight))
        record.note(cell, (yield cell))


def scores(record: Record, hit_weight: int = 5) -> list[int]:
    """Return the score of each cell; those of cells not worth a shot mean nothing."""
    afloat = slots_afloat(record, record.misses | record.sunk)
    weighed = ((slot, hit_weight ** len(record.open_hits.intersection(slot))) for slot in afloat)
    return through(record.rules.cells, weighed)
