"""Writes a number when it hears that a game is over, with its next answer.

fault: '24', games
game: 0
"""

from _bot import play

play(lambda open_cells: open_cells[0], over=lambda shots: print(24))
