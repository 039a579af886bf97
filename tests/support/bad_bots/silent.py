"""Answers with an empty line.

fault: empty, 0 to 24
"""

from _bot import play_until_third

play_until_third(lambda open_cells: "")
