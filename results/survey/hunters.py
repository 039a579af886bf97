"""Hunters of the survey that differ in a detail from bsbench's `hunt-line` and `hunt-target`."""

import math
from collections import deque
from dataclasses import dataclass
from functools import cache


class LineScan:
    """As hunt-line, but hunts the checkerboard row by row."""

    def reset(self, rules, rng):
        """Begin a game."""
        self.rng = rng

    def shoot(self, view):
        """Return the next shot."""
        wounded = set(view.wounded)
        ends, beside = set(), set()
        for hit in wounded:
            for cell in filter(view.is_open, view.neighbours(hit)):
                beside.add(cell)
                if 2 * hit - cell in wounded and 2 * hit - cell in view.neighbours(hit):
                    ends.add(cell)
        if beside:
            return self.rng.choice(sorted(ends or beside))
        hunted = (cell for cell in view.open_cells if (view.row(cell) + view.col(cell)) % 2 == 0)
        return next(hunted, view.open_cells[0])


@dataclass
class Plan:
    """As hunt-target, but forgets its targets when a ship has sunk, or hunts by diagonals.

    Parameters
    ----------
    queue : int
        1: the target found first comes first; 0: the one found last.
    order : str
        In which order neighbours become targets.
    step : int
        From one hunted diagonal to the next; 0: the length of the shortest ship afloat.
    clear : int
        1: the list is emptied when a ship has sunk.
    again : int
        1: a neighbour that is a target already becomes one again.
    """

    queue: int = 1
    order: str = "NSEW"
    step: int = 1
    clear: int = 0
    again: int = 0

    needs = "sunk"

    def reset(self, rules, rng):
        """Begin a game."""
        self.rng, self.targets = rng, deque()

    def shoot(self, view):
        """Return the next shot."""
        if view.outcome:
            self._note(view)
        while self.targets:
            cell = self.targets.popleft() if self.queue else self.targets.pop()
            if view.is_open(cell):
                return cell
        step = self.step or min((view.rules.fleet[ship] for ship in view.afloat), default=1)
        on_it = [c for c in view.open_cells if (view.row(c) + view.col(c)) % step == 0]
        return self.rng.choice(on_it or view.open_cells)

    def _note(self, view):
        if self.clear and view.outcome == 2:
            self.targets.clear()
            return
        row, col = view.row(view.last), view.col(view.last)
        ways = {"N": (-1, 0), "S": (1, 0), "E": (0, 1), "W": (0, -1)}
        near = [view.at(row + ways[way][0], col + ways[way][1]) for way in self.order]
        new = [cell for cell in near if cell is not None and view.is_open(cell)]
        self.targets.extend(c for c in new if self.again or c not in self.targets)


class Gaps(LineScan):
    """Hunts the middle of a longest stretch of open cells; then the line, as hunt-line."""

    def shoot(self, view):
        """Return the next shot."""
        if view.wounded:
            return super().shoot(view)
        best, middles = 0, []
        for cell in view.open_cells:
            for down, right in ((0, 1), (1, 0)):
                length = self._stretch(view, cell, down, right)
                if length > best:
                    best, middles = length, []
                if length == best:
                    half = length // 2
                    middles.append(
                        view.at(view.row(cell) + down * half, view.col(cell) + right * half)
                    )
        return self.rng.choice(middles)

    def _stretch(self, view, cell, down, right):
        row, col, length = view.row(cell), view.col(cell), 0
        while cell is not None and view.is_open(cell):
            length += 1
            cell = view.at(row + down * length, col + right * length)
        return length


