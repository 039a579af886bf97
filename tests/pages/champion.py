"""The best player for each kind of feedback."""

from __future__ import annotations

from bsbench.present.report import Section
from bsbench.reproduce.folder import load_report
from bsbench.rules.board import Feedback
from tests.pages import ROOT, table

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
    return table(rows).replace("| --- | ---: | ---: |", "| --- | --- | --- |")


def short_champions_table() -> str:
    """Return the same for README, without speed and the players before."""
    rows = [["scenario", "reported", "best player", "mean ± 95 %", "games"]]
    for section in champions():
        best = section.comparison.results[-1]
        feedback = REPORTED[section.scenario.rules.feedback]
        scenario = section.scenario.name.partition("+")[0]
        mean, games = best.stats.mean_text, f"{best.games:,}"
        rows.append([f"`{scenario}`", feedback, f"`{best.label}`", mean, games])
    return table(rows).replace("| --- | ---: | ---: |", "| --- | --- | --- |")


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    return {"champions": champions_table()}
