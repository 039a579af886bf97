"""Echoes what it reads, as cat does.

refused
names: 'bsbench battleship 1', name
"""

import sys

for line in sys.stdin:
    print(line, end="", flush=True)
