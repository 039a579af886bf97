"""Tables of documents that follow from records: ``python -m tests.pages`` writes them again.

In a document, a table stands between ``<!-- table NAME -->`` and ``<!-- end -->``. `TABLES` says
which documents have tables, and what makes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bsbench.common.settings import value_text
from bsbench.present.report import Section
from bsbench.reproduce.folder import load_report
from bsbench.runs.sweeps import sweep_frame
from bsbench.stats import Difference, interval_text

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "parameters.md"
CALIBRATION = ROOT / "docs" / "calibration.md"


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


def _parameter_tables() -> dict[str, str]:
    found = sections()

    def part(name: str) -> Section:
        return found[f"parameters/{name}"]

    return {
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
    }


def calibrations() -> dict[str, dict[str, Any]]:
    """Return the records of calibrations by the names of their scenarios."""
    folder = ROOT / "results" / "calibration"
    names = "classic", "gym-10x10-ship", "classic-hit"
    records = [json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in names]
    return {record["scenario"]["name"]: record for record in records}


def moves_of_calibrations() -> pd.DataFrame:
    """Return the comparisons of strategies with probabilities; the reference comes once."""
    folder = ROOT / "results" / "calibration"
    frames = [pd.read_csv(folder / f"{name}.csv") for name in ("moves", "moves-exact")]
    frame = pd.concat(frames).drop_duplicates(["scenario", "label"])
    return frame.sort_values("scenario", kind="stable")


def _text(figure: Mapping[str, float], factor: int = 1) -> str:
    return interval_text(factor * figure["value"], factor * figure["half_width"])


def _calibration_tables() -> dict[str, str]:
    played = [
        (f"`{scenario}`", f"`{each['label']}`", each)
        for scenario, record in calibrations().items()
        for each in record["strategies"]
    ]
    scores, exact = [], []
    for scenario, label, each in played:
        for cells, key in (("shot", "shots"), ("open", "cells")):
            found = each[key]
            scores.append(
                [
                    *(scenario, label, cells, f"{100 * found['forecast']['value']:.2f}"),
                    *(_text(found["share"], 100), _text(found["bias"], 100)),
                    f"{100 * max(found['reliability']['value'], 0) ** 0.5:.2f}",
                    *(_text(found["brier"]), f"{found['resolution']['value']:.4f}"),
                    _text(found["bits"]),
                ]
            )
        errors = (_text(each["exact"][key], 100) for key in ("error", "excess", "loss"))
        exact.append([scenario, label, f"{each['exact']['positions']:,}", *errors])
    heads = "scenario", "strategy", "cells", "given %", "ships %", "bias", "off by", "Brier"
    moves = [
        [
            *(f"`{row.scenario}`", f"`{row.label}`", f"{row.games:,}"),
            interval_text(row.mean, row.half_width),
            "reference"
            if row.label == row.reference
            else Difference(row.difference, row.difference_half_width).text,
        ]
        for row in moves_of_calibrations().itertuples()
    ]
    return {
        "scores": _table([[*heads, "resolution", "bits"], *scores], "---:"),
        "exact": _table(
            [["scenario", "strategy", "positions", "error", "excess", "loss"], *exact], "---:"
        ),
        "moves": _table(
            [["scenario", "strategy", "games", "mean moves", "difference"], *moves], "---:"
        ),
    }


TABLES: dict[Path, Callable[[], dict[str, str]]] = {
    PAGE: _parameter_tables,
    CALIBRATION: _calibration_tables,
}


def page_text(text: str, page: Path = PAGE) -> str:
    """Return the text of a page with its tables written again."""
    tables = TABLES[page]()

    def written(match: re.Match[str]) -> str:
        return f"<!-- table {match[1]} -->\n\n{tables[match[1]]}\n\n<!-- end -->"

    return re.sub(r"<!-- table (\w+) -->.*?<!-- end -->", written, text, flags=re.DOTALL)


if __name__ == "__main__":
    for page in TABLES:
        page.write_text(page_text(page.read_text(encoding="utf-8"), page), encoding="utf-8")
        print(f"wrote {page.relative_to(ROOT)}")
