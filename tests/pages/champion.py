"""The best player for each kind of feedback."""

from __future__ import annotations

import math

from bsbench.present.report import Section
from bsbench.reproduce.folder import load_report
from bsbench.rules.board import Feedback
from bsbench.stats import interval_text
from tests.pages import ROOT, table
from tests.pages.rollouts import worths

REPORTED = {
    Feedback.HIT: "hit or miss",
    Feedback.SUNK: "also what sank",
    Feedback.SHIP: "also which ship each hit is on",
}


def champions() -> tuple[Section, ...]:
    """Return the sections of the champions: first in each is the best player before."""
    return load_report(ROOT / "results" / "champions").sections


def _where(section: Section) -> list[str]:
    scenario = section.scenario
    return [f"`{scenario.name.partition('+')[0]}`", REPORTED[scenario.rules.feedback]]


def champions_table() -> str:
    """Return a row for each scenario, feedback and player, with the difference to the first one."""
    rows = [["scenario", "reported", "player", "mean ± 95 %", "difference", "games", "games/s"]]
    for section in champions():
        comparison = section.comparison
        for result, difference in zip(comparison.results, comparison.differences, strict=True):
            first = result.label == comparison.reference
            rows.append(
                [
                    *(_where(section) if first else ("", "")),
                    f"`{result.label}`",
                    result.stats.mean_text,
                    "reference" if first else difference.text,
                    f"{result.games:,}",
                    f"{result.games_per_second:,.0f}",
                ]
            )
    return table(rows).replace("| --- | ---: | ---: |", "| --- | --- | --- |")


def short_champions_table() -> str:
    """Return the best player of each scenario and feedback."""
    rows = [["scenario", "reported", "best player", "mean ± 95 %", "games"]]
    for section in champions():
        best = min(section.results, key=lambda result: result.stats.mean)
        rows.append([*_where(section), f"`{best.label}`", best.stats.mean_text, f"{best.games:,}"])
    return table(rows).replace("| --- | ---: | ---: |", "| --- | --- | --- |")


def rollouts_table() -> str:
    """Return what rollouts from the first shot on reach: the mean of their base, less their worth.

    Where the ship of each hit is reported, the base uses only what sank, so its mean is the one
    for feedback `sunk`.
    """
    means = {
        (section.scenario.name.partition("+")[0], result.label): result.stats
        for section in champions()
        for result in section.results
        if section.scenario.rules.feedback == Feedback.SUNK
    }
    rows = [["scenario", "reported", "player", "mean ± 95 %", "games", "games/s"]]
    for record in worths():
        variant = record["strategy"].removeprefix("mcts").split()
        settings = dict(each.split("=") for each in variant)
        if settings.get("hunt_ships") != "5":
            continue
        base = means[record["scenario"], settings.get("base", "lattice")]
        worth = record["worth"]
        mean = base.mean - worth["mean"]
        rows.append(
            [
                f"`{record['scenario']}`",
                REPORTED[Feedback.parse(record["feedback"])],
                f"`{record['strategy']}`",
                interval_text(mean, math.hypot(base.half_width, worth["half_width"])),
                f"{record['games']:,}",
                f"{record['games_per_cpu_second']:.2f}",
            ]
        )
    return table(rows).replace("| --- | ---: | ---: |", "| --- | --- | --- |")


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    return {"champions": champions_table(), "rollouts": rollouts_table()}
