"""Closes its stdout, and waits.

fault: stdout
"""

import os
import time

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        os.close(1)
        time.sleep(60)
    return open_cells[0]


play(choose)
