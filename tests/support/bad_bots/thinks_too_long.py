"""Answers with more than bsbench reads.

fails: INSIGHT
names: 1,048,576
"""

from _bot import play

play(min, "can info", think=lambda cells: f"text {'x' * (1 << 20)}\nready")
