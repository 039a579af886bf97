"""The twin of ``datagenetics``."""

from tests.naive.density import Record, first_maximum, slots_afloat

VARIANTS = [
    {},
    {"hit_weight": 1},
    {"hit_weight": 3},
    {"hit_weight": 1000},
    {"hit_weight": 100, "no_touch": "full"},
    {"no_touch": "ignore"},
]

SLOWNESS = 8


def datagenetics(rules, seed: int, game: int, *, hit_weight: int = 5, no_touch: str = "sunk"):
    record = Record(rules, no_touch)
    while record.afloat:
        scores = [0] * rules.cells
        for slot in slots_afloat(record, record.misses | record.sunk):
            weight = hit_weight ** len(record.open_hits.intersection(slot))
            for cell in slot:
                scores[cell] += weight
        cell = first_maximum(record.candidates(), scores)
        record.note(cell, (yield cell))
