"""Writes megabytes without the end of a line.

fault: 1,048,576 bytes
"""

from _bot import play, third


def choose(open_cells):
    while third(open_cells):
        print("1234567 " * 10_000, end="")
    return open_cells[0]


play(choose)
