"""The law ``edge``: ships along the sides are more likely, exactly.

A layout weighs the product of its ships' weights: the border factor for a ship that lies
wholly on a border row or column, else 1; its probability is its share of all
layouts' weight. A model of "human players preferred to place ships on the sides",
from the write-up of the program Over 9000; the factor is bsbench's own, the source gives
no figure. `lookahead` has the scheme and the argument.

A factor p / q in lowest terms makes the weights the integers p on the border and q
elsewhere, so that there is no rounding in this law either.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from bsbench.kernels.slots import Bits, SlotTable, slot_table
from bsbench.layouts.lookahead import LookAhead
from bsbench.layouts.weights import Weights
from bsbench.rules.board import Rules


class Edge(LookAhead):
    """Sampler of the law ``edge``; see `Sampler`.

    Parameters
    ----------
    rules : Rules
    border_factor : str
        How much more a slot on the border weighs, as a decimal number: see
        `bsbench.rules.placement` for its range.
    """

    def __init__(self, rules: Rules, border_factor: str) -> None:
        table = slot_table(rules)
        on_border, elsewhere = Fraction(border_factor).as_integer_ratio()
        heavy = _border_slots(rules, table)
        if on_border < elsewhere:
            heavy = table.free & ~heavy
        base, heaviest = sorted((on_border, elsewhere))
        weights = Weights(heavy, np.uint64(base), np.uint64(heaviest - base))
        remedies = "--placement sequential, a border factor nearer to 1, "
        super().__init__(rules, table, weights, remedies)


def _border_slots(rules: Rules, table: SlotTable) -> Bits:
    """Return the slots wholly on a border row or column, as words like ``table.free``."""
    border = np.zeros_like(table.free)
    for ship, length in enumerate(rules.fleet):
        first_number = 64 * int(table.begin[ship])
        for number, (first, step) in enumerate(rules.slots(length), first_number):
            top, left = divmod(first, rules.cols)
            bottom, right = divmod(first + step * (length - 1), rules.cols)
            if top == bottom in (0, rules.rows - 1) or left == right in (0, rules.cols - 1):
                border[number // 64] |= np.uint64(1 << number % 64)
    return border
