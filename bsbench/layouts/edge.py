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
import numpy.typing as npt

from bsbench.layouts import Sampler
from bsbench.layouts.lookahead import weighed_sampler
from bsbench.rules.board import Rules


def sampler_of(rules: Rules, border_factor: str) -> Sampler:
    """Return the first of the two samplers that serves these rules.

    Parameters
    ----------
    rules : Rules
    border_factor : str
        How much more a slot on the border weighs, as a decimal number: see
        `bsbench.rules.placement` for its range.
    """
    remedies = "the placement law sequential, a border factor nearer to 1, "
    on_border, elsewhere = Fraction(border_factor).as_integer_ratio()
    border = {length: are_on_border(rules, length) for length in set(rules.fleet)}
    weights = {n: np.where(is_on, on_border, elsewhere) for n, is_on in border.items()}
    return weighed_sampler(rules, remedies, weights, min(on_border, elsewhere))


def are_on_border(rules: Rules, length: int) -> npt.NDArray[np.bool_]:
    """Return which slots of a ship lie wholly on a border row or column."""
    found = []
    for slot in rules.slots(length):
        top, left = divmod(slot[0], rules.cols)
        bottom, right = divmod(slot[-1], rules.cols)
        found.append(top == bottom in (0, rules.rows - 1) or left == right in (0, rules.cols - 1))
    return np.array(found, np.bool_)
