"""Announces an option whose most is no number.

refused
names: choice, line 1
"""

from _bot import play

play(min, "option level float 1 0 inf")
