"""Answers for one game too few, of many at once.

fault: 1, 2, shoot
game: 1
"""

from _bot import play_many

begun = set()


def choose(open_cells):
    begun.add(id(open_cells))
    return "" if len(begun) == 3 else open_cells[0]


play_many(choose, "games 2")
