"""The strategy ``hunt-line``."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.choosing import random_open
from bsbench.kernels.numbers import (
    LANES,
    empty_numbers,
    everywhere,
    greater,
    live_word,
    load,
    words_of,
)
from bsbench.kernels.random import start_streams
from bsbench.rules.board import Feedback, Rules
from bsbench.strategies._density import DensityStrategy
from bsbench.strategies.base import NO_TOUCH, Cells, parameter
from bsbench.strategies.view import View

Words = npt.NDArray[np.uint64]

_ENDS, _BESIDE, _GRID, _ROOM, _OPEN = range(5)
"""Kinds of cells: of the first one that a game has, it shoots any cell."""

# Typed: with unsigned numbers, numba does not check whether an index counts from the end, and so
# loops work on several cells at a time.
_NONE, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_ALL = ~_NONE


class _Scratch(NamedTuple):
    """How to hunt, and room to find the cells of 64 games at a time.

    Boards of 64 games have a *place* for each cell, and around the board two rows and two columns
    where nothing is; the columns at the right end are also those at the left end, one row below.

    Attributes
    ----------
    beside, line : bool
        Whether cells beside hits, and the ends of lines of hits, come first.
    room : bool
        The parameter.
    shortest : ndarray of uint64, shape (longest ship,)
        For each length, the lanes in which the shortest ship afloat has it.
    grids : ndarray of uint64, shape (steps, places)
        For each step of the hunt, the places of the cells on its diagonals.
    stepping : ndarray of uint64, shape (steps,)
        The lanes that hunt with each step: all, or ``shortest``.
    struck : ndarray of uint64, shape (places,)
        Open hits.
    kinds : ndarray of uint64, shape (5, places)
        Open cells of each kind.
    among : ndarray of uint64, shape (cells,)
        The cells of the first kind that there is.
    """

    beside: bool
    line: bool
    room: bool
    shortest: Words
    grids: Words
    stepping: Words
    struck: Words
    kinds: Words
    among: Words


@helper
def _find_shortest(evidence, word, shortest):
    """Find the lanes in which the shortest ship afloat has each length."""
    longest, words, _ = evidence.afloat.shape
    none, left = everywhere(evidence.afloat, 0), _ALL
    for index in range(longest):
        shortest[index] = left & greater(load(evidence.afloat, index * words + word), none)
        left &= ~shortest[index]


@helper
def _mark_room(begin, end, wide, shortest, is_open, room):
    """Mark the places of all open slots that the shortest ship afloat has."""
    room[:] = _NONE
    for index in range(np.uint64(len(shortest))):
        if not shortest[index]:
            continue
        for step in (_ONE, wide):
            for first in range(begin, end - min(index * step, end)):
                slot = shortest[index]
                for part in range(index + _ONE):
                    slot &= is_open[first + part * step]
                for part in range(index + _ONE):
                    room[first + part * step] |= slot


@kernel
def _find_cells(evidence, word, scratch):
    """Find the cells among which the shot is drawn, in 64 lanes."""
    rows, cols = np.uint64(evidence.rows), np.uint64(evidence.cols)
    wide = cols + _TWO
    begin, end = _TWO * wide + _TWO, (rows + _TWO) * wide
    # Unpacked at once, they would not count as contiguous.
    ends, beside, grid = scratch.kinds[_ENDS], scratch.kinds[_BESIDE], scratch.kinds[_GRID]
    room, is_open = scratch.kinds[_ROOM], scratch.kinds[_OPEN]
    hits, struck = scratch.struck, evidence.struck[word]
    unshot, dry = evidence.unshot[word], evidence.dry[word]
    _find_shortest(evidence, word, scratch.shortest)
    for row in range(rows):
        place, cell = begin + row * wide, row * cols
        for col in range(cols):
            hits[place + col] = struck[cell + col]
        for col in range(cols):
            is_open[place + col] = unshot[cell + col] & dry[cell + col]
    if scratch.room:
        _mark_room(begin, end, wide, scratch.shortest, is_open, room)
    grid[:] = _NONE
    for step in range(np.uint64(len(scratch.grids))):
        for at in range(begin, end):
            grid[at] |= scratch.stepping[step] & scratch.grids[step, at]
    hunted = room if scratch.room else is_open
    for at in range(begin, end):
        grid[at] &= hunted[at]
    if scratch.beside:
        for at in range(begin, end):
            west, east = hits[at - _ONE], hits[at + _ONE]
            beside[at] = is_open[at] & (west | east | hits[at - wide] | hits[at + wide])
    if scratch.line:
        for at in range(begin, end):
            in_row = hits[at - _ONE] & hits[at - _TWO] | hits[at + _ONE] & hits[at + _TWO]
            above = hits[at - wide] & hits[at - _TWO * wide]
            below = hits[at + wide] & hits[at + _TWO * wide]
            ends[at] = is_open[at] & (in_row | above | below)
    scratch.among[:] = _NONE
    left = _ALL
    for kind in range(np.uint64(len(scratch.kinds))):
        there = _NONE
        for at in range(begin, end):
            there |= scratch.kinds[kind, at]
        there &= left
        left &= ~there
        for row in range(rows):
            place, cell = begin + row * wide, row * cols
            for col in range(cols):
                scratch.among[cell + col] |= there & scratch.kinds[kind, place + col]
        if not left:
            break


@kernel
def _choose(live, evidence, scratch, states, cells):
    for word in range(len(cells)):
        wanted = live_word(live, word)
        if wanted:
            _find_cells(evidence, word, scratch)
            stuck = random_open(scratch.among, wanted, word, states, cells)
            if stuck >= 0:
                return stuck
    return -1


@dataclass
class HuntLine(DensityStrategy):
    """Hunts on a checkerboard; after a hit, shoots beside it, then along the line of hits.

    Source: the hunter that most programs have; the "parity hunt" of Canon-Regularis, mayflower,
    2026, agrees with it. It hunts at random on one colour of the checkerboard. If a ship is hit and
    afloat, it shoots at random beside its hits; if two hits are side by side, at an end of
    their line. What sank is no target any more.

    Settled here: all hits on ships that are not known to have sunk count, on whatever ship. The
    first colour has even row + column; the other one comes when nothing else is left. ``step=0``
    hunts on every third diagonal where the shortest ship afloat has three cells, and so on. With
    ``room=true``, a cell is hunted only if a slot (possible position) of that ship with open cells
    alone runs through it. With ``step=1,target=none``, it shoots at random, but not beside sunk
    ships where the rules keep ships apart. If only the length of what sank is told, a sunk ship is
    taken out where its cells follow from the hits; if less is told, none is.
    """

    step: int = parameter(
        2,
        "from one hunted diagonal to the next; 0: the length of the shortest ship afloat",
        least=0,
        most=250,
    )
    room: bool = parameter(False, "whether it hunts only where the shortest ship afloat has room")
    target: str = parameter(
        "line",
        "what comes before the hunt; line: cells beside hits, at first the ends of a line of hits; "
        "beside: all of them alike; none: nothing",
        choices=("line", "beside", "none"),
    )
    no_touch: str = parameter("sunk", NO_TOUCH[1], choices=NO_TOUCH[0][:2])

    name = "hunt-line"
    source = "mayflower (2026), parity hunt"
    needs = Feedback.HIT
    look = ("purple-dark", "dotted")

    def _largest_score(self) -> int:
        return 1

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for random streams, too."""
        super().begin(rules, lanes, seed)
        self._states = empty_numbers(words_of(lanes), dtype=np.uint64)
        wide = rules.cols + 2
        places = (rules.rows + 4) * wide + 2
        shortest = np.zeros(max(rules.fleet), np.uint64)
        row, col = np.divmod(np.arange(places) - 2 * wide - 2, wide)
        steps = [self.step] if self.step else range(1, len(shortest) + 1)
        self._scratch = _Scratch(
            self.target != "none",
            self.target == "line",
            self.room,
            shortest,
            np.array([np.where((row + col) % step, _NONE, _ALL) for step in steps]),
            np.array([_ALL]) if self.step else shortest,
            np.zeros(places, np.uint64),
            np.zeros((5, places), np.uint64),
            np.zeros(rules.cells, np.uint64),
        )

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Begin a random stream for each game."""
        super().deal(lanes, games)
        start_streams(self.stream_key, lanes, games, self._states)

    def _weigh(self, word: int) -> None:
        _find_cells(self._evidence, word, self._scratch)
        in_lanes = self._scratch.among[:, np.newaxis] >> np.arange(LANES, dtype=np.uint64)
        self._scales.score[:] = in_lanes & _ONE

    def _choose(self, view: View) -> int:
        stuck: int = _choose(view.live, self._evidence, self._scratch, self._states, self._cells)
        return stuck
