"""Does not answer.

fault: 0.5 s
"""

import time

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        time.sleep(60)
    return open_cells[0]


play(choose)
