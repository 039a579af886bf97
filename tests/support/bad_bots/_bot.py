"""What these bots share: a bot that shoots as it is told to."""

import sys


def play(choose, *announced, think=None, over=None):
    """Play one game at a time; ``choose`` returns the answer to ``shoot``.

    It is given the open cells in order, and the random number of the game if there is one.
    ``think`` returns the answer to ``info``, given the number of cells. ``over`` is called when a
    game is over, with the number of shots, and the random number.
    """
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "bsbench":
            print(*announced, "ready", sep="\n", flush=True)
        elif word == "rules":
            cells = int(rest[0]) * int(rest[1])
            print("ready", flush=True)
        elif word == "game":
            open_cells, number = list(range(cells)), rest
        elif word in ("shoot", "salvo"):
            print(choose(open_cells, *map(int, number)), flush=True)
        elif word == "info":
            print(think(cells), flush=True)
        elif word in ("miss", "hit", "sunk"):
            open_cells.remove(int(rest[0]))
        elif word == "over" and over:
            over(int(rest[0]), *map(int, number))
        elif word == "quit":
            break


def play_many(choose, *announced, over=None):
    """Play many games at once; ``choose`` returns the cell for one of them, as for `play`."""
    games = {}
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "bsbench":
            print(*announced, "ready", sep="\n", flush=True)
        elif word == "rules":
            cells = int(rest[0]) * int(rest[1])
            print("ready", flush=True)
        elif word == "shoot":
            print(*(choose(*games[place]) for place in rest), flush=True)
        elif word == "quit":
            break
        elif rest[0] == "game":
            games[word] = [list(range(cells)), *map(int, rest[1:])]
        elif rest[0] in ("miss", "hit", "sunk"):
            games[word][0].remove(int(rest[1]))
        elif rest[0] == "over" and over:
            over(int(rest[1]), *games[word][1:])


def play_salvos(choose, *announced, over=None):
    """Play salvos of one cell, one game at a time: see `play`."""
    play(choose, "can salvo", *announced, over=over)


def third(open_cells):
    """Return whether two shots have been fired."""
    return open_cells[:1] == [2]


def play_until_third(answer):
    """Play as `play` does: at first well, and ``answer`` returns the answer at the third shot."""
    play(lambda open_cells: answer(open_cells) if third(open_cells) else open_cells[0])
