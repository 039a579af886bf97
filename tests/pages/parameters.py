"""What the parameters of strategies are worth."""

from __future__ import annotations

from bsbench.common.settings import value_text
from bsbench.present.report import ReportSection
from bsbench.reproduce.folder import load_report
from bsbench.runs.sweeps import sweep_frame
from bsbench.stats import Difference, interval_text
from tests.pages import ROOT, table


def sections() -> dict[str, ReportSection]:
    """Return the sections of the results that the page shows, by folder and name."""
    return {
        f"{folder}/{section.name}": section
        for folder in ("parameters", "edge")
        for section in load_report(ROOT / "results" / folder).sections
    }


def sweep_table(parameter: str, *parts: tuple[str, ReportSection]) -> str:
    """Return the table of a sweep of one parameter: means and differences under its values.

    Parameters
    ----------
    parameter : str
    *parts : tuple of str and ReportSection
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
    return table(rows)


def strategies_table(*parts: tuple[str, ReportSection]) -> str:
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
    return table([["strategy", *(where for where, _ in parts)], *rows])


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    found = sections()

    def part(name: str) -> ReportSection:
        return found[f"parameters/{name}"]

    return {
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
    }
