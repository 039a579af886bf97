"""Exact counts slot by slot: the hits first, then joins of bit sets.

While a hit is to be explained, branch on the ship and slot that explain the first one: each
layout has exactly one. Then lay the ship with the fewest slots, until two are left. These are
*joined*: for each slot of one, the slots of the other that stay possible are counted at once, as
bits. Equal ships (of one length, with the same slots) form a class. Only the first of them is
branched on, with their number as weight, and what is counted for the class is shared out in the
end.

The tree of branches is walked with an explicit stack (recursive kernels can't be cached), one
entry for each ship laid::

    depth            0           1              2 (leaf)
    possible      all slots   those left     those left
    left          ABCDE       ABCD           BCD … until two are left
    ship, slot    E, 17       A, 4           -
    sum           layouts found below, so far

On the way back, the sum below a branch is the number of layouts with that ship in that slot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.counting.tables import UNROLLED, Bits
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import place_of_bit, population_count, trailing_zeros
from bsbench.kernels.random import draw, stream_start

if TYPE_CHECKING:
    # So that an edit of it does not compile the kernels again.
    from bsbench.counting.evidence import Evidence

MOST_HITS = 64
"""Hits to explain: the bits of a word."""

MOST_SHIPS = 62

_LEAF = 10
"""What it takes to walk to a leaf, in words joined."""

_ONE = np.uint64(1)
_NONE = np.uint64(0)


class Stack(NamedTuple):
    """One entry for each ship laid: see the picture above. Made by `empty_stack`.

    ``possible``: uint64, shape (ships + 1, ships, words). All others have shape (ships + 1,):
    ``left`` ships not laid, as bits; ``hits`` to explain, as bits; ``weight`` of the branches
    taken; ``sum`` below; ``ship`` and ``slot`` branched on, ``same`` ships that it stands for,
    ``word`` and ``bits`` of slots not tried; ``hit`` that is explained, or -1.
    """

    possible: Bits
    left: npt.NDArray[np.int64]
    hits: Bits
    weight: Bits
    sum: Bits
    ship: npt.NDArray[np.int64]
    slot: npt.NDArray[np.int64]
    same: npt.NDArray[np.int64]
    word: npt.NDArray[np.int64]
    bits: Bits
    hit: npt.NDArray[np.int64]


class Fleet(NamedTuple):
    """What does not change during the walk.

    ``kind``, ``length``: int64, shape (ships,); ``equal``: the first ship of each one's class;
    ``keep``: as in `Tables`; ``explain``: uint64, shape (ships, hits, words), the slots through
    each hit; ``explained``: uint64, shape (ships, 64 * words), the hits on each slot.
    """

    kind: npt.NDArray[np.int64]
    length: npt.NDArray[np.int64]
    equal: npt.NDArray[np.int64]
    keep: Bits
    explain: Bits
    explained: Bits


def empty_stack(ships: int, words: int) -> Stack:
    """Return room for the walk over the layouts of so many ships."""
    numbers = (np.zeros(ships + 1, np.int64) for _ in range(6))
    bits = (np.zeros(ships + 1, np.uint64) for _ in range(4))
    return Stack(
        possible=np.zeros((ships + 1, ships, words), np.uint64),
        left=next(numbers),
        hits=next(bits),
        weight=next(bits),
        sum=next(bits),
        ship=next(numbers),
        slot=next(numbers),
        same=next(numbers),
        word=next(numbers),
        bits=next(bits),
        hit=next(numbers),
    )


def unrolled(words: int) -> Any:
    """Return what kernels take in place of a number of words.

    Loops over a tuple are unrolled; over an array they are not.
    """
    return (0,) * words if words <= UNROLLED else np.zeros(words, np.int64)


@helper
def _next_class(left, ship, equal):
    """Return the first ship after ``ship`` that stands for its class, and the class's size.

    Only ships in ``left`` count. The size is 0 if there is none.
    """
    for candidate in range(ship + 1, len(equal)):
        if left >> candidate & 1:
            same, first = 0, True
            for other in range(len(equal)):
                if left >> other & 1 and equal[other] == equal[candidate]:
                    same += 1
                    first = first and other >= candidate
            if first:
                return candidate, same
    return -1, 0


@helper
def _slots_left(possible, depth, ship, words):
    count = _NONE
    for word in range(len(words)):
        count += population_count(possible[depth, ship, word])
    return np.int64(count)


@kernel
def _cheapest(possible, depth, left, number, equal, words):
    """Return the ship to lay next where no hit is to be explained: the one with least work."""
    best, least = -1, 1 << 60
    for ship in range(len(equal)):
        if not left >> ship & 1:
            continue
        work = _slots_left(possible, depth, ship, words)
        if number == 3:
            # The pair is joined in both directions, unless its ships are equal.
            pair = left & ~(1 << ship)
            one = trailing_zeros(np.uint64(pair))
            other = trailing_zeros(np.uint64(pair & (pair - 1)))
            joined = _slots_left(possible, depth, one, words)
            if equal[one] != equal[other]:
                joined += _slots_left(possible, depth, other, words)
            work *= joined
        else:
            for other in range(len(equal)):
                if other != ship and left >> other & 1 and equal[other] == equal[ship]:
                    # Ships that are alike are laid last, as a pair.
                    work *= 2
                    break
        if work < least:
            best, least = ship, work
    return best


@helper
def _next_leaf(depth, fleet, stack, counts, words):
    """Go on to the next leaf, and return its depth; -1 after the last.

    ``depth`` is that of the leaf before, whose sum is in the stack, or -1 at the beginning.
    A leaf has no ship left, one, or two with all hits explained.
    """
    ships = len(fleet.kind)
    forth = depth < 0
    depth = max(depth, 0)
    while True:
        if forth:
            number, room = 0, 0
            for ship in range(ships):
                if stack.left[depth] >> ship & 1:
                    number += 1
                    room += fleet.length[ship]
            stack.sum[depth] = 0
            hits = stack.hits[depth]
            if np.int64(population_count(hits)) > room:
                forth = False
                continue
            if number < 2 or (number == 2 and hits == 0):
                return depth
            stack.word[depth] = -1
            stack.bits[depth] = 0
            if hits:
                stack.hit[depth] = trailing_zeros(hits)
                first, same = _next_class(stack.left[depth], -1, fleet.equal)
                stack.ship[depth], stack.same[depth] = first, same
            else:
                stack.hit[depth] = -1
                stack.ship[depth] = _cheapest(
                    stack.possible, depth, stack.left[depth], number, fleet.equal, words
                )
                stack.same[depth] = 1
        else:
            if depth == 0:
                return -1
            depth -= 1
            found = stack.sum[depth + 1] * np.uint64(stack.same[depth])
            counts[stack.ship[depth], stack.slot[depth]] += found * stack.weight[depth]
            stack.sum[depth] += found
        hit = stack.hit[depth]
        while stack.bits[depth] == 0:
            stack.word[depth] += 1
            if stack.word[depth] == len(words):
                if hit < 0:
                    break
                after, same = _next_class(stack.left[depth], stack.ship[depth], fleet.equal)
                if same == 0:
                    break
                stack.ship[depth], stack.same[depth] = after, same
                stack.word[depth] = 0
            ship, word = stack.ship[depth], stack.word[depth]
            bits = stack.possible[depth, ship, word]
            if hit >= 0:
                bits &= fleet.explain[ship, hit, word]
            stack.bits[depth] = bits
        bits = stack.bits[depth]
        forth = bits != 0
        if forth:
            ship = stack.ship[depth]
            slot = stack.word[depth] * 64 + trailing_zeros(bits)
            stack.bits[depth] = bits & (bits - _ONE)
            stack.slot[depth] = slot
            left = stack.left[depth] & ~(1 << ship)
            stack.left[depth + 1] = left
            stack.hits[depth + 1] = stack.hits[depth] & ~fleet.explained[ship, slot]
            stack.weight[depth + 1] = stack.weight[depth] * np.uint64(stack.same[depth])
            kind = fleet.kind[ship]
            for other in range(ships):
                if left >> other & 1:
                    for word in range(len(words)):
                        stack.possible[depth + 1, other, word] = (
                            stack.possible[depth, other, word]
                            & fleet.keep[kind, slot, fleet.kind[other], word]
                        )
            depth += 1


@helper
def _explaining(fleet, stack, depth, ship, word):
    """Return the slots of the last ship that explain all hits left, in one word."""
    bits, hits = stack.possible[depth, ship, word], stack.hits[depth]
    while hits:
        bits &= fleet.explain[ship, trailing_zeros(hits), word]
        hits &= hits - _ONE
    return bits


@helper
def _join(fleet, stack, depth, one, other, weight, counts, words):
    """Count the layouts of a pair, by slots of the first ship; return how many were joined, too."""
    total, joined = _NONE, 0
    kind, other_kind = fleet.kind[one], fleet.kind[other]
    for word in range(len(words)):
        bits = stack.possible[depth, one, word]
        while bits:
            slot = word * 64 + trailing_zeros(bits)
            bits &= bits - _ONE
            beside = _NONE
            for place in range(len(words)):
                beside += population_count(
                    stack.possible[depth, other, place] & fleet.keep[kind, slot, other_kind, place]
                )
            counts[one, slot] += beside * weight
            total += beside
            joined += 1
    return total, joined


@kernel
def count_layouts(fleet, stack, counts, most_work, words):
    """Count the layouts, and those with each ship in each slot.

    Parameters
    ----------
    fleet : Fleet
    stack : Stack
        At the beginning of the walk.
    counts : ndarray of uint64, shape (ships, 64 * words)
        The layouts with each ship in each slot of its kind are added. Those of equal ships may
        stand with any of them: in their sum, each ship has the same share.
    most_work : int
    words : tuple or ndarray
        See `unrolled`.

    Returns
    -------
    layouts : uint64
    work : int
        Words that were joined, and `_LEAF` for each leaf. Above ``most_work``, counting was given
        up, and the counts mean nothing.
    """
    work = 0
    depth = _next_leaf(-1, fleet, stack, counts, words)
    while depth >= 0:
        left, weight = stack.left[depth], stack.weight[depth]
        total = _NONE
        work += _LEAF
        if left == 0:
            total = np.uint64(stack.hits[depth] == 0)
        else:
            one = trailing_zeros(np.uint64(left))
            rest = left & (left - 1)
            if rest == 0:
                for word in range(len(words)):
                    bits = _explaining(fleet, stack, depth, one, word)
                    total += population_count(bits)
                    while bits:
                        counts[one, word * 64 + trailing_zeros(bits)] += weight
                        bits &= bits - _ONE
            else:
                other = trailing_zeros(np.uint64(rest))
                alike = fleet.equal[one] == fleet.equal[other]
                # Of two equal ships, one is counted for both.
                credit = weight * np.uint64(2) if alike else weight
                total, joined = _join(fleet, stack, depth, one, other, credit, counts, words)
                work += joined * len(words)
                if total and not alike:
                    joined = _join(fleet, stack, depth, other, one, weight, counts, words)[1]
                    work += joined * len(words)
        if work > most_work:
            return total, work
        stack.sum[depth] = total
        depth = _next_leaf(depth, fleet, stack, counts, words)
    return stack.sum[0], work


@kernel
def _draw_ranks(key, layouts, ranks):
    """Draw a layout's number for each sample, exactly uniform below ``layouts``."""
    for index in range(len(ranks)):
        _, ranks[index] = draw(stream_start(key, index), layouts)


