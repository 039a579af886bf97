"""Shoots at a cell twice.

fault: 0, A1
line: '0'
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return 0
    return open_cells[0]


play(choose)
