"""The best player for each kind of feedback."""

from __future__ import annotations

from functools import cache

from bsbench.present.report import ReportSection
from bsbench.reproduce.folder import load_report
from bsbench.rules.board import Feedback
from bsbench.runs.known import KnownRecord, known_results, known_rollouts
from bsbench.studies.best.sheet import mean_text
from bsbench.studies.best.study import best
from tests.pages import ROOT, table

REPORTED = {
    Feedback.HIT: "hit or miss",
    Feedback.SUNK: "also what sank",
    Feedback.SHIP: "also which ship",
}

PUBLISHED = {
    ("classic", Feedback.HIT): "[47](https://github.com/j-diefenbach/Battleship) (games "
    "not stated; no ship reaches the last cell of its line), "
    "[64.5](https://github.com/anderix/luxplay) (10,000 games, as it seems)",
    ("classic", Feedback.SUNK): "[44.37 ± 0.12](https://github.com/Canon-Regularis/mayflower) "
    "(20,000 games; the length of a ship that sank, not its cells)",
    ("classic", Feedback.SHIP): "[44.054]"
    "(https://github.com/jonharrity/battleship/blob/master/engine/StrategyDriver.java) "
    "(500,000 games; ships placed one after the other)",
    ("harbour", Feedback.HIT): "60 (source of `prob`; placement not stated)",
    ("gym-10x10", Feedback.SUNK): "38.2 (Cubido 2008; 10,000 layouts of its own)",
    ("sea-battle", Feedback.SUNK): "[56](https://github.com/exhanter/SeaBattle) "
    "(100 games; placement not stated)",
}
"""The lowest means that others published, as far as we found them; how their rules differ."""


@cache
def champions() -> tuple[ReportSection, ...]:
    """Return the sections of the champions: first in each is the best player before."""
    return load_report(ROOT / "results" / "champions").sections


def fast_players() -> list[KnownRecord]:
    """Return the players whose games are all played, those of a section together."""
    return [each for each in known_results() if each.fresh]


def slow_players() -> list[KnownRecord]:
    """Return the players that make rollouts."""
    return [*known_rollouts()]


def fresh_players() -> list[KnownRecord]:
    """Return the players with rollouts whose games did not help to choose them."""
    return [each for each in slow_players() if each.fresh]


def lowest(scenario: str, feedback: Feedback, players: list[KnownRecord]) -> KnownRecord:
    """Return the player with the fewest shots somewhere."""
    where = scenario, str(feedback)
    there = [each for each in players if (each.scenario, each.feedback) == where]
    return min(there, key=lambda each: each.mean)


def aligned(text: str, words: int) -> str:
    """Return a table whose first columns are words, aligned to the left."""
    return text.replace("| --- " + "| ---: " * (words - 1), "| --- " * words, 1)


def champions_table() -> str:
    """Return a row for each scenario, feedback and player, with the difference to the first one."""
    rows = [["scenario", "player", "mean ± 95 %", "difference", "games/s"]]
    for section in champions():
        comparison, feedback = section.comparison, section.scenario.rules.feedback
        for result, difference in zip(comparison.results, comparison.differences, strict=True):
            first = result.label == comparison.reference
            rows.append(
                [
                    f"`{section.scenario.name.partition('+')[0]}+{feedback}`" if first else "",
                    f"`{result.label}`",
                    result.stats.mean_text,
                    "reference" if first else difference.text,
                    f"{result.games_per_second / result.threads:,.0f}",
                ]
            )
    return aligned(table(rows), 2)


@cache
def laws() -> tuple[ReportSection, ...]:
    """Return the sections of the placement laws: the reference of each is its best player."""
    return load_report(ROOT / "results" / "laws").sections


def laws_table() -> str:
    """Return a row for each player: its mean where it is best, else the difference to the best."""
    rows: dict[str, list[str]] = {}
    last = ["difference ± 95 % at most"]
    for section in laws():
        comparison = section.comparison
        for result, difference in zip(comparison.results, comparison.differences, strict=True):
            best = result.label == comparison.reference
            cell = f"**{result.stats.mean:.2f}**" if best else f"{difference.mean:+.2f}"
            rows.setdefault(f"`{result.label}`", []).append(cell)
        last.append(f"{max(each.half_width for each in comparison.differences):.2f}")
    header = ["player", *(f"`{section.name}`" for section in laws())]
    return table([header, *([label, *cells] for label, cells in rows.items()), last])


def best_players_table() -> str:
    """Return the best player by scenario and feedback, also with rollouts."""
    rows = [
        [
            "scenario",
            "reported",
            "best fast player",
            "mean ± 95 %",
            "games",
            "with rollouts",
            "published",
        ]
    ]
    for place in best().places:
        first, slow, told = place.best, place.slower, Feedback.parse(place.feedback)
        rollouts = f"{mean_text(slow)} ({slow.games:,} games)" if slow else ""
        row = [f"`{place.scenario}`", REPORTED[told], f"`{first.label}`", mean_text(first)]
        published = PUBLISHED.get((place.scenario, told), "none found")
        rows.append([*row, f"{first.games:,}", rollouts, published])
    return aligned(table(rows), 3)


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    return {"champions": champions_table(), "laws": laws_table()}
