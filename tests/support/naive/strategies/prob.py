"""The twin of ``prob``."""

from tests.support.naive.density import slot_counts
from tests.support.naive.layouts import DIAGONALS, EAST, NORTH, SOUTH, WEST, beside

SLOWNESS = 4


def prob(rules, seed: int, game: int):
    """The pseudo-code solveProbabilistic, line by line, on a plain list."""
    is_open = set(range(rules.cells))
    high_probability_list: list[int] = []
    while is_open:
        if high_probability_list:
            pos = high_probability_list.pop(0)
            if pos not in is_open:
                continue
        else:
            likelihood = slot_counts(rules.rows, rules.cols, (1, 2, 3, 4, 5), is_open)
            pos = max(sorted(is_open), key=lambda cell: likelihood[cell])
        reply = yield pos
        is_open.remove(pos)
        if reply.hit:
            if not rules.touching:
                diagonals = beside(rules.rows, rules.cols, pos, DIAGONALS)
                is_open.difference_update(diagonals)
                high_probability_list = [
                    cell for cell in high_probability_list if cell not in diagonals
                ]
            for cell in beside(rules.rows, rules.cols, pos, [NORTH, EAST, SOUTH, WEST]):
                if cell in is_open:
                    high_probability_list.append(cell)
