"""Shoots off the board.

fault: shot at cell 25 refused: the board is 5x5, its cells are 0 to 24
line: it wrote '25'
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return 25
    return open_cells[0]


play(choose)
