"""Shoots at random, as the number of the game says, in many games at once.

passes
"""

import random

from _bot import play_many


def choose(open_cells, number):
    return random.Random(number + len(open_cells)).choice(open_cells)


play_many(choose, "games 7", "random", "needs sunk")
