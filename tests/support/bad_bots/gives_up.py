"""Says itself that something is wrong.

fault: no cell left at <move 3>
"""

from _bot import play, third


def choose(open_cells):
    if third(open_cells):
        return "error no cell left at <move 3>"
    return open_cells[0]


play(choose)