@dataclass
class OneLine:
    """Follows the line where all open hits lie in one; otherwise all their neighbours are equal.

    Where its line has no open end, it hunts on, even if a ship is hit. It hunts as `Plan`.

    Source: github.com/BhargavSuresh1/The-best-battleship-strategy at 5b88797a,
    strategies/hunt_target.py and strategies/parity.py.
    """

    needs = "sunk"
    step: int = 1

    def reset(self, rules, rng):
        """Begin a game."""
        self.rng = rng

    def shoot(self, view):
        """Return the next shot."""
        hits, cols = sorted(view.wounded), view.rules.cols
        across = len({hit // cols for hit in hits}) == 1
        if len(hits) > 1 and (across or len({hit % cols for hit in hits}) == 1):
            way = 1 if across else cols
            ends = ((hits[0], -way), (hits[-1], way))
            near = [end + off for end, off in ends if end + off in view.neighbours(end)]
        else:
            near = sorted({cell for hit in hits for cell in view.neighbours(hit)})
        return self.rng.choice([*filter(view.is_open, near)] or self.hunted(view))

    def hunted(self, view):
        """Return where to hunt."""
        step = self.step or min(view.rules.fleet[ship] for ship in view.afloat)
        on_it = [c for c in view.open_cells if (view.row(c) + view.col(c)) % step == 0]
        return on_it or view.open_cells


class Latest:
    """Any open neighbour of the latest hit that has one; forgets all hits when a ship has sunk.

    Source: github.com/anastosj/battleship-ai at 2fdf068d, src/ai/easy.ts.
    """

    needs = "sunk"

    def reset(self, rules, rng):
        """Begin a game."""
        self.rng = rng

    def shoot(self, view):
        """Return the next shot."""
        for cell, outcome in zip(reversed(view.shots), reversed(view.outcomes), strict=True):
            if outcome == 2:
                break
            if outcome and (near := [*filter(view.is_open, view.neighbours(cell))]):
                return self.rng.choice(near)
        return self.rng.choice(view.open_cells)


class Climb:
    """Follows its first hit up, down, left, right, from the last hit on; once for each direction.

    After a miss, it turns round, but goes on from the last hit, not the first, so that the other
    end of a ship stays where it is. Of a ship that sinks, hits out of its line come next.

    Source: github.com/mglenn001/CSC520_battleship, hill_climbing_agent.py at 3fe22327.
    """

    needs = "sunk"

    def reset(self, rules, rng):
        """Begin a game."""
        self.rng, self.later = rng, []
        self.begin()

    def begin(self, *first):
        """Begin to follow a ship, if there is a first hit."""
        self.hits, self.tried, self.way = [*first], [], None

    def shoot(self, view):
        """Return the next shot."""
        if view.shots:
            self.note(view)
        if self.hits and self.way:
            if (cell := self.next_to(view, self.hits[-1])) is not None:
                return cell
            # The opposite way, once; where that ends, too, another one.
            self.turn()
            if self.way and (cell := self.next_to(view, self.hits[0])) is not None:
                return cell
            self.way = None
        if self.hits:
            for way in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                if way not in self.tried:
                    self.tried.append(way)
                    self.way = way
                    if (cell := self.next_to(view, self.hits[0])) is not None:
                        return cell
                    self.way = None
        return self.rng.choice(view.open_cells)

    def next_to(self, view, cell):
        """Return the next cell in its direction, if it is open."""
        cell = view.at(view.row(cell) + self.way[0], view.col(cell) + self.way[1])
        return cell if cell is not None and view.is_open(cell) else None

    def turn(self):
        """Turn round, if it has not gone there yet."""
        back = (-self.way[0], -self.way[1])
        self.way = None if back in self.tried else back
        if self.way:
            self.tried.append(back)

    def note(self, view):
        """Note what the last shot did."""
        if view.outcome:
            self.hits.append(view.last)
        elif self.way:
            self.turn()
        if view.outcome == 2:
            line = view.col if self.way and self.way[0] else view.row
            if self.way and len(self.hits) > 1:
                self.later += [hit for hit in self.hits if line(hit) != line(self.hits[0])]
            self.begin(*self.later[:1])
            del self.later[:1]


@cache
def rooms_of(line):
    """Return of each cell of a line the open cells before and behind it, itself too, and the hits.

    Those hits count that are in a row beside it. The line has 0 for open cells, 1 for hits.
    """

    def run(cells, state):
        return next((n for n, each in enumerate(cells) if each != state), len(cells))

    sides = [(line[cell - 1 :: -1] if cell else b"", line[cell + 1 :]) for cell in range(len(line))]
    return [
        (1 + run(before, 0), 1 + run(after, 0), run(before, 1) + run(after, 1))
        for before, after in sides
    ]


class Middle:
    """The cell with the most room: left times right, and up times down; 100 more for each hit.

    Hits count that are in a row beside it. A cell where no ship fits counts nothing. It hears which
    ship each hit is on.

    Source: github.com/rlucine/battleship at 8fc2d228, src/ai.c.
    """

    deterministic = True
    needs = "ship"

    def shoot(self, view):
        """Return the next shot."""
        struck = [0] * len(view.rules.fleet)
        for turn in view.turns:
            if turn.ships[0] is not None:
                struck[turn.ships[0]] += 1
        # The shortest ship without a hit; the shortest rest of a ship that was hit, as they count.
        pairs = [(view.rules.fleet[ship], struck[ship]) for ship in view.afloat]
        whole = min((length for length, hits in pairs if not hits), default=math.inf)
        rests = (max(1, int(math.log2(hits))) for _, hits in pairs if hits)
        self.least = (whole, min([whole, *rests]))
        state = bytearray(0 if view.is_open(cell) else 2 for cell in range(view.rules.cells))
        for hit in view.wounded:
            state[hit] = 1
        cols = view.rules.cols
        across = [
            rooms_of(bytes(state[row * cols : row * cols + cols])) for row in range(view.rows)
        ]
        down = [rooms_of(bytes(state[col::cols])) for col in range(cols)]
        # Of equal cells, the first one column by column.
        return max(
            view.open_cells,
            key=lambda cell: (
                self.worth(across[cell // cols][cell % cols], down[cell % cols][cell // cols]),
                -(cell % cols),
                -cell,
            ),
        )

    def worth(self, *lines):
        """Return what a cell counts, by its lines."""
        if all(before + after <= self.least[hits > 0] - hits for before, after, hits in lines):
            return 0
        return sum(before * after + 100 * hits for before, after, hits in lines)
