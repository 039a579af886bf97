"""Takes random numbers that do not belong to the game.

fails: REPEATS
names: game, random
"""

import random

from _bot import play

play(random.choice)
