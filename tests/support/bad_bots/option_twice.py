"""Announces an option twice.

refused
names: before, line 2
"""

from _bot import play

play(min, "option level int 1 0 3\noption level int 2 0 3")
