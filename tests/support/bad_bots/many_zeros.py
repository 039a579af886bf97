"""Says how many games it plays with zeros before the number, and so many after it.

refused
names: 'games 0000040969'
"""

from _bot import play

play(lambda open_cells: open_cells[0], "games 0000040969")
