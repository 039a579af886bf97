"""Rollouts: what their choices are worth."""

from __future__ import annotations

from typing import Any

from bsbench.common.files import parse_json
from bsbench.studies.rollouts.study import row_of
from tests.pages import ROOT


def worths() -> list[dict[str, Any]]:
    """Return the records of what choices are worth, by the names of their files."""
    paths = sorted((ROOT / "results" / "rollouts-worth").glob("*.json"))
    return [parse_json(path.read_bytes()) for path in paths]


def tables() -> dict[str, str]:
    """Return the table of the document."""
    columns = "scenario", "feedback", "strategy", "games", "seed", "moves ± 95 %", "worth ± 95 %"
    columns += ("games/s",)
    lines = [f"| {' | '.join(columns)} |", f"| --- | --- | --- |{' ---: |' * 5}"]
    return {"worth": "\n".join([*lines, *map(row_of, worths())])}
