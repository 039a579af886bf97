"""Exact laws of move counts, for the strategies with a fixed order.

``random`` has finished after m moves if all n ship cells are among the first m of a
random order of the N cells: P(T = t) = C(t - 1, n - 1) / C(N, n), whatever the layout. (N. Berry,
"Battleship", DataGenetics, December 2011, has the mean.)

``linear`` has finished after m moves if the layout lies within the first m cells:
P(T <= m) is the weight of these layouts, divided by the weight of all layouts. They are
counted cell by cell, as domino tilings are by the method of the broken profile. A ship is
laid when its first cell is passed. All that matters for the cells to come is then on their
frontier, as here between two ships of four and two cells that may not touch::

    . . . . . . #     passed cells; those of ships are #
    . . # . . . #
    . . # . 0 1 1     for each column the number of its next cell: 0 free; 1 closed, as a
    0 1 3 1           ship is beside it; 1 + k taken, and so are k cells of this column,
                      counted from it, by a ship laid before

(Where ships may touch, nothing is closed, and k is the number.) Two pasts with the same
frontier and as many ships of each length laid are one *state*, whose weight is the sum
of theirs; whether the cell just passed is a ship's belongs to it, too, as the next one
may not touch it. The layouts within the first m cells are in the states after m cells with
all ships laid and no cell taken, so that one pass over the board gives all m.
"""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario
from bsbench.rules.slots import read_slot

Law = npt.NDArray[np.float64]
States = npt.NDArray[np.int64]
Weights = npt.NDArray[Any]

EFFORT = 500_000_000
"""States times cells at most, where nothing else is said: about 20 seconds."""

QUICK = 40_000_000
"""The same where a user waits: about a second. Enough for ``classic``."""

_MOST_STATES = 1 << 22
"""At a time, whatever the effort: half a gigabyte."""

_MOST_BITS = 63
"""Of a state: enough for 18 columns of ships of up to 5 or so."""


class UnknownLaw(BsbenchError):
    """The exact law of a strategy's move counts is not known, or not within reach."""


def exact_law(strategy: str, scenario: Scenario, effort: int = EFFORT) -> Law | None:
    """Return the exact law of a strategy's move counts, or None where `find_law` has none.

    Parameters
    ----------
    strategy : str
        A strategy's name.
    scenario : Scenario
    effort : int
        See `find_law`.

    Returns
    -------
    ndarray of float64, shape (cells + 1,), or None
        Probability of each move count. Shared with other callers: not writeable.
    """
    try:
        return find_law(strategy, scenario, effort)
    except BsbenchError:
        return None


def find_law(strategy: str, scenario: Scenario, effort: int = EFFORT) -> Law:
    """Return the exact law of a strategy's move counts.

    Known are those of ``random``, and of ``linear`` on layouts of the laws ``uniform``,
    ``edge`` and ``file``. Layouts of a file are read from it as it is now.

    Parameters
    ----------
    strategy : str
        A strategy's name.
    scenario : Scenario
    effort : int
        States of the dynamic programme times cells at most, for ``linear``: `QUICK`
        where a user waits.

    Returns
    -------
    ndarray of float64, shape (cells + 1,)
        Probability of each move count, to 12 digits at least. Shared with other callers: not
        writeable.

    Raises
    ------
    UnknownLaw
        The sentence says why.
    BsbenchError
        If the layouts of a file can't be read.
    """
    rules, placement = scenario.rules, scenario.placement
    if strategy == "random":
        return _law_of_random(rules.cells, rules.ship_cells)
    if strategy != "linear":
        raise UnknownLaw(
            f"no exact law of {strategy} is known: there are those of random and linear"
        )
    if placement.law == "file":
        return _law_of_listed(rules, str(placement.option))
    if placement.law == "sequential":
        raise UnknownLaw(
            f"no exact law of linear is known on {placement} layouts: their probabilities depend "
            "on how many slots each ship had, which the states can't hold"
        )
    # linear ignores what a shot reveals.
    law = _law_of_linear(dataclasses.replace(rules, feedback=Feedback.HIT), placement, effort)
    if law is None:
        raise UnknownLaw(
            f"the exact law of linear on {scenario.name} is out of reach: to count the layouts "
            f"of {len(rules.fleet)} ships on the {rules.board} board takes too many states"
        )
    return law


