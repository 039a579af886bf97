"""What the records that come with bsbench say of its strategies: means, differences and speeds.

They are few and small, and nothing but JSON is read, so that a list can show them at once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from bsbench.common.record import Count, Record
from bsbench.common.settings import results_folder
from bsbench.rules.board import Feedback
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import FeedbackName, Scenario, find_scenario
from bsbench.runs.finding import BUNDLED, RECORDS
from bsbench.strategies import Strategy, built_in_strategy

_FOLDERS = ("classic", "harbour", "sea-battle", "posterior", "champions", "salvos")
"""Folders of records of strategies on built-in scenarios, in the order in which they are listed."""

UNIFORM: str = str(Placement())
_LAWS = "laws", "sea-battle"
"""Folders of records under placement laws, among them others than ``uniform``."""

_SALVOS = {"shots", "answers"}
"""What the scenario of a record has where a turn has several shots."""

_FRESH = "champions", "sea-battle", "laws"
"""Folders of games that were played after all players in them had been tuned, on other games."""

_ROLLOUTS, FRESH = "rollouts-worth", 2028
"""The folder of what rollouts are worth, and the seed of games that were played once, after all
settings of rollouts had been chosen."""


@dataclass(frozen=True)
class Gap:
    """By how many moves a player differs from another one in the same games.

    Attributes
    ----------
    label : str
        The other one.
    mean, half_width : float
        Moves of the player less those of the other; and half the width of the 95 % interval.
    """

    label: str
    mean: float
    half_width: float


@dataclass(frozen=True)
class KnownRecord:
    """What a bundled record says of a player.

    Attributes
    ----------
    name : str
        The record's, such as ``@classic/lattice``.
    strategy, label : str
        The name of the strategy; with its parameters, as far as they are not at their defaults.
    scenario : str
        The name of a built-in scenario.
    feedback : str
        ``hit``, ``sunk`` or ``ship``.
    law : str
        The placement law.
    seed, games : int
    mean, half_width : float
        Moves, and half the width of the 95 % interval.
    speed : float
        Games that one core played a second.
    fresh : bool
        Whether these games helped to choose no parameter of any player.
    gap : Gap or None
    """

    name: str
    strategy: str
    label: str
    scenario: str
    feedback: str
    law: str
    seed: int
    games: int
    mean: float
    half_width: float
    speed: float
    fresh: bool
    gap: Gap | None = None

    @property
    def variant(self) -> str:
        """The player, as it is written on the command line."""
        return self.label.replace(" ", ",")

    @property
    def is_plain(self) -> bool:
        """Whether all parameters are at their defaults."""
        return self.label == self.strategy


class Mean(Record, frozen=True):
    """A mean over games.

    Attributes
    ----------
    mean
        In moves.
    half_width
        Half the width of the 95 % interval.
    """

    mean: float
    half_width: float


class WorthRecord(Record, frozen=True):
    """How many moves the choices of `mcts` save; `examples/rollouts_worth.py` writes it.

    Attributes
    ----------
    scenario
        Name of the scenario.
    feedback
        What a shot reveals.
    strategy
        Label of the strategy.
    parameters
        All its parameters, by name.
    seed
        Seed of the layouts.
    games
        Games played.
    worth
        Moves that its choices save in a game, compared with those of its base.
    moves
        Moves of a game.
    games_per_cpu_second
        Speed, on one core.
    """

    file = "rollouts-worth"
    heading = "Worth of rollouts"
    scenario: str
    feedback: FeedbackName
    strategy: str
    parameters: dict[str, Any]
    seed: Count
    games: Count
    worth: Mean
    moves: Mean
    games_per_cpu_second: float


@cache
def known_results(law: str = UNIFORM) -> tuple[KnownRecord, ...]:
    """Return what records of runs say of built-in strategies; nothing if there are none.

    Parameters
    ----------
    law : str, optional
        The placement law of their layouts.
    """
    found = []
    for folder in _FOLDERS if law == UNIFORM else _LAWS:
        for path, record in _read(folder):
            if not str(record.get("schema", "")).startswith(RECORDS):
                continue
            strategy, scenario, summary = record["strategy"], record["scenario"], record["summary"]
            if "+" in scenario["name"] and not _SALVOS.isdisjoint(scenario):
                # Its moves are turns, and not those of the built-in scenario.
                continue
            if scenario["placement"] != law:
                continue
            gap = record.get("against")
            known = KnownRecord(
                f"{BUNDLED}{folder}/{path.stem}",
                strategy["name"],
                strategy["label"],
                scenario["name"].partition("+")[0],
                str(scenario["feedback"]),
                law,
                record["seed"],
                summary["games"],
                summary["mean"],
                summary["half_width"],
                summary["games"] / record["seconds"]["play"] / record["threads"],
                folder in _FRESH,
                gap and Gap(gap["label"], gap["mean"], gap["half_width"]),
            )
            found.append(known)
    return tuple(found)


@cache
def known_rollouts() -> tuple[KnownRecord, ...]:
    """Return what is known of players with rollouts: means are estimates.

    Such a player is too slow for a million games: its mean is that of its base, less what its
    choices save in its own games (`WorthRecord`). That is its gap, too.
    """
    found = []
    bases = {
        (each.scenario, each.feedback, each.label): each for each in known_results() if each.fresh
    }
    for path, content in _read(_ROLLOUTS):
        record = msgspec.convert(content, WorthRecord)
        worth, place = record.worth, (record.scenario, record.feedback)
        base = bases[*place, record.parameters["base"]]
        known = KnownRecord(
            f"results/{_ROLLOUTS}/{path.name}",
            record.strategy.partition(" ")[0],
            record.strategy,
            *place,
            UNIFORM,
            record.seed,
            record.games,
            base.mean - worth.mean,
            math.hypot(base.half_width, worth.half_width),
            record.games_per_cpu_second,
            record.seed == FRESH,
            Gap(base.label, -worth.mean, worth.half_width),
        )
        found.append(known)
    return tuple(found)


def known_laws() -> dict[str, list[str]]:
    """Return the placement laws of which there are records, by the name of the scenario."""
    found: dict[str, set[str]] = {}
    for folder in _LAWS:
        for _, record in _read(folder):
            if where := record.get("scenario"):
                name = where["name"].partition("+")[0]
                found.setdefault(name, {UNIFORM}).add(where["placement"])
    return {name: sorted(laws) for name, laws in found.items()}


def kinds_of(known: KnownRecord) -> list[str]:
    """Return the kinds of feedback that a record holds for: its own one first.

    A strategy plays the same games where the same of the facts that it uses are told.
    """
    strategy, rules = built_in_strategy(known.strategy), find_scenario(known.scenario).rules
    if rules.joint:
        return [known.feedback]
    used = (strategy.uses or strategy.needs).reveals
    told = Feedback.parse(known.feedback).reveals.shared(used)
    alike = [str(kind) for kind in Feedback if kind.reveals.shared(used) == told]
    return list(dict.fromkeys([known.feedback, *alike]))


def _read(folder: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the JSON files of a folder of results, each with what it holds."""
    for path in sorted((results_folder() / folder).glob("*.json")):
        yield path, json.loads(path.read_text(encoding="utf-8"))


def known_speed(strategy: Strategy, scenario: Scenario, games: int) -> float | None:
    """Return how many games a second one core is known to play; None if no record says it.

    A record of the same player on the same scenario with the same feedback counts first: of
    several, that with the number of games that is closest, since some players become faster as they
    play. Then counts the slowest record of the player on the scenario, of the player anywhere, and
    of the strategy.
    """
    where = scenario.name.partition("+")[0], str(scenario.rules.feedback)
    known = [*known_results(), *known_rollouts()]
    there = [each for each in known if each.strategy == strategy.name]
    for asked in ((strategy.label, *where), (strategy.label, where[0]), (strategy.label,), ()):
        alike = [
            each
            for each in there
            if (each.label, each.scenario, each.feedback)[: len(asked)] == asked
        ]
        if alike and where[1] in asked:
            return min(alike, key=lambda each: abs(math.log(each.games / max(games, 1)))).speed
        if alike:
            return min(each.speed for each in alike)
    return None
