"""Which ships are found, where none touch at sides and the referee reports hit or miss only.

Hits side by side are on one ship. It is found when it can't be longer: no ship afloat is as long
as the cells that are left to it, or they are not enough::

    . . . . . .        a run of 2, with room for 4 in all: if the ships afloat have 5, 2
    0 . # # . 0        and 1 cells, then it is the ship of 2; the cells around it are water,
    . . . . . .        as far as the rules close them
"""

from __future__ import annotations

import numpy as np

from bsbench.kernels._jit import kernel
from bsbench.kernels.numbers import LANES, drop_around
from bsbench.rules.board import MISS

_ONE = np.uint64(1)


@kernel
def _find_ship(evidence, word, place):
    """Take note of a ship that is found; return its length, 0 if there is none."""
    rows, cols = evidence.rows, evidence.cols
    dry, struck, afloat = evidence.dry[word], evidence.struck[word], evidence.afloat
    bit = _ONE << np.uint64(place)
    for first in range(rows * cols):
        if not struck[first] & bit:
            continue
        row, col = first // cols, first % cols
        # Each run counts once, from its first cell.
        if (col > 0 and struck[first - 1] & bit) or (row > 0 and struck[first - cols] & bit):
            continue
        along = col + 1 < cols and struck[first + 1] & bit != 0
        down = row + 1 < rows and struck[first + cols] & bit != 0
        length = longest = 1
        for turned in range(2):
            if (along and turned == 1) or (down and turned == 0):
                continue
            step, before = (cols, row) if turned == 1 else (1, col)
            after = (rows if turned == 1 else cols) - 1 - before
            run = 1
            while run <= after and struck[first + run * step] & bit:
                run += 1
            end, begin = run, 0
            while end <= after and dry[first + end * step] & bit:
                end += 1
            while begin < before and dry[first - (begin + 1) * step] & bit:
                begin += 1
            length = max(length, run)
            longest = max(longest, begin + end)
        may_be_longer = False
        for more in range(length + 1, min(longest, len(afloat)) + 1):
            may_be_longer |= afloat[more - 1, word, place] > 0
        if may_be_longer:
            continue
        step = cols if down else 1
        for part in range(first, first + length * step, step):
            drop_around(dry, bit, part, evidence.around)
            struck[part] &= ~bit
        afloat[length - 1, word, place] -= 1
        return length
    return 0


@kernel
def learn_runs(cell, outcome, evidence, open_hits):
    """Take note of the last shot in every lane, and of the ships found by it.

    Parameters
    ----------
    cell, outcome
        As in `View`.
    evidence : Evidence
        A ship that is found is one that sank.
    open_hits : ndarray of int64, shape (lanes,)
        Number of open hits; changed in place.
    """
    for lane in range(len(cell)):
        word, place = lane // LANES, lane % LANES
        bit = _ONE << np.uint64(place)
        last = cell[lane]
        # A game that is over may be shown again: what has been shot is known already.
        if last < 0 or not evidence.unshot[word, last] & bit:
            continue
        evidence.unshot[word, last] &= ~bit
        if outcome[lane] == MISS:
            evidence.dry[word, last] &= ~bit
        else:
            evidence.struck[word, last] |= bit
            open_hits[lane] += 1
        while open_hits[lane]:
            found = _find_ship(evidence, word, place)
            if found == 0:
                break
            open_hits[lane] -= found
