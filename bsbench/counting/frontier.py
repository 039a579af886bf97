"""Exact counts cell by cell, for many ships with many layouts.

A ship is laid when its first cell is passed. All that matters for the cells to come is then on
their *frontier*, as here between two ships of four and two cells that may not touch::

    . . . . . . #     passed cells; those of ships are #
    . . # . . . #
    . . # . 0 1 1     for each column the number of its next cell: 0 free; 1 closed, as a
    0 1 3 1           ship is beside it; 1 + k taken, and so are k cells of this column,
                      counted from it, by a ship laid before

(Where ships may touch, nothing is closed, and k is the number. Where they may touch at corners,
only cells at their sides are closed.) The lowest bit of a frontier says whether the next cell is
closed by the one just passed. To each frontier belongs a vector: its entries are the numbers of
ways to get there, by *usage*, how many ships of each class are laid::

    usage     0    1    2    3  …      class 0: usage % 3, class 1: usage // 3 % 2, …
    ways      1    7    0    12        of a fleet of 2 + 1 + … ships

Thus one look-up of a frontier serves all usages.

Forward, the vectors F are kept where rows begin. Backward, each row is passed again with its
transitions, and B is computed, the number of ways to complete the fleet from there. A transition
that lays a ship in a slot is in as many layouts as the sum over usages of F before it times B
behind it.

All numbers are exact as long as the number of layouts is below 2^64: they are only added and
multiplied, so that those in between may overflow.

This is the method of the broken profile, as for domino tilings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.counting.tables import Bits
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.random import draw, mix, stream_start
from bsbench.rules.board import Apart

MOST_BYTES = 2 << 30
"""Memory that counting may take."""

MOST_BITS = 63
"""Of a frontier: enough for 20 columns of ships of up to 5 or so."""

_NONE = np.uint64(0)


class Ships(NamedTuple):
    """Ships that are alike: a class.

    Attributes
    ----------
    length, number : int
    slots : sequence of (int, int)
        First cell and direction of each slot: 1 for down, 0 for along a row.
    """

    length: int
    number: int
    slots: Sequence[tuple[int, int]]


class _Fleet(NamedTuple):
    """What does not change from cell to cell.

    ``length``, ``unit``: int64, shape (classes,), the ships' length and what one of them adds to
    the usage; ``slots``: uint8, shape (classes, 2, cells), whether a ship may begin at a cell,
    along and down; ``must``: uint8, shape (cells,), cells that may not stay empty; ``useful``:
    uint64, shape (cells, 1 + classes, usages): all bits set where a usage can be completed after
    the cell, if nothing is laid there, or a ship of a class is; else 0. ``radix``, ``place``:
    int64, shape (classes,), ships of each class plus 1, and how many ships there are before it;
    ``others``: int64, shape (classes,), a frontier in which the numbers of the ship's other columns
    are 1, if it lies along a row and its first column has its number in the lowest bits;
    ``closed``, ``corners``: 1 where ships may not touch at sides, and at corners; else 0.
    """

    length: npt.NDArray[np.int64]
    unit: npt.NDArray[np.int64]
    slots: npt.NDArray[np.uint8]
    must: npt.NDArray[np.uint8]
    useful: Bits
    radix: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]
    others: npt.NDArray[np.int64]
    closed: int
    corners: int


class _Steps(NamedTuple):
    """The transitions of a cell: those from frontier n are ``start[n]`` up to ``start[n + 1]``.

    ``what`` is -1 where nothing is laid, else 2 * class + down. With one ``start`` at most,
    transitions are not kept.
    """

    start: npt.NDArray[np.int64]
    target: npt.NDArray[np.int32]
    what: npt.NDArray[np.int8]


@helper
def _find(frontiers, table, frontier):
    """Return the place of a frontier in a hash table of places: an empty one if it is new."""
    last = len(table) - 1
    place = np.int64(mix(np.uint64(frontier))) & last
    while table[place] >= 0 and frontiers[table[place]] != frontier:
        place = (place + 1) & last
    return place


@kernel
def _pass_cell(cell, cols, width, fleet, weights, before, ways, after, ways_after, table, steps):
    """Pass a cell.

    Parameters
    ----------
    cell, cols : int
    width : int
        Bits of a column's number.
    fleet : _Fleet
    weights : ndarray of uint64 or float64, shape (classes, 2, cells), or None
        What a ship in each slot counts for; without them, 1.
    before, after : ndarray of int64, shape (frontiers,)
    ways, ways_after : ndarray of the same dtype, shape (frontiers, usages)
        Those after are written.
    table : ndarray of int32
        A power of two, at least twice the frontiers after.
    steps : _Steps
        Written.

    Returns
    -------
    frontiers, transitions : int
        How many there are after the cell. Where there is not enough room, the first is -1.
    """
    col = cell % cols
    here = 1 + width * col
    closed, corners = fleet.closed, fleet.corners
    number_mask = (1 << width) - 1
    usages = ways.shape[1]
    keeps = len(steps.start) > 1
    kinds = len(fleet.length)
    room = min(len(after), len(table) // 2) - 2 * kinds - 2
    step_room = len(steps.target) - 2 * kinds - 2
    # Floats, too, have all bits 0 where they are 0.
    bits = ways.view(np.uint64)
    zero = ways.dtype.type(0)
    found, kept = 0, 0
    table[:] = -1
    for index in range(len(before)):
        if found > room or (keeps and kept > step_room):
            return -1, kept
        if keeps:
            steps.start[index] = kept
        number = before[index] >> here & number_mask
        beside = before[index] & 1
        rest = before[index] & ~(number_mask << here | 1)
        for what in range(-1, 2 * kinds):
            ship, unit = what >> 1, 0
            occupied = True
            if what < 0:
                if number > closed:
                    frontier = rest + ((number - 1) << here)
                else:
                    if fleet.must[cell]:
                        continue
                    # Below a cell left empty, one may be closed by the ship before it.
                    frontier = rest + (beside * corners << here)
                    occupied = False
            else:
                if number or beside:
                    break
                if not fleet.slots[ship, what & 1, cell]:
                    continue
                length = fleet.length[ship]
                unit = fleet.unit[ship]
                end = 1 if what & 1 else length
                # Where corners are closed, a ship beyond the end has closed the end itself.
                beyond = rest >> (here + width * end) & number_mask if col + end < cols else 0
                if closed > corners and beyond > closed:
                    continue
                if what & 1:
                    frontier = rest + ((length - 1 + closed) << here)
                else:
                    others = fleet.others[ship] << here
                    if rest & others * number_mask:
                        continue
                    frontier = rest + others * (1 + closed) + (closed << here)
            some = _NONE
            for usage in range(usages - unit):
                some |= bits[index, usage] & fleet.useful[cell, 1 + ship, usage]
            if some == 0:
                continue
            if occupied and closed:
                if corners and col > 0:
                    # A ship there could only be this one: the number is 0 or 1.
                    frontier |= 1 << (here - width)
                if col < cols - 1:
                    frontier |= 1
            place = _find(after, table, frontier)
            target = table[place]
            if target < 0:
                target = found
                table[place], after[target] = target, frontier
                found += 1
                ways_after[target] = 0
            weight = ways.dtype.type(1)
            if weights is not None and what >= 0:
                weight = weights[ship, what & 1, cell]
            for usage in range(usages - unit):
                more = ways[index, usage] if fleet.useful[cell, 1 + ship, usage] else zero
                if weights is not None:
                    more *= weight
                ways_after[target, usage + unit] += more
            if keeps:
                steps.target[kept], steps.what[kept] = target, what
                kept += 1
    if keeps:
        steps.start[len(before)] = kept
    return found, kept


@kernel
def _go_back(cell, fleet, ways, steps, left_after, left, layouts):
    """Go back over a cell.

    Parameters
    ----------
    cell : int
    fleet : _Fleet
    ways, left : ndarray of uint64, shape (frontiers, usages)
        Ways from the beginning to before the cell, and from there to the end: those are written.
    steps : _Steps
    left_after : ndarray of uint64, shape (frontiers after, usages)
        Ways from behind the cell to the end.
    layouts : ndarray of uint64, shape (2 * classes, cells)
        Increased by the layouts with a ship in each slot that begins here.
    """
    usages = ways.shape[1]
    for index in range(len(ways)):
        left[index] = 0
        for step in range(steps.start[index], steps.start[index + 1]):
            target, what = steps.target[step], steps.what[step]
            ship = what >> 1
            unit = fleet.unit[ship] if what >= 0 else 0
            through = _NONE
            for usage in range(usages - unit):
                ways_left = left_after[target, usage + unit] & fleet.useful[cell, 1 + ship, usage]
                left[index, usage] += ways_left
                through += ways[index, usage] * ways_left
            if what >= 0:
                layouts[what, cell] += through


@kernel
def _draw_starts(key, layouts, states, ranks):
    """Begin the random stream of each sample, and draw a number below ``layouts`` from it."""
    for index in range(len(states)):
        states[index], ranks[index] = draw(stream_start(key, index), layouts)


@kernel
def _walk_back(cell, fleet, ways, ways_after, steps, first, following, walkers, samples, states):
    """Go back over a cell with many samples, each by a transition drawn by its number of ways.

    Parameters
    ----------
    cell : int
    fleet : _Fleet
    ways, ways_after : ndarray of uint64, shape (frontiers, usages)
        From the beginning to before the cell, and to behind it.
    steps : _Steps
    first : ndarray of int64, shape (frontiers after,)
        Overwritten.
    following, walkers : ndarray of int64, shapes (n,) and (n, 2)
        ``following`` is overwritten. ``walkers`` are frontier and usage of each sample, behind the
        cell; those before it are written.
    samples : ndarray of int64, shape (n, ships)
        Twice the first cell, plus 1 for down, is written where a sample lays a ship. Ships are in
        the order of the classes.
    states : ndarray of uint64, shape (n,)
        Of the random streams; changed.
    """
    # Those behind the cell at one frontier are a linked list.
    first[:] = -1
    for index in range(len(walkers)):
        frontier = walkers[index, 0]
        following[index] = first[frontier]
        first[frontier] = index
        states[index], rank = draw(states[index], ways_after[frontier, walkers[index, 1]])
        # The number of ways still to be skipped, kept in the sample's place until it is found.
        walkers[index, 0] = np.int64(rank)
    for source in range(len(ways)):
        for step in range(steps.start[source], steps.start[source + 1]):
            what = steps.what[step]
            ship = what >> 1
            unit = fleet.unit[ship] if what >= 0 else 0
            before, index = -1, first[steps.target[step]]
            while index >= 0:
                after = following[index]
                usage = walkers[index, 1] - unit
                number = _NONE
                if usage >= 0:
                    number = ways[source, usage] & fleet.useful[cell, 1 + ship, usage]
                rank = np.uint64(walkers[index, 0])
                if rank < number:
                    walkers[index, 0] = source
                    walkers[index, 1] = usage
                    if what >= 0:
                        laid = usage // unit % fleet.radix[ship]
                        samples[index, fleet.place[ship] + laid] = 2 * cell + (what & 1)
                    # Found: it leaves the list.
                    if before < 0:
                        first[steps.target[step]] = after
                    else:
                        following[before] = after
                else:
                    walkers[index, 0] = np.int64(rank - number)
                    before = index
                index = after


class Frontier:
    """Counts cell by cell, with a vector of usages for each frontier.

    Parameters
    ----------
    rows, cols : int
    apart : Apart
    classes : sequence of Ships
    must : sequence of int
        Cells on which there must be a ship.
    most_bytes : int
        Memory that it may take.
    take : callable, optional
        Called after each cell with the ways that were passed on: frontiers times usages.
    """

    def __init__(
        self,
        rows: int,
        cols: int,
        apart: Apart,
        classes: Sequence[Ships],
        must: Sequence[int],
        most_bytes: int,
        take: Callable[[int], object] = lambda steps: None,
    ) -> None:
        self._take = take
        self._rows, self._cols = rows, cols
        self._closed = int(apart.sides)
        self._width = (max(ships.length for ships in classes) - 1 + self._closed).bit_length()
        cells = rows * cols
        radix = [ships.number + 1 for ships in classes]
        self._usages = math.prod(radix)
        self._most_bytes = most_bytes
        self._bytes = 0
        slots = np.zeros((len(classes), 2, cells), np.uint8)
        for kind, ships in enumerate(classes):
            for first, down in ships.slots:
                slots[kind, down, first] = 1
        must_flags = np.zeros(cells, np.uint8)
        must_flags[list(must)] = 1
        self._fleet = _Fleet(
            length=np.array([ships.length for ships in classes], np.int64),
            unit=np.array([math.prod(radix[:kind]) for kind in range(len(radix))], np.int64),
            slots=slots,
            must=must_flags,
            useful=self._useful(radix, slots),
            radix=np.array(radix, np.int64),
            others=np.array([self._others(ships.length) for ships in classes], np.int64),
            place=np.cumsum([0, *(ships.number for ships in classes[:-1])]),
            closed=self._closed,
            corners=int(apart.corners),
        )
        self._table = np.empty(0, np.int32)

    @staticmethod
    def bits_of(cols: int, longest: int, apart: Apart) -> int:
        """Return how many bits a frontier takes: at most `MOST_BITS` are possible."""
        return 1 + cols * (longest - 1 + apart.sides).bit_length()

    def _others(self, length: int) -> int:
        # A ship too long to lie along a row only ever lies down.
        columns = range(1, min(length, self._cols))
        return sum(1 << self._width * col for col in columns)

    def _useful(self, radix: list[int], slots: npt.NDArray[np.uint8]) -> Bits:
        """Return which usages can be completed: no more ships to lay than slots begin later."""
        kinds, _, cells = slots.shape
        usage = np.arange(self._usages)
        digits = []
        for size in radix:
            usage, digit = np.divmod(usage, size)
            digits.append(digit)
        most = np.array(radix)[:, np.newaxis] - 1
        laid = np.array(digits)
        # Slots that begin behind each cell.
        begins = slots.sum(axis=1, dtype=np.int64)
        later = begins[:, ::-1].cumsum(axis=1)[:, ::-1] - begins
        useful = np.zeros((cells, 1 + kinds, self._usages), np.uint64)
        for cell in range(cells):
            for what in range(1 + kinds):
                after = laid.copy()
                if what > 0:
                    after[what - 1] += 1
                fine = (after <= most) & (after + later[:, cell, np.newaxis] >= most)
                useful[cell, what, fine.all(axis=0)] = ~_NONE
        return useful

    def _pass(
        self,
        cell: int,
        before: npt.NDArray[np.int64],
        ways: npt.NDArray[Any],
        keep: bool,
        weights: npt.NDArray[Any] | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any], _Steps]:
        room = len(before) * 3 // 2 + 64
        while True:
            self._reserve(8 * room * self._usages)
            size = 1 << (2 * room).bit_length()
            if len(self._table) < size:
                self._table = np.empty(size, np.int32)
            after = np.empty(room, np.int64)
            ways_after = np.empty((room, self._usages), ways.dtype)
            steps = _Steps(
                np.empty(len(before) + 1 if keep else 1, np.int64),
                np.empty(4 * room if keep else 1, np.int32),
                np.empty(4 * room if keep else 1, np.int8),
            )
            found, _ = _pass_cell(
                *(cell, self._cols, self._width, self._fleet, weights),
                *(before, ways, after, ways_after, self._table[:size], steps),
            )
            if found >= 0:
                self._take(found * self._usages)
                # Room that was not needed was never touched, and takes no memory.
                return after[:found], ways_after[:found], steps
            room *= 2

    def _reserve(self, more: int) -> None:
        """Refuse to take more memory than allowed."""
        if self._bytes + more > self._most_bytes:
            raise OutOfReach(
                f"the layouts can't be counted within {self._most_bytes >> 20:,} MB of memory: "
                "take a smaller board, or fewer ships"
            )

    def _forward(
        self, progress: Callable[[int], object]
    ) -> tuple[list[tuple[npt.NDArray[np.int64], Bits]], npt.NDArray[np.bool_], Bits]:
        """Pass all cells; return frontiers and ways at the beginning of each row.

        Then follow which frontiers at the end are possible, and the ways to get to each.
        """
        frontiers, ways = np.zeros(1, np.int64), np.zeros((1, self._usages), np.uint64)
        ways[0, 0] = 1
        rows = []
        for row in range(self._rows):
            rows.append((frontiers, ways))
            self._bytes += ways.nbytes
            progress(row)
            for cell in range(row * self._cols, (row + 1) * self._cols):
                frontiers, ways, _ = self._pass(cell, frontiers, ways, keep=False)
        return rows, self._complete(frontiers), ways

    def _complete(self, frontiers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return on which frontiers no cell to come is taken by a ship."""
        number_mask = (1 << self._width) - 1
        complete = np.ones(len(frontiers), np.bool_)
        for col in range(self._cols):
            complete &= (frontiers >> (1 + self._width * col) & number_mask) <= self._closed
        return complete

    def _row_again(
        self, row: int, frontiers: npt.NDArray[np.int64], ways: Bits
    ) -> list[tuple[int, Bits, _Steps]]:
        """Pass a row again; return each cell with the ways before it and its transitions."""
        kept = []
        for cell in range(row * self._cols, (row + 1) * self._cols):
            frontiers, after, steps = self._pass(cell, frontiers, ways, keep=True)
            kept.append((cell, ways, steps))
            self._bytes += ways.nbytes
            ways = after
        return kept

    def count(
        self, progress: Callable[[int], object] = lambda row: None
    ) -> tuple[int, npt.NDArray[np.uint64]]:
        """Count the layouts, the ships of a class indistinguishable.

        Parameters
        ----------
        progress : callable, optional
            Called with the number of each row before it is passed: forward, then backward.

        Returns
        -------
        layouts : int
            Modulo 2^64.
        slots : ndarray of uint64, shape (classes, 2, cells)
            Layouts with a ship of the class that begins at the cell, along and down.

        Raises
        ------
        OutOfReach
            If it takes too much memory.
        """
        rows, complete, ways = self._forward(progress)
        total = int(ways[complete, -1].sum(dtype=np.uint64))
        kinds = len(self._fleet.length)
        slots = np.zeros((2 * kinds, self._rows * self._cols), np.uint64)
        left = np.zeros_like(ways)
        left[complete, -1] = 1
        while rows:
            frontiers, ways = rows.pop()
            self._bytes -= ways.nbytes
            row = len(rows)
            progress(row)
            kept = self._row_again(row, frontiers, ways)
            while kept:
                cell, ways, steps = kept.pop()
                self._bytes -= ways.nbytes
                before = np.empty_like(ways)
                _go_back(cell, self._fleet, ways, steps, left, before, slots)
                left = before
        return total, slots.reshape(kinds, 2, -1)

    def within(
        self, weights: npt.NDArray[Any] | None, dtype: type[np.generic], most: int
    ) -> npt.NDArray[Any] | None:
        """Return what the layouts within the first m cells weigh together, for every m.

        Parameters
        ----------
        weights : ndarray of ``dtype``, shape (classes, 2, cells), or None
            What a ship that begins at each cell weighs, along and down. A layout weighs the
            product. Without weights, layouts are counted, with ships of a class indistinguishable.
        dtype : dtype
            uint64, for results modulo 2^64, or float64.
        most : int
            Frontiers times usages at most.

        Returns
        -------
        ndarray of ``dtype``, shape (cells + 1,), or None
            None where there are more of these.

        Raises
        ------
        OutOfReach
            If it takes too much memory.
        """
        frontiers, ways = np.zeros(1, np.int64), np.zeros((1, self._usages), dtype)
        ways[0, 0] = 1
        within = np.zeros(self._rows * self._cols + 1, dtype)
        for cell in range(self._rows * self._cols):
            frontiers, ways, _ = self._pass(cell, frontiers, ways, False, weights)
            if ways.size > most:
                return None
            within[cell + 1] = ways[self._complete(frontiers), -1].sum()
        return within

    def sample(self, key: np.uint64, n: int) -> list[npt.NDArray[np.int64]]:
        """Draw layouts, exactly uniform, ships of a class indistinguishable.

        Parameters
        ----------
        key : uint64
            Of the random streams: each sample has its own.
        n : int

        Returns
        -------
        list of ndarray of int64, shape (n,)
            For each ship, class by class, twice its first cell, plus 1 for down.

        Raises
        ------
        OutOfReach
            If it takes too much memory.
        """
        rows, complete, ways = self._forward(lambda row: None)
        last = np.where(complete, ways[:, -1], _NONE).cumsum(dtype=np.uint64)
        states, ranks = np.empty(n, np.uint64), np.empty(n, np.uint64)
        _draw_starts(key, last[-1], states, ranks)
        walkers = np.empty((n, 2), np.int64)
        walkers[:, 0] = np.searchsorted(last, ranks, side="right")
        walkers[:, 1] = self._usages - 1
        ships = int(self._fleet.place[-1] + self._fleet.radix[-1] - 1)
        samples = np.zeros((n, ships), np.int64)
        following = np.empty(n, np.int64)
        while rows:
            frontiers, ways_before = rows.pop()
            self._bytes -= ways_before.nbytes
            kept = self._row_again(len(rows), frontiers, ways_before)
            while kept:
                cell, ways_before, steps = kept.pop()
                self._bytes -= ways_before.nbytes
                first = np.empty(len(ways), np.int64)
                _walk_back(
                    *(cell, self._fleet, ways_before, ways, steps),
                    *(first, following, walkers, samples, states),
                )
                ways = ways_before
        return list(samples.T)


class OutOfReach(BsbenchError):
    """Layouts are too many to be counted."""
