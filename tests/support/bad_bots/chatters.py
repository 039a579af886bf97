"""Plays well, and writes much to stderr.

passes
"""

import sys

from _bot import play


def choose(open_cells):
    print("I think.\n" * 10_000, file=sys.stderr)
    return open_cells[0]


play(choose)
