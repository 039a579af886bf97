"""Forecasts in whole numbers: sums to which those of further games are added exactly.

A forecast is the probability p that a cell holds a ship; the outcome y is 1 if it does, else 0.
Forecasts are counted in millionths, q = 10^6 p rounded, and go into 100 bins. For each group of
games and each bin there are these sums::

    column            0       1       2      3        4        5               6
    sum of            1       y       q      q * q    q * y    10^6 bits       impossible outcomes

Bits are the logarithmic score, -log2 of the probability of what came. It is infinite where that
was 0: those forecasts are counted in the last column instead.
"""

from __future__ import annotations

import math

from bsbench.kernels._jit import helper, kernel
from bsbench.rules.board import MISS

UNIT = 1_000_000
"""What a probability of 1 is counted as, and a bit."""

BINS = 100

COLUMNS = 7

_BITS = UNIT / math.log(2)

SHOTS, CELLS = 0, 1
"""Forecasts of the cells that were shot, and of all open cells."""


@helper
def _add(chance, holds, sums):
    """Add a forecast to the sums of a group, shape (bins, columns)."""
    forecast = round(chance * UNIT)
    row = sums[min(forecast // (UNIT // BINS), BINS - 1)]
    row[0] += 1
    row[2] += forecast
    row[3] += forecast * forecast
    if holds:
        row[1] += 1
        row[4] += forecast
    of_outcome = chance if holds else 1 - chance
    if of_outcome == 0:
        row[6] += 1
    elif holds:
        row[5] += round(-_BITS * math.log(chance))
    else:
        row[5] += round(-_BITS * math.log1p(-chance))


@kernel
def add_forecasts(chances, lanes, groups, cell, outcome, content, water, sums):
    """Add what was forecast before the last shots; return where it is no probability.

    Parameters
    ----------
    chances : ndarray of float64, shape (n, cells)
        How likely each cell holds a ship; NaN where there is no forecast.
    lanes, groups : ndarray of int64, shape (n,)
        The lane of each row, and the group of its game.
    cell : ndarray of int64, shape (lanes,)
        The last shots.
    outcome : ndarray of uint8, shape (lanes,)
        What they did.
    content : ndarray of uint8 or uint16, shape (lanes, cells)
        As in `bsbench.play.referee.Games`, after the shot.
    water : int
        Likewise.
    sums : ndarray of int64, shape (2, groups, bins, columns)
        Of `SHOTS`, and of `CELLS`; added to.

    Returns
    -------
    int
        ``row * cells + cell`` of a forecast below 0 or above 1, or -1.
    """
    cells = chances.shape[1]
    for row in range(len(lanes)):
        lane, group = lanes[row], groups[row]
        for place in range(cells):
            shot = place == cell[lane]
            held = content[lane, place]
            if held == water - 1 and not shot:
                continue
            chance = chances[row, place]
            if chance < 0 or chance > 1:
                return row * cells + place
            if chance != chance:
                continue
            holds = outcome[lane] != MISS if shot else held < water - 1
            _add(chance, holds, sums[CELLS, group])
            if shot:
                _add(chance, holds, sums[SHOTS, group])
    return -1
