"""The most likely cell is not the best shot."""

from __future__ import annotations

from bsbench.reproduce.folder import load_report
from tests.pages import ROOT, comparison_table


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    report = load_report(ROOT / "results" / "posterior")
    return {section.name: comparison_table(section) for section in report.sections}
