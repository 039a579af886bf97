"""Announces an option that all bots have.

refused
names: restart, my_restart
"""

from _bot import play

play(min, "option restart int 1 0 3")
