"""Echoes what it reads, as cat does.

refused: can't play with
says: it wrote 'bsbench battleship 1' before the first game: a bot writes name
"""

import sys

for line in sys.stdin:
    print(line, end="", flush=True)