@lru_cache(maxsize=64)
def _law_of_random(cells: int, ship_cells: int) -> Law:
    law = np.zeros(cells + 1)
    law[cells] = ship_cells / cells
    # P(T = t - 1) / P(T = t) = (t - n) / (t - 1), from the whole board down.
    moves = np.arange(cells, ship_cells, -1)
    law[moves - 1] = law[cells] * np.cumprod((moves - ship_cells) / (moves - 1))
    law.flags.writeable = False
    return law


def _law_of_listed(rules: Rules, path: str) -> Law:
    from bsbench.layouts.file import read_layouts

    codes = read_layouts(path, rules)
    first, steps = read_slot(codes, rules.cols)
    last = (first + steps * (np.array(rules.fleet) - 1)).max(axis=1)
    return np.bincount(last + 1, minlength=rules.cells + 1) / len(codes)


@lru_cache(maxsize=16)
def _law_of_linear(rules: Rules, placement: Placement, effort: int) -> Law | None:
    factor = Fraction(str(placement.option)) if placement.law == "edge" else Fraction(1)
    within = weights_within(rules, factor, effort)
    if within is None:
        return None
    law: Law = np.diff(within, prepend=within[:1]) / within[-1]
    law.flags.writeable = False
    return law


def weights_within(
    rules: Rules, factor: Fraction = Fraction(1), effort: int = EFFORT
) -> Weights | None:
    """Return what the layouts within the first m cells weigh together, for every m.

    Parameters
    ----------
    rules : Rules
    factor : Fraction
        What a ship wholly on a border row or column weighs, as a multiple of another.
    effort : int
        States times cells at most.

    Returns
    -------
    ndarray of int64 or float64, shape (cells + 1,), or None
        Exact whole numbers where they are sure to stay within 64 bits: for a factor of 1, the
        number of layouts, ships of equal length not distinguished; for p / q in lowest terms, a
        ship on the border weighs p and another q. Otherwise floats, in which the heavier of
        the two weighs 1; as all are positive, rounding does less than 1e-12 to any of them.
        None where the effort does not suffice.
    """
    on_border, elsewhere = factor.as_integer_ratio()
    # No state weighs more than all ways to lay each ship do, overlaps included.
    heaviest = max(on_border, elsewhere)
    exact = math.prod(len(rules.slots(length)) * heaviest for length in rules.fleet) < 1 << 63
    states = np.zeros(1, np.int64)
    weights = np.ones(1, np.int64 if exact else np.float64)
    within = np.zeros(rules.cells + 1, weights.dtype)
    if exact:
        frontier = _Frontier(rules, on_border, elsewhere)
    else:
        frontier = _Frontier(rules, on_border / heaviest, elsewhere / heaviest)
    if frontier.bits > _MOST_BITS:
        return None
    for cell in range(rules.cells):
        states, weights = frontier.pass_cell(cell, states, weights)
        if len(states) > min(effort // rules.cells, _MOST_STATES):
            return None
        within[cell + 1] = weights[frontier.complete(states)].sum()
    return within


class _Frontier:
    """The states of the dynamic programme under some rules, each in the bits of an integer.

    From the lowest bit up: whether the cell just passed, in this row, is a ship's (never,
    where ships may touch); for each column the number of its next cell, see the top of
    this module; for each length the ships of it that are laid.

    Parameters
    ----------
    rules : Rules
    on_border, elsewhere : int or float
        What a ship weighs.
    """

    def __init__(self, rules: Rules, on_border: float, elsewhere: float) -> None:
        self._rules = rules
        self._on_border, self._elsewhere = on_border, elsewhere
        self._closed = 0 if rules.touching else 1
        lengths = sorted(set(rules.fleet))
        width = (lengths[-1] - 1 + self._closed).bit_length()
        self._number = (1 << width) - 1
        self._column = [1 + width * col for col in range(rules.cols)]
        # Length, ships of it, and the lowest bit and the mask of how many are laid.
        self._ships: list[tuple[int, int, int, int]] = []
        self.bits = 1 + width * rules.cols
        self._complete, laid = 0, 0
        for length in lengths:
            ships = rules.fleet.count(length)
            mask = (1 << ships.bit_length()) - 1
            self._ships.append((length, ships, self.bits, mask))
            self._complete |= ships << self.bits
            laid |= mask << self.bits
            self.bits += ships.bit_length()
        self._decisive = laid | sum((self._number - self._closed) << c for c in self._column)

    def complete(self, states: States) -> npt.NDArray[np.bool_]:
        """Return in which states all ships are laid, and no cell to come is taken."""
        complete: npt.NDArray[np.bool_] = (states & self._decisive) == self._complete
        return complete

    def pass_cell(self, cell: int, states: States, weights: Weights) -> tuple[States, Weights]:
        """Return the states after one more cell, and their weights."""
        row, col = divmod(cell, self._rules.cols)
        here = self._column[col]
        numbers = (states >> here) & self._number
        beside = states & 1
        rest = states & ~(self._number << here | 1)

        taken = numbers > self._closed
        empty = ~taken
        free = (numbers | beside) == 0
        parts = [
            (self._occupied(rest[taken] + ((numbers[taken] - 1) << here), col), weights[taken]),
            # Below a cell left empty, one is closed by the ship before it.
            (rest[empty] + (beside[empty] << here), weights[empty]),
        ]
        rest, weights = rest[free], weights[free]
        for length, ships, place, mask in self._ships:
            ashore = (rest >> place & mask) < ships
            laid, weights_laid = rest[ashore] + (1 << place), weights[ashore]
            for down in (False, True):
                if self._fits(row, col, length, down):
                    needed, added = self._numbers_of(col, length, down)
                    possible = (laid & needed) == 0
                    weight = self._weight(row, col, length, down)
                    parts.append(
                        (
                            self._occupied(laid[possible] + added, col),
                            weights_laid[possible] * weight,
                        )
                    )
        return _merged(*map(np.concatenate, zip(*parts, strict=True)))

    def _occupied(self, states: States, col: int) -> States:
        """Return states in which the cell just passed is a ship's, and closes those around it."""
        if not self._closed:
            return states
        if col > 0:
            # A ship there could only be this one: the number is 0 or 1.
            states = states | self._closed << self._column[col - 1]
        return states | 1 if col < self._rules.cols - 1 else states

    def _fits(self, row: int, col: int, length: int, down: bool) -> bool:
        """Return whether a ship that begins here stays on the board; a single cell lies across."""
        if down:
            return length > 1 and row + length <= self._rules.rows
        return col + length <= self._rules.cols

    def _numbers_of(self, col: int, length: int, down: bool) -> tuple[int, int]:
        """Return the numbers that must be 0 for a ship that begins here, and what it adds."""
        if down:
            return 0, (length - 1 + self._closed) << self._column[col]
        others = self._column[col + 1 : col + length]
        needed = sum(self._number << place for place in others)
        added = sum((1 + self._closed) << place for place in others)
        return needed, added + (self._closed << self._column[col])

    def _weight(self, row: int, col: int, length: int, down: bool) -> float:
        in_border_col = col in (0, self._rules.cols - 1) and (down or length == 1)
        in_border_row = row in (0, self._rules.rows - 1) and not down
        return self._on_border if in_border_col or in_border_row else self._elsewhere


def _merged(states: States, weights: Weights) -> tuple[States, Weights]:
    """Return each state once, with the sum of its weights."""
    # Stable, since this sort is quick where runs are in order, and most are.
    order = np.argsort(states, kind="stable")
    states = states[order]
    first = np.flatnonzero(np.diff(states, prepend=-1))
    return states[first], np.add.reduceat(weights[order], first)
