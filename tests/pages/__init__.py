"""Tables of documents that follow from records: ``python -m tests.pages`` writes them again.

In a document, a table stands between ``<!-- table NAME -->`` and ``<!-- end -->``. The tables of
``docs/a-page.md`` are made by ``tables`` of the module ``a_page`` in this folder, which returns
them by name; it is found by being there.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from bsbench.present.report import ReportSection
from bsbench.runs.results import Result
from bsbench.stats import interval_texts

ROOT = Path(__file__).parent.parent.parent


def table(rows: Iterable[Iterable[str]], aligned: str = "---:") -> str:
    """Return a table in Markdown; all columns but the first are aligned."""
    header, *others = ([*row] for row in rows)
    line = ["---", *[aligned] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, line, *others])


def mean_texts(results: Sequence[Result]) -> list[str]:
    """Return the means of results with their intervals, as a column."""
    stats = [result.stats for result in results]
    return interval_texts([each.mean for each in stats], [each.half_width for each in stats])


def comparison_table(section: ReportSection) -> str:
    """Return the means of all strategies, and their differences to the first one."""
    comparison = section.comparison
    rows = [
        [
            f"`{result.label}`",
            result.stats.mean_text,
            "reference" if result.label == comparison.reference else difference.text,
        ]
        for result, difference in zip(comparison.results, comparison.differences, strict=True)
    ]
    return table([["strategy", "mean moves ± 95 %", "difference"], *rows])


def page_names() -> list[str]:
    """Return the names of the documents with such tables, without their ends."""
    found = (name.replace("_", "-") for _, name, _ in pkgutil.iter_modules(__path__))
    return [name for name in found if name != "--main--"]


def path_of(name: str) -> Path:
    """Return where a document is."""
    at_home = {"readme": ROOT / "README.md", "results": ROOT / "results" / "README.md"}
    if name in at_home:
        return at_home[name]
    return ROOT / "docs" / f"{name}.md"


def read_page(name: str) -> str:
    """Return the text of a document."""
    return path_of(name).read_text(encoding="utf-8")


def with_tables(name: str, text: str) -> str:
    """Return the text of a document with its tables written again."""
    tables = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").tables()

    def written(match: re.Match[str]) -> str:
        return f"<!-- table {match[1]} -->\n\n{tables[match[1]]}\n\n<!-- end -->"

    return re.sub(r"<!-- table ([\w-]+) -->.*?<!-- end -->", written, text, flags=re.DOTALL)
