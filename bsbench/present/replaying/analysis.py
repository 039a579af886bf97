"""What the shots of games were worth: odds, second opinions, and whether a game is typical."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import results_folder
from bsbench.own.adapter import borrowed
from bsbench.play.advice import hints
from bsbench.play.game import turns_of
from bsbench.play.samplers import make_sampler
from bsbench.present.replaying.page import Opinion, Replay, Standing
from bsbench.roster import as_strategy
from bsbench.rules.scenario import Scenario
from bsbench.runs.chances import EFFORT, ChanceFinder
from bsbench.runs.records import load_result
from bsbench.runs.request import TIMEOUT, check_playable, check_timeout, limits_of, variant_text
from bsbench.runs.results import Result
from bsbench.strategies import Strategy, strategy_names


def analysed(
    replays: Sequence[Replay],
    *,
    odds: float = EFFORT,
    opinions: Sequence[str | Strategy | type] = (),
    run: Result | None = None,
    timeout: float = TIMEOUT,
) -> list[Replay]:
    """Return games with what their shots were worth.

    Parameters
    ----------
    replays : sequence of Replay
        Of one scenario.
    odds : float
        Effort for the odds of all positions of all games, in units that take about a second; 0
        for none.
    opinions : sequence of str, Strategy or type
        Who is asked what it would have shot, as for `bsbench.run`.
    run : Result, optional
        The record of the run that the games are of. Default: one that comes with bsbench, for games
        of built-in strategies.
    timeout : float
        Seconds that a strategy in Python may spend on its opinions of a game.

    Raises
    ------
    BsbenchError
        If a strategy can't play this scenario, ignores the outcomes of shots, or fails.
    """
    if not replays:
        return []
    scenario = replays[0].scenario
    asked = [as_strategy(each, limits_of(timeout)) for each in opinions]
    for each in asked:
        check_playable(each, scenario)
    timeout = check_timeout(timeout)
    finder = ChanceFinder(scenario, odds) if odds > 0 else None
    found = []
    for number, again in enumerate(replays):
        chances = finder.find(again.moves, 1 / (len(replays) - number)) if finder else ()
        found.append(
            dataclasses.replace(
                again,
                chances=chances,
                opinions=tuple(_opinion(each, again, timeout) for each in asked),
                standing=_standing(again, run),
            )
        )
    return found


def _opinion(strategy: Strategy, again: Replay, timeout: float) -> Opinion:
    sampler = make_sampler(again.scenario.rules, again.scenario.placement)
    with borrowed(strategy, timeout) as player:
        turns = [[move.cell for move in turn] for turn in turns_of(again.moves)]
        rules = again.scenario.rules
        given = tuple(hints(player, rules, sampler, turns, again.seed, again.game))
    return Opinion(strategy.label, variant_text(strategy), given)


def _standing(again: Replay, run: Result | None) -> Standing | None:
    """Return how a game that was finished compares with others, if there are any on record."""
    if again.fault is not None:
        return None
    if run is None or run.label != again.strategy:
        run = _on_record(again.strategy, again.scenario)
    return None if run is None else Standing.of(again.turns, run)


def _on_record(label: str, scenario: Scenario) -> Result | None:
    """Return the record of a built-in strategy that comes with bsbench, if there is one."""
    if label not in strategy_names() or not scenario.name.isidentifier():
        return None
    try:
        run = load_result(results_folder() / scenario.name / f"{label}.json")
    except BsbenchError:
        return None
    same = run.label == label and run.scenario.rules == scenario.rules
    return run if same and run.scenario.placement == scenario.placement else None
