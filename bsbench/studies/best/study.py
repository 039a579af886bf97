"""The best player for each scenario and kind of feedback, by the records that come with bsbench.

Nothing is played. Only records of a million games count, and what rollouts are worth in games that
chose nothing; under other placement laws than ``uniform``, all records. Where a player has several
records, that of the games that no parameter was tuned on counts.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, cast

import msgspec

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError, option
from bsbench.common.found import Found
from bsbench.common.record import Content, Count, Record
from bsbench.common.settings import check_choice
from bsbench.common.shown import Shown
from bsbench.rules.board import Feedback
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import (
    DEFAULT,
    FeedbackName,
    Scenario,
    find_scenario,
    scenario_names,
    scenario_options,
)
from bsbench.runs.known import (
    UNIFORM,
    KnownRecord,
    kinds_of,
    known_laws,
    known_results,
    known_rollouts,
)

SPEED = 1.0
"""Games a second that a player must play by default: those with many rollouts play fewer."""

ENOUGH = 1_000_000
"""Games of a record that counts: means of different games then compare to 0.02 moves or so."""


class BestPlayer(Record, frozen=True):
    """A player, and what its record says.

    Attributes
    ----------
    label
        The name, and the parameters that are not at their defaults.
    mean
        Moves in a game. Of `mcts`: those of its base, less what its rollouts save.
    half_width
        Half the width of its 95 % interval.
    games
        Games played.
    seed
        Seed of the layouts.
    fresh
        Whether no parameter of any player was chosen by these games.
    games_per_second
        Speed of one core when the record was made.
    record
        Where the figures are from.
    """

    label: str
    mean: float
    half_width: float
    games: Count
    seed: Count
    fresh: bool
    games_per_second: float
    record: str


class Lead(Record, frozen=True):
    """How many more moves the runner-up needs.

    Attributes
    ----------
    mean
        In a game.
    half_width
        Half the width of its 95 % interval.
    paired
        Whether the same games are compared one by one; else it is the difference of two means.
    """

    mean: float
    half_width: float
    paired: bool


class BestPlace(Record, frozen=True):
    """Who is best on a scenario with some feedback.

    Attributes
    ----------
    scenario
        Name of the scenario.
    feedback
        What a shot reveals.
    best
        The player with the fewest moves.
    runner_up
        The next one; null if no other player has a record.
    lead
        How many more moves the runner-up needs; null if there is none.
    slower
        The player that is better, but too slow for what was asked; null if there is none.
    command
        What plays the games of the best one again.
    """

    scenario: str
    feedback: FeedbackName
    best: BestPlayer
    runner_up: BestPlayer | None
    lead: Lead | None
    slower: BestPlayer | None
    command: str


class BestRecord(Content, frozen=True):
    """What `bsbench best --export-json` writes: the best players by the bundled records.

    Attributes
    ----------
    speed
        Games a second that each of these players plays at least.
    placement
        The placement law of the layouts.
    places
        One for each scenario and kind of feedback.
    """

    schema = "bsbench-best-1"
    heading = "Best players"
    speed: Annotated[float, msgspec.Meta(ge=0)]
    placement: str
    places: list[BestPlace]


@dataclass(frozen=True, eq=False, repr=False)
class Best(Shown, Found):
    """The best players by the bundled records.

    Attributes
    ----------
    speed : float
        Games a second that each of these players plays at least.
    placement : str
        The placement law of the layouts.
    places : list of BestPlace
        One for each scenario and kind of feedback.
    """

    form: ClassVar = BestRecord
    entries: ClassVar = "places"
    results: ClassVar = ()

    speed: float
    placement: str
    places: list[BestPlace]

    def __repr__(self) -> str:
        return f"<Best: {len(self.places)} places>"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each scenario and kind of feedback."""
        return [_row(place) for place in self.to_dict()[self.entries]]


@checked
def best(
    scenario: str | None = None,
    *,
    feedback: str | Feedback | None = None,
    speed: float = SPEED,
    placement: str | Placement = UNIFORM,
) -> Best:
    """Return the best player for each scenario and kind of feedback, by the bundled records.

    Nothing is played.

    Parameters
    ----------
    scenario : str, optional
        Only this one: `classic`, `gym-10x10`, `harbour` or `sea-battle`.
    feedback : str or Feedback, optional
        Only this kind: ``hit``, ``sunk`` or ``ship``.
    speed : float, optional
        Games a second that a player must have played, on one core. 0 admits all.
    placement : str or Placement, optional
        The placement law of the layouts, such as ``edge:3``.

    Raises
    ------
    BsbenchError
        If a name is unknown, or no record is of such a player.

    Examples
    --------
    >>> bsbench.best("classic", feedback="hit").places[0].best.label  # doctest: +SKIP
    'posterior pattern=lattice'
    """
    if not 0 <= speed < math.inf:
        raise BsbenchError(f"{option('speed')} is a number of games a second, 0 or more: {speed!r}")
    kind = None if feedback is None else str(Feedback.parse(feedback))
    law = str(Placement.parse(placement))
    places = sorted({(each.scenario, each.feedback) for each in _players(law)}, key=_order)
    if not places and law == UNIFORM:
        raise BsbenchError(
            "this copy of bsbench has no records: they are in the folder 'results' of its "
            "repository"
        )
    if scenario is not None:
        check_choice("scenario", scenario, scenario_names())
    known = list(dict.fromkeys(name for name, _ in places))
    if scenario not in (None, *known) or not known:
        asked = find_scenario(scenario or DEFAULT).override(placement=law)
        way = shlex.join(["bsbench", "compare", "all", *scenario_options(asked)])
        laws = ", ".join(known_laws().get(scenario or DEFAULT, []))
        choices = [f"{option('placement')} {laws}"] if laws else []
        choices += [f"another scenario ({', '.join(known)})"] if known else []
        raise BsbenchError(
            f"bsbench comes with no records of the best players on {asked.name}: choose "
            f"{', or '.join(choices)}, or play there with {way!r}"
        )
    kinds = list(dict.fromkeys(told for name, told in places if scenario in (None, name)))
    words = (
        scenario and f"on {scenario} ",
        f"under placement {law} " if law != UNIFORM else "",
        kind and f"with feedback {kind} ",
    )
    where = "".join(filter(None, words))
    if kind not in (None, *kinds):
        raise BsbenchError(
            f"bsbench comes with no record {where}of any player: choose {option('feedback')} "
            f"{', '.join(kinds)}"
        )
    found = [
        place
        for name, told in places
        if scenario in (None, name) and kind in (None, told)
        if (place := _place(name, told, speed, law))
    ]
    if not found:
        raise BsbenchError(
            f"no record {where}is of a player that plays {speed:,g} games a second: lower "
            f"{option('speed')}"
        )
    return Best(threads=1, speed=float(speed), placement=law, places=found)


