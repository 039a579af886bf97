"""Writes a line when it hears that a game is over.

fault: 'I won', games
game: 0
"""

from _bot import play

play(lambda open_cells: open_cells[0], over=lambda shots: print("I won", flush=True))
