"""Does a strategy keep to the contract? A conformance test, for strategies of all kinds.

`check_strategy` plays some games over and over: again, in batches of other sizes, in another
order, beside a copy, and as the engine does. All of these must be the same games, shot by shot, and
each shot must be legal. Where a property does not hold, the report names game and move, and the
command that shows them. Users' classes think in processes of their own anyway (`bsbench.own`);
users' kernels are checked in a child (`apart`), which they may end or block.
"""

from __future__ import annotations

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_variant
from bsbench.own.loading import has_kernels
from bsbench.roster import Given, as_strategy, is_strategy, strategy_names
from bsbench.rules.scenario import find_scenario
from bsbench.runs.request import Place, Request
from bsbench.studies.check.apart import check_apart
from bsbench.studies.check.cases import MOST_GAMES
from bsbench.studies.check.checking import CheckReport, check_here

__all__ = ["GAMES", "TIMEOUT", "CheckReport", "Report", "check_strategy"]

Report = CheckReport
"""Its name in the package `bsbench`."""

GAMES = 24
"""Games on the first scenario, by default; a quarter of that on each of the others."""

TIMEOUT = 10.0
"""Seconds that a game may take of code in Python, by default."""


@checked
def check_strategy(
    strategy: Given,
    scenario: Place | None = None,
    games: int = GAMES,
    seed: int = 0,
    timeout: float = TIMEOUT,
) -> CheckReport:
    """Check that a strategy keeps to the contract of `Strategy`.

    Parameters
    ----------
    strategy : str, Path, Strategy, type or callable
        As for `bsbench.run`. If it is a text, the code of a user's own runs in another process, and
        whatever it does ends nothing else.
    scenario : str, Path or Scenario, optional
        Where to check it, alone. By default on its home, or on ``classic``, under all feedback
        that is enough for it, then on other scenarios and on odd boards.
    games : int
        How many on the first scenario.
    seed : int
    timeout : float
        Seconds that a game may take of a strategy in Python or numpy; or one call of a strategy
        made of kernels, compiling not counted, if it is given by its name.

    Returns
    -------
    CheckReport

    Raises
    ------
    BsbenchError
        If there is no such strategy or scenario, the scenario shows less than the strategy needs,
        or games, seed or timeout are out of range.

    Examples
    --------
    >>> check_strategy("linear", games=10).passed
    True
    """
    limits = Request.of(seed=seed, games=games, timeout=timeout).limits
    if games > MOST_GAMES:
        raise BsbenchError(f"a check remembers each shot: ask for {MOST_GAMES:,} games at most")
    place = None if scenario is None else find_scenario(scenario)
    if isinstance(strategy, str):
        name, _ = read_variant(strategy)
        own = is_strategy(name) and name not in strategy_names()
        if own and has_kernels(name, limits.longest_start):
            return check_apart(strategy, place, games, seed, timeout)
    return check_here(as_strategy(strategy, limits), place, games, seed, timeout)
