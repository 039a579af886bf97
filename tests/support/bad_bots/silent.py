"""Answers with an empty line.

fault: it answered with an empty line: it must answer a cell, 0 to 24
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return ""
    return open_cells[0]


play(choose)
