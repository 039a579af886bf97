"""Gives chances of all cells but one.

fails: INSIGHT
names: 25
"""

from _bot import play

play(min, "can info", think=lambda cells: "chances" + " 0.5" * (cells - 1) + "\nready")
