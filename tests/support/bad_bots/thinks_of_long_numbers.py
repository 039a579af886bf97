"""Considers a cell with a number of many digits.

fails: INSIGHT
names: 24
"""

from _bot import play

play(min, "can info", think=lambda cells: f"choices {'0' * 9}{'5' * 5000}\nready")
