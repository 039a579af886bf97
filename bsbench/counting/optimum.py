"""The least mean that any strategy can reach on a small board, by dynamic programming.

A *state* is a set of layouts that shots can't distinguish so far. Each shot splits it by the
answer: into the layouts without a ship there, and for each kind of hit those that give it. Only
misses matter, as every game has the same hits: V(S), the fewest misses in all games of a state S
together, is the least over all cells of

    (layouts of S without a ship on the cell) + the sum of V(part) over all parts.

What makes this feasible:

- A cell that holds a ship in all layouts of a state is shot at once. It has to be shot anyway,
  and whoever shoots it first knows all that those know who shoot it later.
- A state is known by the cells that may hold a ship, the hits, and what is known of whose hits
  they are. So it fits three words, the same for all symmetric states; its value is kept in a
  table, with the shot that reaches it.
- A state whose bound is not below the value to beat is not gone into. The bound: in order that
  a layout costs x misses or fewer, it is hit first by the t-th shot at a miss a time, t at most
  x + 1, of which each can hit no more layouts than lie on the cell, nor more than there are
  sequences of answers with the remaining hits and x - t + 1 misses; so at most A(x) layouts cost
  no more than x, and V is at least the sum of (layouts - A(x)) over all x.

Layouts may have any weights that are the same for symmetric layouts: then V is the fewest misses in
all, by weight, and "at most n layouts" is "at most the n heaviest".

Only layouts that differ for a person are counted: ships of equal length have no names here. Under
feedback ``ship``, a hit reveals the length of the ship, and which of the ships hit before it is.
This is all that names would reveal, as any of the equal ships may have any name.

The search walks down a stack of frames, since a kernel that calls itself can't be cached. A frame
is a state; its layouts and those of its parts are numbers in an *arena*, one after the other::

    arena   | layouts of frame 0 | part | part | part | …
                                          \\ layouts of frame 1 | part | part | …
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, option
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.counting.joins import Joins
from bsbench.counting.posterior import find_agreeing
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import population_count, trailing_zeros
from bsbench.kernels.slots import slot_masks
from bsbench.rules.board import MISS, Rules, fleet_fits
from bsbench.rules.position import Answer

Bits = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Some = npt.NDArray[np.int32]

MOST_CELLS = 64
"""Cells of a board at most, so that a state fits three words."""

MOST_SHIPS = 3
_MOST_SHIP_CELLS = 14
"""Of all ships: two bits for each hit say whose it is."""

MOST_LAYOUTS = 200_000

MOST_STATES = 20_000_000
"""States looked at by default: a few minutes."""

_PLACES = 1 << 23
"""Places in the table: 270 MB."""

_MOST_PARTS = 48
"""Parts into which a shot splits a state, at most."""

_PROBES = 4
"""Places in the table in which a state may stand."""

_AT_ONCE = 20_000
"""States that are looked at between two reports of progress: Ctrl-C waits half a second."""

_NEW, _NEXT, _PART = 0, 1, 2
_NO, _ONE = np.uint64(0), np.uint64(1)
_MANY = 1 << 54
"""More than all misses together, whatever layouts weigh."""


class _Layouts(NamedTuple):
    """All layouts, and what else stays the same while one searches.

    Attributes
    ----------
    cells : ndarray of uint64, shape (layouts,)
        The cells of all ships.
    ships : ndarray of uint64, shape (layouts, ships)
        Those of each, by length.
    weight : ndarray of int64, shape (layouts,)
        Under feedback ``hit``, layouts with the same cells are one, that weighs more. All together
        weigh less than 2^46.
    length : ndarray of int64, shape (ships,)
    ways : ndarray of int64, shape (symmetries, cells)
        Where each cell goes.
    turned : ndarray of uint64, shape (symmetries, bytes of a board, 256)
        What a byte of a board becomes.
    sequences : ndarray of int64, shape (hits + 1, misses)
        Sequences of answers at most with that many hits to come and misses up to that many.
    of_ships, of_hits : bool
        Whether anything is revealed of single ships; and which ship each hit is on.
    greedy : bool
        Only cells are shot that are as likely as any other to hold a ship.
    """

    cells: Bits
    ships: Bits
    weight: Numbers
    length: Numbers
    ways: Numbers
    turned: Bits
    sequences: Numbers
    of_ships: bool
    of_hits: bool
    greedy: bool


class _Stack(NamedTuple):
    """Where the search is.

    Attributes
    ----------
    arena : ndarray of int32
        Of each state, the heaviest layouts first.
    frames : ndarray of int64, shape (depth, fields)
        See the constants below.
    bits : ndarray of uint64, shape (depth, 4)
        Hits, and the state as three words.
    shots, bounds : ndarray of int64, shape (depth, cells)
        Cells to shoot, and the least that each may cost, in ascending order.
    parts : ndarray of int64, shape (depth, parts, 4)
        Of the shot that is looked at: begin and end in the arena, value, and whether it is exact.
    hits, answers : ndarray of uint64, shape (depth, parts)
        Hits of each part, and its answer.
    keys : ndarray of uint64, shape (size, 3)
    values : ndarray of int64, shape (size,)
        The table: 256 times the value, plus twice the shot that reaches it, plus 1 if it is exact;
        -1 where nothing is kept.
    state : ndarray of int64, shape (3,)
        The frame that is looked at, states looked at so far, states kept.
    """

    arena: Some
    frames: Numbers
    bits: Bits
    shots: Numbers
    bounds: Numbers
    parts: Numbers
    hits: Bits
    answers: Bits
    keys: Bits
    values: Numbers
    state: Numbers


_BEGIN, _END, _TOP, _BEAT, _BEST, _LOW, _SHOTS, _SHOT, _PARTS, _AT, _SUM, _PHASE, _KEPT = range(13)
_CELL, _TURNED = 13, 14
_FIELDS = 15


@helper
def _answer(layouts, layout, hits, bit):
    """Return a number for what a hit reveals."""
    if not layouts.of_ships:
        return _NO
    for ship in range(layouts.ships.shape[1]):
        cells = layouts.ships[layout, ship]
        if cells & bit:
            if not layouts.of_hits:
                return _NO if cells & ~(hits | bit) else cells
            before = cells & hits
            return before if before else ~np.uint64(layouts.length[ship])
    return _NO


@kernel
def _split(layouts, stack, depth, begin, end, hits, cell, top):
    """Split a state by the answer of a shot; return the misses, and what the arena has then.

    The first part are those without a ship there; layouts whose last cell is shot are in none.
    """
    bit = _ONE << np.uint64(cell)
    arena, parts = stack.arena, stack.parts
    misses = 0
    at = top
    for place in range(begin, end):
        layout = arena[place]
        if not layouts.cells[layout] & bit:
            arena[at] = layout
            misses += layouts.weight[layout]
            at += 1
    number = 0
    if at > top:
        parts[depth, 0, 0], parts[depth, 0, 1] = top, at
        stack.hits[depth, 0] = hits
        number = 1
    first = number
    # Answers first; then the layouts of each.
    for place in range(begin, end):
        layout = arena[place]
        cells = layouts.cells[layout]
        if cells & bit and cells & ~(hits | bit):
            answer = _answer(layouts, layout, hits, bit)
            part = first
            while part < number and stack.answers[depth, part] != answer:
                part += 1
            if part == number:
                stack.answers[depth, part] = answer
                parts[depth, part, 1] = 0
                number += 1
            parts[depth, part, 1] += 1
    for part in range(first, number):
        size = parts[depth, part, 1]
        parts[depth, part, 0] = parts[depth, part, 1] = at
        stack.hits[depth, part] = hits | bit
        at += size
    for place in range(begin, end):
        layout = arena[place]
        cells = layouts.cells[layout]
        if cells & bit and cells & ~(hits | bit):
            answer = _answer(layouts, layout, hits, bit)
            part = first
            while stack.answers[depth, part] != answer:
                part += 1
            arena[parts[depth, part, 1]] = layout
            parts[depth, part, 1] += 1
    stack.frames[depth, _PARTS] = number
    return misses, at


@helper
def _descending(count):
    """Sort positive numbers to the front, the largest first; return how many there are."""
    number = 0
    for cell in range(len(count)):
        size = count[cell]
        if size == 0:
            continue
        place = number
        while place > 0 and count[place - 1] < size:
            count[place] = count[place - 1]
            place -= 1
        count[place] = size
        number += 1
    return number


@kernel
def _bound(layouts, arena, begin, end, hits, count, heaviest):
    """Return misses that all games of a state need together, at least.

    ``count`` and ``heaviest`` are scratch: weights and numbers by cell, and the weight of the
    heaviest layouts.
    """
    number = end - begin
    if number < 2:
        return np.int64(0)
    all_of = ~_NO
    total = np.int64(0)
    for place in range(number):
        heaviest[place] = total
        total += layouts.weight[arena[begin + place]]
        all_of &= layouts.cells[arena[begin + place]]
    heaviest[number] = total
    # To come: under feedback hit, cells of all layouts reveal nothing.
    known = all_of if not layouts.of_ships else hits
    to_come = np.int64(population_count(layouts.cells[arena[begin]] & ~known))
    if to_come == 0:
        return np.int64(0)
    # By weight and by number, the largest first. A cell of all layouts that is to be shot may
    # reveal some of them apart before: then any may be next.
    if all_of & ~known:
        count[0, 0], count[1, 0], cells = total, number, 1
    else:
        for cell in range(count.shape[1]):
            count[0, cell] = count[1, cell] = 0
        for place in range(begin, end):
            left = layouts.cells[arena[place]] & ~known
            while left:
                cell = trailing_zeros(left)
                count[0, cell] += layouts.weight[arena[place]]
                count[1, cell] += 1
                left &= left - _ONE
        cells = _descending(count[0])
        _descending(count[1])
    bound = np.int64(0)
    misses = 0
    while misses < layouts.sequences.shape[1]:
        within, some = np.int64(0), np.int64(0)
        for shot in range(min(misses + 1, cells)):
            most = min(layouts.sequences[to_come, misses - shot], number)
            within += min(count[0, shot], heaviest[most])
            some += min(count[1, shot], most)
        within = min(within, heaviest[min(some, number)])
        if within >= total:
            break
        bound += total - within
        misses += 1
    return bound


@helper
def _turn(turned, symmetry, board):
    """Return a board, turned or mirrored."""
    result = _NO
    for octet in range(turned.shape[1]):
        result |= turned[symmetry, octet, (board >> np.uint64(8 * octet)) & np.uint64(255)]
    return result


@kernel
def _name(layouts, layout, possible, hits, named):
    """Write three words into ``named`` that symmetric states have in common, and no others.

    The first has the cells where a ship may lie, the second the hits, and the third for each hit,
    by cell, two bits that say whose it is. Returns the symmetry that leads there.
    """
    ships = layouts.ships.shape[1]
    chosen = -1
    for symmetry in range(layouts.turned.shape[0]):
        where = _turn(layouts.turned, symmetry, possible)
        if chosen >= 0 and where > named[0]:
            continue
        struck = _turn(layouts.turned, symmetry, hits)
        owner = _NO
        if layouts.of_ships and struck:
            # Ships of equal length are in the order of their hits.
            one = two = three = _NO
            for ship in range(ships):
                cells = layouts.ships[layout, ship]
                own = cells & hits
                if not layouts.of_hits and own != cells:
                    own = _NO
                own = _turn(layouts.turned, symmetry, own)
                if ship == 0:
                    one = own
                elif ship == 1:
                    two = own
                else:
                    three = own
            length = layouts.length
            if ships > 1 and length[0] == length[1] and one > two:
                one, two = two, one
            if ships > 2 and length[1] == length[2] and two > three:
                two, three = three, two
            if ships > 1 and length[0] == length[1] and one > two:
                one, two = two, one
            left, place = struck, np.uint64(0)
            while left:
                bit = left & (~left + _ONE)
                left ^= bit
                if one & bit:
                    owner |= np.uint64(1) << place
                elif two & bit:
                    owner |= np.uint64(2) << place
                elif three & bit:
                    owner |= np.uint64(3) << place
                place += np.uint64(2)
        less = where < named[0] or struck < named[1] or (struck == named[1] and owner < named[2])
        if chosen < 0 or less:
            named[0], named[1], named[2] = where, struck, owner
            chosen = symmetry
    return chosen


@helper
def _place_of(named, size):
    """Return where in the table a state may stand first."""
    other = named[1] ^ (named[2] << np.uint64(36) | named[2] >> np.uint64(28))
    mixed = (named[0] ^ (other >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= other * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((mixed ^ (mixed >> np.uint64(33))) & np.uint64(size - 1))


@helper
def _is_at(stack, here, named):
    """Return whether a place of the table is that of a state."""
    keys = stack.keys
    same = keys[here, 0] == named[0] and keys[here, 1] == named[1]
    return same and keys[here, 2] == named[2]


@kernel
def _look_up(stack, named):
    """Return what is kept of a state, or -1."""
    size = len(stack.values)
    place = _place_of(named, size)
    for probe in range(_PROBES):
        here = (place + probe) & (size - 1)
        if _is_at(stack, here, named):
            return stack.values[here]
    return np.int64(-1)


@helper
def _keep(stack, named, value):
    """Keep a value; where all places are taken, in place of another one."""
    size = len(stack.values)
    place = _place_of(named, size)
    for probe in range(_PROBES):
        here = (place + probe) & (size - 1)
        if stack.values[here] < 0 or _is_at(stack, here, named):
            stack.state[2] += stack.values[here] < 0
            break
    else:
        here = (place + ((value ^ value >> 8) & 3)) & (size - 1)
    for word in range(3):
        stack.keys[here, word] = named[word]
    stack.values[here] = value


@kernel
def _estimate(layouts, stack, depth, part, named, count, heaviest):
    """Fill in the value of a part: what is kept of it, else its bound."""
    begin, end = stack.parts[depth, part, 0], stack.parts[depth, part, 1]
    hits, arena = stack.hits[depth, part], stack.arena
    stack.parts[depth, part, 2] = stack.parts[depth, part, 3] = 0
    if end - begin <= 2:
        # Of two that no common cell tells apart, the heavier is hit first.
        one, two = arena[begin], arena[end - 1]
        both = layouts.cells[one] & layouts.cells[two]
        if not layouts.of_ships or both & ~hits == _NO or one == two:
            stack.parts[depth, part, 3] = 1
            if layouts.cells[one] != layouts.cells[two]:
                stack.parts[depth, part, 2] = min(layouts.weight[one], layouts.weight[two])
            return
    possible, all_of = _NO, ~_NO
    for place in range(begin, end):
        cells = layouts.cells[arena[place]]
        possible |= cells
        all_of &= cells
    if not layouts.of_ships:
        hits = all_of
    if all_of & ~hits == _NO:
        _name(layouts, arena[begin], possible, hits, named)
        kept = _look_up(stack, named)
        if kept >= 0:
            stack.parts[depth, part, 2], stack.parts[depth, part, 3] = kept >> 8, kept & 1
            return
    stack.parts[depth, part, 2] = _bound(layouts, arena, begin, end, hits, count, heaviest)


@kernel
def _likeliest(layouts, arena, begin, end, cells, count):
    """Return those of some cells that hold a ship in most layouts."""
    count = count[0]
    for cell in range(len(count)):
        count[cell] = 0
    for place in range(begin, end):
        left = layouts.cells[arena[place]] & cells
        while left:
            count[trailing_zeros(left)] += layouts.weight[arena[place]]
            left &= left - _ONE
    most, likeliest = np.int64(0), _NO
    for cell in range(len(count)):
        if count[cell] > most:
            most, likeliest = count[cell], _NO
        if count[cell] == most:
            likeliest |= _ONE << np.uint64(cell)
    return likeliest & cells


@kernel
def search(layouts, stack, named, count, heaviest, most):
    """Go on with the search until it is done, or so many states were looked at.

    Returns
    -------
    bool
        Whether it is done; then the parts of frame 0 have the value, as that of part 0.
    """
    frames, parts = stack.frames, stack.parts
    depth = stack.state[0]
    while depth > 0:
        frame = frames[depth]
        begin, end, top = frame[_BEGIN], frame[_END], frame[_TOP]
        phase = frame[_PHASE]
        value, exact = np.int64(-1), False
        if phase == _NEW:
            if stack.state[1] >= most:
                stack.state[0] = depth
                return False
            stack.state[1] += 1
            hits = stack.bits[depth, 0]
            possible, all_of = _NO, ~_NO
            for place in range(begin, end):
                cells = layouts.cells[stack.arena[place]]
                possible |= cells
                all_of &= cells
            # What all layouts have is shot at once.
            forced = np.int64(-1)
            if not layouts.of_ships:
                hits = all_of
            else:
                left = all_of & ~hits
                while left and forced < 0:
                    bit = left & (~left + _ONE)
                    answer = _answer(layouts, stack.arena[begin], hits, bit)
                    place = begin + 1
                    while place < end:
                        if _answer(layouts, stack.arena[place], hits, bit) != answer:
                            forced = trailing_zeros(bit)
                            break
                        place += 1
                    if forced < 0:
                        hits |= bit
                        left ^= bit
            stack.bits[depth, 0] = hits
            if not layouts.cells[stack.arena[begin]] & ~hits:
                value, exact = np.int64(0), True
            frame[_KEPT] = forced < 0
            if value < 0 and forced < 0:
                frame[_TURNED] = _name(layouts, stack.arena[begin], possible, hits, named)
                for word in range(3):
                    stack.bits[depth, word + 1] = named[word]
                kept = _look_up(stack, named)
                if kept >= 0 and (kept & 1 or (kept >> 8) >= frame[_BEAT]):
                    value, exact = kept >> 8, kept & 1 == 1
            if value < 0:
                # The shots, those first that may cost least.
                left = _ONE << np.uint64(forced) if forced >= 0 else possible & ~all_of
                if layouts.greedy and forced < 0:
                    left = _likeliest(layouts, stack.arena, begin, end, left, count)
                number = 0
                while left:
                    cell = trailing_zeros(left)
                    left &= left - _ONE
                    cost, _ = _split(layouts, stack, depth, begin, end, hits, cell, top)
                    for part in range(frame[_PARTS]):
                        if cost < frame[_BEAT]:
                            _estimate(layouts, stack, depth, part, named, count, heaviest)
                            cost += parts[depth, part, 2]
                    place = number
                    while place > 0 and stack.bounds[depth, place - 1] > cost:
                        stack.bounds[depth, place] = stack.bounds[depth, place - 1]
                        stack.shots[depth, place] = stack.shots[depth, place - 1]
                        place -= 1
                    stack.bounds[depth, place] = cost
                    stack.shots[depth, place] = cell
                    number += 1
                frame[_SHOTS], frame[_SHOT] = number, 0
                frame[_BEST], frame[_LOW], frame[_CELL] = frame[_BEAT], _MANY, 0
                phase = _NEXT
        if value < 0 and phase == _PART:
            # One part after the other, until they cost too much.
            part = frame[_AT]
            while part < frame[_PARTS] and parts[depth, part, 3]:
                part += 1
            if frame[_SUM] >= frame[_BEST]:
                frame[_LOW] = min(frame[_LOW], frame[_SUM])
                frame[_SHOT] += 1
                phase = _NEXT
            elif part == frame[_PARTS]:
                frame[_BEST] = frame[_SUM]
                frame[_CELL] = stack.shots[depth, frame[_SHOT]]
                frame[_SHOT] += 1
                phase = _NEXT
            else:
                frame[_AT], frame[_PHASE] = part, _PART
                below = frames[depth + 1]
                below[_BEGIN], below[_END] = parts[depth, part, 0], parts[depth, part, 1]
                below[_TOP] = parts[depth, frame[_PARTS] - 1, 1]
                below[_BEAT] = frame[_BEST] - (frame[_SUM] - parts[depth, part, 2])
                below[_PHASE] = _NEW
                stack.bits[depth + 1, 0] = stack.hits[depth, part]
                depth += 1
                continue
        if value < 0 and phase == _NEXT:
            shot = frame[_SHOT]
            if shot < frame[_SHOTS] and stack.bounds[depth, shot] < frame[_BEST]:
                cell, hits = stack.shots[depth, shot], stack.bits[depth, 0]
                cost, _ = _split(layouts, stack, depth, begin, end, hits, cell, top)
                for part in range(frame[_PARTS]):
                    _estimate(layouts, stack, depth, part, named, count, heaviest)
                    cost += parts[depth, part, 2]
                frame[_SUM], frame[_AT], frame[_PHASE] = cost, 0, _PART
                continue
            if shot < frame[_SHOTS]:
                frame[_LOW] = min(frame[_LOW], stack.bounds[depth, shot])
            exact = frame[_BEST] < frame[_BEAT]
            value = frame[_BEST] if exact else frame[_LOW]
            if frame[_KEPT]:
                cell = layouts.ways[frame[_TURNED], frame[_CELL]]
                _keep(stack, stack.bits[depth, 1:], value << 8 | cell << 1 | exact)
        if value >= 0:
            depth -= 1
            part = frames[depth, _AT]
            frames[depth, _SUM] += value - parts[depth, part, 2]
            parts[depth, part, 2], parts[depth, part, 3] = value, exact
    stack.state[0] = 0
    return True


def _all_layouts(rules: Rules, answers: Sequence[Answer] = ()) -> tuple[Bits, Numbers]:
    """Return the cells of each ship, by length, of all layouts left; and what each weighs."""
    if fleet_fits(rules) is False:
        raise BsbenchError(
            f"the fleet {list(rules.fleet)} can't fit on the {rules.board} board: use fewer or "
            "shorter ships, or a larger board"
        )
    left = find_agreeing(rules, answers)
    if left.unlabelled > MOST_LAYOUTS:
        raise OptimumOutOfReach(
            f"the optimum is out of reach: there are more than {MOST_LAYOUTS:,} layouts; "
            "use a smaller board or fewer ships"
        )
    fleet = np.sort(rules.fleet)
    parts = [each for _, each in left.parts] or [left]
    slots = np.concatenate([Joins(each.evidence).all_layouts(each.layouts) for each in parts])
    slots = slots[:, np.argsort(rules.fleet, kind="stable")]
    for length in set(rules.fleet):
        # Equal ships have no names here.
        slots[:, fleet == length] = np.sort(slots[:, fleet == length])
    slots = np.unique(slots, axis=0)
    masks = [slot_masks(rules, int(length))[1][:, 0] for length in fleet]
    ships = np.stack([cells[slots[:, ship]] for ship, cells in enumerate(masks)], axis=1)
    if any(rules.reveals):
        return ships, np.ones(len(ships), np.int64)
    together = Counter(np.bitwise_or.reduce(ships, axis=1).tolist())
    cells = np.array([*together], np.uint64)
    return cells[:, np.newaxis], np.array([*together.values()], np.int64)


def _bits_of(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def _symmetries(rules: Rules) -> list[list[int]]:
    """Return where each cell goes, for each way to turn and mirror the board; the first is none."""
    grid = np.arange(rules.cells).reshape(rules.rows, rules.cols)
    flips = [grid[::down, ::right] for down, right in product((1, -1), repeat=2)]
    swaps = [flip.T for flip in flips] if rules.rows == rules.cols else []
    return [way.ravel().tolist() for way in (*flips, *swaps)]


def _turned(ways: list[list[int]], cells: int) -> Bits:
    """Return what each byte of a board becomes."""
    turned = np.zeros((len(ways), -(-cells // 8), 256), np.uint64)
    for symmetry, way in enumerate(ways):
        for cell, goes in enumerate(way):
            octet, bit = divmod(cell, 8)
            turned[symmetry, octet, np.arange(256) >> bit & 1 == 1] |= np.uint64(1 << goes)
    return turned


def _sequences(rules: Rules) -> Numbers:
    """Return how many sequences of answers there are; see `_Layouts`."""
    fleet, hits = rules.fleet, rules.ship_cells
    # Ways in which the hits to come may be of the ships: all that is known of them at the end.
    whose = [1] * (hits + 1)
    if any(rules.reveals):
        for left in product(*(range(length + 1) for length in fleet)):
            ways = math.factorial(sum(left)) // math.prod(map(math.factorial, left))
            whose[sum(left)] = max(whose[sum(left)], ways)
    if not rules.reveals.ships:
        # Of hits before, it is open whose they are.
        whose = [whose[-1]] * (hits + 1)
    sequences = np.ones((hits + 1, rules.cells + 1), np.int64)
    for to_come in range(1, hits + 1):
        for misses in range(rules.cells + 1):
            ways = math.comb(misses + to_come - 1, to_come - 1) * whose[to_come]
            sequences[to_come, misses] = min(ways, _MANY)
    return sequences


@dataclass(frozen=True)
class Optimum:
    """The least mean that any strategy can reach, proven; or bounds of it.

    Attributes
    ----------
    rules : Rules
    layouts : int
        Layouts left, with indistinguishable ships.
    at_least, moves : int
        Moves of a best strategy in one game for each of them, together, from the position on: at
        least and at most. They are equal, unless Ctrl-C ended the search.
    first_shots : tuple of int
        All first shots with which the least mean can be reached; none if they are not known.
    greedy_moves : int
        The same moves of the best strategy that always shoots a most likely cell. Where several are
        most likely, it takes the one that turns out best.
    states : int
        States that were looked at.
    interrupted : bool
        Whether Ctrl-C ended the search.
    """

    rules: Rules
    layouts: int
    at_least: int
    moves: int
    first_shots: tuple[int, ...]
    greedy_moves: int
    states: int
    interrupted: bool = False

    @property
    def proven(self) -> bool:
        """Whether the least mean is known."""
        return self.at_least == self.moves

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Between what the least mean of the move counts is, without rounding."""
        return Fraction(self.at_least, self.layouts), self.mean

    @property
    def mean(self) -> Fraction:
        """The least mean of the move counts, without rounding; if not proven, at most."""
        return Fraction(self.moves, self.layouts)

    @property
    def greedy_mean(self) -> Fraction:
        """The mean of the best greedy strategy, without rounding."""
        return Fraction(self.greedy_moves, self.layouts)


