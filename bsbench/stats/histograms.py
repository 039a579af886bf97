"""Histograms of move counts, and what can be read off them."""

from __future__ import annotations

import math
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import check_one_length, checked
from bsbench.common.errors import BsbenchError, option

Counts = npt.NDArray[np.int64]

_LARGEST = np.iinfo(np.int64).max


@checked
def exact_dot(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> int:
    """Return the sum of products of two lists of whole numbers, however large it is.

    Parameters
    ----------
    first, second : ndarray of int64, shape (n,)
    """
    check_one_length(0, first=first, second=second)
    most = len(first) and len(first) * int(abs(first).max()) * int(abs(second).max())
    if most <= _LARGEST:
        return int(first @ second)
    return sum(map(mul, first.tolist(), second.tolist()))


def value_of_rank(counts: Counts, rank: int) -> int:
    """Return the move count of the game of that rank, counted from 1 by ascending move count."""
    return int(np.searchsorted(np.cumsum(counts), rank))


@checked
def quantile(counts: Counts, share: float) -> int:
    """Return the smallest move count that at least ``share`` of the games did not exceed."""
    return value_of_rank(counts, _rank(int(counts.sum()), share))


def _rank(games: int, share: float) -> int:
    if not 0 <= share <= 1:
        raise BsbenchError(f"{option('share')} is from 0 to 1, not {share}")
    # Rounded up exactly: 5 % of 20 games is 1 game, whatever 0.05 * 20 is in binary. A share is
    # what its digits say.
    return max(math.ceil(round(Fraction(str(float(share))) * games, 9)), 1)


@checked
def quantiles(counts: Counts, share: float) -> Counts:
    """Return the `quantile` of each of many histograms of equally many games.

    Parameters
    ----------
    counts : ndarray of int64, shape (…, n)
    share : float

    Returns
    -------
    ndarray of int64, shape (…)
    """
    reached = np.cumsum(counts, axis=-1)
    rank = _rank(int(reached.flat[reached.shape[-1] - 1]), share)
    result: Counts = np.argmax(reached >= rank, axis=-1)
    return result


@checked
def means(counts: Counts) -> npt.NDArray[np.float64]:
    """Return the mean move count of each of many histograms.

    Parameters
    ----------
    counts : ndarray of int64, shape (…, n)

    Returns
    -------
    ndarray of float64, shape (…)
    """
    moves = np.arange(counts.shape[-1])
    if counts.max() < 1 << 31:
        totals = counts @ moves
    else:
        # In two parts, whose sums fit 64 bits on the largest board.
        totals = 2.0**31 * ((counts >> 31) @ moves) + (counts & (1 << 31) - 1) @ moves
    result: npt.NDArray[np.float64] = totals / counts.sum(axis=-1)
    return result


@checked
def joint_histogram(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> Counts:
    """Return the joint histogram of two strategies on the same games.

    Parameters
    ----------
    first, second : ndarray of int, shape (games,)
        Move counts on the same layouts, game by game.

    Returns
    -------
    ndarray of int64, shape (n, n)
        Entry ``[a, b]`` is the number of games that took the first a moves and the second b;
        n is the largest move count plus 1.
    """
    check_one_length(first=first, second=second)
    size = int(max(first.max(), second.max())) + 1
    pairs = first.astype(np.int64) * size + second
    return np.bincount(pairs, minlength=size * size).reshape(size, size)
