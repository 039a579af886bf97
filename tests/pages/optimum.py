"""The optimum on small boards."""

from __future__ import annotations

import csv
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

from tests.pages import ROOT, table


def optima() -> list[list[dict[str, str]]]:
    """Return the rows of the table of optima: of each case, one for each strategy."""
    with (ROOT / "results" / "optimum" / "optimum.csv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        case = itemgetter("board", "fleet", "touching", "feedback")
        return [[*group] for _, group in groupby(rows, case)]


def tables() -> dict[str, str]:
    """Return the table of the document, a row for each case.

    It has the least mean, and what some strategies lose to it.
    """
    shown = ("lattice", "datagenetics", "over9000-pairs", "prob")
    header = ["board", "fleet", "touching", "feedback", "layouts", "least mean", "greedy"]
    lines = [[*header, *(f"`{name}`" for name in shown)]]
    for rows in optima():
        first = rows[0]
        fleet, least = first["fleet"].replace("-", " "), Fraction(first["least"])
        greedy = Fraction(first["greedy"]) - least
        regrets = {row["strategy"]: f"{float(row['regret']):.4f}" for row in rows if row["exact"]}
        one = " " not in fleet
        row = [first["board"], fleet, "" if one else "yes" if first["touching"] == "True" else "no"]
        row += ["any" if one else first["feedback"], first["layouts"]]
        row += [f"{float(least):.4f}", f"{float(greedy):.4f}" if greedy else "optimal"]
        lines.append([*row, *(regrets.get(name, "–") for name in shown)])
    return {"optimum": table(lines)}
