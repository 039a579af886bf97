"""The best player for each kind of feedback."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from bsbench.present.report import Section
from bsbench.reproduce.folder import load_report
from bsbench.rules.board import Feedback
from bsbench.runs.known import Known, known_results, known_rollouts
from bsbench.studies.best.sheet import mean_text
from bsbench.studies.best.study import best
from tests.pages import ROOT, table

REPORTED = {
    Feedback.HIT: "hit or miss",
    Feedback.SUNK: "also what sank",
    Feedback.SHIP: "also which ship",
}

PUBLISHED = {
    ("classic", Feedback.SUNK): "[44.37 ± 0.12](https://github.com/Canon-Regularis/mayflower) "
    "(20,000 games; the length of a ship that sank, not its cells)",
    ("classic", Feedback.SHIP): "[44.054]"
    "(https://github.com/jonharrity/battleship/blob/master/engine/StrategyDriver.java) "
    "(500,000 games; ships placed one after the other)",
    ("harbour", Feedback.HIT): "60 (source of `prob`; placement not stated)",
    ("gym-10x10", Feedback.SUNK): "38.2 (Cubido 2008; 10,000 layouts of its own)",
}
"""The lowest means that others published, as far as we found them; how their rules differ."""


class Goal(NamedTuple):
    """A mean that a player was to fall below, at some speed (games/s of a core) or at any."""

    scenario: str
    feedback: Feedback
    mean: float
    speed: float


GOALS = [
    Goal("classic", Feedback.SUNK, 43.83, 1_000),
    Goal("classic", Feedback.SUNK, 43.65, 0),
    Goal("classic", Feedback.SHIP, 43.4, 0),
    Goal("classic", Feedback.HIT, 46.0, 0),
    Goal("harbour", Feedback.HIT, 57.0, 0),
    Goal("harbour", Feedback.SUNK, 53.0, 0),
    Goal("gym-10x10", Feedback.SUNK, 38.2, 0),
]
"""What was to be reached when work on champions began."""


@cache
def champions() -> tuple[Section, ...]:
    """Return the sections of the champions: first in each is the best player before."""
    return load_report(ROOT / "results" / "champions").sections


def _where(section: Section) -> list[str]:
    scenario = section.scenario
    return [f"`{scenario.name.partition('+')[0]}`", REPORTED[scenario.rules.feedback]]


def fast_players() -> list[Known]:
    """Return the players whose games are all played, those of a section together."""
    return [each for each in known_results() if each.fresh]


def slow_players() -> list[Known]:
    """Return the players that make rollouts from the first shot on."""
    return [each for each in known_rollouts() if "hunt_ships=5" in each.label]


def fresh_players() -> list[Known]:
    """Return the players with rollouts whose games did not help to choose them."""
    return [each for each in slow_players() if each.fresh]


def best_for(goal: Goal) -> Known:
    """Return the player that comes nearest to a goal, or passes it the farthest."""
    where = goal.scenario, str(goal.feedback)
    players = [each for each in fast_players() + fresh_players() if each.speed >= goal.speed]
    there = [each for each in players if (each.scenario, each.feedback) == where]
    return min(there, key=lambda each: each.mean)


def verdict(goal: Goal) -> str:
    """Return ``reached`` if the whole interval of the best player lies below a goal."""
    best = best_for(goal)
    if abs(best.mean - goal.mean) <= best.half_width:
        return "undecided"
    return "reached" if best.mean < goal.mean else "missed"


def _aligned(text: str, words: int) -> str:
    """Return a table whose first columns are words, aligned to the left."""
    return text.replace("| --- " + "| ---: " * (words - 1), "| --- " * words, 1)


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
                    f"{result.games_per_second / result.threads:,.0f}",
                ]
            )
    return _aligned(table(rows), 3)


def rollouts_table() -> str:
    """Return a row for each player that makes rollouts from the first shot on."""
    rows = [["scenario", "reported", "player", "mean ± 95 %", "games", "seed", "games/s"]]
    for each in slow_players():
        what = f"`{each.scenario}`", REPORTED[Feedback.parse(each.feedback)], f"`{each.label}`"
        rows.append(
            [*what, mean_text(each), f"{each.games:,}", str(each.seed), f"{each.speed:.2f}"]
        )
    return _aligned(table(rows), 3)


def best_players_table() -> str:
    """Return the best player by scenario and feedback, without rollouts and with them."""
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
    return _aligned(table(rows), 3)


def goals_table() -> str:
    """Return each goal, and what comes nearest to it."""
    rows = [["scenario", "reported", "player", "goal", "mean ± 95 %", "verdict"]]
    for goal in GOALS:
        best = best_for(goal)
        speed = f", {goal.speed:,} games/s" if goal.speed else ""
        # Parameters of rollouts stand in the table of these.
        name = best.label if best in fast_players() else best.label.split()[0]
        what = f"`{goal.scenario}`", REPORTED[goal.feedback], f"`{name}`, {best.games:,} games"
        below = f"below {goal.mean:.2f}{speed}"
        rows.append([*what, below, mean_text(best), verdict(goal)])
    return _aligned(table(rows), 3)


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    return {
        "champions": champions_table(),
        "rollouts": rollouts_table(),
        "goals": goals_table(),
    }
