"""The tables of ``results/README.md``: all strategies on three scenarios, best first."""

from __future__ import annotations

from bsbench.present.report import ReportSection
from bsbench.reproduce.folder import load_report
from bsbench.runs.results import Result
from tests.pages import ROOT, mean_texts, table
from tests.pages.champion import best_players_table


def sections(folder: str) -> tuple[ReportSection, ...]:
    """Return the sections of a folder of results."""
    return load_report(ROOT / "results" / folder).sections


def best_first(section: ReportSection) -> list[Result]:
    """Return the results of a section, those with the fewest moves first."""
    return sorted(section.results, key=lambda result: result.stats.mean)


def results_table(section: ReportSection) -> str:
    """Return the move counts of all strategies of a section."""
    rows = [["strategy", "mean ± 95 %", "median", "5 %", "95 %", "best", "worst", "games/s"]]
    best = best_first(section)
    for result, mean in zip(best, mean_texts(best), strict=True):
        stats = result.stats
        counts = (stats.median, stats.low, stats.high, stats.best, stats.worst)
        rate = f"{result.games_per_second:,.0f}"
        rows.append([f"`{result.label}`", mean, *map(str, counts), rate])
    return table(rows)


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    (classic,) = sections("classic")
    return {
        "classic": results_table(classic),
        "best_players": best_players_table(),
        **{
            f"{folder}-{part.name or part.scenario.rules.feedback}": results_table(part)
            for folder in ("harbour", "sea-battle")
            for part in sections(folder)
        },
    }
