"""Runs of one strategy: what `bsbench.run` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bsbench.common.errors import BsbenchError
from bsbench.roster import as_strategy, make_strategy
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparing import Games, play_together
from bsbench.runs.engines import LOCAL, Engine, opened
from bsbench.runs.exact import all_layouts
from bsbench.runs.request import (
    TIMEOUT,
    check_first_game,
    check_request,
    check_timeout,
    scenario_for,
)
from bsbench.runs.results import Result
from bsbench.strategies import Strategy


# Public: each option is a keyword with a default.
def run(
    strategy: str | Strategy | type,
    scenario: str | Path | Scenario | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    games: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    engine: Engine = LOCAL,
    first_game: int = 0,
    keep_moves: bool | None = None,
    placement: str | None = None,
    until: float | None = None,
    timeout: float = TIMEOUT,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Play games of one strategy and return their move counts.

    Parameters
    ----------
    strategy : str, Strategy or type
        A strategy, its class, or its name as `bsbench.find_strategy` takes it.
    scenario : str, Path or Scenario, optional
        A scenario, its name, or the path of its TOML file. Default: the strategy's
        home, else ``classic``.
    parameters : mapping of str to bool, int, float or str, optional
        Values of parameters of the strategy named; the others have their defaults.
    games : int, optional
        How many games are played; with ``until``, at most. Default: 100,000, or 100,000,000
        with ``until``; under the placement law ``each``, one for each layout.
    seed : int
        Any non-negative integer. All strategies meet the same layouts under it.
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    engine : str or distributed.Client
        Where games are played: ``local``, in threads of this process; ``dask``, in processes of
        this machine, by Dask; the address of a Dask scheduler; or a Dask client. The result does
        not depend on it.
    first_game : int
        The number of the first game under the seed; the others follow it.
    keep_moves : bool, optional
        Keep the move count of each game (`Result.moves`), not only sums. Default: of runs of up
        to `MOST_KEPT` games.
    placement : str, optional
        A placement law in place of the scenario's, such as ``sequential:longest``. Under ``each``,
        each layout is played once, and the result is exact (`Result.exact`).
    until : float, optional
        Play until the half-width of the 95 % interval of the mean is that small, in moves.
    timeout : float
        Seconds that the code of a strategy in Python may take for one game.
    progress : callable, optional
        Called with the number of games played so far, from the calling thread.

    Returns
    -------
    Result
        Ctrl-C ends a run early; the result then holds what was played so far and
        says so (`Result.partial`).

    Raises
    ------
    BsbenchError
        If an argument is out of range or no parameter of the strategy, or the
        strategy needs more feedback than the scenario gives.
    StrategyError
        If a user's strategy breaks the rules, raises, or takes too long. `StrategyError.result`
        holds the games before.
    KeyboardInterrupt
        If interrupted before a single block of games was over.

    Notes
    -----
    Stopping by the width depends on the spread of the move counts and not on their mean, so
    that the interval covers as any other does, the better the more games are played:
    Y. S. Chow and H. Robbins, "On the asymptotic theory of fixed-width sequential
    confidence intervals for the mean", Annals of Mathematical Statistics 36 (1965), 457-462,
    whose theorem needs only a finite variance. The mean of a skewed law is
    biased by something in the order of 1 / games, far below the width.

    Examples
    --------
    >>> result = run("linear", "classic", games=1000, seed=1)
    >>> result.stats.games, result.stats.worst <= 100
    (1000, True)
    """
    if isinstance(strategy, str):
        strategy = make_strategy(strategy, parameters)
    else:
        strategy = as_strategy(strategy)
        if parameters:
            raise BsbenchError(
                f"parameters go with the name of a strategy: this {strategy.name!r} is made already"
            )
    scenario = scenario_for(strategy, scenario)
    if placement is not None:
        scenario = scenario.override(placement=Placement.parse(placement))
    if games is None and until is None:
        games = all_layouts([scenario])
    games, seed, cores = check_request(games, seed, threads, until)
    first_game = check_first_game(first_game, games)
    asked = Games(scenario, games, seed, first_game, until, keep_moves)
    timeout = check_timeout(timeout)
    with opened(engine, threads) as crew:
        comparison = play_together(
            [strategy],
            strategy.label,
            asked,
            cores,
            timeout,
            watch=None if progress is None else lambda now: now.setting_up or progress(now.games),
            crew=crew,
        )
    return comparison.results[0]
