"""A lower bound: a mean that no strategy can beat."""

from __future__ import annotations

import json
import math
from fractions import Fraction

from bsbench.rules.board import Feedback
from bsbench.rules.scenario import find_scenario
from bsbench.runs.records import load_results
from bsbench.runs.results import Result
from tests.pages import ROOT, table

RECORDS = {
    ("classic", Feedback.HIT): "classic",
    ("classic", Feedback.SUNK): "classic",
    ("classic", Feedback.SHIP): "classic",
    ("gym-10x10", Feedback.HIT): "gym-10x10-hit",
    ("gym-10x10", Feedback.SUNK): "gym-10x10",
    ("harbour", Feedback.HIT): "harbour",
    ("harbour", Feedback.SUNK): "harbour-ship",
}
"""The record of a bound by scenario and feedback: one for all, where there is no better one."""


def bound_of(scenario: str, feedback: Feedback) -> Fraction:
    """Return the bound of a record, exactly."""
    path = ROOT / "results" / "lower-bound" / f"{RECORDS[scenario, feedback]}.json"
    return Fraction(json.loads(path.read_text(encoding="utf-8"))["moves"]["fraction"])


def _best(scenario: str, feedback: Feedback, played: list[Result]) -> Result | None:
    rules = find_scenario(scenario).override(feedback=feedback).rules
    found = [result for result in played if result.scenario.rules == rules]
    return min(found, key=lambda result: result.stats.mean, default=None)


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    played = load_results([ROOT / "results" / "champions"])
    header = "scenario", "feedback", "bound", "best strategy", "its mean ± 95 %", "gap"
    rows: list[tuple[str, ...]] = [header]
    for scenario, feedback in RECORDS:
        bound = bound_of(scenario, feedback)
        best = _best(scenario, feedback, played)
        known = ("–", "–", "–")
        if best is not None:
            known = (f"`{best.label}`", best.stats.mean_text, f"{best.stats.mean - bound:.1f}")
        rows.append(
            (f"`{scenario}`", f"`{feedback}`", f"{math.floor(1000 * bound) / 1000:.3f}", *known)
        )
    return {"bounds": table(rows)}
