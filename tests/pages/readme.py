"""README."""

from __future__ import annotations

from bsbench.rules.board import Feedback
from bsbench.studies.best.study import best
from tests.pages import table
from tests.pages.champion import PUBLISHED, REPORTED, aligned

_SCENARIOS = ("classic", "harbour", "sea-battle")


def best_players_table() -> str:
    """Return the best player for each answer, to a decimal: other seeds have the same."""
    rows = [["scenario", "a shot tells", "best player", "mean shots", "published by others"]]
    for place in best().places:
        if place.scenario in _SCENARIOS:
            told = Feedback.parse(place.feedback)
            published = PUBLISHED.get((place.scenario, told), "none found")
            who, mean = f"`{place.best.label}`", f"{place.best.mean:.1f}"
            rows.append([f"`{place.scenario}`", REPORTED[told], who, mean, published])
    return aligned(table(rows), 3)


def tables() -> dict[str, str]:
    """Return the table of the document."""
    return {"best_players": best_players_table()}
