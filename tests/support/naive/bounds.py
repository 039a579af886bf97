"""What no shooter can beat: perfect play on tiny boards, and limits on searches, by definition."""

from __future__ import annotations

from functools import cache
from itertools import chain, product

from tests.support.naive.layouts import all_layouts
from tests.support.naive.play import answer


def perfect_play(rules) -> tuple[int, list[int]]:
    """Return what perfect shooters reach, over all layouts (with distinguishable ships).

    Returns
    -------
    misses : int
        The fewest misses, in one game of each layout together.
    finished : list of int
        For each t, the most layouts that a shooter can finish with t misses or fewer. (It may be
        another shooter for each t.)
    """
    times = rules.cells - rules.ship_cells + 1
    known: dict[tuple, tuple[int, list[int]]] = {}

    def best(layouts: frozenset, hits: frozenset) -> tuple[int, list[int]]:
        cells = [set(chain(*ships)) - hits for ships in layouts]
        if not any(cells):
            return 0, [len(layouts)] * times
        if (layouts, hits) not in known:
            # A cell with a ship in all layouts costs no miss; one without any tells nothing.
            sure = sorted(set.intersection(*cells))
            results = [after(layouts, hits, shot) for shot in sure[:1] or set().union(*cells)]
            fewest = min(misses for misses, _ in results)
            most = [max(column) for column in zip(*(done for _, done in results), strict=True)]
            known[layouts, hits] = fewest, most
        return known[layouts, hits]

    def after(layouts: frozenset, hits: frozenset, shot: int) -> tuple[int, list[int]]:
        parts: dict[object, set] = {}
        for ships in layouts:
            reply = answer(rules, ships, [*hits, shot])
            parts.setdefault((reply.hit, reply), set()).add(ships)
        misses, finished = 0, [0] * times
        for (hit, _), part in parts.items():
            # Misses are remembered by the layouts that are left.
            more, done = best(frozenset(part), hits | {shot} if hit else hits)
            misses += more + (not hit) * len(part)
            finished = [a + b for a, b in zip(finished, [0] * (not hit) + done, strict=False)]
        return misses, finished

    return best(frozenset(all_layouts(rules)), frozenset())


@cache
def most_finished(t: int, ships: tuple[tuple[int, ...], ...]) -> int:
    """Return how many placements can be finished with t misses: see `bsbench.counting.searches`."""
    ships = tuple(sorted(ship for ship in ships if ship[1:] not in ((1, 0), (0, 1))))
    if t < 0:
        return 0
    if not ships:
        return 1
    best = 0
    for tests in product(*map(_tests, ships)):
        missed = [miss for _, miss in tests]
        total = 0
        if tuple(missed) != ships or any(len(ship) == 2 for ship in ships):
            total += _finished(t - 1, missed)
        for i, (hits, _) in enumerate(tests):
            if hits:
                total += max(_finished(t, [*missed[:i], hit, *missed[i + 1 :]]) for hit in hits)
        best = max(best, total)
    return best


def _finished(t: int, ships: list) -> int:
    return 0 if any(ship[1:] == (0, 0) for ship in ships) else most_finished(t, tuple(ships))


def _tests(ship: tuple[int, ...]) -> list[tuple[list, tuple[int, ...]]]:
    """Return for each test what a hit can leave, and what a miss leaves."""
    if len(ship) == 2:
        length, most = ship
        pairs = [(p, most - p) for p in range(length + 1) if 0 <= most - p <= length]
        return [([(length, *pair) for pair in pairs] if length > 1 else [(1, 1, 0)], ship)]
    length, p, q = ship
    tests: list = [([], ship)]
    # A cell that all slots contain is a sure hit, which tells nothing.
    some = range(1, length)
    tests += [([(length, j, 0)], (length, p - j, q)) for j in some if j <= p and (j, 0) != (p, q)]
    tests += [([(length, 0, j)], (length, p, q - j)) for j in some if j <= q and (0, j) != (p, q)]
    return tests
