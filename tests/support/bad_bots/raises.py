"""Fails with a traceback.

fault: exit code 1
line: IndexError
"""

from _bot import play_until_third

play_until_third(lambda open_cells: open_cells[100])
