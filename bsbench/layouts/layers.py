"""What slots weigh in a law of product weights, and which slot owns which number.

A weight is a whole number from 0 on, and depends on the slot alone. It is kept as a base, the same
for all slots, and *layers*: sets of slots that each weigh something more. Here the base is 2, and
the layers weigh 3 and 6::

    slots       a  b  c  d
    weights     2  5  8 11
    layer 0     0  1  0  1      3 more
    layer 1     0  0  1  1      6 more
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.counting.tables import as_bits
from bsbench.kernels._jit import helper
from bsbench.kernels.bits import place_of_bit, population_count
from bsbench.kernels.slots import Bits, SlotTable, count_free, find_free
from bsbench.rules.board import Rules

SlotWeights = Mapping[int, npt.NDArray[np.int64]]
"""For each length, what its slots weigh, in the order of `Rules.slots`."""


class Weights(NamedTuple):
    """Weights of slots, as words of a `SlotTable`.

    Where all slots weigh 1, kernels take None instead, and are compiled without weights.

    Attributes
    ----------
    heavy : ndarray of uint64, shape (layers, words)
        The slots of each layer.
    base : uint64
        What every slot weighs at least.
    extra : ndarray of uint64, shape (layers,)
        What a slot of each layer weighs more.
    """

    heavy: Bits
    base: np.uint64
    extra: Bits


def in_parts(exact: Sequence[int], most: int) -> npt.NDArray[np.int64]:
    """Return weights in whole parts of the heaviest one, rounded to the nearest, halves up.

    Parameters
    ----------
    exact : sequence of int
        Whole numbers of any size, so that every machine finds the same.
    most : int
        What the heaviest becomes. Whatever weighs more than nothing becomes 1 at least.
    """
    heaviest = max(exact)
    rounded = [(2 * most * each + heaviest) // (2 * heaviest) for each in exact]
    least = [int(each > 0) for each in exact]
    return np.maximum(np.array(rounded, np.int64), least)


def layered(rules: Rules, table: SlotTable, weights: SlotWeights, base: int) -> Weights:
    """Return weights as layers: the bits of what they are above the base, without common factors.

    Parameters
    ----------
    rules : Rules
    table : SlotTable
        The slots under these rules.
    weights : SlotWeights
    base : int
        At most the least weight.
    """
    above = {length: weights[length] - base for length in weights}
    unit = math.gcd(*(int(each) for some in above.values() for each in some)) or 1
    layers = max(int(some.max(initial=0)) // unit for some in above.values()).bit_length()
    heavy = np.zeros((layers, len(table.free)), np.uint64)
    for ship, length in enumerate(rules.fleet):
        begin, end = table.begin[ship], table.end[ship]
        for layer in range(layers):
            slots = np.flatnonzero(above[length] // unit >> layer & 1)
            heavy[layer, begin:end] = as_bits(slots, end - begin)
    extra = [unit << layer for layer in range(layers)]
    return Weights(heavy, np.uint64(base), np.array(extra, np.uint64))


@helper
def weigh_free(free, begin, end, weights):
    """Return the weight of the possible slots in the words ``begin`` up to ``end``."""
    weight = count_free(free, begin, end)
    if weights is not None:
        weight *= weights.base
        for layer in range(len(weights.extra)):
            weight += count_heavy(free, begin, end, weights.heavy[layer]) * weights.extra[layer]
    return weight


@helper
def count_heavy(free, begin, end, heavy):
    """Return how many of the ``heavy`` slots in the words ``begin`` up to ``end`` are possible."""
    count = np.uint64(0)
    for word in range(begin, end):
        count += population_count(free[word] & heavy[word])
    return count


@helper
def find_weighed(free, begin, end, weights, number):
    """Return the possible slot that owns a number below their weight.

    Each slot owns ``base`` numbers; after these, layer by layer, each slot of it owns ``extra``
    more.
    """
    if weights is not None:
        light = count_free(free, begin, end) * weights.base
        if number >= light:
            number -= light
            layer = 0
            weight = count_heavy(free, begin, end, weights.heavy[0]) * weights.extra[0]
            while number >= weight:
                number -= weight
                layer += 1
                weight = count_heavy(free, begin, end, weights.heavy[layer]) * weights.extra[layer]
            return find_heavy(free, begin, weights.heavy[layer], number // weights.extra[layer])
        number //= weights.base
    return find_free(free, begin, end, number)


@helper
def find_heavy(free, begin, heavy, rank):
    """Return the possible slot number ``rank`` of the ``heavy`` ones, from word ``begin`` on."""
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
        for layer in range(len(weights.extra)):
            if (weights.heavy[layer, slot // 64] >> np.uint64(slot % 64)) & np.uint64(1):
                weight += weights.extra[layer]
    return weight


def all_weight(table: SlotTable, weights: Weights | None, begin: int, end: int) -> int:
    """Return the weight of all slots of a ship on the empty board: 1 each without weights."""
    slots = _count(table.free[begin:end])
    if weights is None:
        return slots
    weight = int(weights.base) * slots
    for heavy, extra in zip(weights.heavy, weights.extra, strict=True):
        weight += int(extra) * _count(heavy[begin:end])
    return weight


def _count(words: Bits) -> int:
    return sum(int(word).bit_count() for word in words)
