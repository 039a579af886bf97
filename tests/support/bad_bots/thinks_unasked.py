"""Says what it thinks before it is asked, and has not announced such lines.

fault: 0 to 24
line: 'chances 1'
"""

from _bot import play

play(lambda cells: f"chances 1\n{cells[0]}", "can info")
