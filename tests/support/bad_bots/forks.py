"""Forks; the fork waits, and the program ends.

fault: exit code 0
"""

import os
import time

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        if not os.fork():
            time.sleep(60)
        os._exit(0)
    return open_cells[0]


play(choose)
