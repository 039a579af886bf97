"""Considers a cell that is not there.

fails: INSIGHT
names: 24
"""

from _bot import play

play(min, "can info", think=lambda cells: f"choices 0 {cells}\nready")
