"""The law ``uniform``: every layout of the labelled fleet equally likely, exactly."""

from __future__ import annotations

from bsbench.kernels.slots import slot_table
from bsbench.layouts import Sampler
from bsbench.layouts.classes import class_sampler
from bsbench.layouts.lookahead import LookAhead
from bsbench.layouts.plain import plain_sampler
from bsbench.rules.board import Rules


def sampler_of(rules: Rules, option: None = None) -> Sampler:
    """Return the first of the three samplers that serves these rules."""
    remedies = "the placement law sequential, "
    return (
        plain_sampler(rules, remedies)
        or class_sampler(rules, remedies)
        or LookAhead(rules, remedies, slot_table(rules))
    )
