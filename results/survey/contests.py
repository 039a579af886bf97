"""The class contests of W. Casper (Math 180, 2021 and 2022): firing orders, and two ways to sink.

Every player hears which ship each hit is on. Cells are written by row and column, from 00.
"""

from dataclasses import dataclass

DOWN, RIGHT, LEFT, UP = (1, 0), (0, 1), (0, -1), (-1, 0)
WAYS = {2021: (DOWN, RIGHT, LEFT, UP), 2022: (RIGHT, DOWN, LEFT, UP)}
"""The directions in which a ship is followed, by the year of the routine."""

ALL = [divmod(number, 10) for number in range(100)]


def _cells(text):
    return [divmod(int(word), 10) for word in text.split()]


WINNER = [
    _cells(
        "55 44 66 33 77 22 88 11 99 00 53 57 51 59 35 75 15 95 46 42 48 40 64 24 84 04 62 68 "
        "60 26 86 06 37 31 39 73 13 93 71 79 17 97 28 20 82 02 80 08 19 91"
    ),
    _cells(
        "55 44 66 33 77 22 88 11 99 00 52 58 25 85 47 41 74 14 63 60 69 36 06 96 30 39 03 93 "
        "71 17 28 82 90 09"
    ),
    _cells("55 44 66 33 77 22 88 11 99 00 51 59 15 95 48 40 84 04 62 26 37 73 80 08 19 91"),
    _cells("55 44 66 33 77 22 88 11 99 00 50 05 49 94 61 16 38 83 72 27"),
]
SPIRAL = _cells(
    "45 54 65 56 47 36 25 34 43 52 63 74 85 76 67 58 49 38 27 16 05 14 23 32 41 50 61 72 83 "
    "94 96 87 78 69 29 18 07 03 12 21 30 70 81 92 98 89 09 01 10 90"
)
"""The orders of the first two of 2022; the first has one by the ships that have sunk."""

DARTS = _cells(
    "55 54 44 45 90 00 09 99 34 23 32 43 52 63 72 74 65 76 67 56 47 36 27 25 13 16 83 86 31 61 38 "
    "68"
)
WEB = [
    _cells("55 54 44 45"),
    _cells("00 11 22 33 66 77 88 99 09 18 27 36 63 72 81 90"),
    _cells("24 25 42 52 47 57 74 75"),
    _cells("04 05 40 45 49 59 94 95 20 02 07 70 29 92 97 79"),
]
POLYGONS = [
    _cells("33 34 35 36 63 64 65 66 42 52 47 57"),
    _cells("03 04 05 06 93 94 95 96 30 40 50 60 39 49 59 69 21 12 87 78 17 28 71 82"),
]
ARMS = [
    _cells("44 33 22 11 00"),
    _cells("45 36 27 18 09"),
    _cells("55 66 77 88 99"),
    _cells("54 63 72 81 90"),
]


