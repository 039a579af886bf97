"""The twin of ``posterior``: it lists all layouts, and drops those that an answer excludes."""

from functools import cache

from tests.support.naive.layouts import all_layouts
from tests.support.naive.strategies.lattice import NEAR_WATER_PAIRS, NEAR_WATER_THREES, near_water

VARIANTS = [{}, {"pattern": "lattice"}, {"pattern": "lengths"}]

SLOWNESS = 30
MOST_LAYOUTS = 10_000


class LayoutsLeft:
    """The layouts that agree with all answers so far."""

    def __init__(self, rules) -> None:
        self.rules = rules
        self.layouts = _all_layouts(rules)
        self.shots: list[int] = []
        self.struck: set[int] = set()
        self.water: set[int] = set()
        self.afloat = set(range(len(rules.fleet)))

    def note(self, cell: int, reply) -> None:
        from tests.support.naive.play import answer

        self.shots.append(cell)
        self.layouts = [
            layout for layout in self.layouts if answer(self.rules, layout, self.shots) == reply
        ]
        (self.struck if reply.hit else self.water).add(cell)
        if reply.sunk:
            self.afloat.discard(reply.ship)
            self.struck -= set(reply.cells)
            self.water |= set(reply.cells)

    @property
    def open_cells(self) -> list[int]:
        return [cell for cell in range(self.rules.cells) if cell not in self.shots]


@cache
def _all_layouts(rules) -> list:
    return list(all_layouts(rules))


def posterior(rules, seed: int, game: int, *, pattern: str = "none"):
    left = LayoutsLeft(rules)
    while left.open_cells:
        cell = likeliest(left, pattern)
        left.note(cell, (yield cell))


def likeliest(left: LayoutsLeft, pattern: str = "none") -> int:
    """Return the first open cell with a ship in most layouts left, weighed by the pattern."""
    fleet = left.rules.fleet
    small = any(fleet[ship] <= 2 for ship in left.afloat)
    table = NEAR_WATER_PAIRS if small else NEAR_WATER_THREES
    weights = [1] * len(fleet)
    if pattern == "lengths" and left.struck:
        weights = [2 if length >= 4 else 5 for length in fleet]
    elif pattern == "lengths":
        weights = [1 if length >= 5 else 2 for length in fleet]
    scores = [0] * left.rules.cells
    for layout in left.layouts:
        for ship in range(len(fleet)):
            fresh = pattern != "none" and not left.struck & set(layout[ship])
            for cell in layout[ship]:
                factor = 1000
                if fresh:
                    factor += near_water(left.rules, cell, left.water, table)
                scores[cell] += factor * weights[ship]
    return max(left.open_cells, key=lambda cell: (scores[cell], -cell))
