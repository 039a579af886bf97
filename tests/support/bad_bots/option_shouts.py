"""Announces an option with a name in capitals.

refused
names: small, line 1
"""

from _bot import play

play(min, "option LEVEL int 1 0 3")
