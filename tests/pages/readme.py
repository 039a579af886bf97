"""README."""

from __future__ import annotations

from tests.pages.champion import short_champions_table


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    return {"best_players": short_champions_table()}
