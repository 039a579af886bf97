"""Layouts drawn exactly, each as likely as the product of its ships' weights.

The scheme behind the laws ``uniform``, where every slot weighs 1, ``edge`` and ``avoid``, for
boards of any size. A weight is a whole number that depends on the slot alone (see `layers`);
a set of slots weighs as much as all its slots together.

Rejecting whole random layouts would be exact, but on the harbour fleet only one
attempt in 813 succeeds. Here ships are laid one after the other, longest first, and
an attempt looks ahead at the room that it leaves:

1. The first ships, the *head*, come from a table of all their placements (see `heads`).
2. The *next* ship comes from its slots that are still possible. For every later
   ship i, U_i(head, next) is a proven upper bound of the weight of the slots that are
   still possible when ship i is laid, and q(head, next) is the product of these bounds.
   Head and next are drawn with probability w(head) w(next) q(head, next) / total, w being
   the product of their weights. First the head is drawn with W(head) / total, W being
   w(head) times the sum of w q over the next ship's slots. Then slots for the next ship
   are drawn, each with its share of their weight, until one is accepted, with probability
   q / largest q of that head.
3. For each later ship a number u is drawn uniformly from 0 … U_i - 1. With possible
   slots of weight n_i, u < n_i takes one of them: each slot owns as many of the numbers
   as it weighs. Otherwise the whole layout starts again from step 1.

An attempt thus ends in a given layout with probability
w(head) w(next) q / total x product of w_i / U_i = w(layout) / total: each its share.
That needs the whole layout to start again in step 3, and not just the refused ship. With
all weights 1 on the harbour fleet, five attempts out of six start again. (Where products
of so many bounds could pass 64 bits, the last ships have fixed bounds that are no factors
of q: one more constant.)

*The bound.* Let n be the weight of the slots possible for ship i after head and next. A
ship of length L laid after them and before ship i contains L - l + 1 slots of ship
i's length l (if l <= L). These were possible until then and are not possible any more, no
two ships contain the same slot, and each slot weighs the least weight or more. So U_i = n
less the least weight times the sum of those L - l + 1.

All draws are exact integers, so there is no rounding in the law at all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.kernels._jit import allocating, helper
from bsbench.kernels.random import draw, stream_start
from bsbench.kernels.slots import Bits, SlotTable, copy_free, count_free, find_free, lay, slot_table
from bsbench.layouts import ATTEMPTS, LIMIT, Codes, Filler, Sampler
from bsbench.layouts.heads import (
    Heads,
    HeadTable,
    Words,
    alias_table,
    count_longer,
    extend,
    slots_taken,
)
from bsbench.layouts.layers import (
    SlotWeights,
    Weights,
    all_weight,
    find_weighed,
    layered,
    weigh_free,
    weight_of,
)
from bsbench.layouts.plain import plain_sampler
from bsbench.rules.board import Rules

_LARGEST_HEAD_TABLE = 1 << 15
"""Heads at most, so that the table stays in the cache. The head is the largest number of first
ships within this bound and the next two: none, where one ship alone has too many slots."""

_MOST_TO_WEIGH = 1 << 22
"""Heads times slots of the next ship at most: a fraction of a second of set-up."""


class _Ships(NamedTuple):
    """The ships after the head: the next one, and the later ones.

    Attributes
    ----------
    begin, end : ndarray of int64, shape (1 + later,)
        Words of a `SlotTable` with the slots of the next ship, and of each later one.
    taken : ndarray of uint64, shape (later,)
        For each later ship, the weight that the ships between the next one and it take away.
    fixed : ndarray of uint64, shape (later,)
        Its fixed bound; 0 where the bound is a factor of q.
    weights : Weights or None
    """

    begin: Words
    end: Words
    taken: Bits
    fixed: Bits
    weights: Weights | None


@helper
def _look_ahead(free, ships, bounds):
    """Fill ``bounds`` with U_i for the later ships; return their product q.

    Where ``ships.fixed`` is not 0, it is the bound, and no factor of q.
    """
    product = np.uint64(1)
    for later in range(len(bounds)):
        bounds[later] = ships.fixed[later]
        if ships.fixed[later] == 0:
            begin, end = ships.begin[1 + later], ships.end[1 + later]
            possible = weigh_free(free, begin, end, ships.weights)
            bounds[later] = possible - min(possible, ships.taken[later])
            product *= bounds[later]
    return product


@allocating
def _weigh_heads(heads, ships, table, shares, peaks):
    """Fill ``shares`` with W(head), ``peaks`` with the largest q."""
    free = np.empty_like(table.free)
    after = np.empty_like(table.free)
    bounds = np.empty(len(ships.taken), np.uint64)
    begin, end = ships.begin[0], ships.end[0]
    for number in range(len(heads)):
        copy_free(table.free, free)
        weight = np.uint64(1)
        for slot in heads[number]:
            lay(free, table.keep, slot)
            weight *= weight_of(slot, ships.weights)
        for rank in range(count_free(free, begin, end)):
            slot = find_free(free, begin, end, np.uint64(rank))
            copy_free(free, after)
            lay(after, table.keep, slot)
            product = _look_ahead(after, ships, bounds)
            shares[number] += weight * weight_of(slot, ships.weights) * product
            peaks[number] = max(peaks[number], product)


@allocating
def _draw_layouts(key, first_game, order, ships, heads, table, attempts, layouts):
    """Fill ``layouts``; return the index of a game given up, or -1."""
    # Read once: an allocating kernel counts the references to an array wherever it is read.
    head_slots, peaks, total, cut, other = heads
    all_free, keep, code = table.free, table.keep, table.code
    begin, end, weights = ships.begin, ships.end, ships.weights
    later_ships = len(ships.taken)
    laid = head_slots.shape[1]
    before, free = np.empty_like(all_free), np.empty_like(all_free)
    bounds = np.empty(later_ships, np.uint64)
    for game in range(len(layouts)):
        state = stream_start(key, first_game + game)
        for _ in range(attempts):
            state, column = draw(state, np.uint64(len(head_slots)))
            state, height = draw(state, total)
            head = np.int64(column) if height < cut[column] else other[column]
            copy_free(all_free, before)
            for ship in range(laid):
                lay(before, keep, head_slots[head, ship])
                layouts[game, order[ship]] = code[head_slots[head, ship]]
            possible = weigh_free(before, begin[0], end[0], weights)
            is_accepted = False
            while not is_accepted:
                state, number = draw(state, possible)
                state, height = draw(state, peaks[head])
                slot = find_weighed(before, begin[0], end[0], weights, number)
                copy_free(before, free)
                lay(free, keep, slot)
                is_accepted = height < _look_ahead(free, ships, bounds)
            layouts[game, order[laid]] = code[slot]
            for later in range(later_ships):
                first, last = begin[1 + later], end[1 + later]
                state, number = draw(state, bounds[later])
                if number >= weigh_free(free, first, last, weights):
                    break
                slot = find_weighed(free, first, last, weights, number)
                lay(free, keep, slot)
                layouts[game, order[laid + 1 + later]] = code[slot]
            else:
                break
        else:
            return game
    return -1


class LookAhead(Filler):
    """Sampler of a law of product weights; see `Sampler`.

    Parameters
    ----------
    rules : Rules
    remedies : str
        What the error about a fleet that is too hard to lay suggests first.
    table : SlotTable
        The slots under these rules.
    weights : Weights, optional
        What the slots weigh. Default: every slot 1.
    """

    is_slow = True

    def __init__(
        self, rules: Rules, remedies: str, table: SlotTable, weights: Weights | None = None
    ) -> None:
        super().__init__(rules, remedies)
        self._table = table
        self._weights = weights
        self._least = 1 if weights is None else int(weights.base)
        self._most = 1 if weights is None else int(weights.base + weights.extra.sum())
        lengths = np.array(rules.fleet)
        # Longest first: what varies most with the ships laid before comes early.
        self._order = np.argsort(-lengths, kind="stable")
        begin, end = table.begin[self._order], table.end[self._order]
        heads = self._all_heads(begin, end)
        laid = heads.shape[1]
        begin, end = begin[laid:], end[laid:]
        taken = slots_taken(lengths[self._order][laid + 1 :].tolist())
        self._ships = _Ships(
            begin,
            end,
            np.array([self._least * slots for slots in taken], np.uint64),
            self._fixed_bounds(len(heads), begin, end),
            weights,
        )
        shares, peaks = np.zeros((2, len(heads)), np.uint64)
        _weigh_heads(heads, self._ships, table, shares, peaks)
        possible = shares > 0
        if not possible.any():
            # Where some slots weigh nothing, it may fit under another law.
            where, other = ("", "") if self._least else (" by this placement law", remedies)
            raise BsbenchError(
                f"the fleet {list(rules.fleet)} can't fit on the {rules.board} board{where}: its "
                f"longest ships leave no room for the others; use {other}fewer or shorter ships"
            )
        self._heads = HeadTable(heads[possible], peaks[possible], *alias_table(shares[possible]))

    def _all_heads(self, begin: Words, end: Words) -> Heads:
        """Return all placements of the first ships, as slots, shape (heads, ships).

        The last ship is never among them, so that there is a next one.
        """
        table = self._table
        heads = np.zeros((1, 0), np.int32)
        while heads.shape[1] < len(begin) - 1:
            ship = heads.shape[1]
            words = begin[ship], end[ship]
            following = begin[ship + 1], end[ship + 1]
            longer = count_longer(heads, *words, table)
            if (
                longer > _LARGEST_HEAD_TABLE
                or longer * all_weight(table, None, *following) > _MOST_TO_WEIGH
                or self._largest_sum(longer, ship + 1, *following) >= LIMIT
            ):
                break
            heads = extend(heads, *words, table)
        return heads

    def _all_weight(self, begin: int, end: int) -> int:
        """Return the weight of all slots of a ship on the empty board."""
        return all_weight(self._table, self._weights, begin, end)

    def _largest_sum(self, heads: int, ships: int, begin: int, end: int) -> int:
        """Return a bound of the sum of w(head) w(next), over heads of ``ships`` ships."""
        heaviest_head: int = self._most**ships
        return heads * heaviest_head * self._all_weight(begin, end)

    def _fixed_bounds(self, heads: int, begin: Words, end: Words) -> Bits:
        """Return a fixed bound for each later ship that is no factor of q, else 0.

        The sum of all W, and the largest W times the number of heads, must stay below
        2^64. Later ships are factors, in order, while that is certain. For the others the
        bound does not depend on head and next: it is the weight of all slots less
        what the ships before take away, by the same argument.
        """
        lengths = [self.rules.fleet[ship] for ship in self._order]
        ships = len(lengths) - len(begin)
        largest_sum = self._largest_sum(heads, ships, begin[0], end[0])
        fixed = np.zeros(len(begin) - 1, np.uint64)
        for later in range(len(fixed)):
            length = lengths[ships + 1 + later]
            before = lengths[: ships + 1 + later]
            weight = self._all_weight(begin[1 + later], end[1 + later])
            largest_sum *= weight
            if largest_sum >= LIMIT:
                taken = sum(max(other - length + 1, 0) for other in before)
                fixed[later] = weight - self._least * taken
        return fixed

    def fill(self, key: np.uint64, first_game: int, layouts: Codes) -> int:
        """Draw layouts; see `Filler.fill`."""
        parts = self._order, self._ships, self._heads, self._table
        return int(_draw_layouts(key, first_game, *parts, ATTEMPTS, layouts))


def weighed_sampler(rules: Rules, remedies: str, weights: SlotWeights, base: int) -> Sampler:
    """Return the first of the two samplers of product weights that serves these rules.

    Parameters
    ----------
    rules : Rules
    remedies : str
        What the error about a fleet that is too hard to lay suggests first.
    weights : SlotWeights
    base : int
        At most the least weight.
    """
    plain = plain_sampler(rules, remedies, weights)
    if plain is not None:
        return plain
    table = slot_table(rules)
    return LookAhead(rules, remedies, table, layered(rules, table, weights, base))
