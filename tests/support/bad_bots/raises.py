"""Fails with a traceback.

fault: it ended with exit code 1
line: its stderr ends with: File
says: IndexError: list index out of range
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return open_cells[100]
    return open_cells[0]


play(choose)
