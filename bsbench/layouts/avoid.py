"""The law ``avoid``: ships lie where a strategy shoots late, exactly.

A layout weighs the product of its ships' weights; its probability is its share of all layouts'
weight. A ship weighs the more the later the strategy shoots the cells of its slot: the sum of these
cells' *lateness*, to the power of the strength. So this is the law of an opponent who knows the
program; the Over 9000 write-up: "it was often possible to look at other programs and determine the
worst case placement against their program".

Weights are whole numbers, in percent of that of the slot of the same length that is shot
last, and 1 at least. So there is no rounding in the law but that of the weights, which says what
the law is. Lateness comes from games: see `bsbench.play.samplers`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bsbench.layouts import Sampler
from bsbench.layouts.layers import SlotWeights, in_parts
from bsbench.layouts.lookahead import weighed_sampler
from bsbench.rules.board import Rules

_HEAVIEST = 100
"""Of the weights of slots: finer ones would do little, and slow down the draws."""


def slot_weights(rules: Rules, lateness: Sequence[int], strength: int) -> SlotWeights:
    """Return what slots weigh.

    Parameters
    ----------
    rules : Rules
    lateness : sequence of int
        For each cell how late it is shot, as a positive whole number in any unit.
    strength : int
        At least 1.

    Returns
    -------
    dict of int to ndarray of int64, shape (slots,)
        By length, from 1 to 100, in the order of `Rules.slots`.
    """
    weights = {}
    for length in set(rules.fleet):
        late = [sum(lateness[cell] for cell in slot) ** strength for slot in rules.slots(length)]
        weights[length] = in_parts(late, _HEAVIEST)
    return weights


def sampler_of(rules: Rules, lateness: Sequence[int], strength: int) -> Sampler:
    """Return the first of the two samplers that serves these rules; see `slot_weights`."""
    weights = slot_weights(rules, lateness, strength)
    least = min(int(some.min()) for some in weights.values())
    remedies = "the placement law uniform, a strength nearer to 1, "
    return weighed_sampler(rules, remedies, weights, least)
