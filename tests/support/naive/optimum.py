"""The least mean on small boards: all shots after all answers, and nothing left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from tests.support.naive.layouts import all_layouts
from tests.support.naive.play import answer

Layouts = frozenset[tuple[tuple[int, ...], ...]]


def parts_of(rules, layouts: Layouts, shots: list[int]) -> Iterable[Layouts]:
    """Return the layouts that the last of some shots leaves unfinished, by its answer."""
    parts: dict[object, set] = {}
    for ships in layouts:
        if not set(shots).issuperset(cell for ship in ships for cell in ship):
            parts.setdefault(answer(rules, ships, shots), set()).add(ships)
    return map(frozenset, parts.values())


def _moves(rules, useful: Callable[[Layouts, frozenset], Iterable[int]]):
    """Return the function that gives the fewest moves after some shots, with the shots allowed."""
    known: dict[tuple[Layouts, frozenset], int] = {}

    def moves(layouts: Layouts, shots: frozenset) -> int:
        if not layouts:
            return 0
        if (layouts, shots) not in known:
            known[layouts, shots] = min(after(layouts, shots, x) for x in useful(layouts, shots))
        return known[layouts, shots]

    def after(layouts: Layouts, shots: frozenset, shot: int) -> int:
        parts = parts_of(rules, layouts, [*shots, shot])
        return len(layouts) + sum(moves(part, shots | {shot}) for part in parts)

    return moves, after


def _covered(layouts: Layouts, shots: frozenset) -> Counter[int]:
    """Return how many layouts have a ship on each cell not shot."""
    return Counter(x for ships in layouts for ship in ships for x in ship if x not in shots)


def least_moves(rules, left=None, shots=()) -> dict[int, int]:
    """Return by next shot the moves of a perfect shooter in one game of each layout, together.

    ``left`` are the layouts left after some shots, by default all of them before any.
    """
    # A cell without a ship in any of them tells nothing.
    _, after = _moves(rules, _covered)
    layouts, shots = frozenset(all_layouts(rules) if left is None else left), frozenset(shots)
    return {shot: after(layouts, shots, shot) for shot in _covered(layouts, shots)}


def greedy_moves(rules) -> int:
    """Return the moves of the best shooter that always takes a most likely cell."""

    def likeliest(layouts: Layouts, shots: frozenset) -> list[int]:
        covered = _covered(layouts, shots)
        return [cell for cell, number in covered.items() if number == max(covered.values())]

    moves, _ = _moves(rules, likeliest)
    return moves(frozenset(all_layouts(rules)), frozenset())
