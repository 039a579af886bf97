"""A hunter that takes cells of a ship for water, and ends where no cell is left: moves and games.

When as many cells of a length are hit as that has, it takes all cells beside ships of the length
for water. It does so for both ships of 3, so that one that it has not seen is water, too. A game of
bsbench ends with the last ship, so that these games are played here.

Source: github.com/LazyDamian/Battleships-Simulation at 45f6c09b, src/game_logic_smart.py.
"""

import random
import sys
from collections import deque
from types import SimpleNamespace

from placers import OneByOne

RULES = SimpleNamespace(rows=10, cols=10, cells=100, fleet=(5, 4, 3, 3, 2))


class Shuffled(OneByOne):
    """Ships never touch, and come in random order."""

    gap = 1

    def order(self, rules, rng):
        """Return the ships in the order in which they are placed."""
        return rng.sample(range(len(rules.fleet)), len(rules.fleet))


def beside(cell, corners):
    """Return the cells below, above, right and left of a cell; or all around it."""
    row, col = divmod(cell, 10)
    ways = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    if corners:
        ways += [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    near = [(row + down, col + right) for down, right in ways]
    return [r * 10 + c for r, c in near if 0 <= r < 10 and 0 <= c < 10]


def moves_of_a_game(placer, rng):
    """Return the shots of a game."""
    layout = placer.place(RULES, rng)
    length_of = {cell: len(slot) for slot in layout for cell in slot}
    known, hits, queue, shots = set(), dict.fromkeys(RULES.fleet, 0), deque(), 0
    even = [cell for cell in range(100) if (cell // 10 + cell % 10) % 2 == 0]
    while sum(hits.values()) < len(length_of) and len(known) < 100:
        if queue:
            cell = queue.popleft()
            if cell in known:
                continue
        else:
            rest = [cell for cell in even if cell not in known]
            cell = rest[0] if rest else rng.choice([c for c in range(100) if c not in known])
        shots += 1
        known.add(cell)
        if (length := length_of.get(cell)) is None:
            continue
        hits[length] += 1
        if hits[length] == length:
            for each in (each for each in length_of if length_of[each] == length):
                known.update(beside(each, corners=True))
            queue.clear()
        queue += [near for near in beside(cell, corners=False) if near not in known]
    return shots


if __name__ == "__main__":
    rng, placer, games = random.Random(1), Shuffled(), {}
    for _ in range(int(sys.argv[1])):
        moves = moves_of_a_game(placer, rng)
        games[moves] = games.get(moves, 0) + 1
    print("moves,games")
    for moves in sorted(games):
        print(f"{moves},{games[moves]}")
