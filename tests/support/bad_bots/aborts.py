"""Is ended by a signal.

fault: SIGABRT
"""

import os

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        os.abort()
    return open_cells[0]


play(choose)
