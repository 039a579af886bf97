"""The twin of ``hard-ai``."""

from tests.support.naive.chance import Stream, stream_key
from tests.support.naive.density import Record, slots_afloat, through
from tests.support.naive.layouts import EAST, NORTH, SOUTH, WEST, beside

VARIANTS = [
    {},
    {"block_sunk": True},
    {"no_touch": "full"},
    {"no_touch": "ignore"},
    {"block_sunk": True, "no_touch": "ignore"},
]

SLOWNESS = 12


def hard_ai(rules, seed: int, game: int, *, block_sunk: bool = False, no_touch: str = "sunk"):
    stream = Stream(stream_key("strategy hard-ai", seed), game)
    record = Record(rules, no_touch)
    while record.afloat:
        closed = record.misses | record.sunk if block_sunk else record.misses
        scores = through(rules.cells, ((slot, 1) for slot in slots_afloat(record, closed)))
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
