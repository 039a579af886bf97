"""Takes random numbers that do not belong to the game.

fails: the same game under the same seed
says: All randomness must come from the number after game, which a bot gets that announces random
"""

import random

from _bot import play

play(random.choice)
