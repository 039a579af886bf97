"""Solutions of the exercises in notebooks/beat_hunt_target.ipynb.

Try one with: bsbench compare examples/hunter_exercises.py:Fits hunt-target
"""

from dataclasses import dataclass


@dataclass
class Hunter:
    """In line with two hits, else beside a hit, else on every second cell."""

    step: int = 2

    def reset(self, rules, rng):
        self.rng = rng

    def shoot(self, view):
        beside, in_line = [], []
        for hit in view.wounded:
            for cell in view.neighbours(hit):
                if view.is_open(cell):
                    beside.append(cell)
                    if 2 * hit - cell in view.wounded:
                        in_line.append(cell)
        return self.rng.choice(in_line or beside or self.hunt(view) or view.open_cells)

    def hunt(self, view):
        """Return the cells to choose from where no ship is hit."""
        return [c for c in view.open_cells if (view.row(c) + view.col(c)) % self.step == 0]


class Middle(Hunter):
    """Exercise 2: the grid from the middle outwards."""

    def hunt(self, view):
        def distance(cell):
            return abs(view.row(cell) - 4.5) + abs(view.col(cell) - 4.5)

        grid = super().hunt(view)
        nearest = min(map(distance, grid), default=0)
        return [cell for cell in grid if distance(cell) == nearest]


class Afloat(Hunter):
    """Exercise 3: a grid as wide as the shortest ship afloat is long."""

    def hunt(self, view):
        self.step = min(view.rules.fleet[ship] for ship in view.afloat)
        return super().hunt(view)


class Fits(Hunter):
    """Exercise 4: only cells where the shortest ship afloat fits."""

    def hunt(self, view):
        shortest = min(view.rules.fleet[ship] for ship in view.afloat)

        def open_beyond(cell, down, right):
            count, row, col = 0, view.row(cell) + down, view.col(cell) + right
            while (other := view.at(row, col)) is not None and view.is_open(other):
                count, row, col = count + 1, row + down, col + right
            return count

        def room(cell):
            across = open_beyond(cell, 0, -1) + open_beyond(cell, 0, 1)
            return 1 + max(across, open_beyond(cell, -1, 0) + open_beyond(cell, 1, 0))

        return [cell for cell in super().hunt(view) if room(cell) >= shortest]


class Counting:
    """Exercise 5: the cell through which most ways to lay the ships go; ten times for each hit."""

    def reset(self, rules, rng):
        rows, cols = rules.rows, rules.cols
        self.places = []
        for n in rules.fleet:
            corners = [r * cols + c for r in range(rows) for c in range(cols - n + 1)]
            across = [range(cell, cell + n) for cell in corners]
            down = [range(c, c + n * cols, cols) for c in range((rows - n + 1) * cols)]
            self.places.append(across + down)

    def shoot(self, view):
        closed = set(view.misses).union(*(ship.cells for ship in view.sunk))
        hits, score = set(view.wounded), [0] * view.rules.cells
        for ship in view.afloat:
            for place in self.places[ship]:
                if closed.isdisjoint(place):
                    for cell in place:
                        score[cell] += 10 ** len(hits.intersection(place))
        return max(view.open_cells, key=score.__getitem__)
