"""Tables of documents that follow from records: ``python -m tests.pages`` writes them again.

In a document, a table stands between ``<!-- table NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from bsbench.common.settings import value_text
from bsbench.present.report import Section
from bsbench.reproduce.folder import load_report
from bsbench.rules.board import Feedback
from bsbench.runs.sweeps import sweep_frame
from bsbench.stats import Difference, interval_text

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "parameters.md"
CHAMPIONS = ROOT / "docs" / "champion.md"
README = ROOT / "README.md"


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


REPORTED = {
    Feedback.HIT: "hit or miss",
    Feedback.SUNK: "also what sank",
    Feedback.SHIP: "also which ship each hit is on",
}


def champions() -> tuple[Section, ...]:
    """Return the sections of the champions: first the best player before, last the best one."""
    return load_report(ROOT / "results" / "champions").sections


def champions_table() -> str:
    """Return a row for each scenario and feedback: the best player, and the best one before it."""
    rows = [
        [
            "scenario",
            "reported",
            "best player",
            "mean ± 95 %",
            "before",
            "difference ± 95 %",
            "games",
            "games/s, before and now",
        ]
    ]
    for section in champions():
        comparison = section.comparison
        before, best = comparison.results[0], comparison.results[-1]
        rows.append(
            [
                f"`{section.scenario.name.partition('+')[0]}`",
                REPORTED[section.scenario.rules.feedback],
                f"`{best.label}`",
                best.stats.mean_text,
                f"`{before.label}` {before.stats.mean_text}",
                comparison.differences[-1].text,
                f"{best.games:,}",
                f"{before.games_per_second:,.0f}; {best.games_per_second:,.0f}",
            ]
        )
    return _table(rows, "---:").replace("| --- | ---: | ---: |", "| --- | --- | --- |")


def short_champions_table() -> str:
    """Return the same for README, without speed and the players before."""
    rows = [["scenario", "reported", "best player", "mean ± 95 %", "games"]]
    for section in champions():
        best = section.comparison.results[-1]
        feedback = REPORTED[section.scenario.rules.feedback]
        scenario = section.scenario.name.partition("+")[0]
        mean, games = best.stats.mean_text, f"{best.games:,}"
        rows.append([f"`{scenario}`", feedback, f"`{best.label}`", mean, games])
    return _table(rows, "---:").replace("| --- | ---: | ---: |", "| --- | --- | --- |")


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
    }

    return _with_tables(text, tables)


def champion_text(text: str) -> str:
    """Return a page with the tables of champions written again."""
    tables = {"champions": champions_table(), "best_players": short_champions_table()}
    return _with_tables(text, tables)


def _with_tables(text: str, tables: Mapping[str, str]) -> str:
    def written(match: re.Match[str]) -> str:
        return f"<!-- table {match[1]} -->\n\n{tables[match[1]]}\n\n<!-- end -->"

    return re.sub(r"<!-- table (\w+) -->.*?<!-- end -->", written, text, flags=re.DOTALL)


if __name__ == "__main__":
    for page, written in ((PAGE, page_text), (CHAMPIONS, champion_text), (README, champion_text)):
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"wrote {page.relative_to(ROOT)}")