class OptimumOutOfReach(BsbenchError):
    """The search for the optimum was given up."""


def find_optimum(
    rules: Rules,
    states: int = MOST_STATES,
    progress: Watch = ignored,
    answers: Sequence[Answer] = (),
) -> Optimum:
    """Find the least mean that any strategy can reach on layouts of the law ``uniform``.

    Parameters
    ----------
    rules : Rules
    states : int
        States looked at, after which it is given up.
    progress : callable, optional
        Called every now and then.
    answers : sequence of Answer
        To the shots before: only moves after them count.

    Returns
    -------
    Optimum
        After Ctrl-C, what is known of it.

    Raises
    ------
    OptimumOutOfReach
        If the board or the fleet is too large, or the states do not suffice. Then the sentence
        says between which bounds the least mean is.
    BsbenchError
        If there is no layout, not even one state is allowed, or the game is over.
    KeyboardInterrupt
        If interrupted before the best strategy is known that shoots a most likely cell.

    Notes
    -----
    The values are whole numbers, and the search is complete: what it leaves out can't be better.
    So the result is proven, as far as the program is right; tests compare it with a program that
    leaves out nothing.

    Examples
    --------
    >>> find_optimum(Rules(3, 3, (2,), touching=True)).mean
    Fraction(9, 2)
    """
    if states < 1:
        raise BsbenchError(f"a search can't look at {states} states at most: allow 1 or more")
    check_in_reach(rules)
    return Search(rules, states, progress, answers=answers).find()


