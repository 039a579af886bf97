"""Layouts that look ahead, exactly uniform, on boards of up to 128 cells: two words a board.

The scheme is that of `lookahead`, whose docstring has the argument: the first ships, the *head*,
come from a table; the *next* ship is accepted with q / largest q of its head; for each later ship a
number below a proven bound is drawn, and the layout starts again if that ship has not as many
slots. Three things differ.

*Classes.* The head lies in one of 8 ways (4 on a board that is not square) that the symmetries of
the board make of one another. So the table holds one head of each class, the first ship being the
least of its images; a class counts as often as that ship has images. The layout is drawn
beside that head, and turned by a random symmetry when it is complete. So there is room for one
more ship in the head: on ``harbour`` 119,318 heads of {5, 4, 3}, of which 2.7 are needed for a
layout, where `lookahead` needs 6 of its {5, 4}.

*Boards of cells.* Free cells are two words in registers. The slots of a ship that are still
possible follow by shifts: as many cells free one after the other, to the right or down::

    free     . # # # . #        # and the cell to its right     . # # . . .

*Prefetching.* The table is larger than a near cache. Heads of several games are drawn first, and
their rows asked for; they are read when they have arrived.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import place_of_bit, population_count, prefetch_row, trailing_zeros
from bsbench.kernels.boards import Boards
from bsbench.kernels.random import draw, draw_bits, is_unfair, next_digit, stream_start
from bsbench.kernels.slots import Bits, fitting, slot_masks
from bsbench.layouts import ATTEMPTS, LIMIT, BoardFiller, Codes
from bsbench.layouts.heads import alias_table, slots_taken
from bsbench.rules.board import Rules
from bsbench.rules.slots import slot_code

_MOST_CLASSES = 1 << 17
"""Heads at most: a table of 4 MB, made in less than a tenth of a second."""

_SIDE_BY_SIDE = 32
"""Games drawn side by side at most: what is kept of them stays in a near cache."""

_MOST_CELLS = 128
"""Cells at most: two words."""

_MOST_HEAD = 4
"""Ships of a head at most: their slots are packed into 32 bits."""

_PLACES = 256
"""Slot codes, and one more than the largest: ``2 * first cell + down``."""

_NO_BIT, _ONE = np.uint64(0), np.uint64(1)
_WORD, _OCTET, _HALF = np.uint64(64), np.uint64(8), np.uint64(32)
_ALL, _LOW, _LAST, _SEVEN = ~_NO_BIT, np.uint64(255), np.uint64(63), np.uint64(7)


class _Ships(NamedTuple):
    """The fleet on the board, longest ship first.

    Attributes
    ----------
    kind : ndarray of uint64, shape (ships,)
        Ships of equal length are of one kind.
    length : ndarray of uint64, shape (ships,)
    taken : ndarray of uint64, shape (ships,)
        For each ship after the next one, how many of its slots those between take away at least.
    order : ndarray of uint64, shape (ships,)
        Where each is in the fleet.
    cells, closed : ndarray of uint64, shape (kinds, 256, 2)
        For each kind and slot code, the cells of a ship there, and those it closes to others.
    cols : uint64
    board, inner : tuple of two uint64
        All cells of the board; and those that have a cell to the right.
    """

    kind: Bits
    length: Bits
    taken: Bits
    order: Bits
    cells: Boards
    closed: Boards
    cols: np.uint64
    board: tuple[np.uint64, np.uint64]
    inner: tuple[np.uint64, np.uint64]


class _Classes(NamedTuple):
    """The table of heads.

    Attributes
    ----------
    rows : ndarray of uint64, shape (classes, 4)
        See `alias_table`: the cut; the largest q of the class, and of ``other``; slot codes of
        the ships of both, 8 bits each, the class's own in the lower half.
    head : uint64
        Ships in a head.
    total : uint64
    turned : ndarray of uint8, shape (symmetries, kinds, 256)
        What becomes of each slot code.
    """

    rows: npt.NDArray[np.uint64]
    head: np.uint64
    total: np.uint64
    turned: npt.NDArray[np.uint8]


# Games go side by side through the steps, each in a lane. What is kept of it is a row of words: its
# random stream, its index, attempts so far; the draw of a head whose row is on the way; the head's
# largest q, how many slots the next ship has, which, and the cells free beside the head; the cells
# free beside all ships so far, the layout's q and symmetry.
_STATE, _GAME, _TRIED, _COLUMN, _HEIGHT, _PEAK, _COUNT = range(7)
_POSSIBLE, _BEFORE, _AFTER, _PRODUCT, _TURN, _ROW = 7, 11, 13, 15, 16, 17


@helper
def _possible(low, high, length, ships):
    """Return the first cells of all slots in free cells: two words along rows, two down columns."""
    along_low, along_high = low, high
    is_long = length > _ONE
    # A ship of one cell has one slot there, along the row.
    down_low, down_high = low if is_long else _NO_BIT, high if is_long else _NO_BIT
    cols = ships.cols
    for _ in range(_ONE, length):
        along_low = low & ships.inner[0] & (along_low >> _ONE | along_high << (_WORD - _ONE))
        along_high = high & ships.inner[1] & along_high >> _ONE
        down_low = low & (down_low >> cols | down_high << (_WORD - cols))
        down_high = high & down_high >> cols
    return along_low, along_high, down_low, down_high


@helper
def _count(words):
    count = population_count(words[0]) + population_count(words[1])
    return count + population_count(words[2]) + population_count(words[3])


@helper
def _find(words, rank):
    """Return the code of the slot number ``rank`` of `_possible`, without a branch."""
    first = population_count(words[0])
    second = first + population_count(words[1])
    third = second + population_count(words[2])
    word, below, code = words[0], _NO_BIT, _NO_BIT
    if rank >= first:
        word, below, code = words[1], first, np.uint64(128)
    if rank >= second:
        word, below, code = words[2], second, np.uint64(1)
    if rank >= third:
        word, below, code = words[3], third, np.uint64(129)
    # Of no use if there is no such slot, but a code.
    return (code + (place_of_bit(word, rank - below) << _ONE)) & _LOW


@helper
def _lay(low, high, ships, ship, code):
    """Return the cells that are still free once a ship lies there."""
    kind = ships.kind[ship]
    return low & ~ships.closed[kind, code, 0], high & ~ships.closed[kind, code, 1]


@helper
def _lay_head(codes, head, ships):
    """Return the cells that are free beside a head, given by its packed slot codes."""
    low, high = ships.board
    for ship in range(head):
        low, high = _lay(low, high, ships, ship, codes >> (_OCTET * ship) & _LOW)
    return low, high


@helper
def _look_ahead(low, high, ships, begin, bounds, lane):
    """Return q, and fill a lane's ``bounds`` of the later ships, from ``begin`` on."""
    product, count, kind = _ONE, _NO_BIT, _WORD
    for ship in range(begin, np.uint64(len(ships.kind))):
        if ships.kind[ship] != kind:
            kind = ships.kind[ship]
            count = _count(_possible(low, high, ships.length[ship], ships))
        bound = count - min(count, ships.taken[ship])
        bounds[lane, ship] = bound
        product *= bound
    return product


