"""The shooter's best response to a hider: the least misses on layouts of any weights.

A *law* gives each layout a weight, the same for layouts that a symmetry of the board moves to each
other (an *orbit*). The best response to a law is a tree of shots. `bsbench.counting.optimum` finds
it; here it is walked, and becomes part of a *book*, in which it is known for later laws::

    state ─ shot ─┬─ misses by orbit    A state is a set of layouts, up to symmetry; in the book
                  ├─ state              it has all shots that some best response has made there. A
                  └─ state              shot costs misses, and leads to states with fewer layouts.

So the book holds far more trees than were found: any choice of one shot for each state. The best
tree of the book takes a pass from small states to large ones, and no search.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bsbench.common.progress import Watch, ignored
from bsbench.counting.optimum import _MANY, Numbers, Search, Some, _look_up, _name, _split
from bsbench.kernels._jit import kernel
from bsbench.rules.board import Rules

_PLACES = 1 << 21
"""Places in the table of a search: 70 MB."""

_STATES = 1 << 62
"""No limit of states: time is limited."""


class Book(NamedTuple):
    """All shots that are known, those of smaller states first; the last one is the root's.

    The root is before all shots. Its one shot is none: it leads to what is left to find out.

    Attributes
    ----------
    misses : ndarray of int64, shape (shots, orbits)
        Missed layouts of each shot, by orbit.
    first : ndarray of int64, shape (states + 1,)
        Where the shots of each state begin.
    begin : ndarray of int64, shape (shots + 1,)
    next : ndarray of int64
        States to which each shot leads, from ``begin`` on.
    """

    misses: Numbers
    first: Numbers
    begin: Numbers
    next: Numbers


@kernel
def _best_of_book(book, cost, value, choice, times):
    """Find the best tree, whose root is the last state; fill in how often each state is in it."""
    states = len(book.first) - 1
    for state in range(states):
        value[state], times[state] = _MANY, 0
        for shot in range(book.first[state], book.first[state + 1]):
            total = cost[shot]
            for place in range(book.begin[shot], book.begin[shot + 1]):
                total += value[book.next[place]]
            if total < value[state]:
                value[state], choice[state] = total, shot
    times[states - 1] = 1
    for state in range(states - 1, -1, -1):
        shot = choice[state]
        if times[state]:
            for place in range(book.begin[shot], book.begin[shot + 1]):
                times[book.next[place]] += times[state]


class _State(NamedTuple):
    """A state of the book: its number, how many layouts it has, and its shots."""

    number: int
    layouts: int
    shots: dict[int, tuple[Numbers, list[int]]]


class Responses(Search):
    """Best responses under some rules, and the book of all that were found.

    Attributes
    ----------
    orbit : ndarray of int64, shape (layouts,)
        The orbit of each layout.
    size : ndarray of int64, shape (orbits,)
        Layouts of each orbit.
    uniform : ndarray of int64, shape (orbits,)
        What one layout of each orbit weighs where all layouts are equally likely.
    """

    def __init__(self, rules: Rules, progress: Watch = ignored) -> None:
        super().__init__(rules, _STATES, progress, _PLACES)
        self.orbit = self._orbits()
        self.size = np.bincount(self.orbit)
        self.uniform = np.zeros(len(self.size), np.int64)
        self.uniform[self.orbit] = self.weight
        self._known: dict[tuple[int, int, int], _State] = {}
        self._begun: list[int] = []
        self.book = self._opened()

    def _orbits(self) -> Numbers:
        length = self._layouts.length
        alike = [np.flatnonzero(length == each) for each in np.unique(length)]
        turned = self._layouts.turned
        if self.layouts.shape[1] == 1:  # under feedback hit, all ships are one
            alike = [np.array([0])]
        numbers: list[Numbers] = []
        number: dict[bytes, int] = {}
        for way in turned:
            moved = np.zeros_like(self.layouts)
            for octet, becomes in enumerate(way):
                moved |= becomes[(self.layouts >> np.uint64(8 * octet)) & np.uint64(255)]
            for ships in alike:
                moved[:, ships] = np.sort(moved[:, ships], axis=1)
            rows = [row.tobytes() for row in moved]
            if not number:
                number = {row: place for place, row in enumerate(rows)}
            numbers.append(np.array([number[row] for row in rows]))
        return np.unique(np.min(numbers, axis=0), return_inverse=True)[1].astype(np.int64)

    def least(self, law: Numbers, beat: int = _MANY, what: str = "") -> tuple[int, bool]:
        """Return the misses of a best response, if they are below ``beat``; else a bound.

        Parameters
        ----------
        law : ndarray of int64, shape (orbits,)
            What one layout of each orbit weighs. All layouts together weigh less than 2^46.
        beat : int
        what : str
            What is looked for, for progress.

        Returns
        -------
        int
            Misses of all layouts together, by weight.
        bool
            Whether they are below ``beat``: then `learn` adds the response to the book.
        """
        weight = law[self.orbit]
        self._layouts = self._layouts._replace(weight=weight)
        self._all = np.argsort(-weight, kind="stable").astype(np.int32)
        self._stack.values[:] = -1
        self._stack.state[:] = 0
        return self._value_of_all(beat, what)

    @property
    def states(self) -> int:
        """States that the last search looked at."""
        return int(self._stack.state[1])

    def learn(self) -> None:
        """Add the response that `least` has found to the book."""
        walked: set[int] = set()
        self._begun = [self._walk(*state, walked) for state in self._settled(self._all, 0)]
        self.book = self._opened()

    def _parts(self, some: Some, hits: int, cell: int) -> tuple[Some, list[tuple[Some, int]]]:
        """Return the layouts that a shot misses, and the parts into which it splits a state."""
        stack, number = self._stack, len(some)
        stack.arena[:number] = some
        _split(self._layouts, stack, 0, 0, number, np.uint64(hits), cell, number)
        parts = []
        for part in range(stack.frames[0, 8]):
            begin, end = stack.parts[0, part, :2]
            parts.append((stack.arena[begin:end].copy(), int(stack.hits[0, part])))
        missed = some[~self._layouts.cells[some] >> np.uint64(cell) & np.uint64(1) == 1]
        return missed, parts

    def _settled(self, some: Some, hits: int) -> Iterator[tuple[Some, int]]:
        """Yield what comes of a state by hits alone, as far as there is more to find out."""
        if len(some) < 2:
            return
        cells = self._layouts.cells[some]
        all_of = int(np.bitwise_and.reduce(cells))
        if not any(self._rules.reveals):
            hits = all_of
        forced = all_of & ~hits
        if forced:
            for part, now in self._parts(some, hits, forced.bit_length() - 1)[1]:
                yield from self._settled(part, now)
        elif (cells != cells[0]).any():
            yield some, hits

    def _named(self, some: Some, hits: int) -> tuple[tuple[int, int, int], int]:
        """Return the name of a state, and the symmetry that leads there."""
        named = self._scratch[0]
        possible = np.bitwise_or.reduce(self._layouts.cells[some])
        turned = _name(self._layouts, some[0], possible, np.uint64(hits), named)
        return (int(named[0]), int(named[1]), int(named[2])), int(turned)

    def _walk(self, some: Some, hits: int, walked: set[int]) -> int:
        """Add the response to a state to the book; return the number of the state."""
        name, turned = self._named(some, hits)
        state = self._known.get(name)
        if state is None:
            state = self._known[name] = _State(len(self._known), len(some), {})
        if state.number in walked:
            return state.number
        walked.add(state.number)
        way = self.ways[turned]
        if len(some) == 2:
            one, two = (int(cells) for cells in self._layouts.cells[some])
            cells = [(each & ~other).bit_length() - 1 for each, other in ((one, two), (two, one))]
        else:
            kept = _look_up(self._stack, self._scratch[0])
            if kept < 0 or not kept & 1:  # it had to make place
                self._value_of(some, hits, _MANY, "")
                self._named(some, hits)
                kept = _look_up(self._stack, self._scratch[0])
            cells = [way.index(int(kept) >> 1 & 127)]
        for cell in cells:
            missed, parts = self._parts(some, hits, cell)
            states = [
                self._walk(*settled, walked) for part in parts for settled in self._settled(*part)
            ]
            if way[cell] not in state.shots:
                misses = np.bincount(self.orbit[missed], minlength=len(self.size))
                state.shots[way[cell]] = misses, states
        return state.number

    def _opened(self) -> Book:
        """Return the book of all states that are known."""
        states = sorted(self._known.values(), key=lambda state: state.layouts)
        place = {state.number: place for place, state in enumerate(states)}
        none = np.zeros(len(self.size), np.int64), self._begun
        shots = [*(shot for state in states for shot in state.shots.values()), none]
        after = [[place[state] for state in leads] for _, leads in shots]
        return Book(
            misses=np.array([misses for misses, _ in shots], np.int64),
            first=np.cumsum([0, *(len(state.shots) for state in states), 1]),
            begin=np.cumsum([0, *map(len, after)]),
            next=np.array([state for leads in after for state in leads], np.int64),
        )

    def known(self, law: Numbers) -> tuple[int, Numbers]:
        """Return the misses of the best tree of the book.

        Parameters
        ----------
        law : ndarray of int64, shape (orbits,)
            As for `least`.

        Returns
        -------
        int
            Misses of all layouts together, by weight.
        ndarray of int64, shape (shots,)
            How often each shot of the book is in the tree.
        """
        return best_tree(self.book, self.book.misses @ law)


def best_tree(book: Book, cost: Numbers) -> tuple[int, Numbers]:
    """Return the least cost of a tree of the book, and how often each shot is in the tree.

    Parameters
    ----------
    book : Book
    cost : ndarray of int64, shape (shots,)
    """
    states = len(book.first) - 1
    value, choice, times = (np.zeros(states, np.int64) for _ in range(3))
    _best_of_book(book, cost, value, choice, times)
    shots = np.zeros(len(cost), np.int64)
    shots[choice] = times
    return int(value[-1]), shots
