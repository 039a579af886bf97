"""Fails with a traceback.

fault: exit code 1
line: IndexError
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return open_cells[100]
    return open_cells[0]


play(choose)
