"""Shoots off the board.

fault: 25, 5x5, 0 to 24
line: '25'
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return 25
    return open_cells[0]


play(choose)