def check_in_reach(rules: Rules) -> None:
    """Refuse boards and fleets that are too large for any search, and facts that it can't keep.

    Raises
    ------
    OptimumOutOfReach
        If they are.
    """
    for what, is_, most in (
        ("board has", rules.cells, f"{MOST_CELLS} cells"),
        ("fleet has", len(rules.fleet), f"{MOST_SHIPS} ships"),
        ("fleet has", rules.ship_cells, f"{_MOST_SHIP_CELLS} cells"),
    ):
        if is_ > int(most.split()[0]):
            raise OptimumOutOfReach(
                f"the optimum is out of reach: the {what} {is_} {most.split()[1]}, and {most} are "
                f"the limit; give a smaller one, such as {option('board', '4x4')} "
                f"{option('fleet', '3,2')}"
            )
    if rules.reveals.untold_cells:
        raise OptimumOutOfReach(
            f"the optimum is out of reach: feedback {rules.feedback} does not tell which ship has "
            f"sunk, and its cells: choose {option('feedback', 'sunk')}, or ships that do not touch"
        )


class Search:
    """A search for the fewest misses under some rules; see `find_optimum`.

    Attributes
    ----------
    layouts : ndarray of uint64, shape (layouts, ships)
        The cells of each ship, by length.
    weight : ndarray of int64, shape (layouts,)
        How often each is among all layouts; see `_Layouts`.
    ways : list of list of int
        Where each cell goes, for each symmetry of the board.
    """

    def __init__(
        self,
        rules: Rules,
        states: int,
        progress: Watch = ignored,
        places: int | None = None,
        answers: Sequence[Answer] = (),
    ) -> None:
        self._rules, self._most, self._progress = rules, states, progress
        ships, weight = _all_layouts(rules, answers)
        struck = [answer.cell for answer in answers if answer.outcome != MISS]
        self._struck = np.uint64(_bits_of(struck))
        # The hits to come of each game, and which cells are alike at the first shot.
        self._to_come = rules.ship_cells - len(struck)
        if not self._to_come:
            raise BsbenchError("the game is over after these answers: there is nothing to find")
        self._alike = _symmetries(rules) if not answers else _symmetries(rules)[:1]
        number, depth = len(ships), rules.cells + 3
        self.layouts, self.weight = ships, weight
        self.ways = _symmetries(rules)
        places = places or _PLACES
        self._layouts = _Layouts(
            cells=np.bitwise_or.reduce(ships, axis=1),
            ships=ships,
            weight=weight,
            length=np.array(sorted(rules.fleet), np.int64),
            ways=np.array(self.ways, np.int64),
            turned=_turned(self.ways, rules.cells),
            sequences=_sequences(rules),
            of_ships=any(rules.reveals),
            of_hits=rules.reveals.ships,
            greedy=False,
        )
        self._stack = _Stack(
            arena=np.zeros(number * depth, np.int32),
            frames=np.zeros((depth, _FIELDS), np.int64),
            bits=np.zeros((depth, 4), np.uint64),
            shots=np.zeros((depth, rules.cells), np.int64),
            bounds=np.zeros((depth, rules.cells), np.int64),
            parts=np.zeros((depth, _MOST_PARTS, 4), np.int64),
            hits=np.zeros((depth, _MOST_PARTS), np.uint64),
            answers=np.zeros((depth, _MOST_PARTS), np.uint64),
            keys=np.zeros((places, 3), np.uint64),
            values=np.full(places, -1, np.int64),
            state=np.zeros(3, np.int64),
        )
        self._all = np.argsort(-weight, kind="stable").astype(np.int32)
        self._scratch = (
            np.zeros(3, np.uint64),
            np.zeros((2, rules.cells), np.int64),
            np.zeros(number + 1, np.int64),
        )

    def find(self) -> Optimum:
        """Return the optimum."""
        total = int(self.weight.sum())
        hits = total * self._to_come
        everything = self._layouts
        self._layouts, what = everything._replace(greedy=True), "the most likely cell"
        greedy, _ = self._value_of_all(_MANY, what)
        self._layouts = everything
        self._stack.values[:] = -1
        bound = (hits + self._bound_of_all()) / total, (hits + greedy) / total
        what = f"the least mean, {bound[0]:.4f} to {bound[1]:.4f}"
        known: tuple[int, int] | None = None
        first: tuple[int, ...] = ()
        self._stack.frames[1, [_BEST, _SHOTS]] = greedy, 0
        try:
            least, is_less = self._value_of_all(greedy, what)
            known = (least, least) if is_less else (greedy, greedy)
            what = f"the first shots with the least mean, {(hits + known[0]) / total:.4f}"
            first = self._first_shots(known[0], what)
        except KeyboardInterrupt:
            known = known or self._bounds_of_all()
        low, high = (hits + misses for misses in known)
        states = int(self._stack.state[1])
        return Optimum(
            self._rules, total, low, high, first, hits + greedy, states, interrupted=not first
        )

    def _bounds_of_all(self) -> tuple[int, int]:
        """Return bounds of the misses of all layouts together, while their value is looked for."""
        frame, low = self._stack.frames[1], self._bound_of_all()
        best = int(frame[_BEST])
        if frame[_SHOTS]:
            # First shots before this one have been tried: none costs less than the best.
            low = max(low, int(self._stack.bounds[1, frame[_SHOT]]))
        return min(low, best), best

    def _bound_of_all(self) -> int:
        known = self._struck
        return int(_bound(self._layouts, self._all, 0, len(self._all), known, *self._scratch[1:]))

    def _value_of_all(self, beat: int, what: str) -> tuple[int, bool]:
        """Return the misses of all layouts together, if they are below ``beat``; else a bound."""
        return self._value_of(self._all, int(self._struck), beat, what)

    def _value_of(self, some: Some, hits: int, beat: int, what: str) -> tuple[int, bool]:
        """Return the same of a state: some layouts, the heaviest first, and hits."""
        stack = self._stack
        stack.arena[: len(some)] = some
        stack.frames[0, _PARTS] = 1
        stack.parts[0, 0] = 0, len(some), 0, 0
        stack.hits[0, 0] = hits
        return self._value(0, beat, what)

    def _value(self, part: int, beat: int, what: str) -> tuple[int, bool]:
        """Return the value of a part of frame 0, if it is below ``beat``; else a bound."""
        stack = self._stack
        parts, frame = stack.parts[0], stack.frames[1]
        stack.frames[0, _AT] = part
        frame[_BEGIN], frame[_END] = parts[part, :2]
        frame[_TOP] = parts[stack.frames[0, _PARTS] - 1, 1]
        frame[_BEAT], frame[_PHASE] = beat, _NEW
        stack.bits[1, 0] = stack.hits[0, part]
        stack.state[0] = 1
        while not search(
            self._layouts, stack, *self._scratch, min(stack.state[1] + _AT_ONCE, self._most)
        ):
            looked = int(stack.state[1])
            kept = f"{stack.state[2]:,} kept"
            self._progress(Progress(what, looked, note=kept, unit="states looked at"))
            if looked >= self._most:
                raise OptimumOutOfReach(
                    f"the optimum is out of reach: {looked:,} states did not suffice to find {what}"
                    f"; use a smaller board or fewer ships, or allow more with {option('states')}"
                )
        return int(parts[part, 2]), bool(parts[part, 3])

    def _first_shots(self, least: int, what: str) -> tuple[int, ...]:
        """Return all first shots with which so few misses can be reached."""
        stack, number = self._stack, len(self._all)
        stack.arena[:number] = self._all
        found: set[int] = set()
        for cell in range(self._rules.cells):
            alike = {way[cell] for way in self._alike}
            open_cells = self._layouts.cells & ~self._struck
            if min(alike) < cell or not np.any(open_cells >> np.uint64(cell) & _ONE):
                continue
            cost, _ = _split(self._layouts, stack, 0, 0, number, self._struck, cell, number)
            parts = stack.parts[0]
            for part in range(stack.frames[0, _PARTS]):
                _estimate(self._layouts, stack, 0, part, *self._scratch)
                cost += int(parts[part, 2])
            for part in range(stack.frames[0, _PARTS]):
                if cost <= least and not parts[part, 3]:
                    before = int(parts[part, 2])
                    value, _ = self._value(part, least + 1 - (cost - before), what)
                    cost += value - before
            if cost <= least:
                found |= alike
        return tuple(sorted(found))
