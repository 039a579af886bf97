"""Counter-based random streams: each game has its own, found by its number alone.

The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
number generators", OOPSLA 2014, figure 16). Game ``i`` under a key starts at the
state ``mix(key + mix(i))``, so that the draws of a game are known without playing
others. There is no global state.

States and draws are uint64. A kernel carries the state in a local variable:
``state, value = draw(state, n)``.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import multiply_high

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@lru_cache(64)
def stream_key(purpose: str, seed: int) -> np.uint64:
    """Return the key of all streams of one purpose under one seed.

    Parameters
    ----------
    purpose : str
        What the numbers are for, such as ``layouts`` or ``strategy random``.
        Different purposes are independent of each other.
    seed : int
        The user's seed, any non-negative integer.
    """
    digest = hashlib.blake2b(f"{purpose}\n{seed}".encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


@helper
def mix(z):
    """Return 64 bits that look random, others for each ``z``: SplitMix64's finalizer."""
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@helper
def stream_start(key, game):
    """Return the state from which game number ``game`` draws under ``key``."""
    return mix(key + mix(np.uint64(game)))


@helper
def draw_bits(state):
    """Return the next state and 64 random bits."""
    state = state + _GAMMA
    return state, mix(state)


@helper
def uniform_at(start, index):
    """Return draw number ``index``, from 0 on, as a float64: a multiple of 2^-53 in [0, 1).

    It is the top 53 bits of what `draw_bits` gives after ``index`` other draws from the
    state ``start``.
    """
    bits = mix(start + _GAMMA * (np.uint64(index) + np.uint64(1)))
    return np.float64(bits >> np.uint64(11)) * 2.0**-53


@helper
def draw(state, n):
    """Return the next state and an integer, exactly uniform on 0 … n - 1.

    Multiply and shift, with Lemire's rejection ("Fast random integer generation
    in an interval", ACM TOMACS 29, 2019) of the few draws that would favour some
    values; ``n`` is uint64 and at least 1.
    """
    state, bits = draw_bits(state)
    low = bits * n
    if low < n:
        threshold = (np.uint64(0) - n) % n
        while low < threshold:
            state, bits = draw_bits(state)
            low = bits * n
    return state, multiply_high(bits, n)


@helper
def next_digit(bits, n):
    """Return the leading digit, 0 … n - 1, of random bits, and the bits that the others are in.

    Several small numbers from one draw: with 64 random ``bits``, the digits for n_1, n_2, …, of
    product N, are those of ``draw(state, N)`` written in this mixed radix, the most significant
    first. They are exactly uniform if draws are rejected whose last bits left are below
    2^64 mod N, as `draw` does (Brackett-Rozinsky and Lemire, "Batched ranged random integer
    generation", Software: Practice and Experience 55, 2025). All are uint64.
    """
    return multiply_high(bits, n), bits * n


@helper
def is_unfair(bits, product):
    """Return whether a draw is rejected: its last bits are below 2^64 mod ``product``.

    ``bits`` are those left after the digits whose bounds have this product.
    """
    return bits < product and bits < (np.uint64(0) - product) % product


@helper
def shuffle(state, items, places=None):
    """Put ``items`` in exactly uniform random order, in place; return the state.

    Fisher-Yates as in Knuth, TAOCP 2, section 3.4.2, algorithm P: from the last
    item down, each is exchanged with one drawn from those not behind it. With ``places``, it
    ends when the last so many hold what they would if all were shuffled.
    """
    end = 0 if places is None else max(len(items) - 1 - places, 0)
    for last in range(len(items) - 1, end, -1):
        state, chosen = draw(state, np.uint64(last + 1))
        kept = items[last]
        items[last] = items[chosen]
        items[chosen] = kept
    return state


@kernel
def start_streams(key, lanes, games, states):
    """Let the random streams of fresh games begin in some lanes.

    Parameters
    ----------
    key : uint64
    lanes, games : ndarray of int64, shape (n,)
        Lanes, and the numbers of the games that begin there.
    states : ndarray of uint64, shape (words, 64)
        Changed in place: lane n has entry n.
    """
    for index in range(len(lanes)):
        lane = lanes[index]
        states[lane // 64, lane % 64] = stream_start(key, games[index])


@kernel
def fill_uniform(key, live, games, shots, calls, numbers):
    """Draw a number in [0, 1) for each cell of some games.

    Parameters
    ----------
    key : uint64
    live : ndarray of bool, shape (n,)
        Games that are drawn for.
    games, shots : ndarray of int64, shape (n,)
        Number of each game, and of its shots so far: each shot has a stream of its own.
    calls : int
        How often the stream has been drawn from before, for all cells.
    numbers : ndarray of float64, shape (n, cells)
        Changed in place.
    """
    cells = numbers.shape[1]
    for index in range(len(live)):
        if live[index]:
            start = stream_start(stream_start(key, games[index]), shots[index])
            for cell in range(cells):
                numbers[index, cell] = uniform_at(start, calls * cells + cell)
