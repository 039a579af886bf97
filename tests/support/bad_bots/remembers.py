"""Remembers the games before.

fails: REPEATS
names: game
"""

from _bot import play

games = []


def choose(open_cells):
    if open_cells[:2] == [0, 1]:
        games.append(None)
    return open_cells[(open_cells[0] + len(games)) % len(open_cells)]


play(choose)
