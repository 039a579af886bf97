"""Layouts drawn exactly, each as likely as the product of its ships' weights.

The scheme behind the laws ``uniform``, where every slot weighs 1, and ``edge``. A
weight is a positive integer that depends on the slot alone; a set of slots weighs
what its slots weigh together.

Rejecting whole random layouts would be exact, but on the harbour fleet only one
attempt in 813 succeeds. Here ships are laid one after the other, longest first, and
an attempt looks ahead at what room it leaves:

1. The first ships, the *head*, come from a table of all their placements.
2. The *next* ship comes from its slots that are still possible. For every later
   ship i, U_i(head, next) is a proven bound of the weight of the slots that it can
   still have when its turn comes, and q(head, next) the product of these. Head
   and next are drawn with probability w(head) w(next) q(head, next) / total, w being
   the product of their weights: first the head with W(head) / total, W being w(head)
   times the sum of w q over the next ship's slots; then slots for the next ship,
   each with its share of their weight, until one is accepted, with probability
   q / largest q of that head.
3. For each later ship a number u is drawn uniformly from 0 … U_i - 1. With slots of
   weight n_i possible, u < n_i takes one of them, each owning as many of the numbers
   as it weighs; otherwise the whole layout starts afresh from step 1.

An attempt thus ends in a given layout with probability
w(head) w(next) q / total x product of w_i / U_i = w(layout) / total: each its share.
Starting afresh in step 3 (and not just with the refused ship) keeps it so; with all
weights 1 on the harbour fleet it happens five times out of six. (Where products of so
many bounds could pass 64 bits, the last ships have fixed bounds that are no factors
of q: one more constant.)

*The bound.* Let n be the weight of the slots possible for ship i after head and next. A
ship of length L laid after them and before ship i lies in L - l + 1 slots of ship
i's length l (if l <= L); they were possible until then and are so no more, two ships
take none twice, and each weighs the least weight or more. So U_i = n less the least
weight times the sum of those L - l + 1.

*Plain attempts.* Looking ahead saves attempts, but each takes several times as long as one
that just draws the head with w(head) and a slot of the empty board for every other
ship, and starts afresh if any two ships clash. Such a plain attempt ends in a given
layout with probability w(layout) / A, A being the weight of all heads times that of all
slots of each other ship: each its share, too. So where A is only a few times the total
above, as on the classic board, all attempts are plain.

All draws are exact integers, so there is no rounding in the law at all. Heads are
drawn by Walker's alias method (A. J. Walker, ACM TOMS 3, 1977) in integer form.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.kernels._jit import allocating, helper
from bsbench.kernels.bits import place_of_bit, population_count
from bsbench.kernels.lanes import load, no_lanes, words_set
from bsbench.kernels.random import draw, draw_bits, next_digit, stream_key, stream_start
from bsbench.kernels.slots import (
    MOST_CELLS,
    Bits,
    SlotTable,
    cell_rows,
    copy_free,
    count_free,
    find_free,
    lay,
)
from bsbench.layouts import ATTEMPTS, not_found
from bsbench.rules.board import Rules

_LARGEST_HEAD_TABLE = 1 << 15
"""Heads at most, so that the table stays in the cache. The head is as many ships as stay
within this and the next two bounds: none, where one ship alone has too many slots."""

_MOST_TO_WEIGH = 1 << 22
"""Heads times slots of the next ship at most: a fraction of a second of set-up."""

_SIDE_BY_SIDE = 64
"""Games drawn side by side at most: what is kept of them stays in a near cache."""

_WORTH = 5
"""Attempts are plain where A is less than so many times the total. Measured: one that looks ahead
takes 3 to 5 times as long as a plain one on small boards and on ``classic``, 7 to 10 on large
ones."""

_MOST_OWNERS = 1 << 14
"""Numbers that slots own for plain attempts at most, so that the table stays in a near cache."""

_LIMIT = 1 << 64
"""Weights must stay below it, to be exact in 64 bits."""

Heads = npt.NDArray[np.int32]
Words = npt.NDArray[np.int64]


class Weights(NamedTuple):
    """What slots weigh, if not all of them 1: two weights, as words of a `SlotTable`.

    Kernels take None for "all weigh 1", and are compiled without weights then.

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


class _Ships(NamedTuple):
    """The ships after the head: the next one, and the later ones.

    Attributes
    ----------
    begin, end : ndarray of int64, shape (1 + later,)
        Words of a `SlotTable` with the slots of the next ship, and of each later one.
    taken : ndarray of uint64, shape (later,)
        For each later ship, the weight that those laid between it and the next ship take away.
    fixed : ndarray of uint64, shape (later,)
        Its fixed bound; 0 where the bound is a factor of q.
    weights : Weights or None
    """

    begin: Words
    end: Words
    taken: Bits
    fixed: Bits
    weights: Weights | None


