"""Gives chances that are no numbers.

fails: INSIGHT
names: 25, nan
"""

from _bot import play

play(min, "can info", think=lambda cells: "chances" + " nan" * cells + "\nready")
