"""Sums over games that any two runs of the same games share: counts, first games, digests."""

from __future__ import annotations

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.random import mix

BLOCK_BITS = 20
"""A block of the evidence is 2^20 games in a row: its first game's number has 20 zero bits."""

_APART = np.uint64(0x9E3779B97F4A7C15)
_HIGH = np.uint64(0xD1B54A32D192ED03)
"""Odd numbers without a pattern, so that move counts, and halves of a digest, lie far apart."""


@kernel
def count_games(moves, first_game, counts, firsts, blocks):
    """Add games in a row to sums.

    A block's row of ``blocks`` has the sums over its games, modulo 2^64::

        0  moves     of the move counts
        1  squares   of their squares
        2  low       of 64 bits that depend on the game's number and its move count
        3  high      of 64 others

    Addition knows no order: blocks may be played in pieces, whichever first.

    Parameters
    ----------
    moves : ndarray of uint8 or uint16, shape (games,)
    first_game : int
    counts : ndarray of int64, shape (cells + 1,)
        Number of games by move count.
    firsts : ndarray of int64, shape (cells + 1,)
        The first game of each move count; -1 where there is none. Games before these are in it.
    blocks : ndarray of uint64, shape (blocks, 4)
        The first row is the block of the first of these games.
    """
    for index in range(len(moves)):
        taken = moves[index]
        counts[taken] += 1
        if firsts[taken] < 0:
            firsts[taken] = first_game + index
    first_block = first_game >> BLOCK_BITS
    begin = 0
    for row in range(len(blocks)):
        end = min(len(moves), ((first_block + row + 1) << BLOCK_BITS) - first_game)
        total = squares = low = high = np.uint64(0)
        for index in range(begin, end):
            taken = np.uint64(moves[index])
            bits = mix(mix(np.uint64(first_game + index)) ^ (taken * _APART))
            total += taken
            squares += taken * taken
            low += bits
            high += mix(bits ^ _HIGH)
        blocks[row, 0] += total
        blocks[row, 1] += squares
        blocks[row, 2] += low
        blocks[row, 3] += high
        begin = end
