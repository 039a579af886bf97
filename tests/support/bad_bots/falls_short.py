"""Answers for one game too few, of many at once.

fault: it answered 1 numbers: it must answer 2 numbers, one for each place after shoot
game: 1
"""

from _bot import play_many

begun = set()


def choose(open_cells):
    begun.add(id(open_cells))
    return "" if len(begun) == 3 else open_cells[0]


play_many(choose, "games 2")
