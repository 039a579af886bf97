"""Exact counts, by listing all layouts and playing the shots on each."""

from __future__ import annotations

from collections import Counter

from tests.support.naive.layouts import all_layouts, encode


def answers(rules, layout, shots) -> list[tuple[int, int, int, int]]:
    """Return what each shot reveals on a layout: cell, outcome (0, 1, 2), ship, slot code."""
    kind = str(rules.feedback)
    found, hit, named = [], set(), set()
    for cell in shots:
        ship = next((ship for ship, cells in enumerate(layout) if cell in cells), -1)
        hit.add(cell)
        sunk = ship >= 0 and kind != "hit" and hit >= set(layout[ship])
        if ship < 0:
            found.append((cell, 0, -1, -1))
        elif sunk:
            slot = encode(rules, layout)[ship]
            if kind in ("told", "length"):
                # Of equal ships, the first that was not told; without sides in common, all follows.
                follows = rules.touching is not True
                alike = [other for other in named_like(rules, ship) if other not in named]
                ship = alike[0] if kind == "length" or follows else -1
                slot = slot if follows else -1
                named.add(ship)
            found.append((cell, 2, ship, slot))
        else:
            found.append((cell, 1, ship if kind == "ship" else -1, -1))
    return found


def named_like(rules, ship) -> list[int]:
    """Return the ships of the same length."""
    return [other for other, length in enumerate(rules.fleet) if length == rules.fleet[ship]]


def layouts_left(rules, told) -> list:
    """Return the layouts on which all shots would reveal what they did; -1 reveals nothing."""
    shots = [answer[0] for answer in told]

    def agrees(layout) -> bool:
        return all(
            mine[:3] == theirs[:3] and theirs[3] in (-1, mine[3])
            for mine, theirs in zip(answers(rules, layout, shots), told, strict=True)
        )

    return [layout for layout in all_layouts(rules) if agrees(layout)]


def ships_on_cells(rules, layouts) -> list[list[int]]:
    """Return for each ship and cell in how many layouts it lies there."""
    counts = [
        Counter(cell for layout in layouts for cell in layout[ship])
        for ship in range(len(rules.fleet))
    ]
    return [[counts[ship][cell] for cell in range(rules.cells)] for ship in range(len(rules.fleet))]
