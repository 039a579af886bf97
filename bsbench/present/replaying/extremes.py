"""The longest and the shortest game of a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.common.progress import Watch
from bsbench.rules.scenario import Scenario
from bsbench.runs.engine import run as play
from bsbench.runs.request import GAMES, TIMEOUT
from bsbench.runs.results import Result
from bsbench.strategies import Strategy


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
