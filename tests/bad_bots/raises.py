"""Fails with a traceback.

fails: fires at cells
says: it ended with exit code 1
line: the end of its stderr: 
line: IndexError: list index out of range
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return open_cells[100]
    return open_cells[0]


play(choose)
