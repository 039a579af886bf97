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
    """Return the table of the document: the least mean, and what some strategies lose to it.

    Of the cases that differ in feedback alone, it shows the last one, with most feedback; and of
    the boards for one ship, the largest. The file of results has all.
    """
    shown = ("lattice", "over9000-pairs")
    header = ["board", "fleet", "touching", "feedback", "least mean", "greedy"]
    lines = [[*header, *(f"`{name}`" for name in shown)]]
    place = itemgetter("board", "fleet", "touching")
    for rows in {place(rows[0]): rows for rows in optima()}.values():
        first = rows[0]
        fleet, least = first["fleet"].replace("-", " "), Fraction(first["least"])
        greedy = Fraction(first["greedy"]) - least
        regrets = {row["strategy"]: f"{float(row['regret']):.4f}" for row in rows if row["exact"]}
        one = " " not in fleet
        if one and first["board"] != "6x6":
            continue
        row = [first["board"], fleet, "" if one else "yes" if first["touching"] == "True" else "no"]
        row += ["any" if one else first["feedback"]]
        row += [f"{float(least):.4f}", f"{float(greedy):.4f}" if greedy else "optimal"]
        lines.append([*row, *(regrets.get(name, "–") for name in shown)])
    return {"optimum": table(lines)}