class _Heads(NamedTuple):
    """All heads, and the table that draws one of them.

    Attributes
    ----------
    slots : ndarray of int32, shape (heads, ships of the head)
    peaks : ndarray of uint64, shape (heads,)
        The largest q of each.
    total : uint64
        The sum of what the heads weigh in the draw.
    cut : ndarray of uint64, shape (heads,)
    other : ndarray of int64, shape (heads,)
        See `_alias_table`.
    """

    slots: Heads
    peaks: Bits
    total: np.uint64
    cut: Bits
    other: Words


class _Plain(NamedTuple):
    """What plain attempts take to lay the ships after the head.

    Attributes
    ----------
    slot_weights : ndarray of uint64, shape (ships,)
        The weight of all slots of each ship.
    owners : ndarray of uint64
        For one ship after the other, the slot that owns each number below that weight.
    first_owner : ndarray of uint64, shape (ships,)
        Where those of each ship begin.
    cells, closed : ndarray of uint64
        See `cell_rows`.
    unfair : uint64
        Draws below it are rejected, see `next_digit`.
    """

    slot_weights: Bits
    owners: Bits
    first_owner: Bits
    cells: Bits
    closed: Bits
    unfair: np.uint64


@helper
def _weigh_free(free, begin, end, weights):
    """Return the weight of the possible slots in the words ``begin`` up to ``end``."""
    weight = count_free(free, begin, end)
    if weights is not None:
        heavy = np.uint64(0)
        for word in range(begin, end):
            heavy += population_count(free[word] & weights.heavy[word])
        weight = weight * weights.base + heavy * weights.extra
    return weight


