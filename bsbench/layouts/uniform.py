"""The law ``uniform``: every layout of the labelled fleet equally likely, exactly.

`lookahead` has the scheme and the argument; every slot weighs 1 here.
"""

from __future__ import annotations

from bsbench.kernels.slots import slot_table
from bsbench.layouts.lookahead import LookAhead
from bsbench.rules.board import Rules


class Uniform(LookAhead):
    """Sampler of the law ``uniform``; see `Sampler`."""

    def __init__(self, rules: Rules, option: None = None) -> None:
        super().__init__(rules, slot_table(rules))
