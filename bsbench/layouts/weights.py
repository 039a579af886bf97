"""What slots weigh in a law of product weights, and which slot owns which number.

A weight is a positive integer that depends on the slot alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bsbench.kernels._jit import helper
from bsbench.kernels.bits import place_of_bit, population_count
from bsbench.kernels.slots import Bits, SlotTable, count_free, find_free


class Weights(NamedTuple):
    """Two weights of slots, as words of a `SlotTable`.

    Where all slots weigh 1, kernels take None instead, and are compiled without weights.

    Attributes
    ----------
    heavy : ndarray of uint64, shape (words,)
        The slots of the larger weight.
    base, extra : uint64
        A slot weighs ``base``, a heavy one ``base + extra``.
    """

    heavy: Bits
    base: np.uint64
    extra: np.uint64


@helper
def weigh_free(free, begin, end, weights):
    """Return the weight of the possible slots in the words ``begin`` up to ``end``."""
    weight = count_free(free, begin, end)
    if weights is not None:
        heavy = np.uint64(0)
        for word in range(begin, end):
            heavy += population_count(free[word] & weights.heavy[word])
        weight = weight * weights.base + heavy * weights.extra
    return weight


@helper
def find_weighed(free, begin, end, weights, number):
    """Return the possible slot that owns a number below their weight.

    Each slot owns ``base`` numbers; after these, each heavy slot owns ``extra`` more.
    """
    if weights is not None:
        light = count_free(free, begin, end) * weights.base
        if number >= light:
            return _find_heavy(free, begin, weights.heavy, (number - light) // weights.extra)
        number //= weights.base
    return find_free(free, begin, end, number)


@helper
def _find_heavy(free, begin, heavy, rank):
    word = begin
    inside = population_count(free[word] & heavy[word])
    while rank >= inside:
        rank -= inside
        word += 1
        inside = population_count(free[word] & heavy[word])
    return word * 64 + np.int64(place_of_bit(free[word] & heavy[word], rank))


@helper
def weight_of(slot, weights):
    """Return the weight of a slot."""
    weight = np.uint64(1)
    if weights is not None:
        weight = weights.base
        if (weights.heavy[slot // 64] >> np.uint64(slot % 64)) & np.uint64(1):
            weight += weights.extra
    return weight


def all_weight(table: SlotTable, weights: Weights | None, begin: int, end: int) -> int:
    """Return the weight of all slots of a ship on the empty board: 1 each without weights."""
    slots = _count(table.free[begin:end])
    if weights is None:
        return slots
    return int(weights.base) * slots + int(weights.extra) * _count(weights.heavy[begin:end])


def _count(words: Bits) -> int:
    return sum(int(word).bit_count() for word in words)
