"""Shoots at the first open cell.

passes
"""

from _bot import play

play(min, "name Linear")
