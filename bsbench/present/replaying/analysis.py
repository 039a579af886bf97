"""What the shots of games were worth, and which games of a run are the longest and the shortest.

Of shots there are odds and second opinions, and of games whether they are typical.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.common.progress import Watch
from bsbench.common.settings import results_folder
from bsbench.own.adapter import borrowed
from bsbench.play.advice import hints
from bsbench.play.game import turns_of
from bsbench.play.samplers import make_sampler
from bsbench.present.replaying.page import OnRecord, Opinion, Replay
from bsbench.rules.scenario import Scenario
from bsbench.runs.chances import EFFORT, ChanceFinder
from bsbench.runs.records import load_result
from bsbench.runs.request import GAMES, TIMEOUT, Request, variant_text
from bsbench.runs.results import Result
from bsbench.runs.running import run as play
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
        Effort for the odds of all games of each player, in units that take about a second; 0 for
        none.
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
    request = Request.of(scenario, timeout=timeout)
    asked = [request.single(each, "an opinion")[0] for each in opinions]
    # So another player beside it leaves a game's odds as they were.
    players = sum((each.seed, each.game) == (replays[0].seed, replays[0].game) for each in replays)
    finder = ChanceFinder(scenario, odds * players) if odds > 0 else None
    salvos = scenario.rules.salvos
    found = []
    for number, again in enumerate(replays):
        chances = finder.find(again.moves, 1 / (len(replays) - number)) if finder else ()
        found.append(
            dataclasses.replace(
                again,
                chances=chances,
                bits=finder.bits(again.moves, chances) if finder and salvos else (),
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


def _standing(again: Replay, run: Result | None) -> OnRecord | None:
    """Return how a game that was finished compares with others, if there are any on record."""
    if again.fault is not None:
        return None
    if run is None or run.label != again.strategy:
        run = _on_record(again.strategy, again.scenario)
    return None if run is None else OnRecord.of(again.turns, run)


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


@dataclass(frozen=True)
class Extreme:
    """A game of a run.

    Attributes
    ----------
    game : int
        Its number.
    moves : int
        Its move count.
    games : int
        Games of the run.
    """

    game: int
    moves: int
    games: int


def extreme_game(
    strategy: str | Strategy | type,
    scenario: str | Scenario | None = None,
    *,
    worst: bool,
    games: int | None = None,
    seed: int = 0,
    run: Result | None = None,
    timeout: float = TIMEOUT,
    progress: Watch | None = None,
) -> Extreme:
    """Return the longest or the shortest game of a run; of several, the first.

    Parameters
    ----------
    strategy : str, Strategy or type
    scenario : str or Scenario, optional
        As for `bsbench.run`.
    worst : bool
        Whether to return the longest game.
    games, seed : int, optional
        As for `bsbench.run`.
    run : Result, optional
        The result of the run with these arguments, if it is known. It is played again only if
        it has no evidence, which says the first game of each length.
    timeout : float
    progress : callable, optional
        As for `bsbench.run`.

    Raises
    ------
    BsbenchError
        If an argument is out of range, or played again, the games are not those of ``run``.
    KeyboardInterrupt
        If interrupted.

    Examples
    --------
    >>> extreme_game("linear", "classic", worst=False, games=5000)
    Extreme(game=3352, moves=29, games=5000)
    """
    known = run
    if known is not None:
        known.check_stream()
    if known is None or not known.tally.has_evidence:
        run = play(
            strategy,
            scenario,
            games=known.games if known else games or GAMES,
            seed=seed,
            timeout=timeout,
            keep_moves=False,
            progress=progress,
        )
        if run.partial:
            raise KeyboardInterrupt
        if known is not None and not np.array_equal(known.counts, run.counts):
            raise BsbenchError(
                f"the {known.games:,} games of {known.label}, played again, have other move counts "
                "than the record"
            )
    assert run is not None
    moves = int(np.flatnonzero(run.counts)[-1 if worst else 0])
    return Extreme(int(run.tally.firsts[moves]), moves, run.games)
