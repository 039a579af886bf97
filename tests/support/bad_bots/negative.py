"""Answers -1, as programs do that have found nothing.

fault: '-1', 0 to 24
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return -1
    return open_cells[0]


play(choose)
