"""Choosing a cell by its score, in 64 games at once; ties are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import allocating, helper, kernel
from bsbench.kernels.bits import trailing_zeros
from bsbench.kernels.boards import cell_dtype
from bsbench.kernels.numbers import (
    LANES,
    choose,
    empty_numbers,
    equal,
    everywhere,
    greater,
    load,
    ones,
    store,
    words_of,
)
from bsbench.kernels.random import draw

_ONE = np.uint64(1)


def empty_cells(lanes: int, cells: int) -> npt.NDArray[Any]:
    """Return room for a cell in each lane, in the smallest type that holds it."""
    return empty_numbers(words_of(lanes), dtype=cell_dtype(cells))


def chosen_cells(cells: npt.NDArray[Any], stuck: int, lanes: int) -> npt.NDArray[np.int64]:
    """Return what was chosen, one cell for each lane.

    Parameters
    ----------
    cells : ndarray of whole numbers, shape (words, 64)
    stuck : int
        What choosing returned: a lane that has no cell to choose, or -1.
    lanes : int

    Raises
    ------
    AssertionError
        If a lane is stuck: its game is not over, so that a slot was lost by mistake.
    """
    if stuck >= 0:
        raise AssertionError(f"no slot is possible in lane {stuck}, but a ship is afloat")
    return cells.reshape(-1)[:lanes].astype(np.int64)


@helper
def _lane_of(word, lanes):
    """Return the first of the lanes set among 64, or -1."""
    return word * LANES + trailing_zeros(lanes) if lanes else -1


@kernel
def first_greatest(score, open_words, wanted, word, best):
    """Find, in 64 lanes, the first open cell with the greatest score.

    Parameters
    ----------
    score : ndarray, shape (cells, 64)
    open_words : ndarray of uint64, shape (cells,)
        Where each cell may be chosen.
    wanted : uint64
        The lanes that choose.
    word : int
        Which 64 lanes.
    best : ndarray, shape (words, 64)
        Row ``word`` receives the cells. The smaller their type, the faster.

    Returns
    -------
    int
        A wanted lane in which no open cell has a score above 0, or -1.
    """
    greatest = everywhere(score, 0)
    at = everywhere(best, 0)
    for cell in range(len(open_words)):
        value = load(score, cell)
        better = greater(value, greatest) & open_words[cell]
        greatest = choose(better, value, greatest)
        at = choose(better, everywhere(best, cell), at)
    store(best, word, at)
    return _lane_of(word, wanted & equal(greatest, everywhere(score, 0)))


@allocating
def random_open(among, wanted, word, states, best):
    """Draw, in 64 lanes, one of some cells.

    Parameters
    ----------
    among : ndarray of uint64, shape (cells,)
        Where each cell is one of them.
    wanted, word, best
        As for `first_greatest`.
    states : ndarray of uint64, shape (words, 64)
        State of each lane's random stream. A wanted lane draws once, also when there is
        only one such cell: the rank of the cell among them.

    Returns
    -------
    int
        A wanted lane without any such cell, or -1.
    """
    ranks = np.zeros(LANES, best.dtype)
    number, one = everywhere(ranks, 0), everywhere(ranks, 1)
    none = number
    for cell in range(len(among)):
        number = number + ones(ranks, among[cell])
    stuck = wanted & equal(number, none)
    if stuck:
        return _lane_of(word, stuck)
    store(ranks, 0, number)
    lanes = wanted
    while lanes:
        lane = trailing_zeros(lanes)
        lanes &= lanes - _ONE
        states[word, lane], ranks[lane] = draw(states[word, lane], np.uint64(ranks[lane]))
    left, at = load(ranks, 0), everywhere(best, 0)
    for cell in range(len(among)):
        at = choose(among[cell] & equal(left, none), everywhere(best, cell), at)
        # Beyond the chosen one the count wraps, and is never zero again.
        left = choose(among[cell], left - one, left)
    store(best, word, at)
    return -1


@allocating
def random_greatest(score, open_words, wanted, word, states, best):
    """Draw, in 64 lanes, one of the open cells with the greatest score.

    Parameters
    ----------
    score, open_words, wanted, word, best
        As for `first_greatest`.
    states
        As for `random_open`.

    Returns
    -------
    int
        A wanted lane in which no open cell has a score above 0, or -1.
    """
    cells = len(open_words)
    greatest = everywhere(score, 0)
    for cell in range(cells):
        value = load(score, cell)
        better = greater(value, greatest) & open_words[cell]
        greatest = choose(better, value, greatest)
    stuck = wanted & equal(greatest, everywhere(score, 0))
    if stuck:
        return _lane_of(word, stuck)
    among = np.empty(cells, np.uint64)
    for cell in range(cells):
        among[cell] = equal(load(score, cell), greatest) & open_words[cell]
    return random_open(among, wanted, word, states, best)


@kernel
def first_least(value, open_words, ceiling, wanted, word, best):
    """Find, in 64 lanes, the first open cell with the least value.

    Parameters
    ----------
    value : ndarray, shape (cells, 64)
    open_words : ndarray of uint64, shape (cells,)
        Where each cell may be chosen.
    ceiling : ndarray, shape (1, 64)
        What the value has to be below.
    wanted : uint64
        The lanes that choose.
    word : int
        Which 64 lanes.
    best : ndarray, shape (words, 64)
        Row ``word`` receives the cells. The smaller their type, the faster.

    Returns
    -------
    int
        A wanted lane in which no open cell has a value below the ceiling, or -1.
    """
    least = load(ceiling, 0)
    at = everywhere(best, 0)
    for cell in range(len(open_words)):
        this = load(value, cell)
        better = greater(least, this) & open_words[cell]
        least = choose(better, this, least)
        at = choose(better, everywhere(best, cell), at)
    store(best, word, at)
    return _lane_of(word, wanted & equal(least, load(ceiling, 0)))


@helper
def best_few(score, open_words, place, cells, scores):
    """List, in one of 64 lanes, the open cells with the highest scores, the highest first.

    Parameters
    ----------
    score : ndarray, shape (cells, 64)
    open_words : ndarray of uint64, shape (cells,)
        Where each cell may be chosen.
    place : int
        Which lane.
    cells, scores : ndarray of int64, shape (n,)
        Receive as many as fit. Of equal scores, the first cell comes first.

    Returns
    -------
    int
        How many these are; cells with score 0 are left out.
    """
    bit = _ONE << np.uint64(place)
    most, count = len(cells), 0
    for cell in range(len(open_words)):
        value = np.int64(score[cell, place])
        if not open_words[cell] & bit or value <= 0:
            continue
        if count < most:
            count += 1
        elif value <= scores[most - 1]:
            continue
        at = count - 1
        while at > 0 and scores[at - 1] < value:
            scores[at], cells[at] = scores[at - 1], cells[at - 1]
            at -= 1
        scores[at], cells[at] = value, cell
    return count