@helper
def _find_weighed(free, begin, end, weights, number):
    """Return the possible slot that owns a number below their weight.

    Each slot owns ``base`` numbers; then come ``extra`` more for each heavy one.
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
def _weight_of(slot, weights):
    """Return the weight of a slot."""
    weight = np.uint64(1)
    if weights is not None:
        weight = weights.base
        if (weights.heavy[slot // 64] >> np.uint64(slot % 64)) & np.uint64(1):
            weight += weights.extra
    return weight


@allocating
def _count_longer(heads, begin, end, table):
    """Return the number of ways to lay one more ship after each head, summed."""
    free = np.empty_like(table.free)
    count = np.int64(0)
    for head in heads:
        copy_free(table.free, free)
        for slot in head:
            lay(free, table.keep, slot)
        count += np.int64(count_free(free, begin, end))
    return count


@allocating
def _extend(heads, begin, end, table, longer):
    """Fill ``longer`` with all heads of one more ship."""
    free = np.empty_like(table.free)
    ships = heads.shape[1]
    number = 0
    for head in heads:
        copy_free(table.free, free)
        for slot in head:
            lay(free, table.keep, slot)
        for rank in range(count_free(free, begin, end)):
            longer[number, :ships] = head
            longer[number, ships] = find_free(free, begin, end, np.uint64(rank))
            number += 1


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
            possible = _weigh_free(free, begin, end, ships.weights)
            bounds[later] = possible - min(possible, ships.taken[later])
            product *= bounds[later]
    return product


@allocating
def _weigh_heads(heads, ships, table, own, shares, peaks):
    """Fill ``own`` with w(head), ``shares`` with W(head), ``peaks`` with the largest q."""
    free = np.empty_like(table.free)
    after = np.empty_like(table.free)
    bounds = np.empty(len(ships.taken), np.uint64)
    begin, end = ships.begin[0], ships.end[0]
    for number in range(len(heads)):
        copy_free(table.free, free)
        weight = np.uint64(1)
        for slot in heads[number]:
            lay(free, table.keep, slot)
            weight *= _weight_of(slot, ships.weights)
        own[number] = weight
        for rank in range(count_free(free, begin, end)):
            slot = find_free(free, begin, end, np.uint64(rank))
            copy_free(free, after)
            lay(after, table.keep, slot)
            product = _look_ahead(after, ships, bounds)
            shares[number] += weight * _weight_of(slot, ships.weights) * product
            peaks[number] = max(peaks[number], product)


@allocating
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


@allocating
def _draw_layouts(key, first_game, order, ships, heads, table, attempts, layouts):
    """Fill ``layouts``; return the index of a game given up, or -1.

    Several games go through the steps side by side, each in a *lane*; when one is done, the
    next game takes its lane. In each step they are independent of each other, so that the
    processor works on several at once, while it waits for tables and sums of one; who is
    accepted goes on a list, without a branch that would be mispredicted::

        fresh       3 7 8        a head for each, which then waits
        waiting     2 5 3 7 8    a slot for the next ship; who is not accepted waits on
        accepted    5 7          then one later ship after the other; who has no slot for it
                                 is fresh again
    """
    games, fleet = layouts.shape
    # Read once: an allocating kernel counts the references to an array wherever it is read.
    head_slots, peaks, total, cut, other = heads
    all_free, keep, code = table.free, table.keep, table.code
    begin, end, weights = ships.begin, ships.end, ships.weights
    head_ships = head_slots.shape[1]
    later_ships = len(ships.taken)
    words = len(all_free)
    lanes = min(games, _SIDE_BY_SIDE)
    before = np.empty((lanes, words), np.uint64)
    free = np.empty((lanes, words), np.uint64)
    bounds = np.empty((lanes, later_ships), np.uint64)
    slots = np.empty((lanes, fleet), np.int64)
    states = np.empty(lanes, np.uint64)
    head_of = np.empty(lanes, np.int64)
    possible = np.empty(lanes, np.uint64)
    numbers = np.empty(lanes, np.uint64)
    waiting = np.empty(lanes, np.int64)
    accepted = np.empty(lanes, np.int64)
    fresh = np.arange(lanes)
    game_of = np.arange(lanes)
    tried = np.zeros(lanes, np.int64)
    for lane in range(lanes):
        states[lane] = stream_start(key, first_game + lane)
    begun = fresh_lanes = lanes
    waiting_lanes = 0
    while fresh_lanes + waiting_lanes > 0:
        for index in range(fresh_lanes):
            lane = fresh[index]
            if tried[lane] == attempts:
                return game_of[lane]
            tried[lane] += 1
            state, column = draw(states[lane], np.uint64(len(head_slots)))
            states[lane], height = draw(state, total)
            head = np.int64(column) if height < cut[column] else other[column]
            head_of[lane] = head
            copy_free(all_free, before[lane])
            for ship in range(head_ships):
                slots[lane, ship] = head_slots[head, ship]
                lay(before[lane], keep, slots[lane, ship])
            possible[lane] = _weigh_free(before[lane], begin[0], end[0], weights)
            waiting[waiting_lanes] = lane
            waiting_lanes += 1
        accepted_lanes = left = 0
        for index in range(waiting_lanes):
            lane = waiting[index]
            state, number = draw(states[lane], possible[lane])
            states[lane], height = draw(state, peaks[head_of[lane]])
            slot = _find_weighed(before[lane], begin[0], end[0], weights, number)
            slots[lane, head_ships] = slot
            copy_free(before[lane], free[lane])
            lay(free[lane], keep, slot)
            taken_on = height < _look_ahead(free[lane], ships, bounds[lane])
            accepted[accepted_lanes] = lane
            accepted_lanes += taken_on
            waiting[left] = lane
            left += not taken_on
        waiting_lanes = left
        fresh_lanes = 0
        for later in range(later_ships):
            first, last = begin[1 + later], end[1 + later]
            left = 0
            for index in range(accepted_lanes):
                lane = accepted[index]
                states[lane], number = draw(states[lane], bounds[lane, later])
                numbers[lane] = number
                has_slot = number < _weigh_free(free[lane], first, last, weights)
                accepted[left] = lane
                left += has_slot
                fresh[fresh_lanes] = lane
                fresh_lanes += not has_slot
            accepted_lanes = left
            for index in range(accepted_lanes):
                lane = accepted[index]
                slot = _find_weighed(free[lane], first, last, weights, numbers[lane])
                slots[lane, head_ships + 1 + later] = slot
                lay(free[lane], keep, slot)
        for index in range(accepted_lanes):
            lane = accepted[index]
            for ship in range(fleet):
                layouts[game_of[lane], order[ship]] = code[slots[lane, ship]]
            if begun < games:
                states[lane] = stream_start(key, first_game + begun)
                game_of[lane] = begun
                tried[lane] = 0
                fresh[fresh_lanes] = lane
                fresh_lanes += 1
                begun += 1
    return -1


@allocating
def _draw_plainly(key, first_game, order, ships, heads, table, attempts, layouts):
    """Fill ``layouts`` by plain attempts; return the index of a game given up, or -1.

    One draw makes an attempt: its digits are a head and a slot for each other ship. Draws are
    rejected below ``unfair``, see `next_digit`. Games go side by side, as in `_draw_layouts`;
    those whose ships clash move to the front, and fresh ones fill up behind them. Indices are
    unsigned, since numba would test their signs: a sixth of the time.
    """
    games, fleet = layouts.shape
    # Read once, as in `_draw_layouts`.
    head_slots, _, total, cut, other = heads
    slot_weights, owners, first_owner, cells, closed, unfair = ships
    code = table.code
    head_ships = head_slots.shape[1]
    lanes = min(games, _SIDE_BY_SIDE)
    states = np.empty(lanes, np.uint64)
    game_of = np.empty(lanes, np.int64)
    begun_in = np.empty(games, np.int64)
    passes = begun = left = 0
    while begun < games or left > 0:
        while left < lanes and begun < games:
            states[left] = stream_start(key, first_game + begun)
            game_of[left] = begun
            begun_in[begun] = passes
            left += 1
            begun += 1
        # Games keep their order, so that the first has been tried most often.
        if passes - begun_in[game_of[0]] == attempts:
            return game_of[0]
        passes += 1
        playing, left = left, 0
        for lane in range(playing):
            state, bits = draw_bits(states[lane])
            column, bits = next_digit(bits, np.uint64(len(head_slots)))
            height, bits = next_digit(bits, total)
            head = np.int64(column) if height < cut[column] else other[column]
            game = game_of[lane]
            taken = clash = no_lanes(closed)
            for ship in range(head_ships):
                slot = np.uint64(head_slots[head, ship])
                taken |= load(closed, np.int64(slot))
                layouts[game, order[ship]] = code[slot]
            for ship in range(head_ships, fleet):
                place = ship - head_ships
                number, bits = next_digit(bits, slot_weights[place])
                slot = owners[first_owner[place] + number]
                clash |= taken & load(cells, np.int64(slot))
                taken |= load(closed, np.int64(slot))
                layouts[game, order[ship]] = code[slot]
            states[left] = state
            game_of[left] = game
            left += words_set(clash) != 0 or bits < unfair
    return -1


def _count(words: Bits) -> int:
    return sum(int(word).bit_count() for word in words)


def _bits(words: Bits) -> npt.NDArray[np.bool_]:
    """Return the bits of some words, in order."""
    places = np.arange(64, dtype=np.uint64)
    return (words[:, None] >> places & np.uint64(1) > 0).ravel()


class LookAhead:
    """Sampler of a law of product weights; see `Sampler`.

    Parameters
    ----------
    rules : Rules
    table : SlotTable
        The slots under these rules.
    weights : Weights, optional
        What the slots weigh. Default: every slot 1.
    remedies : str, optional
        What a message about a fleet too hard to lay suggests first.
    """

    def __init__(
        self,
        rules: Rules,
        table: SlotTable,
        weights: Weights | None = None,
        remedies: str = "--placement sequential, ",
    ) -> None:
        self._rules = rules
        self._table = table
        self._weights = weights
        self._least = 1 if weights is None else int(weights.base)
        self._most = 1 if weights is None else int(weights.base + weights.extra)
        self._remedies = remedies
        lengths = np.array(rules.fleet)
        # Longest first: what varies most with the ships laid before comes early.
        self._order = np.argsort(-lengths, kind="stable")
        begin, end = table.begin[self._order], table.end[self._order]
        heads = self._all_heads(begin, end)
        laid = heads.shape[1]
        begin, end = begin[laid:], end[laid:]
        later = lengths[self._order][laid + 1 :]
        taken = [int(np.maximum(later[:i] - later[i] + 1, 0).sum()) for i in range(len(later))]
        self._ships = _Ships(
            begin,
            end,
            np.array([self._least * slots for slots in taken], np.uint64),
            self._fixed_bounds(len(heads), begin, end),
            weights,
        )
        own, shares, peaks = np.zeros((3, len(heads)), np.uint64)
        _weigh_heads(heads, self._ships, table, own, shares, peaks)
        possible = shares > 0
        if not possible.any():
            raise BsbenchError(
                f"the fleet {list(rules.fleet)} can't fit on a {rules.board} board: its longest "
                "ships leave no room for the others; use fewer or shorter ships"
            )
        heads, peaks = heads[possible], peaks[possible]
        own, shares = own[possible], shares[possible]
        self._plain = self._plain_attempts(len(heads), int(own.sum()), int(shares.sum()))
        shares = own if self._plain else shares
        total, cut, other = shares.sum(), np.zeros_like(shares), np.zeros(len(heads), np.int64)
        _alias_table(shares, total, cut, other)
        self._heads = _Heads(heads, peaks, total, cut, other)

    def _plain_attempts(self, heads: int, own: int, shares: int) -> _Plain | None:
        """Return what plain attempts take, or None where those that look ahead are faster.

        ``own`` and ``shares`` are the sums of w(head) and of W(head).
        """
        begin, end, _, fixed, _ = self._ships
        rules, words = self._rules, list(zip(begin, end, strict=True))
        slot_weights = [self._all_weight(*each) for each in words]
        plain = own * math.prod(slot_weights)
        ahead = shares * math.prod(int(bound) for bound in fixed if bound)
        digits = heads * plain
        if (
            plain >= _WORTH * ahead
            or digits >= _LIMIT
            or sum(slot_weights) > _MOST_OWNERS
            or rules.cells > MOST_CELLS
        ):
            return None
        return _Plain(
            np.array(slot_weights, np.uint64),
            np.concatenate([self._owners_of(*each) for each in words]),
            np.cumsum([0, *slot_weights[:-1]], dtype=np.uint64),
            *cell_rows(rules, self._table),
            np.uint64((1 << 64) % digits),
        )

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
            longer = _count_longer(heads, *words, table)
            if (
                longer > _LARGEST_HEAD_TABLE
                or longer * self._all_slots(*following) > _MOST_TO_WEIGH
                or self._largest_sum(longer, ship + 1, *following) >= _LIMIT
            ):
                break
            extended = np.zeros((longer, ship + 1), np.int32)
            _extend(heads, *words, table, extended)
            heads = extended
        return heads

    def _all_slots(self, begin: int, end: int) -> int:
        """Return the number of a ship's slots on the empty board."""
        return _count(self._table.free[begin:end])

    def _all_weight(self, begin: int, end: int) -> int:
        """Return what a ship's slots on the empty board weigh together."""
        heavy = 0 if self._weights is None else _count(self._weights.heavy[begin:end])
        return self._least * self._all_slots(begin, end) + (self._most - self._least) * heavy

    def _owners_of(self, begin: int, end: int) -> Bits:
        """Return for every number below a ship's weight of slots which slot owns it.

        In the order of `_find_weighed`, on the empty board.
        """
        free = np.flatnonzero(_bits(self._table.free[begin:end]))
        owners = [np.repeat(free, self._least)]
        if self._weights is not None:
            heavy = np.flatnonzero(_bits(self._weights.heavy[begin:end]))
            owners.append(np.repeat(heavy, self._most - self._least))
        return np.concatenate(owners).astype(np.uint64) + np.uint64(64 * begin)

    def _largest_sum(self, heads: int, ships: int, begin: int, end: int) -> int:
        """Return a bound of the sum of w(head) w(next), over so many heads of so many ships."""
        heaviest_head: int = self._most**ships
        return heads * heaviest_head * self._all_weight(begin, end)

    def _fixed_bounds(self, heads: int, begin: Words, end: Words) -> Bits:
        """Return a fixed bound for each later ship that is no factor of q, else 0.

        The sum of all W, and the largest W times the number of heads, must stay below
        2^64. Later ships are factors, in order, while that holds for certain. For the
        others the bound does not look at head and next: the weight of all slots less
        what the ships before take by the same argument.
        """
        lengths = [self._rules.fleet[ship] for ship in self._order]
        ships = len(lengths) - len(begin)
        largest_sum = self._largest_sum(heads, ships, begin[0], end[0])
        fixed = np.zeros(len(begin) - 1, np.uint64)
        for later in range(len(fixed)):
            length = lengths[ships + 1 + later]
            before = lengths[: ships + 1 + later]
            weight = self._all_weight(begin[1 + later], end[1 + later])
            largest_sum *= weight
            if largest_sum >= _LIMIT:
                taken = sum(max(other - length + 1, 0) for other in before)
                fixed[later] = weight - self._least * taken
        return fixed

    def draw(self, seed: int, first_game: int, games: int) -> npt.NDArray[np.int32]:
        """Return the layouts of some games; see `Sampler.draw`."""
        layouts = np.zeros((games, len(self._rules.fleet)), np.int32)
        fill = _draw_layouts if self._plain is None else _draw_plainly
        failed = fill(
            stream_key("layouts", seed),
            first_game,
            self._order,
            self._plain or self._ships,
            self._heads,
            self._table,
            ATTEMPTS,
            layouts,
        )
        if failed >= 0:
            raise not_found(self._rules, first_game + failed, self._remedies)
        return layouts
