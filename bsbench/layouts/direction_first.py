"""The law ``direction-first``: ship by ship, a coin for the direction, then a slot of it.

As most programs place ships: they toss the coin, draw a first cell from which the ship stays on the
board, and do both again if it clashes. So each ship takes one of its slots still legal, and with n
slots of its direction on the empty board, each has the chance 1 / (2 n). Where boards have as many
rows as columns, that is the law ``sequential``; on 4x8 cells, half the ships of 4 cells lie down a
column, in 8 of 28 slots.

Other programs keep the direction until a slot of it is free. So with n such slots left, each has
the chance 1 / (2 n); or 1 / n, if the other direction has none left.

Ships are laid longest first. When a ship has no slot left, the whole layout starts again.
"""

from __future__ import annotations

import numpy as np

from bsbench.counting.tables import as_bits
from bsbench.kernels.slots import slot_table
from bsbench.layouts.one_by_one import Directions, OneByOne
from bsbench.rules.board import Rules


def sampler_of(rules: Rules, option: str) -> OneByOne:
    """Return the sampler.

    Parameters
    ----------
    rules : Rules
    option : {"anew", "keep"}
        What happens to the direction if the slot is not free.
    """
    table = slot_table(rules)
    slots, along = np.zeros((2, len(rules.fleet)), np.uint64), np.zeros_like(table.free)
    for ship, length in enumerate(rules.fleet):
        # Slots along rows come first.
        level = rules.rows * max(rules.cols - length + 1, 0)
        slots[:, ship] = level, len(rules.slots(length)) - level
        words = slice(table.begin[ship], table.end[ship])
        along[words] = as_bits(np.arange(level), len(along[words]))
    directions = Directions(along, ~along, slots, option == "keep")
    return OneByOne(rules, table, directions=directions)
