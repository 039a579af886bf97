"""Answers with an empty line.

fails: fires at cells
says: it answered 0 numbers: it must answer a cell, 0 to 24
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return ""
    return open_cells[0]


play(choose)
