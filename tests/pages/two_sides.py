"""Matches of all players that come with bsbench, from their records."""

from __future__ import annotations

from functools import cache

from bsbench.rules.scenario import find_scenario
from bsbench.studies.match.sheet import sheet
from bsbench.studies.match.study import Match, bundled, match
from tests.pages import table


@cache
def ranking() -> Match:
    """Return the match of the table."""
    return match(bundled(find_scenario("classic")), "classic")


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    columns = dict(sheet(ranking()).columns)
    columns["side"] = [f"`{label}`" for label in columns["side"]]
    return {"ranking": table([tuple(columns), *zip(*columns.values(), strict=True)])}
