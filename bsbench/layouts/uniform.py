"""The law ``uniform``: every layout of the labelled fleet equally likely, exactly.

Rejecting whole random layouts would be uniform, but on the harbour fleet only one
attempt in 813 succeeds. Here ships are laid one after the other, longest first, and
an attempt looks ahead at what room it leaves:

1. The first ships, the *head*, come from a table of all their placements.
2. The *next* ship comes from its slots that are still possible. For every later
   ship i, U_i(head, next) is a proven bound of the number of slots that it can
   still have when its turn comes, and q(head, next) the product of these. Head
   and next are drawn with probability q(head, next) / total: first the head with
   W(head) / total, W being the sum of q over the next ship's slots; then slots for
   the next ship, uniformly, until one is accepted, with probability q / largest q
   of that head.
3. For each later ship a number u is drawn uniformly from 0 … U_i - 1. With n_i slots
   possible, u < n_i takes the slot number u; otherwise the whole layout starts
   afresh from step 1.

An attempt thus ends in a given layout with probability
q / total x product of 1 / U_i = 1 / total: the same for all. Starting afresh in
step 3 (and not just with the refused ship) keeps it so; on the harbour fleet it
happens five times out of six. (Where products of so many bounds could pass 64 bits,
the last ships have fixed bounds that are no factors of q: one more constant.)

*The bound.* Let n be the number of slots possible for ship i after head and next. A
ship of length L laid after them and before ship i lies in L - l + 1 slots of ship
i's length l (if l <= L); they were possible until then and are so no more, and
two ships take none twice. So U_i = n less the sum of those.

All draws are exact integers, so there is no rounding in the law at all. Heads are
drawn by Walker's alias method (A. J. Walker, ACM TOMS 3, 1977) in integer form.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bsbench.errors import BsbenchError
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.random import draw, stream_key, stream_start
from bsbench.kernels.slots import (
    ATTEMPTS,
    Bits,
    copy_free,
    count_free,
    find_free,
    lay,
    not_found,
    slot_table,
)
from bsbench.rules import Rules

_LARGEST_HEAD_TABLE = 1 << 15
"""Heads at most, so that the table stays in the cache. The head is as many ships as stay
within this and the next bound: none, where one ship alone has too many slots."""

_MOST_TO_WEIGH = 1 << 22
"""Heads times slots of the next ship at most: a fraction of a second of set-up."""

_LIMIT = 1 << 64
"""Weights must stay below it, to be exact in 64 bits."""

Heads = npt.NDArray[np.int32]
Words = npt.NDArray[np.int64]


@kernel
def _count_longer(heads, begin, end, all_free, keep):
    """Return the number of ways to lay one more ship after each head, summed."""
    free = np.empty_like(all_free)
    count = 0
    for head in heads:
        copy_free(all_free, free)
        for slot in head:
            lay(free, keep, slot)
        count += np.int64(count_free(free, begin, end))
    return count


@kernel
def _extend(heads, begin, end, all_free, keep, longer):
    """Fill ``longer`` with all heads of one more ship."""
    free = np.empty_like(all_free)
    ships = heads.shape[1]
    number = 0
    for head in heads:
        copy_free(all_free, free)
        for slot in head:
            lay(free, keep, slot)
        for rank in range(count_free(free, begin, end)):
            longer[number, :ships] = head
            longer[number, ships] = find_free(free, begin, np.uint64(rank))
            number += 1


@helper
def _look_ahead(free, begin, end, taken, fixed, bounds):
    """Fill ``bounds`` with U_i for the later ships; return their product q.

    Where ``fixed`` is not 0, it is the bound, and no factor of q.
    """
    product = np.uint64(1)
    for later in range(len(bounds)):
        bounds[later] = fixed[later]
        if fixed[later] == 0:
            possible = count_free(free, begin[later], end[later])
            bounds[later] = possible - min(possible, taken[later])
            product *= bounds[later]
    return product


@kernel
def _weigh_heads(heads, begin, end, taken, fixed, all_free, keep, weights, peaks):
    """Fill ``weights`` with W(head) and ``peaks`` with the largest q of each head.

    Entry 0 of ``begin`` and ``end`` is for the next ship, the others for later ones.
    """
    free = np.empty_like(all_free)
    after = np.empty_like(all_free)
    bounds = np.empty(len(taken), np.uint64)
    for number in range(len(heads)):
        copy_free(all_free, free)
        for slot in heads[number]:
            lay(free, keep, slot)
        for rank in range(count_free(free, begin[0], end[0])):
            copy_free(free, after)
            lay(after, keep, find_free(free, begin[0], np.uint64(rank)))
            product = _look_ahead(after, begin[1:], end[1:], taken, fixed, bounds)
            weights[number] += product
            peaks[number] = max(peaks[number], product)


@kernel
def _alias_table(weights, total, cut, other):
    """Prepare drawing an index with probability weight / total.

    Each of the n indices is a column of height ``total``; a weight w is worth an
    area of n * w. Columns that are not full are filled up from one that overflows::

        total  +--------+--------+--------+
               |other: 2|        |other: 2|
        cut    |--------|        |--------|        the index itself below the cut,
               |    0   |    1   |    2   |        ``other`` above it
               +--------+--------+--------+
    """
    n = len(weights)
    small = np.empty(n, np.int64)
    large = np.empty(n, np.int64)
    smalls = larges = 0
    for index in range(n):
        cut[index] = weights[index] * np.uint64(n)
        other[index] = index
        if cut[index] < total:
            small[smalls] = index
            smalls += 1
        else:
            large[larges] = index
            larges += 1
    while smalls > 0 and larges > 0:
        smalls -= 1
        filled = small[smalls]
        donor = large[larges - 1]
        other[filled] = donor
        cut[donor] -= total - cut[filled]
        if cut[donor] < total:
            larges -= 1
            small[smalls] = donor
            smalls += 1


@kernel
def _draw_layouts(
    key,
    first_game,
    order,
    begin,
    end,
    taken,
    fixed,
    all_free,
    keep,
    code,
    heads,
    peaks,
    cut,
    other,
    total,
    attempts,
    layouts,
):
    """Fill ``layouts``; return the index of a game given up, or -1."""
    before = np.empty_like(all_free)
    free = np.empty_like(all_free)
    columns, head_ships = heads.shape
    bounds = np.empty(len(taken), np.uint64)
    slots = np.empty(len(order), np.int64)
    for game in range(len(layouts)):
        state = stream_start(key, first_game + game)
        for _ in range(attempts):
            state, column = draw(state, np.uint64(columns))
            state, height = draw(state, total)
            head = np.int64(column) if height < cut[column] else other[column]
            copy_free(all_free, before)
            for ship in range(head_ships):
                slots[ship] = heads[head, ship]
                lay(before, keep, slots[ship])
            possible = count_free(before, begin[0], end[0])
            while True:
                state, rank = draw(state, possible)
                state, height = draw(state, peaks[head])
                slots[head_ships] = find_free(before, begin[0], rank)
                copy_free(before, free)
                lay(free, keep, slots[head_ships])
                if height < _look_ahead(free, begin[1:], end[1:], taken, fixed, bounds):
                    break
            for later in range(len(taken)):
                possible = count_free(free, begin[1 + later], end[1 + later])
                state, rank = draw(state, bounds[later])
                if rank >= possible:
                    break
                slot = find_free(free, begin[1 + later], rank)
                slots[head_ships + 1 + later] = slot
                lay(free, keep, slot)
            else:
                for ship in range(len(order)):
                    layouts[game, order[ship]] = code[slots[ship]]
                break
        else:
            return game
    return -1


class Uniform:
    """Sampler of the law ``uniform``; see `Sampler`."""

    def __init__(self, rules: Rules, option: None = None) -> None:
        self._rules = rules
        self._table = table = slot_table(rules)
        lengths = np.array(rules.fleet)
        # Longest first: what varies most with the ships laid before comes early.
        self._order = np.argsort(-lengths, kind="stable")
        begin, end = table.begin[self._order], table.end[self._order]
        heads = self._all_heads(begin, end)
        ships = heads.shape[1]
        self._begin, self._end = begin[ships:], end[ships:]
        later = lengths[self._order][ships + 1 :]
        self._taken = np.array(
            [np.maximum(later[:i] - later[i] + 1, 0).sum() for i in range(len(later))], np.uint64
        )
        self._fixed = self._fixed_bounds(len(heads))
        weights = np.zeros(len(heads), np.uint64)
        peaks = np.zeros(len(heads), np.uint64)
        _weigh_heads(
            heads,
            self._begin,
            self._end,
            self._taken,
            self._fixed,
            table.free,
            table.keep,
            weights,
            peaks,
        )
        possible = weights > 0
        if not possible.any():
            raise BsbenchError(
                f"the fleet {list(rules.fleet)} can't fit on a {rules.board} board: its longest "
                "ships leave no room for the others; use fewer or shorter ships"
            )
        self._heads, self._peaks = heads[possible], peaks[possible]
        self._total = weights.sum()
        self._cut: Bits = np.zeros(len(self._heads), np.uint64)
        self._other = np.zeros(len(self._heads), np.int64)
        _alias_table(weights[possible], self._total, self._cut, self._other)

    def _all_heads(self, begin: Words, end: Words) -> Heads:
        """Return all placements of the first ships, as slots, shape (heads, ships).

        The last ship is never among them, so that there is a next one.
        """
        table = self._table
        heads = np.zeros((1, 0), np.int32)
        while heads.shape[1] < len(begin) - 1:
            ship = heads.shape[1]
            words = begin[ship], end[ship]
            longer = _count_longer(heads, *words, table.free, table.keep)
            to_weigh = longer * self._all_slots(begin[ship + 1], end[ship + 1])
            if longer > _LARGEST_HEAD_TABLE or to_weigh > _MOST_TO_WEIGH:
                break
            extended = np.zeros((longer, ship + 1), np.int32)
            _extend(heads, *words, table.free, table.keep, extended)
            heads = extended
        return heads

    def _all_slots(self, begin: int, end: int) -> int:
        """Return the number of a ship's slots on the empty board."""
        return sum(int(word).bit_count() for word in self._table.free[begin:end])

    def _fixed_bounds(self, heads: int) -> Bits:
        """Return a fixed bound for each later ship that is no factor of q, else 0.

        The sum of all q, and the largest W times the number of heads, must stay below
        2^64. Later ships are factors, in order, while that holds for certain. For the
        others the bound does not look at head and next: all slots less those that the
        ships before take by the same argument.
        """
        lengths = [self._rules.fleet[ship] for ship in self._order]
        first_later = len(lengths) - len(self._begin) + 1
        largest_sum = heads * self._all_slots(self._begin[0], self._end[0])
        fixed = np.zeros(len(self._begin) - 1, np.uint64)
        for later in range(len(fixed)):
            length = lengths[first_later + later]
            before = lengths[: first_later + later]
            slots = self._all_slots(self._begin[1 + later], self._end[1 + later])
            largest_sum *= slots
            if largest_sum >= _LIMIT:
                fixed[later] = slots - sum(max(other - length + 1, 0) for other in before)
        return fixed

    def draw(self, seed: int, first_game: int, games: int) -> npt.NDArray[np.int32]:
        """Return the layouts of some games; see `Sampler.draw`."""
        layouts = np.zeros((games, len(self._rules.fleet)), np.int32)
        table = self._table
        failed = _draw_layouts(
            stream_key("layouts", seed),
            first_game,
            self._order,
            self._begin,
            self._end,
            self._taken,
            self._fixed,
            table.free,
            table.keep,
            table.code,
            self._heads,
            self._peaks,
            self._cut,
            self._other,
            self._total,
            ATTEMPTS,
            layouts,
        )
        if failed >= 0:
            raise not_found(self._rules, first_game + failed, "--placement sequential, ")
        return layouts
