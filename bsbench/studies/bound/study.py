"""Lower bounds on the mean number of moves, as text and as records."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from bsbench.common.found import Found
from bsbench.common.progress import Watch
from bsbench.common.record import Content, Count, Record
from bsbench.counting.bounds import Bound, find_bound
from bsbench.present.sheets import Sheet
from bsbench.present.tables import rules_text
from bsbench.rules.scenario import Scenario, ScenarioRecord


class Exactly(Record, frozen=True):
    """A mean.

    Attributes
    ----------
    fraction
        Exactly, such as `9/2`.
    value
        As a number.
    """

    fraction: str
    value: float


class Limit(Record, frozen=True):
    """What can be done with so many misses or fewer.

    Attributes
    ----------
    misses
        Number of misses.
    layouts
        Layouts that can be finished with so many misses or fewer, at most.
    share
        Their share of all.
    rests_on
        What the limit rests on, such as `4:8 3:6`.
    """

    misses: Count
    layouts: Count
    share: float
    rests_on: str


class BoundRecord(Content, frozen=True):
    """What `bsbench bound --export-json` writes: a mean that no strategy can beat.

    Attributes
    ----------
    scenario
        What would be played.
    layouts
        Layouts, with distinguishable ships.
    misses
        Lower bound of the mean number of misses.
    moves
        Lower bound of the mean number of moves.
    limits
        One for each number of misses.
    """

    schema = "bsbench-bound-1"
    heading = "Lower bound"
    scenario: ScenarioRecord
    layouts: Count
    misses: Exactly
    moves: Exactly
    limits: list[Limit]


@dataclass(frozen=True, eq=False)
class FoundBound(Found):
    """A bound, and the scenario that it is for."""

    form: ClassVar = BoundRecord
    entries: ClassVar = "limits"

    scenario: Scenario
    bound: Bound

    @classmethod
    def find(cls, scenario: Scenario, progress: Watch) -> FoundBound:
        """Find it."""
        return cls(scenario, find_bound(scenario.rules, progress), threads=1)

    def content(self) -> BoundRecord:
        """Return the record."""
        bound = self.bound
        limits = enumerate(zip(bound.finished, bound.rests_on, strict=True))
        return BoundRecord(
            scenario=ScenarioRecord(**self.scenario.to_dict()),
            layouts=bound.layouts,
            misses=Exactly(fraction=str(bound.misses), value=float(bound.misses)),
            moves=Exactly(fraction=str(bound.moves), value=float(bound.moves)),
            limits=[
                Limit(misses=misses, layouts=done, share=done / bound.layouts, rests_on=reason)
                for misses, (done, reason) in limits
            ],
        )


def bound_sheet(found: FoundBound) -> Sheet:
    """Return what is shown of a bound."""
    scenario, bound = found.scenario, found.bound
    return Sheet(bound_columns(bound), [*bound_heading(scenario, bound)], [*bound_notes(bound)])


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
