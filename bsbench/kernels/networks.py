"""Layers of networks that choose cells: trained agents.

Numbers are added one after the other, in a fixed order, game by game. Whatever the batch, the
same board has the same scores to the last bit, which matrix products of libraries do not promise.

Weights are kept input by input, so that a layer is a sum of rows. A row is as long as the layer has
units, which is what a processor adds many of at once; and an input that is 0, as most are, costs
nothing::

    linear    (inputs, units)                   row 7: what input 7 adds to each unit
    conv2d    (height * width * inputs, units)  row by row of the window, as above for each cell
"""

from __future__ import annotations

import math

import numpy as np

from bsbench.kernels._jit import helper, kernel

TANH, SIGMOID, ELU, GELU, SILU = range(5)
"""Curves of `bend`."""

_ZERO, _ONE = np.float32(0), np.float32(1)


@helper
def _sum(bias, rows, factors, count, weights, sums):
    """Write the bias and so many rows of weights, each times its factor, added in order.

    Four rows are added at a time, since sums then go to memory and back a quarter as often. The
    order is the same, and so is every bit.
    """
    for unit in range(len(sums)):
        sums[unit] = bias[unit]
    place = 0
    while place + 4 <= count:
        one, two = factors[place], factors[place + 1]
        three, four = factors[place + 2], factors[place + 3]
        first, second = weights[rows[place]], weights[rows[place + 1]]
        third, fourth = weights[rows[place + 2]], weights[rows[place + 3]]
        for unit in range(len(sums)):
            sums[unit] = (
                ((sums[unit] + one * first[unit]) + two * second[unit]) + three * third[unit]
            ) + four * fourth[unit]
        place += 4
    while place < count:
        factor, row = factors[place], weights[rows[place]]
        for unit in range(len(sums)):
            sums[unit] += factor * row[unit]
        place += 1


@kernel
def linear(inputs, weights, bias, order, rows, factors, sums):
    """Write what a linear layer makes of each row of inputs.

    Parameters
    ----------
    inputs : ndarray of float32, shape (games, inputs)
    weights : ndarray of float32, shape (inputs, units)
    bias : ndarray of float32, shape (units,)
    order : ndarray of uint32, shape (inputs,)
        All inputs, in the order in which they are added.
    rows : ndarray of uint32, shape (inputs + 1,)
    factors : ndarray of float32, shape (inputs + 1,)
        Scratch.
    sums : ndarray of float32, shape (games, units)
        Changed in place.
    """
    for game in range(len(inputs)):
        given, count = inputs[game], 0
        for row in order:
            # Without a branch, which a processor would guess wrong every other time.
            rows[count], factors[count] = row, given[row]
            count += given[row] != _ZERO
        _sum(bias, rows, factors, count, weights, sums[game])


@kernel
def conv2d(inputs, weights, bias, size, stride, padding, dilation, rows, factors, sums):
    """Write what a convolution makes of boards; cells beyond the edge are 0.

    Parameters
    ----------
    inputs : ndarray of float32, shape (games, rows, cols, inputs)
    weights : ndarray of float32, shape (height * width * inputs, units)
    bias : ndarray of float32, shape (units,)
    size, stride, padding, dilation : tuple of two int
        Down and across; ``size`` is height and width of the window.
    rows : ndarray of uint32, shape (height * width * inputs + 1,)
    factors : ndarray of float32, shape (height * width * inputs + 1,)
        Scratch.
    sums : ndarray of float32, shape (games, rows out, cols out, units)
        Changed in place.
    """
    _, height, width, channels = inputs.shape
    for game in range(len(inputs)):
        for place in range(sums.shape[1] * sums.shape[2]):
            row, col = divmod(place, sums.shape[2])
            count = 0
            for part in range(size[0] * size[1]):
                down, across = divmod(part, size[1])
                seen_row = row * stride[0] - padding[0] + down * dilation[0]
                seen_col = col * stride[1] - padding[1] + across * dilation[1]
                if 0 <= seen_row < height and 0 <= seen_col < width:
                    seen = inputs[game, seen_row, seen_col]
                    for channel in range(channels):
                        rows[count], factors[count] = part * channels + channel, seen[channel]
                        count += seen[channel] != _ZERO
            _sum(bias, rows, factors, count, weights, sums[game, row, col])


