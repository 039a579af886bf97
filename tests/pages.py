"""Tables of documents that follow from records: ``python -m tests.pages`` writes them again.

In a document, a table stands between ``<!-- table NAME -->`` and ``<!-- end -->``. `TABLES` says
which documents have tables, and what makes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bsbench.common.settings import value_text
from bsbench.present.report import Section
from bsbench.reproduce.folder import load_report
from bsbench.runs.records import load_results
from bsbench.runs.sweeps import sweep_frame
from bsbench.stats import Difference, interval_text

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "parameters.md"
WORST = ROOT / "docs" / "worst-case.md"


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


def _more(moves: float) -> str:
    # Not -0.00.
    return f"{round(moves, 2) + 0.0:+.2f}"


def _worst_tables() -> dict[str, str]:
    header = "strategy", "uniform", "avoided", "more", "worst found", "more", "found by climbs"
    rows: list[Iterable[str]] = [header]
    for label, known in exploited().items():
        mean, avoided, listed = (known[law].stats for law in ("uniform", "avoid", "file"))
        (search,) = known["worst"]["worst"]
        sure = "proven" if search["proven"] else f"{search['again']:,} of {search['climbs']:,}"
        cells = (
            f"{mean.mean:.2f}",
            f"{avoided.mean:.2f}",
            _more(avoided.mean - mean.mean),
            f"{listed.mean:.2f}",
            _more(listed.mean - mean.mean),
            sure,
        )
        rows.append((f"`{label}`", *cells))
    return {"exploitability": _table(rows, "---:")}


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


TABLES: dict[Path, Callable[[], dict[str, str]]] = {
    PAGE: _parameter_tables,
    WORST: _worst_tables,
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