@dataclass
class Commander:
    """Follows a firing order, ``hunt``; after a hit, the routine of the year ``sink``."""

    needs = "ship"
    hunt: str = "random"
    sink: int = 2022

    def reset(self, rules, rng):
        """Begin a game."""
        self.fleet, self.rng, self.game = rules.fleet, rng, None
        self.open = set(ALL)
        # The ships that hits are on, and the cells that each ship has left.
        self.ships, self.left = {}, list(rules.fleet)

    def shoot(self, view):
        """Return a cell."""
        if self.game is None:
            self.game = self.play()
            row, col = next(self.game)
        else:
            row, col = self.game.send((view.outcome, view.ship))
        self.open.discard((row, col))
        return 10 * row + col

    def play(self):
        """Yield all shots of a game; takes what each has shown."""
        order = getattr(self, f"order_{self.hunt}")()
        sink = self.sink_2021 if self.sink == 2021 else self.sink_2022
        while True:
            cell = next(order, None) or self.rng.choice(sorted(self.open))
            if cell in self.open and (yield from self.fire(cell)):
                yield from sink(cell)

    def fire(self, cell):
        """Shoot at a cell, and return whether it was a hit."""
        outcome, ship = yield cell
        if outcome:
            self.ships[cell] = ship
            self.left[ship] -= 1
        return outcome

    def follow(self, cell, way, others):
        """Shoot on until water, an old shot or the border, or until the ship has sunk."""
        ship, hit, (row, col) = self.ships[cell], False, cell
        while self.left[ship]:
            row, col = row + way[0], col + way[1]
            if (row, col) not in self.open or not (yield from self.fire((row, col))):
                break
            hit, other = True, self.ships[row, col]
            if other != ship and self.left[other]:
                others.append((row, col))
        return hit

    def sink_2021(self, cell):
        """Follow a hit in all directions, then the ships that were met."""
        others = []
        for way in WAYS[2021]:
            if (yield from self.follow(cell, way, others)):
                yield from self.follow(cell, (-way[0], -way[1]), others)
        for other in others:
            yield from self.sink_2021(other)

    def sink_2022(self, cell):
        """Follow each direction to water, even if the ship has sunk; ships that are met at once."""
        ship, rounds = self.ships[cell], 0
        while self.left[ship] and rounds < 1000:
            # Shared on purpose: a ship that is met turns the direction of the first one, too.
            self.way = 0
            while self.way < 4:
                way, (row, col) = WAYS[2022][self.way], cell
                while True:
                    row, col = row + way[0], col + way[1]
                    if (row, col) not in self.open or not (yield from self.fire((row, col))):
                        break
                    if self.ships[row, col] != ship:
                        yield from self.sink_2022((row, col))
                        break
                rounds += 1
                if not self.left[ship]:
                    return
                self.way += 1

    def shuffled(self, cells):
        """Return cells in random order."""
        cells = sorted(cells)
        self.rng.shuffle(cells)
        return cells

    def in_groups(self, groups, rest=True):
        """Yield the cells of each group in random order, then all."""
        for group in [*groups, *([ALL] if rest else [])]:
            yield from self.shuffled(group)

    def order_random(self):
        """Yield all cells in random order."""
        yield from self.shuffled(ALL)

    def order_winner(self):
        """Yield the cells of four tables, by the lengths that have sunk."""
        while True:
            afloat = {length for length, left in zip(self.fleet, self.left, strict=True) if left}
            table = next((k for k, length in enumerate((2, 3, 4)) if length in afloat), 3)
            cell = next((cell for cell in WINNER[table] if cell in self.open), None)
            if cell is None:
                return
            yield cell

    def order_spiral(self):
        """Yield a spiral."""
        yield from SPIRAL

    def order_quadrants(self):
        """Yield a random cell of a quadrant, and its like in the others."""
        while True:
            row, col = self.rng.randrange(5), self.rng.randrange(5, 10)
            yield from ((row, col), (row, col - 5), (row + 5, col - 5), (row + 5, col))

    def order_knight(self):
        """Yield the moves of a knight from the middle; where it can't go on, any cell."""
        row, col = self.rng.choice((4, 5)), self.rng.choice((4, 5))
        steps = (-2, -1, 1, 2)
        while True:
            yield row, col
            near = [(row + y, col + x) for y in steps for x in steps if abs(y) != abs(x)]
            near = [cell for cell in near if cell in self.open]
            row, col = self.rng.choice(near or sorted(self.open))

    def order_darts(self):
        """Yield printed cells, then one colour in random order."""
        yield from DARTS
        yield from self.shuffled((row, col) for row, col in ALL if (row + col) % 2)

    def order_dartsany(self):
        """Yield printed cells, then all in random order."""
        yield from DARTS
        yield from self.shuffled(ALL)

    def order_web(self):
        """Yield the rings of a web."""
        return self.in_groups(WEB)

    def order_polygons(self):
        """Yield two polygons."""
        return self.in_groups(POLYGONS)

    def order_xfactor(self):
        """Yield the arms of a cross, then diagonals as far apart as the shortest ship afloat."""
        yield from self.in_groups(ARMS, rest=False)
        while True:
            step = min(n for n, left in zip(self.fleet, self.left, strict=True) if left)
            cells = [c for c in sorted(self.open) if (c[0] - c[1]) % step == step - 1]
            yield self.rng.choice(cells or sorted(self.open))

    def order_swirl(self):
        """Yield two spirals of every second cell, from the middle to the border."""
        for row, col, ways in (
            (4, 4, ((-2, 0), (0, 2), (2, 0), (0, -2))),
            (5, 5, ((-2, 0), (0, -2), (2, 0), (0, 2))),
        ):
            turn, steps = 0, 0
            while min(row, col) >= 0:
                yield row, col
                row, col, steps = row + ways[turn % 4][0], col + ways[turn % 4][1], steps + 1
                if turn // 2 + 1 <= steps:
                    turn, steps = turn + 1, 0
