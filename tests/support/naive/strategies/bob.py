"""The twin of ``bob``."""

from tests.support.naive.density import factor, smallest_product
from tests.support.naive.layouts import slots

SLOWNESS = 8


def bob(rules, seed: int, game: int):
    unshot, misses, hits = set(range(rules.cells)), set(), 0
    while hits < rules.ship_cells:
        factors = [
            factor(
                rules,
                [slot for slot in slots(rules.rows, rules.cols, length) if misses.isdisjoint(slot)],
            )
            for length in rules.fleet
        ]
        cell = smallest_product(rules, sorted(unshot), factors)
        reply = yield cell
        unshot.remove(cell)
        if reply.hit:
            hits += 1
        else:
            misses.add(cell)
