"""Answers with something else than a cell, which would colour a terminal.

fault: '\\x1b[31mB3', 0 to 24
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return "\x1b[31mB3"
    return open_cells[0]


play(choose)
