"""A contest of 2021 whose rounds of four shots end even if the fleet has sunk: moves and games.

A game of bsbench ends with the last ship, so that these games are played here.
"""

import random
import sys
from types import SimpleNamespace

from contests import Commander
from placers import OneByOne

RULES = SimpleNamespace(rows=10, cols=10, cells=100, fleet=(5, 4, 3, 3, 2))


class Rounds(Commander):
    """Keeps the rest of a round."""

    rest = ()

    def order_quadrants(self):
        """Yield rounds of four cells."""
        order = super().order_quadrants()
        while True:
            four = [next(order) for _ in range(4)]
            for number, cell in enumerate(four, 1):
                self.rest = four[number:]
                yield cell


def moves_of_a_game(placer, rng):
    """Return the shots of a game, with those of its last round."""
    ships = {cell: ship for ship, slot in enumerate(placer.place(RULES, rng)) for cell in slot}
    left, player, shots = list(RULES.fleet), Rounds("quadrants", 2021), 0
    player.reset(RULES, rng)
    view = SimpleNamespace(outcome=0, ship=None)
    while any(left):
        ship = ships.get(player.shoot(view))
        shots += 1
        outcome = 0
        if ship is not None:
            left[ship] -= 1
            outcome = 1 if left[ship] else 2
        view = SimpleNamespace(outcome=outcome, ship=ship)
    return shots + sum(cell in player.open for cell in player.rest)


if __name__ == "__main__":
    rng, placer, games = random.Random(1), OneByOne(), {}
    for _ in range(int(sys.argv[1])):
        moves = moves_of_a_game(placer, rng)
        games[moves] = games.get(moves, 0) + 1
    print("moves,games")
    for moves in sorted(games):
        print(f"{moves},{games[moves]}")
