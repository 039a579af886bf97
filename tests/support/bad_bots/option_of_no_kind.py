"""Announces an option that is a complex number.

refused
names: choice, line 1
"""

from _bot import play

play(min, "option level complex 1j")
