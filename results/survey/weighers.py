"""Players that weigh slots by the hits in them, written from their sources, for the survey."""

from dataclasses import dataclass
from functools import cache

import numpy as np


@cache
def slots_of(rows, cols, fleet):
    """Return all slots of the lengths of a fleet, as rows of zeros and ones, and their lengths."""
    ways = [
        (row * cols + col, step, length)
        for length in sorted(set(fleet))
        for row in range(rows)
        for col in range(cols)
        for step, room in ((1, cols - col), (cols, rows - row))
        if length <= room
    ]
    grid = np.zeros((len(ways), rows * cols))
    for slot, (start, step, length) in zip(grid, ways, strict=True):
        slot[start : start + step * length : step] = 1
    return grid, np.array([length for *_, length in ways])


class Weighing:
    """What all of them share."""

    needs = "sunk"

    def reset(self, rules, rng):
        """Begin a game."""
        self.rules, self.rng = rules, rng
        self.slots, self.lengths = slots_of(rules.rows, rules.cols, rules.fleet)

    def mask(self, cells):
        """Return cells as zeros and ones."""
        mask = np.zeros(self.rules.cells)
        mask[list(cells)] = 1
        return mask

    def score(self, afloat, blocked, hits, weights):
        """Return the sum over the slots of these lengths through each cell.

        Those through a blocked cell count nothing, others by ``weights``, by their hits.
        """
        ships = np.bincount(afloat, minlength=max(self.rules.fleet) + 1)
        inside = (self.slots @ self.mask(hits)).astype(int)
        free = self.slots @ self.mask(blocked) == 0
        return (free * ships[self.lengths] * np.array(weights)[inside]) @ self.slots


@dataclass
class Through(Weighing):
    """All slots without a miss; once there is a hit, only those through a hit. Ties at random.

    With ``told=2`` it hears which cells sank, with 1 only which ship, whose hits count on, and with
    0 nothing. A slot counts ``base`` times for each hit in it; with ``linear=1``, by their number.

    Sources: github.com/anderix/luxplay at e195a316, battleship.lux (base 12, and the figures of its
    head); github.com/mglenn001/CSC520_battleship, csp_agent.py of 2026, before
    its history was rewritten (base 1, told 1).
    """

    base: int = 12
    linear: int = 0
    told: int = 2

    def shoot(self, view):
        """Return a cell."""
        fleet, gone = self.rules.fleet, [cell for ship in view.sunk for cell in ship.cells]
        afloat = [fleet[ship] for ship in (view.afloat if self.told else range(len(fleet)))]
        hits = view.wounded if self.told == 2 else view.hits
        blocked = [*view.misses, *(gone if self.told == 2 else ())]
        known = range(1, max(fleet) + 1)
        weights = [0 if hits else 1, *(n if self.linear else self.base**n for n in known)]
        score = self.score(afloat, blocked, hits, weights)
        most = max(score[cell] for cell in view.open_cells)
        return self.rng.choice([cell for cell in view.open_cells if score[cell] == most])


@dataclass
class Attributed(Weighing):
    """All slots, ``bonus`` times for each open hit; the first of equals. It hears only lengths.

    Of a ship that sinks, it takes the longer run of open hits through the last shot, of two equal
    ones that of the row, from there on to the left or up first, and to the right or down then.

    Source: github.com/Canon-Regularis/mayflower at 4d0da010, include/mayflower/policy.hpp.
    """

    deterministic = True
    bonus: int = 50

    def shoot(self, view):
        """Return a cell."""
        afloat, hits, gone = list(self.rules.fleet), set(), set()
        for cell, outcome, turn in zip(view.shots, view.outcomes, view.turns, strict=True):
            if outcome:
                hits.add(cell)
            if outcome == 2:
                length = self.rules.fleet[turn.ships[0]]
                afloat.remove(length)
                gone.update(self.run(view, cell, hits, length))
                hits -= gone
        weights = [self.bonus**number for number in range(max(self.rules.fleet) + 1)]
        score = self.score(afloat, [*view.misses, *gone], hits, weights)
        return max(view.open_cells, key=lambda cell: (score[cell], -cell))

    def run(self, view, last, hits, length):
        """Return the hits that it takes for a ship of this length that the last shot has sunk."""
        across, down = (self.sides(view, last, hits, length, *way) for way in ((0, 1), (1, 0)))
        before, behind = down if sum(map(len, down)) > sum(map(len, across)) else across
        return [last, *before, *behind][:length]

    def sides(self, view, last, hits, length, down, right):
        """Return the open hits before and behind the last shot, each outwards."""
        both = []
        for sign in (-1, 1):
            run = []
            for step in range(sign, sign * length, sign):
                cell = view.at(view.row(last) + step * down, view.col(last) + step * right)
                if cell not in hits:
                    break
                run.append(cell)
            both.append(run)
        return both