@helper
def _select(fleet, stack, depth, rank, samples, index, words):
    """Return the number of layouts of a leaf; write that of a rank as a sample, if it has it."""
    left = stack.left[depth]
    total = _NONE
    if left == 0:
        return np.uint64(stack.hits[depth] == 0)
    one = trailing_zeros(np.uint64(left))
    rest = left & (left - 1)
    for word in range(len(words)):
        if rest == 0:
            bits = _explaining(fleet, stack, depth, one, word)
            number = population_count(bits)
            if total <= rank < total + number:
                samples[index, one] = word * 64 + np.int64(place_of_bit(bits, rank - total))
            total += number
            continue
        other = trailing_zeros(np.uint64(rest))
        bits = stack.possible[depth, one, word]
        while bits:
            slot = word * 64 + trailing_zeros(bits)
            bits &= bits - _ONE
            for place in range(len(words)):
                beside = (
                    stack.possible[depth, other, place]
                    & fleet.keep[fleet.kind[one], slot, fleet.kind[other], place]
                )
                number = population_count(beside)
                if total <= rank < total + number:
                    samples[index, one] = slot
                    samples[index, other] = place * 64 + np.int64(
                        place_of_bit(beside, rank - total)
                    )
                total += number
    return total


@kernel
def pick_layouts(fleet, stack, counts, ranks, samples, words):
    """Write the layouts of some ranks, ascending, in the order of the walk.

    Ships of a class stand for each other: the caller exchanges them at random.
    """
    seen, index = _NONE, 0
    depth = _next_leaf(-1, fleet, stack, counts, words)
    while depth >= 0 and index < len(ranks):
        weight = stack.weight[depth]
        number = _select(fleet, stack, depth, ~_NONE, samples, index, words)
        while index < len(ranks) and ranks[index] < seen + number * weight:
            rank = (ranks[index] - seen) // weight
            _select(fleet, stack, depth, rank, samples, index, words)
            for above in range(depth):
                samples[index, stack.ship[above]] = stack.slot[above]
            index += 1
        seen += number * weight
        depth = _next_leaf(depth, fleet, stack, counts, words)