@kernel
def pool(inputs, size, stride, padding, largest, pooled):
    """Write the largest number, or the mean, of windows of boards.

    Parameters
    ----------
    inputs : ndarray of float32, shape (games, rows, cols, inputs)
    size, stride, padding : tuple of two int
        Down and across. Cells beyond the edge count as 0 in a mean, and are no largest number.
    largest : bool
    pooled : ndarray of float32, shape (games, rows out, cols out, inputs)
        Changed in place.
    """
    _, rows, cols, channels = inputs.shape
    share = _ONE / np.float32(size[0] * size[1])
    for game in range(len(inputs)):
        for place in range(pooled.shape[1] * pooled.shape[2]):
            row, col = divmod(place, pooled.shape[2])
            result = pooled[game, row, col]
            result[:] = np.float32(-np.inf) if largest else _ZERO
            for part in range(size[0] * size[1]):
                down, across = divmod(part, size[1])
                seen_row = row * stride[0] - padding[0] + down
                seen_col = col * stride[1] - padding[1] + across
                if 0 <= seen_row < rows and 0 <= seen_col < cols:
                    for channel in range(channels):
                        seen = inputs[game, seen_row, seen_col, channel]
                        if not largest:
                            result[channel] += seen * share
                        elif seen > result[channel]:
                            result[channel] = seen


@helper
def _tanh(number):
    """Return the hyperbolic tangent, off by a few units in the last place at most.

    It is a quotient of polynomials, which processors compute for many numbers at once: ten times as
    fast as `math.tanh`, and the same on every machine. Coefficients: G. Guennebaud, B. Jacob and
    others, "Eigen" (2010), ``MathFunctionsImpl.h``.
    """
    # Beyond that, it is 1 in float32.
    x = min(max(number, np.float32(-7.90531110763549805)), np.float32(7.90531110763549805))
    square = x * x
    above = square * np.float32(-2.76076847742355e-16) + np.float32(2.00018790482477e-13)
    above = square * above + np.float32(-8.60467152213735e-11)
    above = square * above + np.float32(5.12229709037114e-08)
    above = square * above + np.float32(1.48572235717979e-05)
    above = square * above + np.float32(6.37261928875436e-04)
    above = square * above + np.float32(4.89352455891786e-03)
    below = square * np.float32(1.19825839466702e-06) + np.float32(1.18534705686654e-04)
    below = square * below + np.float32(2.26843463243900e-03)
    below = square * below + np.float32(4.89352518554385e-03)
    return x * above / below


@helper
def _bent(curve, number):
    if curve == ELU:
        return number if number > 0 else math.expm1(number)
    return 0.5 * number * (1 + math.erf(number / math.sqrt(2.0)))


@kernel
def bend(curve, inputs, bent):
    """Write what an activation makes of numbers.

    Parameters
    ----------
    curve : int
        `TANH`, `SIGMOID`, `ELU`, `GELU` or `SILU`.
    inputs : ndarray of float32, shape (n,)
    bent : ndarray of float32, shape (n,)
        Changed in place.
    """
    half = np.float32(0.5)
    if curve == TANH:
        for place in range(len(inputs)):
            bent[place] = _tanh(inputs[place])
    elif curve == SIGMOID:
        for place in range(len(inputs)):
            bent[place] = half + half * _tanh(half * inputs[place])
    elif curve == SILU:
        for place in range(len(inputs)):
            bent[place] = inputs[place] * (half + half * _tanh(half * inputs[place]))
    else:
        for place in range(len(inputs)):
            bent[place] = _bent(curve, np.float64(inputs[place]))


@kernel
def choose_best(games, is_open, scores, cells):
    """Choose a cell in some games: the first open one with the highest score.

    Parameters
    ----------
    games : ndarray of int64, shape (n,)
    is_open : ndarray of int8, shape (lanes, cells)
        1 for each cell that has not been shot.
    scores : ndarray of float32, shape (n, cells)
        Row by row those of ``games``.
    cells : ndarray of int64, shape (lanes,)
        Changed in place.
    """
    for place, game in enumerate(games):
        best = -1
        for cell in range(is_open.shape[1]):
            if is_open[game, cell] and (best < 0 or scores[place, cell] > scores[place, best]):
                best = cell
        cells[game] = best
