"""Answers with two lines.

fault: '3'
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return "2\n3"
    return open_cells[0]


play(choose)