@kernel
def _weigh_heads(heads, head, ships, number_of, bounds, shares, peaks):
    """Fill ``shares`` with the sum of q over the next ship's slots, ``peaks`` with the largest q.

    ``heads`` are packed slot codes, those that differ in the last ship only one after the other.
    Where the next ship is as long as that, the two may change places: then q is the same, and
    computed once. ``number_of``, of 256 words, holds the heads by the last ship's slot code, and
    ``bounds`` is room as in `_look_ahead`.
    """
    alike = head > _ONE and ships.kind[head - _ONE] == ships.kind[head]
    last = _OCTET * (head - _ONE)
    others = (_ONE << last) - _ONE
    after = _NO_BIT
    for number in range(np.uint64(len(heads))):
        if number == after:
            while after < len(heads) and (heads[number] ^ heads[after]) & others == _NO_BIT:
                number_of[heads[after] >> last] = after
                after += _ONE
        low, high = _lay_head(heads[number], head, ships)
        words = _possible(low, high, ships.length[head], ships)
        for part in range(np.uint64(4)):
            word, code = words[part], ((part & _ONE) << _SEVEN) + (part >> _ONE)
            if alike:
                # Only slots behind that of the last ship.
                own = heads[number] >> last
                behind = (own & _ONE) << _ONE | own >> _SEVEN
                if part <= behind:
                    word &= _ALL << (own >> _ONE & _LAST) << _ONE if part == behind else _NO_BIT
            while word != _NO_BIT:
                slot = code + (np.uint64(trailing_zeros(word)) << _ONE)
                word &= word - _ONE
                exchanged = number_of[slot] if alike else number
                free = _lay(low, high, ships, head, slot)
                product = _look_ahead(free[0], free[1], ships, head + _ONE, bounds, _NO_BIT)
                shares[number] += product
                peaks[number] = max(peaks[number], product)
                if alike:
                    shares[exchanged] += product
                    peaks[exchanged] = max(peaks[exchanged], product)