def _order(place: tuple[str, str]) -> tuple[int, Feedback]:
    """Return where a place stands: as scenarios do in `bsbench list`, the least feedback first."""
    return scenario_names().index(place[0]), Feedback.parse(place[1])


def _players(law: str) -> Iterator[KnownRecord]:
    """Yield the players whose means count, with one record of each for each kind of feedback."""
    salvos = {name for name in scenario_names() if find_scenario(name).rules.salvos}
    counting = [
        each
        for each in known_results(law)
        # Turns of salvos don't compare with moves: docs/salvos.md has those that play them.
        if (each.games >= ENOUGH or law != UNIFORM) and each.scenario not in salvos
    ]
    played = {(each.scenario, each.feedback) for each in counting}
    found: dict[tuple[str, str, str], KnownRecord] = {}
    for other in (False, True):
        # First what was played with that kind of feedback, and of that the fresh games.
        for each in sorted(counting, key=lambda each: not each.fresh):
            for kind in kinds_of(each) if other else [each.feedback]:
                if (each.scenario, kind) in played:
                    key = each.scenario, kind, each.label
                    found.setdefault(key, replace(each, feedback=kind))
    yield from found.values()
    yield from (each for each in known_rollouts() if each.fresh and each.law == law)


def _place(scenario: str, feedback: str, speed: float, law: str) -> BestPlace | None:
    where = scenario, feedback
    there = [each for each in _players(law) if (each.scenario, each.feedback) == where]
    there.sort(key=lambda each: each.mean)
    first, second, *_ = [*(each for each in there if each.speed >= speed), None, None]
    if first is None:
        return None
    return BestPlace(
        scenario=scenario,
        feedback=cast(FeedbackName, feedback),
        best=_player(first),
        runner_up=second and _player(second),
        lead=second and lead(first, second),
        slower=None if there[0] == first else _player(there[0]),
        command=command_for(first),
    )


def _player(known: KnownRecord) -> BestPlayer:
    return BestPlayer(
        label=known.label,
        mean=known.mean,
        half_width=known.half_width,
        games=known.games,
        seed=known.seed,
        fresh=known.fresh,
        games_per_second=float(f"{known.speed:.4g}"),
        record=known.name,
    )


def lead(first: KnownRecord, second: KnownRecord) -> Lead:
    """Return how many more moves one player needs than another one.

    That of the games themselves, if a record has it. Otherwise the interval follows from those of
    the two means, as if their games were independent: of the same games, which tend to be hard for
    both, it is rather too wide.
    """
    for one, other, sign in ((second, first, 1), (first, second, -1)):
        gap = one.gap
        # What rollouts are worth is the difference of the means, whatever games the base played.
        same = one.games < ENOUGH or (one.seed, one.games) == (other.seed, other.games)
        if gap is not None and gap.label == other.label and same:
            return Lead(mean=sign * gap.mean, half_width=gap.half_width, paired=True)
    width = math.hypot(first.half_width, second.half_width)
    return Lead(mean=second.mean - first.mean, half_width=width, paired=False)


def command_for(known: KnownRecord) -> str:
    """Return the command that plays the games of a record again."""
    base: Scenario = find_scenario(known.scenario)
    where = base.override(feedback=known.feedback, placement=known.law)
    games = ["-n", f"{known.games}", "--seed", f"{known.seed}"]
    return shlex.join(["bsbench", "run", known.variant, *scenario_options(where), *games])


def _row(place: dict[str, Any]) -> dict[str, Any]:
    """Return a place as a flat row, with the names of a table."""
    row = {"scenario": place["scenario"], "feedback": place["feedback"]}
    row |= {"strategy" if key == "label" else key: value for key, value in place["best"].items()}
    row["runner_up"] = (place["runner_up"] or {}).get("label")
    lead = place["lead"] or {}
    row |= {f"lead_{key}": lead.get(key) for key in ("mean", "half_width", "paired")}
    return row | {"command": place["command"]}
