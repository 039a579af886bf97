"""Players that know all layouts of a small board, and the best orders of shots, for the survey.

As a script, it prints a mean as a fraction: of the best order in which to shoot at all cells of a
board whatever the answers, of the greedy one, or the least of any player that hears which lengths
sink:

    python results/survey/beliefs.py best 4x4 3,2
    python results/survey/beliefs.py least 4x4 3,2

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


class Least:
    """The least mean moves of any player that hears the length of what sinks.

    By branch and bound. A set of layouts is bits of an int, as a set of cells is.
    """

    def __init__(self, rows, cols, fleet):
        layouts = layouts_of(rows, cols, fleet)
        self.fleet, self.number = fleet, len(layouts)
        # By cell, the layouts that cover it; and the ships there: other cells, length, layouts.
        self.covering = [0] * (rows * cols)
        ships = {}
        for number, layout in enumerate(layouts):
            for ship in layout:
                ships[ship] = ships.get(ship, 0) | 1 << number
        self.through = [[] for _ in self.covering]
        for ship, these in ships.items():
            for cell in ship:
                self.covering[cell] |= these
                others = sum(1 << other for other in ship if other != cell)
                self.through[cell].append((others, len(ship), these))
        # By shots and layouts: a sum of moves, and whether it is the least, or only below it.
        self.known = {}

    def mean(self):
        """Return the mean."""
        most = self.number * len(self.covering)
        return Fraction(self.moves(0, 2**self.number - 1, sum(self.fleet), most), self.number)

    def moves(self, shots, left, todo, limit):
        """Return the least sum of moves over the layouts that are left; or a bound from the limit.

        ``todo`` is the number of ship cells that each of them still has.
        """
        number = left.bit_count()
        if not todo or number == 1:
            return todo
        value, is_least = self.known.get((shots, left), (0, False))
        if is_least or value >= limit:
            return value
        covered = ((left & these, cell) for cell, these in enumerate(self.covering))
        cells = [(these.bit_count(), cell, these) for these, cell in covered]
        cells = [each for each in cells if each[0] and not shots >> each[1] & 1]
        cells.sort(key=lambda each: -each[0])
        best, is_least = limit, False
        for place, (hits, cell, hit) in enumerate(cells):
            # Until the first hit, each layout waits; no cell hits more of them than it covers.
            misses = waiting = number - hits
            least = misses * todo
            for more, _, _ in cells[:place] + cells[place + 1 :]:
                waiting = max(waiting - more, 0)
                least += waiting
            bound = number + hits * (todo - 1) + least
            if bound >= best:
                break
            parts = [(these, todo - 1, 0) for these in self.hits(shots, cell, hit)]
            parts += [(left ^ hit, todo, least)] if misses else []
            for these, need, low in parts:
                bound -= low or these.bit_count() * need
                bound += self.moves(shots | 1 << cell, these, need, best - bound)
                if bound >= best:
                    break
            else:
                best, is_least = bound, True
        self.known[shots, left] = best, is_least
        return best

    def hits(self, shots, cell, hit):
        """Return the layouts that a shot hits, those where nothing sinks and by the length sunk."""
        told = {}
        for others, length, these in self.through[cell]:
            if others & shots == others and hit & these:
                told[length] = told.get(length, 0) | hit & these
        afloat = hit ^ sum(told.values())
        return [each for each in (afloat, *told.values()) if each]


if __name__ == "__main__":
    aim, board, ships = sys.argv[1:]
    rows, cols = map(int, board.split("x"))
    fleet = tuple(map(int, ships.split(",")))
    least = aim == "least"
    mean = Least(rows, cols, fleet).mean() if least else mean_of_order(aim, rows, cols, fleet)
    print(f"exact\n{mean}")
