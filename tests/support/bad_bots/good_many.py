"""Shoots at the first open cell, in many games at once.

passes
"""

from _bot import play_many

play_many(min, "games 5")
