"""Players that know all layouts of a small board, and the best orders of shots, for the survey.

As a script, it prints the mean moves of the best order in which to shoot at all cells of a board
whatever the answers, or of the greedy one, as a fraction:

    python results/survey/beliefs.py best 4x4 3,2

Source: github.com/Canon-Regularis/mayflower at 4d0da010, include/mayflower/policy.hpp, and at
48778383, tools/m9/adaptivity.cpp.
"""

import sys
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import log2

import numpy as np


def slots_of(rows, cols, length):
    """Return all slots of a ship, as sets of cells."""
    across = [range(r * cols + c, r * cols + c + length) for r in range(rows) for c in range(cols)]
    down = [range(c, rows * cols, cols)[r : r + length] for r in range(rows) for c in range(cols)]
    fit = [slot for slot in across if slot[0] // cols == slot[-1] // cols]
    return {frozenset(slot) for slot in [*fit, *down] if len(slot) == length}


@cache
def layouts_of(rows, cols, fleet):
    """Return all layouts, each a tuple of ships; ships of one length are not told apart."""
    same = [
        combinations(sorted(slots_of(rows, cols, length), key=sorted), number)
        for length, number in Counter(fleet).items()
    ]
    found = (sum(ships, ()) for ships in product(*same))
    return [ships for ships in found if len(frozenset().union(*ships)) == sum(fleet)]


def answer(ships, shots, cell):
    """Return what a shot after others shows: 0 a miss, 1 a hit, or the length of what sinks."""
    for ship in ships:
        if cell in ship:
            return len(ship) if ship <= shots | {cell} else 1
    return 0


@dataclass
class Belief:
    """Keeps all layouts that agree with all answers; of what sinks, it hears the length.

    It shoots at a cell that most of them cover, or with ``aim=information``, at one whose answer
    tells most; the first of equals.
    """

    deterministic = True
    needs = "sunk"
    aim: str = "hit"

    def reset(self, rules, rng):
        """Begin a game."""
        self.rules = rules

    def shoot(self, view):
        """Return a cell."""
        fleet, shots = self.rules.fleet, frozenset()
        left = layouts_of(self.rules.rows, self.rules.cols, fleet)
        for cell, outcome, turn in zip(view.shots, view.outcomes, view.turns, strict=True):
            told = fleet[turn.ships[0]] if outcome == 2 else outcome
            left = [ships for ships in left if answer(ships, shots, cell) == told]
            shots |= {cell}
        return max(
            view.open_cells, key=lambda cell: (round(self.worth(left, shots, cell), 9), -cell)
        )

    def worth(self, left, shots, cell):
        """Return how likely a hit is, or how many bits an answer tells."""
        counts = Counter(answer(ships, shots, cell) for ships in left)
        if self.aim == "hit":
            return 1 - counts[0] / len(left)
        return sum(n / len(left) * log2(len(left) / n) for n in counts.values())


def mean_of_order(aim, rows, cols, fleet):
    """Return the mean moves of the best order, or of the greedy one."""
    cells = rows * cols
    layouts = layouts_of(rows, cols, fleet)
    # Of each set of cells, how many layouts lie in it.
    within = np.zeros(2**cells, np.int64)
    for ships in layouts:
        within[sum(1 << cell for cell in frozenset().union(*ships))] += 1
    for cell in range(cells):
        pairs = within.reshape(-1, 2, 2**cell)
        pairs[:, 1] += pairs[:, 0]
    if aim == "greedy":
        shot = total = 0
        for _ in range(cells):
            total += int(within[shot])
            free = [cell for cell in range(cells) if not shot >> cell & 1]
            shot |= 1 << max(free, key=lambda cell: (within[shot | 1 << cell], -cell))
    else:
        # The best sum of these numbers over the sets that an order goes through, before each set.
        best = np.zeros(2**cells, np.int64)
        sets = np.arange(2**cells)
        sizes = np.bitwise_count(sets)
        for size in range(1, cells + 1):
            these = sets[sizes == size]
            for cell in range(cells):
                last = these[these >> cell & 1 == 1]
                before = last ^ 1 << cell
                best[last] = np.maximum(best[last], best[before] + within[before])
        total = int(best[-1])
    return cells - Fraction(total, len(layouts))


if __name__ == "__main__":
    aim, board, ships = sys.argv[1:]
    rows, cols = map(int, board.split("x"))
    print(f"exact\n{mean_of_order(aim, rows, cols, tuple(map(int, ships.split(','))))}")
