"""Writes bytes that are no text.

fault: 0 to 24
"""

import sys

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        sys.stdout.buffer.write(b"\0\xff\7\x80" * 100)
    return open_cells[0]


play(choose)
