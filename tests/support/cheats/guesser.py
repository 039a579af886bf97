"""A bot that guesses the seed from the random number of its first game, and writes it down.

It tries all seeds below 100,000, as `bsbench.own.choosing.alias` makes numbers of them.
"""

import hashlib
from pathlib import Path

from _bot import play

FOUND = Path(__file__).with_name("found.txt")
NAME, GAME = "guesser", 0


def guessed(number):
    for seed in range(100_000):
        text = f"{NAME}\n{seed}\n{GAME}".encode()
        digest = hashlib.blake2b(text, digest_size=8, person=b"alias").digest()
        if int.from_bytes(digest) >> 1 == number:
            return seed
    return None


def choose(open_cells, number):
    if not FOUND.exists():
        FOUND.write_text(str(guessed(number)))
    return open_cells[0]


play(choose, "random")
