"""Halves of games as text."""

from __future__ import annotations

from bsbench.present.sheets import Sheet
from bsbench.studies.half.study import Halves


def half_sheet(found: Halves) -> Sheet:
    """Return what is shown: a row for each strategy."""
    rows = found.halves
    columns = {"strategy": [each.strategy for each in rows], "moves": [f"{e.moves}" for e in rows]}
    return Sheet(columns, notes=[f"{found.games:,} games of each on {found.scenario.name}"])
