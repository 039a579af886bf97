"""Does not answer.

fault: 0.5 s
"""

import time

from _bot import play_until_third

play_until_third(lambda open_cells: time.sleep(60))
