"""Announces an option whose default is out of range.

refused
names: 3, line 1
"""

from _bot import play

play(min, "option level int 5 0 3")
