"""Rollouts: what their choices are worth."""

from __future__ import annotations

from bsbench.reproduce.folder import load_report
from tests.pages import ROOT, table
from tests.pages.champion import FRESH, aligned, slow_players
from tests.pages.parameters import strategies_table


def worth_table() -> str:
    """Return what the choices are worth, and the mean that follows: by default, and as checked."""
    rows = [["scenario", "strategy", "games", "seed", "worth", "mean", "games/s"]]
    for each in slow_players():
        if each.seed != FRESH and each.label != "mcts":
            continue
        where = f"`{each.scenario}+{each.feedback}`", f"`{each.label}`"
        rows.append(
            [*where, f"{each.games}", f"{each.seed}", each.worth, each.text, f"{each.speed:.2f}"]
        )
    return aligned(table(rows), 2)


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    report = load_report(ROOT / "results" / "rollouts")
    parts = [(f"`{section.name}`", section) for section in report.sections]
    return {"small": strategies_table(*parts), "worth": worth_table()}
