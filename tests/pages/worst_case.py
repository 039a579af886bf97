"""The worst case, and opponents who know a strategy."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from bsbench.runs.records import load_results
from tests.pages import ROOT, table


def exploited() -> dict[str, dict[str, Any]]:
    """Return what is known of strategies against opponents who know them, by label.

    For each the results by placement law, ``uniform``, ``avoid`` and ``file``, and under ``worst``
    the record of the search; in the order of the means on uniform layouts.
    """
    found: dict[str, dict[str, Any]] = {}
    folder = ROOT / "results" / "exploitability"
    for result in load_results([folder]):
        found.setdefault(result.label, {})[result.scenario.placement.law] = result
    for path in folder.glob("*-worst.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        # A learner is searched as one that has learnt nothing.
        label = record["strategy"]["label"].removesuffix(" games_per_learner=1")
        found[label]["worst"] = record
    return dict(sorted(found.items(), key=lambda each: each[1]["uniform"].stats.mean))


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    header = "strategy", "uniform", "avoided", "worst found", "found by climbs"
    rows: list[Iterable[str]] = [header]
    for label, known in exploited().items():
        mean, avoided, listed = (known[law].stats for law in ("uniform", "avoid", "file"))
        (search,) = known["worst"]["worst"]
        sure = "proven" if search["proven"] else f"{search['again']:,} of {search['climbs']:,}"
        note = "" if known["worst"]["strategy"]["label"] == label else " (learnt)"
        cells = (
            f"{mean.mean:.2f}",
            f"{avoided.mean:.2f}",
            f"{listed.mean:.2f}{note}",
            sure,
        )
        rows.append((f"`{label}`", *cells))
    return {"exploitability": table(rows)}
