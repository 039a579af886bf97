"""The twin of ``information``."""

from collections import Counter
from math import log2

from tests.support.naive.strategies.posterior import LayoutsLeft, likeliest

SLOWNESS = 90
MOST_LAYOUTS = 10_000


def information(rules, seed: int, game: int):
    left = LayoutsLeft(rules)
    while left.open_cells:
        cell = likeliest(left) if left.struck else _most_informative(left)
        left.note(cell, (yield cell))


def _most_informative(left: LayoutsLeft) -> int:
    """Return the open cell whose answer has the greatest entropy; the likeliest one, the first."""
    total = len(left.layouts)

    def worth(cell: int) -> tuple[int, int, int]:
        # Which of several equal ships is hit first is no news.
        lengths = Counter(
            next((len(ship) for ship in layout if cell in ship), 0) for layout in left.layouts
        )
        bits = log2(total) - sum(n * log2(n) for n in lengths.values()) / total
        return round(bits * 1e9), -lengths[0], -cell

    return max(left.open_cells, key=worth)
