"""Shoots off the board.

fault: 25, 5x5, 0 to 24
line: '25'
"""

from _bot import play_until_third

play_until_third(lambda open_cells: 25)
