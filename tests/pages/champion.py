"""The best player for each kind of feedback."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import msgspec

from bsbench.common.files import parse_json
from bsbench.present.report import Section
from bsbench.reproduce.folder import load_report
from bsbench.rules.board import Feedback
from bsbench.stats import interval_text
from bsbench.studies.rollouts.study import WorthRecord
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

FRESH = 2028
"""The seed of games that were played once, after all settings of rollouts had been chosen."""


class Player(NamedTuple):
    """How well a player does somewhere: half widths are those of 95 % intervals."""

    scenario: str
    feedback: Feedback
    label: str
    mean: float
    half_width: float
    games: int
    speed: float
    seed: int
    worth: str = ""
    """What the choices of rollouts are worth."""

    @property
    def text(self) -> str:
        """The mean and its half width."""
        return interval_text(self.mean, self.half_width)

    @property
    def of_games(self) -> str:
        """The number of games in words."""
        return f"{self.games:,} games"


@cache
def champions() -> tuple[Section, ...]:
    """Return the sections of the champions: first in each is the best player before."""
    return load_report(ROOT / "results" / "champions").sections


def _place(section: Section) -> tuple[str, Feedback]:
    scenario = section.scenario
    return scenario.name.partition("+")[0], scenario.rules.feedback


def _where(section: Section) -> list[str]:
    scenario, feedback = _place(section)
    return [f"`{scenario}`", REPORTED[feedback]]


def fast_players() -> list[Player]:
    """Return the players whose games are all played, those of a section together."""
    return [
        Player(
            *_place(section),
            result.label,
            result.stats.mean,
            result.stats.half_width,
            result.games,
            result.games_per_second / result.threads,
            result.seed,
        )
        for section in champions()
        for result in section.results
    ]


def worths() -> list[WorthRecord]:
    """Return the records of what choices are worth, by the names of their files."""
    paths = sorted((ROOT / "results" / "rollouts-worth").glob("*.json"))
    return [msgspec.convert(parse_json(path.read_bytes()), WorthRecord) for path in paths]


def slow_players() -> list[Player]:
    """Return what rollouts reach: the mean of the base, less their worth."""
    bases = {(each.scenario, each.feedback, each.label): each for each in fast_players()}
    players = []
    for record in worths():
        variant = record.strategy.removeprefix("mcts").split()
        settings = dict(each.split("=") for each in variant)
        place = record.scenario, Feedback.parse(record.feedback)
        base, worth = bases[*place, settings.get("base", "lattice")], record.worth
        players.append(
            Player(
                *place,
                record.strategy,
                base.mean - worth.mean,
                math.hypot(base.half_width, worth.half_width),
                record.games,
                record.games_per_cpu_second,
                record.seed,
                interval_text(-worth.mean, worth.half_width),
            )
        )
    return players


def fresh_players() -> list[Player]:
    """Return the players with rollouts whose games did not help to choose them."""
    return [each for each in slow_players() if each.seed == FRESH]


def lowest(scenario: str, feedback: Feedback, players: list[Player]) -> Player | None:
    """Return the player with the fewest shots somewhere, if there is any."""
    there = [each for each in players if (each.scenario, each.feedback) == (scenario, feedback)]
    return min(there, key=lambda each: each.mean, default=None)


def aligned(text: str, words: int) -> str:
    """Return a table whose first columns are words, aligned to the left."""
    return text.replace("| --- " + "| ---: " * (words - 1), "| --- " * words, 1)


def champions_table() -> str:
    """Return a row for each scenario, feedback and player, with the difference to the first one."""
    rows = [["scenario", "player", "mean ± 95 %", "difference", "games/s"]]
    for section in champions():
        scenario, feedback = _place(section)
        comparison = section.comparison
        for result, difference in zip(comparison.results, comparison.differences, strict=True):
            first = result.label == comparison.reference
            rows.append(
                [
                    f"`{scenario}+{feedback}`" if first else "",
                    f"`{result.label}`",
                    result.stats.mean_text,
                    "reference" if first else difference.text,
                    f"{result.games_per_second / result.threads:,.0f}",
                ]
            )
    return aligned(table(rows), 2)


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
    for section in champions():
        place = _place(section)
        best, slow = lowest(*place, fast_players()), lowest(*place, fresh_players())
        assert best is not None
        rollouts = f"{slow.text} ({slow.of_games})" if slow else ""
        row = [*_where(section), f"`{best.label}`", best.text, f"{best.games:,}"]
        rows.append([*row, rollouts, PUBLISHED.get(place, "none found")])
    return aligned(table(rows), 3)


def tables() -> dict[str, str]:
    """Return the table of the document."""
    return {"champions": champions_table()}
