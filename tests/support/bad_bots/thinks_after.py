"""Writes lines of its own after its answers, too.

passes
"""

from _bot import play

play(lambda cells: f"{cells[0]}\ndepth 3", "can depth", "depth 1")