@kernel
def _draw_layouts(key, first_game, ships, classes, attempts, scratch, layouts, boards):
    """Fill ``layouts`` with slot codes, or ``boards`` with the cells of ships; the other is None.

    Return the index of a game given up, or -1.

    In each step lanes are independent of each other, so that the processor works on several at
    once. Lists hold the lanes of each step; lanes go on them without a branch, which would be
    mispredicted. When a game is done, the next one takes its lane::

        fresh       3 7 8        draw a head for each; the lane then waits
        waiting     2 5 3 7 8    draw a slot for the next ship; a lane not accepted keeps waiting
        accepted    5 7          then one later ship after the other; a lane with no slot for it
                                 is fresh again

    All digits of a step come from one draw (see `next_digit`). ``scratch`` has a row of words, the
    bounds of later ships and the slots of all ships for each lane, and the lists. Indices are
    unsigned, since numba would test their signs.
    """
    lanes, bounds, slots, fresh, waiting, accepted = scratch
    rows, head, total, turned = classes
    games, fleet = (
        np.uint64(len(boards if layouts is None else layouts)),
        np.uint64(len(ships.kind)),
    )
    begin, symmetries = head + _ONE, np.uint64(len(turned))
    begun = np.uint64(len(lanes))
    for lane in range(begun):
        lanes[lane, _STATE] = stream_start(key, first_game + np.int64(lane))
        lanes[lane, _GAME], lanes[lane, _TRIED] = lane, 0
        fresh[lane] = lane
    fresh_lanes, waiting_lanes = begun, _NO_BIT
    while fresh_lanes + waiting_lanes > _NO_BIT:
        for index in range(fresh_lanes):
            lane = fresh[index]
            if lanes[lane, _TRIED] == attempts:
                return np.int64(lanes[lane, _GAME])
            lanes[lane, _TRIED] += _ONE
            state, column = draw(lanes[lane, _STATE], np.uint64(len(rows)))
            prefetch_row(rows, column)
            lanes[lane, _COLUMN] = column
            lanes[lane, _STATE], lanes[lane, _HEIGHT] = draw(state, total)
        for index in range(fresh_lanes):
            lane = fresh[index]
            column = lanes[lane, _COLUMN]
            is_own = lanes[lane, _HEIGHT] < rows[column, 0]
            lanes[lane, _PEAK] = rows[column, 1] if is_own else rows[column, 2]
            codes = rows[column, 3] >> (_NO_BIT if is_own else _HALF)
            low, high = _lay_head(codes, head, ships)
            for ship in range(head):
                slots[lane, ship] = codes >> (_OCTET * ship) & _LOW
            words = _possible(low, high, ships.length[head], ships)
            lanes[lane, _BEFORE], lanes[lane, _BEFORE + 1] = low, high
            for word in range(4):
                lanes[lane, _POSSIBLE + word] = words[word]
            lanes[lane, _COUNT] = _count(words)
            waiting[waiting_lanes] = lane
            waiting_lanes += _ONE
        accepted_lanes = left = _NO_BIT
        for index in range(waiting_lanes):
            lane = waiting[index]
            count, peak = lanes[lane, _COUNT], lanes[lane, _PEAK]
            is_drawn = False
            while not is_drawn:
                lanes[lane, _STATE], bits = draw_bits(lanes[lane, _STATE])
                rank, bits = next_digit(bits, count)
                height, bits = next_digit(bits, peak)
                is_drawn = not is_unfair(bits, count * peak)
            words = (
                lanes[lane, _POSSIBLE],
                lanes[lane, _POSSIBLE + 1],
                lanes[lane, _POSSIBLE + 2],
                lanes[lane, _POSSIBLE + 3],
            )
            code = _find(words, rank)
            low, high = lanes[lane, _BEFORE], lanes[lane, _BEFORE + 1]
            low, high = _lay(low, high, ships, head, code)
            product = _look_ahead(low, high, ships, begin, bounds, lane)
            slots[lane, head] = code
            lanes[lane, _AFTER], lanes[lane, _AFTER + 1] = low, high
            lanes[lane, _PRODUCT] = product
            is_accepted = np.uint64(height < product)
            accepted[accepted_lanes] = lane
            accepted_lanes += is_accepted
            waiting[left] = lane
            left += _ONE - is_accepted
        waiting_lanes, fresh_lanes = left, _NO_BIT
        for index in range(accepted_lanes):
            lane = accepted[index]
            is_drawn = False
            while not is_drawn:
                lanes[lane, _STATE], bits = draw_bits(lanes[lane, _STATE])
                lanes[lane, _TURN], bits = next_digit(bits, symmetries)
                for ship in range(begin, fleet):
                    slots[lane, ship], bits = next_digit(bits, bounds[lane, ship])
                is_drawn = not is_unfair(bits, symmetries * lanes[lane, _PRODUCT])
        for ship in range(begin, fleet):
            left = _NO_BIT
            for index in range(accepted_lanes):
                lane = accepted[index]
                low, high = lanes[lane, _AFTER], lanes[lane, _AFTER + 1]
                words = _possible(low, high, ships.length[ship], ships)
                number = slots[lane, ship]
                has_slot = np.uint64(number < _count(words))
                # Any slot, if it has not as many; the lane is fresh again.
                code = _find(words, number * has_slot)
                low, high = _lay(low, high, ships, ship, code)
                slots[lane, ship] = code
                lanes[lane, _AFTER], lanes[lane, _AFTER + 1] = low, high
                accepted[left] = lane
                left += has_slot
                fresh[fresh_lanes] = lane
                fresh_lanes += _ONE - has_slot
            accepted_lanes = left
        for index in range(accepted_lanes):
            lane = accepted[index]
            low = high = _NO_BIT
            for ship in range(fleet):
                kind = ships.kind[ship]
                code = np.uint64(turned[lanes[lane, _TURN], kind, slots[lane, ship]])
                if layouts is not None:
                    layouts[lanes[lane, _GAME], ships.order[ship]] = code
                low |= ships.cells[kind, code, 0]
                high |= ships.cells[kind, code, 1]
            if boards is not None:
                boards[lanes[lane, _GAME], 0] = low
                # A board of one word has no cell in the second one.
                if boards.shape[1] > 1:
                    boards[lanes[lane, _GAME], 1] = high
            if begun < games:
                lanes[lane, _STATE] = stream_start(key, first_game + np.int64(begun))
                lanes[lane, _GAME], lanes[lane, _TRIED] = begun, 0
                fresh[fresh_lanes] = lane
                fresh_lanes += _ONE
                begun += _ONE
    return -1


