"""The least mean on small boards: all shots after all answers, and nothing left out."""

from __future__ import annotations

from fractions import Fraction

from tests.naive.layouts import all_layouts
from tests.naive.play import answer


def least_moves(rules) -> int:
    """Return the moves that a perfect shooter needs in one game of each layout, together."""
    known: dict[tuple, int] = {}

    def moves(layouts: frozenset, shots: frozenset) -> int:
        if not layouts:
            return 0
        if (layouts, shots) not in known:
            # A cell without a ship in any of them tells nothing.
            useful = {cell for ships in layouts for ship in ships for cell in ship} - shots
            known[layouts, shots] = len(layouts) + min(
                rest(layouts, shots | {shot}, shot) for shot in useful
            )
        return known[layouts, shots]

    def rest(layouts: frozenset, shots: frozenset, shot: int) -> int:
        parts: dict[object, set] = {}
        for ships in layouts:
            if not shots.issuperset(cell for ship in ships for cell in ship):
                reply = answer(rules, ships, [*(shots - {shot}), shot])
                parts.setdefault(reply, set()).add(ships)
        return sum(moves(frozenset(part), shots) for part in parts.values())

    return moves(frozenset(all_layouts(rules)), frozenset())


def least_mean(rules) -> Fraction:
    """Return the least mean of move counts."""
    layouts = list(all_layouts(rules))
    return Fraction(least_moves(rules), len(layouts))
