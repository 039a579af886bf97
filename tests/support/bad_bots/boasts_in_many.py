"""Writes a line when it hears that one of its games is over.

fault: 'I won', games
game: 0
"""

from _bot import play_many

play_many(
    lambda open_cells: open_cells[0], "games 2", over=lambda shots: print("I won", flush=True)
)
