"""Tables of documents that follow from records: ``python -m tests.pages`` writes them again.

In a document, a table stands between ``<!-- table NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from bsbench.common.settings import value_text
from bsbench.present.report import Section
from bsbench.reproduce.folder import load_report
from bsbench.runs.sweeps import sweep_frame
from bsbench.stats import Difference, interval_text

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "parameters.md"
OPTIMUM_PAGE = ROOT / "docs" / "optimum.md"
OPTIMA = ROOT / "results" / "optimum" / "optimum.csv"


def sections() -> dict[str, Section]:
    """Return the sections of the results that the page shows, by folder and name."""
    return {
        f"{folder}/{section.name}": section
        for folder in ("parameters", "edge")
        for section in load_report(ROOT / "results" / folder).sections
    }


def _table(rows: Iterable[Iterable[str]], aligned: str) -> str:
    header, *others = ([*row] for row in rows)
    line = ["---", *[aligned] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, line, *others])


def sweep_table(parameter: str, *parts: tuple[str, Section]) -> str:
    """Return the table of a sweep of one parameter: means and differences under its values.

    Parameters
    ----------
    parameter : str
    *parts : tuple of str and Section
        Where the same points were played; the text is empty if there is one part.
    """
    rows = []
    for number, (where, section) in enumerate(parts):
        frame = sweep_frame(section.comparison).sort_values(parameter)
        if number == 0:
            rows.append([f"`{parameter}`", *map(value_text, frame[parameter])])
        means = frame[["mean", "half_width"]].to_numpy()
        rows.append([f"mean{where}", *(interval_text(*mean) for mean in means)])
        differences = frame[["difference", "difference_half_width"]].to_numpy()
        rows.append(
            [
                "difference",
                *(
                    "reference" if label == reference else Difference(*difference).text
                    for label, reference, difference in zip(
                        frame["label"], frame["reference"], differences, strict=True
                    )
                ),
            ]
        )
    return _table(rows, "---:")


def strategies_table(*parts: tuple[str, Section]) -> str:
    """Return a table with a row for each strategy, and a column for each part.

    It has the strategies that all parts have. A cell is the mean of the reference, and of others
    the difference to it.
    """
    cells: dict[str, list[str]] = {}
    for _, section in parts:
        comparison = section.comparison
        for result, difference in zip(comparison.results, comparison.differences, strict=True):
            reference = result.label == comparison.reference
            text = result.stats.mean_text if reference else difference.text
            cells.setdefault(result.label, []).append(text)
    rows = [[f"`{label}`", *row] for label, row in cells.items() if len(row) == len(parts)]
    return _table([["strategy", *(where for where, _ in parts)], *rows], "---:")


def grid_table(section: Section) -> str:
    """Return the means of a sweep of two parameters: the first in rows, the second in columns."""
    frame = sweep_frame(section.comparison)
    row, column = frame.columns[2:4]
    means = {
        (first, second): interval_text(mean, half_width)
        for first, second, mean, half_width in zip(
            frame[row], frame[column], frame["mean"], frame["half_width"], strict=True
        )
    }
    columns = sorted(set(frame[column]))
    rows = [
        [value_text(value), *(means[value, each] for each in columns)]
        for value in sorted(set(frame[row]))
    ]
    return _table([[f"`{row}` / `{column}`", *map(value_text, columns)], *rows], "---:")


def optima() -> list[list[dict[str, str]]]:
    """Return the rows of the table of optima: of each case, one for each strategy."""
    with OPTIMA.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        case = itemgetter("board", "fleet", "touching", "feedback")
        return [[*group] for _, group in groupby(rows, case)]


def optimum_table() -> str:
    """Return a row for each case: the least mean, and what some strategies lose to it."""
    shown = ("lattice", "datagenetics", "over9000-pairs", "prob")
    header = ["board", "fleet", "touching", "feedback", "layouts", "least mean", "greedy"]
    table = [[*header, *(f"`{name}`" for name in shown)]]
    for rows in optima():
        first = rows[0]
        fleet, least = first["fleet"].replace("-", " "), Fraction(first["least"])
        greedy = Fraction(first["greedy"]) - least
        regrets = {row["strategy"]: f"{float(row['regret']):.4f}" for row in rows if row["exact"]}
        one = " " not in fleet
        row = [first["board"], fleet, "" if one else "yes" if first["touching"] == "True" else "no"]
        row += ["any" if one else first["feedback"], first["layouts"]]
        row += [f"{float(least):.4f}", f"{float(greedy):.4f}" if greedy else "optimal"]
        table.append([*row, *(regrets.get(name, "–") for name in shown)])
    return _table(table, "---:")


def page_text(text: str) -> str:
    """Return the page with its tables written again."""
    found = sections()

    def part(name: str) -> Section:
        return found[f"parameters/{name}"]

    tables = {
        "hit_weight": sweep_table("hit_weight", ("", part("hit-weight"))),
        "edge_weight": sweep_table(
            "edge_weight",
            (" on `uniform`", part("edge-weight")),
            (" on `edge`", part("edge-weight-edge")),
        ),
        "weights": strategies_table(
            ("`uniform`", found["edge/uniform"]),
            ("`edge`", found["edge/edge"]),
            ("twenty layouts", part("twenty")),
        ),
        "noise": sweep_table(
            "noise",
            (" on `uniform`", part("noise")),
            (" on the worst layout", part("noise-worst")),
        ),
        "learner": grid_table(part("learner")),
        "optimum": optimum_table(),
    }

    def written(match: re.Match[str]) -> str:
        return f"<!-- table {match[1]} -->\n\n{tables[match[1]]}\n\n<!-- end -->"

    return re.sub(r"<!-- table (\w+) -->.*?<!-- end -->", written, text, flags=re.DOTALL)


if __name__ == "__main__":
    for page in (PAGE, OPTIMUM_PAGE):
        page.write_text(page_text(page.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"wrote {page.relative_to(ROOT)}")
