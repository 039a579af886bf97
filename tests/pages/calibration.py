"""Are the probabilities right?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from bsbench.stats import interval_text
from tests.pages import ROOT, table

FOLDER = ROOT / "results" / "calibration"


def records() -> dict[str, dict[str, Any]]:
    """Return the records of calibrations by the names of their scenarios."""
    names = "classic", "gym-10x10-ship", "classic-hit"
    found = [json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")) for name in names]
    return {record["scenario"]["name"]: record for record in found}


def moves() -> pd.DataFrame:
    """Return the comparisons of strategies with probabilities; the reference comes once."""
    frames = [pd.read_csv(FOLDER / f"{name}.csv") for name in ("moves", "moves-exact")]
    frame = pd.concat(frames).drop_duplicates(["scenario", "label"])
    return frame.sort_values("scenario", kind="stable")


def _text(figure: Mapping[str, float], factor: int = 1) -> str:
    return interval_text(factor * figure["value"], factor * figure["half_width"])


def _scores() -> str:
    rows = [["scenario", "strategy", "bias", "off by", "off by, open", "error", "loss"]]
    for scenario, record in records().items():
        for each in record["strategies"]:
            shots, cells, exact = each["shots"], each["cells"], each["exact"]
            off = [max(part["reliability"]["value"], 0) ** 0.5 for part in (shots, cells)]
            rows.append(
                [
                    *(f"`{scenario}`", f"`{each['label']}`", _text(shots["bias"], 100)),
                    *(f"{100 * value:.2f}" for value in off),
                    *(_text(exact["error"], 100), _text(exact["loss"], 100)),
                ]
            )
    return table(rows)


def tables() -> dict[str, str]:
    """Return the table of the document."""
    return {"scores": _scores()}