class Classes(BoardFiller):
    """Sampler of the law ``uniform``; made by `class_sampler`.

    Parameters
    ----------
    rules : Rules
    remedies : str
        What the error about a fleet that is too hard to lay suggests first.
    """

    def __init__(self, rules: Rules, remedies: str, ships: _Ships, classes: _Classes) -> None:
        super().__init__(rules, remedies)
        self._ships, self._classes = ships, classes

    def fill(
        self, key: np.uint64, first_game: int, layouts: Codes | None, boards: Boards | None = None
    ) -> int:
        """Draw layouts, or boards; see `Filler.fill`."""
        games = next(len(each) for each in (layouts, boards) if each is not None)
        fleet, lanes = len(self.rules.fleet), min(games, _SIDE_BY_SIDE)
        room = [(lanes, _ROW), (lanes, fleet), (lanes, fleet), lanes, lanes, lanes]
        scratch = tuple(np.empty(shape, np.uint64) for shape in room)
        parts = self._ships, self._classes, np.uint64(ATTEMPTS), scratch
        return int(_draw_layouts(key, first_game, *parts, layouts, boards))


def class_sampler(rules: Rules, remedies: str) -> Classes | None:
    """Return the sampler, or None where the board or numbers are too large for it.

    Parameters
    ----------
    rules : Rules
    remedies : str
        What the error about a fleet that is too hard to lay suggests first.
    """
    if rules.cells > _MOST_CELLS or not 1 < rules.cols < 64 or len(rules.fleet) < 2:
        return None
    order = sorted(range(len(rules.fleet)), key=lambda ship: -rules.fleet[ship])
    lengths = [rules.fleet[ship] for ship in order]
    lengths_by_kind = sorted(set(lengths), reverse=True)
    kinds = [lengths_by_kind.index(length) for length in lengths]
    turned = _turned(rules, lengths_by_kind)
    masks = [slot_masks(rules, length) for length in lengths_by_kind]
    own, closed = np.zeros((2, len(masks), _PLACES, 2), np.uint64)
    for kind, (codes, cells, around) in enumerate(masks):
        own[kind, codes, : cells.shape[1]] = cells
        closed[kind, codes, : cells.shape[1]] = around
    # The first ship: one of each orbit, as often as it has images.
    images = np.sort(turned[:, kinds[0], masks[kinds[0]][0]], axis=0)
    first, orbit = np.unique(images[0], return_counts=True)
    heads, times, taken = first.astype(np.uint64), orbit.astype(np.uint64), closed[kinds[0], first]
    laid = 1
    while laid < min(len(order) - 1, _MOST_HEAD):
        codes, cells, _ = masks[kinds[laid]]
        if len(heads) * len(codes) > 16 * _MOST_CLASSES:
            break
        before, slots = np.nonzero(fitting(taken, cells))
        if len(before) > _MOST_CLASSES:
            break
        heads = heads[before] | codes[slots].astype(np.uint64) << np.uint64(8 * laid)
        times, taken = times[before], taken[before] | closed[kinds[laid], codes[slots]]
        laid += 1
    if len(heads) * len(turned) * math.prod(len(masks[kind][0]) for kind in kinds[laid:]) >= LIMIT:
        return None
    ships = _Ships(
        np.array(kinds, np.uint64),
        np.array(lengths, np.uint64),
        np.array([0] * (laid + 1) + slots_taken(lengths[laid + 1 :]), np.uint64),
        np.array(order, np.uint64),
        own,
        closed,
        np.uint64(rules.cols),
        _two_words(range(rules.cells)),
        _two_words(cell for cell in range(rules.cells) if cell % rules.cols < rules.cols - 1),
    )
    shares, peaks = np.zeros((2, len(heads)), np.uint64)
    number_of, bounds = np.zeros(_PLACES, np.uint64), np.zeros((1, len(kinds)), np.uint64)
    _weigh_heads(heads, np.uint64(laid), ships, number_of, bounds, shares, peaks)
    shares *= times
    fits = shares > 0
    heads, peaks, shares = heads[fits], peaks[fits], shares[fits]
    shares //= np.gcd.reduce(shares)
    if not len(heads) or len(heads) * int(shares.sum()) >= LIMIT:
        return None
    total, cut, other = alias_table(shares)
    rows = np.stack([cut, peaks, peaks[other], heads | heads[other] << _HALF], axis=1)
    classes = _Classes(rows, np.uint64(laid), total, turned)
    return Classes(rules, remedies, ships, classes)


def _two_words(cells: Iterable[int]) -> tuple[np.uint64, np.uint64]:
    bits = sum(1 << cell for cell in cells)
    return np.uint64(bits % LIMIT), np.uint64(bits // LIMIT)


def _turned(rules: Rules, kinds: list[int]) -> npt.NDArray[np.uint8]:
    """Return what the symmetries of the board make of slots, as in `_Classes`."""
    grid = np.arange(rules.cells).reshape(rules.rows, rules.cols)
    images = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
    if rules.rows == rules.cols:
        images += [image.T for image in images]
    turned = np.zeros((len(images), len(kinds), _PLACES), np.uint8)
    for kind, length in enumerate(kinds):
        slots = rules.slots(length)
        ends = np.array([(slot[0], slot[-1]) for slot in slots]).T
        for symmetry, image in enumerate(images):
            first, last = image.ravel()[ends]
            down = abs(last - first) > length - 1
            codes = [slot_code(slot) for slot in slots]
            turned[symmetry, kind, codes] = 2 * np.minimum(first, last) + down
    return turned
