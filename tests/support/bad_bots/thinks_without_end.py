"""Says ever more, and is never ready.

fails: INSIGHT
names: 100, ready
"""

from _bot import play

play(min, "can info", think=lambda cells: "x\n" * 100)
