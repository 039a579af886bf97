"""Small networks that choose cells: trained agents.

The input is what ``obs="flat"`` of `bsbench.own.observation` shows, ones and zeros::

    [ misses, cell by cell | hits | cells of sunk ships | ships afloat ]

Two hidden layers of rectified units follow, then a score for each cell; the open cell with the
highest score is shot. Weights are kept input by input, so that a layer is a sum of rows, and a
unit that is 0, as most are, costs nothing::

    first   (3 cells + ships, width)     row 2 cells + 5: weights of "cell 5 is of a sunk ship"
    second  (width, width)
    third   (width, cells)

Rows are added one after the other, in ascending order. Whatever the batch, the same board has
the same scores to the last bit, which matrix products of libraries do not promise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel

Floats = npt.NDArray[np.float32]

_ZERO = np.float32(0)


@helper
def _add_row(weights, row, factor, sums):
    for unit in range(len(sums)):
        sums[unit] += factor * weights[row, unit]


@helper
def _begin(bias, sums):
    for unit in range(len(sums)):
        sums[unit] = bias[unit]


@helper
def _layer(inputs, weights, bias, sums):
    """Write the sums of a layer behind rectified units."""
    _begin(bias, sums)
    for row in range(len(inputs)):
        if inputs[row] > _ZERO:
            _add_row(weights, row, inputs[row], sums)


class Network(NamedTuple):
    """The weights of a network; shapes are in the picture above.

    Attributes
    ----------
    first, second, third : ndarray of float32
    first_bias, second_bias : ndarray of float32, shape (width,)
    third_bias : ndarray of float32, shape (cells,)
    """

    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    third: Floats
    third_bias: Floats


@kernel
def choose_by_network(asked, board, remaining, network, hidden, score, cells):
    """Choose a cell in every lane that is asked: the first open one with the highest score.

    Parameters
    ----------
    asked : ndarray of bool, shape (lanes,)
    board : ndarray of int8, shape (lanes, cells)
        0 where a cell is open, 1 a miss, 2 a hit, 3 of a sunk ship.
    remaining : ndarray of int32, shape (lanes, ships)
        0 when a ship is known to have sunk.
    network : Network
    hidden : ndarray of float32, shape (2, width)
        Scratch.
    score : ndarray of float32, shape (cells,)
        Receives the scores of the last of these lanes.
    cells : ndarray of int64, shape (lanes,)
        Changed in place.
    """
    one, two = hidden[0], hidden[1]
    count = board.shape[1]
    for lane in range(len(asked)):
        if not asked[lane]:
            continue
        _begin(network.first_bias, one)
        for cell in range(count):
            if board[lane, cell]:
                row = (board[lane, cell] - 1) * count + cell
                _add_row(network.first, row, np.float32(1), one)
        for ship in range(remaining.shape[1]):
            if remaining[lane, ship]:
                _add_row(network.first, 3 * count + ship, np.float32(1), one)
        _layer(one, network.second, network.second_bias, two)
        _layer(two, network.third, network.third_bias, score)
        best = -1
        for cell in range(count):
            if not board[lane, cell] and (best < 0 or score[cell] > score[best]):
                best = cell
        cells[lane] = best
