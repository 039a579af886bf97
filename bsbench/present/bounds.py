"""Lower bounds on the mean number of moves, as text and as records.

The record of ``bsbench bound --export-json`` has these keys:

``scenario``
    As in the record of a run.
``layouts``
    With distinguishable ships.
``misses``, ``moves``
    The bounds on the means, each as an exact fraction and as a number.
``limits``
    For each number of misses: the layouts that can be finished with so many or fewer, at
    most; their share; and what the limit rests on, as in a `Bound`.
``machine``, ``versions``, ``date``, …
    As in the record of a run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from bsbench.common.machine import Provenance
from bsbench.counting.bounds import Bound
from bsbench.present.tables import rules_text
from bsbench.rules.scenario import Scenario

SCHEMA = "bsbench-bound-1"


def bound_record(scenario: Scenario, bound: Bound) -> dict[str, Any]:
    """Return the record, as described at the top of this module."""
    limits = [
        {
            "misses": misses,
            "layouts": finished,
            "share": finished / bound.layouts,
            "rests_on": reason,
        }
        for misses, (finished, reason) in enumerate(
            zip(bound.finished, bound.rests_on, strict=True)
        )
    ]
    means = {
        name: {"fraction": str(mean), "value": float(mean)}
        for name, mean in (("misses", bound.misses), ("moves", bound.moves))
    }
    content = {"scenario": scenario.to_dict(), "layouts": bound.layouts, **means, "limits": limits}
    return Provenance(threads=1).record(SCHEMA, content)


def bound_heading(scenario: Scenario, bound: Bound) -> Iterator[str]:
    """Yield the rules and the bound."""
    yield f"{scenario.name}: {rules_text(scenario)}"
    feedback = "whatever the feedback" if bound.any_feedback else "under feedback hit"
    yield (
        f"No strategy needs fewer than {_rounded_down(bound.moves)} moves on average, {feedback}: "
        f"{bound.rules.ship_cells} hits and {_rounded_down(bound.misses)} misses."
    )


def bound_columns(bound: Bound) -> dict[str, list[str]]:
    """Return a table of the limits, up to the first that all layouts are within."""
    shown = bound.finished.index(bound.layouts) + 1
    shares = (Fraction(1000 * finished, bound.layouts) for finished in bound.finished[:shown])
    return {
        "misses": [str(misses) for misses in range(shown)],
        "layouts finished, at most": [f"{finished:,}" for finished in bound.finished[:shown]],
        "share": [f"{math.ceil(share) / 10:.1f}%" for share in shares],
        "rests on": list(bound.rests_on[:shown]),
    }


def bound_notes(bound: Bound) -> Iterator[str]:
    """Yield what stands below the table."""
    yield f"of {bound.layouts:,} layouts, with distinguishable ships"
    yield "4:8 is a ship of length 4 that is searched for, with 8 slots at most through a cell"
    if not bound.any_feedback:
        yield "answers 3 2: hits and misses reveal these ships; all others are known"


def _rounded_down(mean: Fraction) -> str:
    return f"{math.floor(1000 * mean) / 1000:.3f}"
