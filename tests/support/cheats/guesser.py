"""A bot that guesses the seed from the random number of its first game, and writes it down.

It tries all seeds below 100,000, as `bsbench.own.choosing.alias` makes numbers of them.
"""

import hashlib
import sys
from pathlib import Path

FOUND = Path(__file__).with_name("found.txt")
NAME, GAME = "guesser", 0


def guessed(number):
    for seed in range(100_000):
        text = f"{NAME}\n{seed}\n{GAME}".encode()
        digest = hashlib.blake2b(text, digest_size=8, person=b"alias").digest()
        if int.from_bytes(digest) >> 1 == number:
            return seed
    return None


for line in sys.stdin:
    word, *rest = line.split()
    if word == "bsbench":
        print("random", "ready", sep="\n", flush=True)
    elif word == "rules":
        cells = int(rest[0]) * int(rest[1])
        print("ready", flush=True)
    elif word == "game":
        open_cells = list(range(cells))
        if not FOUND.exists():
            FOUND.write_text(str(guessed(int(rest[0]))))
    elif word == "shoot":
        print(open_cells[0], flush=True)
    elif word in ("miss", "hit", "sunk"):
        open_cells.remove(int(rest[0]))
    elif word == "quit":
        break
