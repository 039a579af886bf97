"""Shoots at a cell twice.

fault: 0, A1
line: '0'
"""

from _bot import play_until_third

play_until_third(lambda open_cells: 0)
