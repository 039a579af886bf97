"""README."""

from __future__ import annotations

from bsbench.rules.board import Feedback
from tests.pages import mean_texts, table
from tests.pages.champion import best_players_table
from tests.pages.results import best_first, sections


def strategies_table() -> str:
    """Return the means of all strategies of `classic`, best first, and theirs on `harbour`."""
    (classic,) = sections("classic")
    there = [result for part in sections("harbour") for result in part.results]
    harbour: dict[bool, dict[str, str]] = {}
    for only_hits in (True, False):
        column = [
            each for each in there if (each.scenario.rules.feedback == Feedback.HIT) == only_hits
        ]
        labels = [result.label for result in column]
        harbour[only_hits] = dict(zip(labels, mean_texts(column), strict=True))
    rows = [["strategy", "`classic`", "`harbour`", "`harbour`, more feedback"]]
    best = best_first(classic)
    for result, mean in zip(best, mean_texts(best), strict=True):
        rows.append(
            [f"`{result.label}`", mean, *(each.get(result.label, "") for each in harbour.values())]
        )
    return table(rows)


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    return {
        "strategies": strategies_table(),
        "best_players": best_players_table("classic", "harbour"),
    }
