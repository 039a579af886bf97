"""README."""

from __future__ import annotations

from bsbench.rules.board import Feedback
from tests.pages import table
from tests.pages.champion import best_players_table
from tests.pages.results import best_first, sections


def strategies_table() -> str:
    """Return the means of all strategies of `classic`, best first, and theirs on `harbour`."""
    (classic,) = sections("classic")
    harbour = {
        (result.label, result.scenario.rules.feedback == Feedback.HIT): result.stats.mean_text
        for part in sections("harbour")
        for result in part.results
    }
    rows = [["strategy", "`classic`", "`harbour`", "`harbour`, more feedback"]]
    for result in best_first(classic):
        there = [harbour.get((result.label, only_hits), "") for only_hits in (True, False)]
        rows.append([f"`{result.label}`", result.stats.mean_text, *there])
    return table(rows)


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    return {"strategies": strategies_table(), "best_players": best_players_table()}
