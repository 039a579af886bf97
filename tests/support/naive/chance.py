"""Random streams, as the module `bsbench.kernels.random` says."""

from __future__ import annotations

import hashlib

MASK = (1 << 64) - 1


class Stream:
    """SplitMix64, from the state that a key and a game's number give."""

    def __init__(self, key: int, game: int) -> None:
        self.state = mix((key + mix(game)) & MASK)

    def bits(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return mix(self.state)

    def draw(self, n: int) -> int:
        """Return a uniform integer below n: reject what would make 2^64 uneven."""
        threshold = (1 << 64) % n
        while True:
            product = self.bits() * n
            if product % (1 << 64) >= threshold:
                return product >> 64


def mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def stream_key(purpose: str, seed: int) -> int:
    digest = hashlib.blake2b(f"{purpose}\n{seed}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def shuffled(stream: Stream, n: int) -> list[int]:
    items = list(range(n))
    for last in range(n - 1, 0, -1):
        chosen = stream.draw(last + 1)
        items[last], items[chosen] = items[chosen], items[last]
    return items
