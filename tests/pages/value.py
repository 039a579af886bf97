"""The value of hiding against shooting: small boards, and classic restricted."""

from __future__ import annotations

import json
from typing import Any

from tests.pages import ROOT, table

FOLDER = ROOT / "results" / "value"


def boards() -> list[dict[str, Any]]:
    """Return the records of small boards, by board and fleet."""
    found = [json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")]
    small = [each for each in found if each["schema"] == "bsbench-value-1"]
    return sorted(small, key=_place)


def _place(record: dict[str, Any]) -> tuple[Any, ...]:
    scenario = record["scenario"]
    rows, cols = map(int, scenario["board"].split("x"))
    return rows * cols, scenario["fleet"], scenario["touching"], scenario["feedback"]


def restricted() -> dict[str, Any]:
    """Return the record of classic."""
    found: dict[str, Any] = json.loads((FOLDER / "classic.json").read_text("utf-8"))
    return found


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    rows = [
        [
            "board",
            "fleet",
            "touching",
            "feedback",
            "value",
            "",
            "least mean",
            "unaware",
            "turned",
            "`lattice2`",
            "border",
        ]
    ]
    for record in boards():
        scenario, low, high = record["scenario"], record["low"], record["high"]
        one = len(scenario["fleet"]) == 1
        value = low["fraction"] if len(low["fraction"]) < 12 else "…"
        decimal = f"{low['decimal']:.4f}"
        if not record["proven"]:
            value, decimal = "", f"{low['decimal']:.4f} to {high['decimal']:.4f}"
        rows.append(
            [
                scenario["board"],
                " ".join(map(str, scenario["fleet"])),
                "" if one else "yes" if scenario["touching"] else "no",
                "any" if one else scenario["feedback"],
                value,
                decimal,
                f"{record['uniform']['decimal']:.4f}",
                f"{record['unaware']['decimal']:.4f}",
                f"{record['turned']['decimal']:.2f}",
                ", ".join(f"{each['mean']['decimal']:.4f}" for each in record["against"]),
                f"{100 * record['uniform_border']:.0f} → {100 * record['border']:.0f} %",
            ]
        )
    shooters = sorted(restricted()["shooters"], key=lambda each: each["mixed"])
    places = [["strategy", "against the mixture", "exploitability", "worst law"]]
    places += [
        [
            f"`{each['label']}`",
            f"{each['mixed']:.2f}",
            f"{each['exploitability']:.2f}",
            f"`{each['worst']}`",
        ]
        for each in shooters
    ]
    return {"boards": table(rows), "classic": table(places)}
