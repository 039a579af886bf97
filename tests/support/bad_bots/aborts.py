"""Is ended by a signal.

fault: SIGABRT
"""

import os

from _bot import play_until_third

play_until_third(lambda open_cells: os.abort())