@kernel
def exchange(key, alike, samples):
    """Exchange equal ships at random: samples are then uniform with these distinguishable.

    Parameters
    ----------
    key : uint64
    alike : ndarray of int64
        Columns.
    samples : ndarray of int64, shape (n, ships)
        Changed in place.
    """
    for index in range(len(samples)):
        # The ships of each class are exchanged independently.
        state = stream_start(stream_start(key, alike[0]), index)
        for last in range(len(alike) - 1, 0, -1):
            state, chosen = draw(state, np.uint64(last + 1))
            one, other = alike[last], alike[chosen]
            samples[index, one], samples[index, other] = samples[index, other], samples[index, one]


class Joins:
    """Counts by joins.

    Parameters
    ----------
    evidence : Evidence
        With at most `MOST_HITS` open hits and `MOST_SHIPS` ships, and so few slots that the number
        of ways to give each ship one, times the ships, is below 2^64.
    """

    def __init__(self, evidence: Evidence) -> None:
        tables, hits = evidence.tables, evidence.open_hits
        ships, words = evidence.possible.shape
        explain = tables.through[tables.kind[:, np.newaxis], hits]
        explained = np.zeros((ships, 64 * words), np.uint64)
        flags = np.unpackbits(explain.view(np.uint8), axis=2, bitorder="little")
        for number in range(len(hits)):
            explained |= flags[:, number].astype(np.uint64) << np.uint64(number)
        equal = np.empty(ships, np.int64)
        for alike in evidence.classes:
            equal[alike] = alike[0]
        self._classes = evidence.classes
        self._possible = evidence.possible
        self._hits = len(hits)
        self._fleet = Fleet(tables.kind, tables.length, equal, tables.keep, explain, explained)
        self._words = unrolled(words)

    def _stack(self) -> Stack:
        """Return a stack at the beginning of the walk."""
        ships, words = self._possible.shape
        stack = empty_stack(ships, words)
        stack.possible[0] = self._possible
        stack.left[0] = (1 << ships) - 1
        stack.hits[0] = (1 << self._hits) - 1
        stack.weight[0] = 1
        return stack

    def count(
        self, most_work: int, take: Callable[[int], object] = lambda steps: None
    ) -> tuple[int, npt.NDArray[Any]] | None:
        """Count the layouts, with distinguishable ships.

        Parameters
        ----------
        most_work : int
        take : callable, optional
            Called at the end with the words that were joined.

        Returns
        -------
        layouts : int
        slots : ndarray of object, shape (ships, 64 * words)
            Those with each ship in each slot of its kind: whole numbers.

            None in place of both where more words than ``most_work`` would have to be joined.
        """
        counts = np.zeros(self._fleet.explained.shape, np.uint64)
        layouts, work = count_layouts(self._fleet, self._stack(), counts, most_work, self._words)
        take(work)
        if work > most_work:
            return None
        for alike in self._classes:
            counts[alike] = counts[alike].sum(axis=0, dtype=np.uint64) // np.uint64(len(alike))
        return int(layouts), counts.astype(object)

    def sample(self, key: np.uint64, layouts: int, n: int) -> npt.NDArray[np.int64]:
        """Return slots of ``n`` layouts: int64, shape (n, ships), numbers within the kind.

        Ships of a class stand for each other: the caller exchanges them at random.
        """
        ranks = np.empty(n, np.uint64)
        _draw_ranks(key, np.uint64(layouts), ranks)
        order = np.argsort(ranks, kind="stable")
        samples = self._layouts_of(ranks[order])
        back = np.empty_like(samples)
        back[order] = samples
        return back

    def all_layouts(self, layouts: int) -> npt.NDArray[np.int64]:
        """Return slots of all layouts, so many as `count` says, as `sample` does."""
        return self._layouts_of(np.arange(layouts, dtype=np.uint64))

    def _layouts_of(self, ranks: Bits) -> npt.NDArray[np.int64]:
        samples = np.zeros((len(ranks), len(self._possible)), np.int64)
        ignored = np.zeros(self._fleet.explained.shape, np.uint64)
        pick_layouts(self._fleet, self._stack(), ignored, ranks, samples, self._words)
        return samples
