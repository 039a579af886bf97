"""What these bots share: a bot that plays one game at a time, and shoots as it is told to."""

import sys


def play(choose, *announced):
    """Play; ``choose`` returns the answer to ``shoot``, given the open cells in order."""
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "bsbench":
            print(*announced, "ready", sep="\n", flush=True)
        elif word == "rules":
            cells = int(rest[0]) * int(rest[1])
            print("ready", flush=True)
        elif word == "game":
            open_cells = list(range(cells))
        elif word == "shoot":
            print(choose(open_cells), flush=True)
        elif word in ("miss", "hit", "sunk"):
            open_cells.remove(int(rest[0]))
        elif word == "quit":
            break


def third(open_cells):
    """Return whether two shots have been fired."""
    return open_cells[:1] == [2]
