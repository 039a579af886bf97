"""Answers with two lines.

fault: '3'
"""

from _bot import play_until_third

play_until_third(lambda open_cells: "2\n3")
