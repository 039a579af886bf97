"""The search of parameters."""

from __future__ import annotations

import json
from typing import Any

from bsbench.common.settings import value_text
from bsbench.stats import Difference
from tests.pages import ROOT, table


def tuning(name: str = "over9000-classic") -> dict[str, Any]:
    """Return a record, by default the one that the document shows."""
    path = ROOT / "results" / "tuning" / f"{name}.json"
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record


def tables() -> dict[str, str]:
    """Return the tables of the document: the best of each stage."""
    record = tuning()
    final, names = record["final"], [*record["trials"][0]["parameters"]]
    last = {
        "stage": "final",
        "parameters": {name: record["best"]["parameters"][name] for name in names},
        "games": final["games"],
        **final["difference"],
        "difference": final["difference"]["mean"],
    }
    best = {trial["stage"]: trial for trial in reversed([*record["trials"], last])}
    rows = [
        [
            stage,
            *(value_text(value) for value in trial["parameters"].values()),
            f"{trial['games']:,}",
            Difference(trial["difference"], trial["half_width"]).text,
        ]
        for stage, trial in reversed(best.items())
    ]
    headers = ["best of", *(f"`{name}`" for name in names), "games", "difference to the start"]
    return {"tuning": table([headers, *rows])}
