from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsbench.kernels import random as streams
from bsbench.kernels._jit import kernel
from tests.support import naive
from tests.support.helpers import assert_chi_square

uint64 = st.integers(0, 2**64 - 1)


@kernel
def _draws(key, game, n, out):
    state = streams.stream_start(key, game)
    for i in range(len(out)):
        state, out[i] = streams.draw(state, n)


@kernel
def _bits(state, out):
    for i in range(len(out)):
        state, out[i] = streams.draw_bits(state)


@kernel
def _digits(key, game, bases, unfair, out):
    state = streams.stream_start(key, game)
    while True:
        state, bits = streams.draw_bits(state)
        for place in range(len(bases)):
            out[place], bits = streams.next_digit(bits, bases[place])
        if bits >= unfair:
            break


@kernel
def _shuffled(key, game, items, places):
    streams.shuffle(streams.stream_start(key, game), items, places)


def test_splitmix64_gives_the_published_sequence():
    # First outputs for the state 1234567, as listed with many public SplitMix64 codes.
    out = np.zeros(5, np.uint64)
    _bits(np.uint64(1234567), out)
    assert out.tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(uint64, st.integers(0, 2**40), st.integers(1, 2**64 - 1))
def test_draws_agree_with_the_twin(key, game, n):
    out = np.zeros(20, np.uint64)
    _draws(np.uint64(key), game, np.uint64(n), out)
    stream = naive.Stream(key, game)
    assert out.tolist() == [stream.draw(n) for _ in range(20)]


@given(uint64, st.integers(0, 2**40), st.lists(st.integers(1, 1000), min_size=1, max_size=6))
def test_digits_are_those_of_one_draw(key, game, bases):
    product = math.prod(bases)
    digits = np.zeros(len(bases), np.uint64)
    _digits(np.uint64(key), game, np.array(bases, np.uint64), np.uint64(2**64 % product), digits)
    number = naive.Stream(key, game).draw(product)
    for base, digit in zip(reversed(bases), reversed(digits.tolist()), strict=True):
        number, expected = divmod(number, base)
        assert digit == expected


def test_draws_reject_what_would_favour_some_values():
    # With n = 3 x 2^62, a quarter of all draws must be rejected: plain multiply and
    # shift would give each of the values 0 mod 3 twice as often as the others.
    n = 3 << 62
    out = np.zeros(30_000, np.uint64)
    _draws(np.uint64(1), 0, np.uint64(n), out)
    assert_chi_square(np.bincount((out % np.uint64(3)).astype(int)), [10_000] * 3)


def test_first_draws_of_neighbouring_games_are_uniform_and_independent():
    pairs = np.zeros(36, int)
    key = streams.stream_key("layouts", 0)
    out = np.zeros(2, np.uint64)
    for game in range(36_000):
        _draws(key, game, np.uint64(6), out)
        pairs[int(out[0]) * 6 + int(out[1])] += 1
    assert_chi_square(pairs, [1_000] * 36)


@given(uint64, st.integers(0, 2**40), st.integers(1, 120), st.integers(1, 120))
def test_shuffle_agrees_with_the_twin(key, game, size, places):
    places = min(places, size)
    items = np.arange(size, dtype=np.uint16)
    _shuffled(np.uint64(key), game, items, places)
    assert items[-places:].tolist() == naive.shuffled(naive.Stream(key, game), size)[-places:]
    assert sorted(items.tolist()) == list(range(size))


@pytest.mark.parametrize("seed", [0, 1, 12345678901234567890123])
def test_keys_agree_with_the_twin_and_differ_by_purpose(seed):
    layouts, strategy = (
        streams.stream_key(purpose, seed) for purpose in ("layouts", "strategy random")
    )
    assert int(layouts) == naive.stream_key("layouts", seed)
    assert layouts != strategy
