"""Plain attempts at a layout: draw all ships at once; if two of them clash, start again.

Ships are drawn from *lists*. A list holds all ways to lay one ship, or two that do not clash, as
boards of cells. On ``classic``, 49 of 100 attempts succeed::

    list    {5, 4}        {3, 3}        {2}
    rows    0 … 14,399    0 … 23,767    0 … 179        {3, 3}: two distinguishable ships

One draw of 64 bits makes an attempt: its digits say which row of each list (see `next_digit`). In
the laws ``edge`` and ``avoid``, each row stands in its list as often as it weighs. So an attempt
ends in a given layout with probability w(layout) / (product of the lengths of all lists): each its
share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import accumulate, combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.boards import Boards
from bsbench.kernels.random import draw_bits, next_digit, stream_start
from bsbench.kernels.slots import Bits, fitting, slot_masks
from bsbench.layouts import ATTEMPTS, LIMIT, BoardFiller, Codes
from bsbench.layouts.layers import SlotWeights
from bsbench.rules.board import Rules

_MOST_ROWS = 1 << 15
"""Rows of a list at most, so that lists stay in a near cache."""

_MOST_CELLS = 512
"""Cells at most: on larger boards, lists take long to make."""

_MOST_ATTEMPTS = 12
"""Attempts at a layout on average, as estimated, beyond which looking ahead is faster."""

_NO_BIT, _ONE = np.uint64(0), np.uint64(1)


class _Ways(NamedTuple):
    """Ways to lay some ships: for each, its slot codes, its cells, what it closes, its weight."""

    codes: npt.NDArray[np.int32]
    cells: Boards
    closed: Boards
    weight: npt.NDArray[np.int64]


class _Lists(NamedTuple):
    """All lists, one after the other, for the kernel.

    The length of a tuple is part of its type: so loops over lists and words are unrolled.

    Attributes
    ----------
    cells : ndarray of uint64, shape (rows * words,)
        Boards, row after row.
    codes : ndarray of int32, shape (rows * 2,)
        Slot codes of two ships, row after row; twice the same, if it is one ship.
    sizes, first : tuple of uint64
        Rows of each list, and its first row.
    ships : tuple of pairs of int
        Which ships of the fleet the codes of each list are of.
    words : tuple of int
        Numbers of the words of a board.
    unfair : uint64
        Draws whose last bits are below it are rejected, see `next_digit`.
    """

    cells: Bits
    codes: npt.NDArray[np.int32]
    sizes: tuple[np.uint64, ...]
    first: tuple[np.uint64, ...]
    ships: tuple[tuple[int, int], ...]
    words: tuple[int, ...]
    unfair: np.uint64


@kernel
def _draw_layouts(key, first_game, lists, closed, attempts, scratch, layouts, boards):
    """Fill ``layouts`` with slot codes, or ``boards`` with the cells of ships; the other is None.

    Return the index of a game given up, or -1. ``waiting`` and ``states`` keep the games without a
    layout, in order, and their random streams; ``numbers`` the last draw of every game. Each pass
    makes an attempt in all games without a layout; those that fail move to the front, without a
    branch, which would be mispredicted. Indices are unsigned, since numba would test their signs.
    """
    waiting, states, numbers = scratch
    games = len(numbers)
    # In two loops: the first of them is vectorised.
    for game in range(games):
        states[game] = stream_start(key, first_game + game)
    for game in range(games):
        waiting[game] = np.uint64(game)
    cells, codes, sizes, first, ships, words, unfair = lists
    board = np.uint64(len(words))
    left = np.uint64(games)
    tried = 0
    while left != _NO_BIT:
        if tried == attempts:
            return np.int64(waiting[0])
        tried += 1
        playing, left = left, _NO_BIT
        for index in range(playing):
            game = waiting[index]
            state, number = draw_bits(states[index])
            clash = bits = _NO_BIT
            for word in range(len(words)):
                taken = own = _NO_BIT
                bits = number
                for place in range(len(sizes)):
                    row, bits = next_digit(bits, sizes[place])
                    row += first[place]
                    here = row * board + np.uint64(word)
                    clash |= taken & cells[here]
                    own |= cells[here]
                    if closed is None:
                        taken = own
                    else:
                        taken |= closed[here]
                if boards is not None:
                    boards[game * board + np.uint64(word)] = own
            if layouts is not None:
                numbers[game] = number
            waiting[left] = game
            states[left] = state
            left += np.uint64((clash != _NO_BIT) | (bits < unfair))
    if layouts is not None:
        fleet = np.uint64(len(layouts) // max(games, 1))
        for game in range(np.uint64(games)):
            bits = numbers[game]
            for place in range(len(sizes)):
                row, bits = next_digit(bits, sizes[place])
                row += first[place]
                one, other = ships[place]
                layouts[game * fleet + np.uint64(one)] = codes[row << _ONE]
                layouts[game * fleet + np.uint64(other)] = codes[row << _ONE | _ONE]
    return -1


class Plain(BoardFiller):
    """Sampler by plain attempts; made by `plain_sampler`.

    Parameters
    ----------
    rules : Rules
    remedies : str
        What the error about a fleet that is too hard to lay suggests first.
    """

    def __init__(self, rules: Rules, remedies: str, lists: _Lists, closed: Bits | None) -> None:
        super().__init__(rules, remedies)
        self._lists, self._closed = lists, closed

    def fill(
        self, key: np.uint64, first_game: int, layouts: Codes | None, boards: Boards | None = None
    ) -> int:
        """Draw layouts, or boards; see `Filler.fill`."""
        games = next(len(each) for each in (layouts, boards) if each is not None)
        scratch = np.empty(games, np.uint64), np.empty(games, np.uint64), np.empty(games, np.uint64)
        filled = (None if each is None else each.ravel() for each in (layouts, boards))
        parts = self._lists, self._closed, ATTEMPTS, scratch
        return int(_draw_layouts(key, first_game, *parts, *filled))


def plain_sampler(rules: Rules, remedies: str, weights: SlotWeights | None = None) -> Plain | None:
    """Return the sampler, or None where plain attempts would be too many or too large.

    Parameters
    ----------
    rules : Rules
    remedies : str
        What the error about a fleet that is too hard to lay suggests first.
    weights : SlotWeights, optional
        By default, each slot weighs 1.
    """
    if rules.cells > _MOST_CELLS:
        return None
    single = {}
    for length in set(rules.fleet):
        codes, cells, closed = slot_masks(rules, length)
        weight = np.ones(len(codes), np.int64) if weights is None else weights[length]
        single[length] = _Ways(codes[:, np.newaxis], cells, closed, weight)
    # Ships are put into lists longest first.
    ships: list[list[int]] = []
    lists: list[_Ways] = []
    for ship in sorted(range(len(rules.fleet)), key=lambda ship: -rules.fleet[ship]):
        ways = single[rules.fleet[ship]]
        joined = _joined(lists[-1], ways) if lists and len(ships[-1]) == 1 else None
        if joined is not None:
            ships[-1].append(ship)
            lists[-1] = joined
        elif int(ways.weight.sum()) <= _MOST_ROWS:
            ships.append([ship])
            lists.append(ways)
        else:
            return None
    sizes = [int(ways.weight.sum()) for ways in lists]
    draws = math.prod(sizes)
    if not 0 < draws < LIMIT or _attempts(rules, single, ships) > _MOST_ATTEMPTS:
        return None
    times = np.concatenate([ways.weight for ways in lists])

    def flat(parts: Iterable[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return np.repeat(np.concatenate([*parts]), times, axis=0).ravel()

    tables = _Lists(
        flat(ways.cells for ways in lists),
        flat(ways.codes[:, [0, -1]] for ways in lists),
        tuple(map(np.uint64, sizes)),
        tuple(map(np.uint64, accumulate(sizes[:-1], initial=0))),
        tuple((some[0], some[-1]) for some in ships),
        tuple(range(lists[0].cells.shape[1])),
        np.uint64(LIMIT % draws),
    )
    # Where ships may touch, each closes its own cells: the kernel need not read them twice.
    apart = flat(ways.closed for ways in lists) if rules.apart.sides else None
    return Plain(rules, remedies, tables, apart)


def _joined(ways: _Ways, others: _Ways) -> _Ways | None:
    """Return the ways to lay both without a clash, or None where they are too many."""
    if len(ways.codes) * len(others.codes) > 32 * _MOST_ROWS:
        return None
    a, b = np.nonzero(fitting(ways.closed, others.cells))
    weight = ways.weight[a] * others.weight[b]
    if weight.sum() > _MOST_ROWS:
        return None
    return _Ways(
        np.concatenate([ways.codes[a], others.codes[b]], axis=1),
        ways.cells[a] | others.cells[b],
        ways.closed[a] | others.closed[b],
        weight,
    )


def _attempts(rules: Rules, single: Mapping[int, _Ways], ships: list[list[int]]) -> float:
    """Return about how many attempts a layout needs, as if pairs of ships clashed on their own.

    Sums are of whole numbers, and the product has a fixed order: every machine decides alike.
    """
    share = {}
    for a, b in combinations_with_replacement(single, 2):
        ways, others = single[a], single[b]
        fine = int(ways.weight @ fitting(ways.closed, others.cells) @ others.weight)
        share[a, b] = share[b, a] = fine / (int(ways.weight.sum()) * int(others.weight.sum()))
    found = 1.0
    for earlier, later in combinations(ships, 2):
        for one, other in product(earlier, later):
            found *= share[rules.fleet[one], rules.fleet[other]]
    return 1 / found if found else math.inf
