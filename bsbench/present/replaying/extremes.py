"""The longest and the shortest game of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.roster import as_strategy
from bsbench.rules.scenario import Scenario
from bsbench.runs.engine import Run, play_in_rounds
from bsbench.runs.request import GAMES, TIMEOUT, check_request, check_timeout, scenario_for
from bsbench.runs.results import Result
from bsbench.runs.rounds import whole_units
from bsbench.strategies import Strategy

_FIRST_ROUND = 8192
"""Games that are played before the first look for the game among them."""

_GROWTH = 4


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
    progress: Callable[[int], None] | None = None,
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
        The result of the run with these arguments. Its move counts show which game it is. Without
        them, its histogram shows the move count, and games are played again only up to that game.
    timeout : float
    progress : callable, optional
        As for `bsbench.run`.

    Raises
    ------
    BsbenchError
        If an argument is out of range, or the games are not those of ``run``.
    KeyboardInterrupt
        If interrupted.

    Examples
    --------
    >>> extreme_game("linear", "classic", worst=False, games=5000)
    Extreme(game=3352, moves=29, games=5000)
    """
    shooter = as_strategy(strategy)
    scenario = scenario_for(shooter, scenario)
    games, seed, threads = check_request(run.games if run else games or GAMES, seed, None)
    first = np.argmax if worst else np.argmin
    sought = None
    if run is not None:
        run.check_stream()
        if run.moves is not None:
            game = int(first(run.moves))
            return Extreme(game, int(run.moves[game]), games)
        sought = int(np.flatnonzero(run.counts)[-1 if worst else 0])
    player = Run(shooter, scenario, seed, threads, check_timeout(timeout))
    player.keep_moves(games)
    unit = shooter.games_per_learner
    looked = 0

    def next_round(played: int) -> int:
        nonlocal looked
        if sought is None:
            return games
        found = sought in player.moves[looked:]
        looked = played
        return (
            played if found else min(whole_units(max(_FIRST_ROUND, _GROWTH * played), unit), games)
        )

    if play_in_rounds([player], next_round, progress and (lambda _, played: progress(played))):
        raise KeyboardInterrupt
    game = int(first(player.moves))
    moves = int(player.moves[game])
    if sought is not None and moves != sought:
        raise BsbenchError(
            f"the run's {'longest' if worst else 'shortest'} game has {sought} moves, but played "
            f"again, there is none among its {games:,} games: it was played by another version of "
            "bsbench or of the strategy"
        )
    return Extreme(game, moves, games)
