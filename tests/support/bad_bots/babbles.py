"""Answers with something else than a cell, which would colour a terminal.

fault: '\\x1b[31mB3', 0 to 24
"""

from _bot import play_until_third

play_until_third(lambda open_cells: "\x1b[31mB3")
