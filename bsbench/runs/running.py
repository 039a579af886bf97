"""Runs of one strategy: what `bsbench.run` does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Unpack, overload

from bsbench.common.arguments import is_whole
from bsbench.common.errors import BsbenchError
from bsbench.common.progress import Watch
from bsbench.common.settings import value_text
from bsbench.common.texts import shortened
from bsbench.roster import Given, as_strategy
from bsbench.runs.comparing import play
from bsbench.runs.contestants import scenarios_for
from bsbench.runs.experiment import experiment_of
from bsbench.runs.request import Place, RangeOptions, Request, Seeds, Where, several, with_options
from bsbench.runs.results import Result
from bsbench.runs.several import Results
from bsbench.runs.sweeps import read_sweep


class Options(RangeOptions, total=False):
    """Keywords of `run` that do not decide whether it returns one result or several."""

    games: float | str | None
    progress: Watch | None


# A list is no `Given` in truth, though callables may be iterable.
@overload
def run(  # type: ignore[overload-overlap]
    strategy: Given,
    scenario: Place | None = None,
    *,
    seed: int | None = None,
    **options: Unpack[Options],
) -> Result: ...


@overload
def run(
    strategy: Given | Iterable[Given],
    scenario: Where = None,
    *,
    seed: Seeds = None,
    sweep: Mapping[str, Any] | None = None,
    **options: Unpack[Options],
) -> Results: ...


@with_options(RangeOptions)
def run(
    strategy: Any,
    scenario: Any = None,
    *,
    sweep: Mapping[str, Any] | None = None,
    games: float | str | None = None,
    seed: Any = None,
    progress: Watch | None = None,
    **options: Unpack[RangeOptions],
) -> Result | Results:
    """Play games of a strategy, or of several, and return their move counts.

    Each keyword is the option of that name of ``bsbench run``.

    Parameters
    ----------
    strategy : str, Path, Strategy, type, callable, or a list of them
        A name with parameters, such as ``"over9000,noise=0"``; the path of a file of your own,
        ``"my_file.py"`` or ``"my_file.py:Mine"``; a class, or an object of it; or a function
        from a `bsbench.GameView` to the next cell. Several play the same games.
    scenario : str, Path, Scenario, or a list of them, optional
        A scenario, its name, or the path of its TOML file. Default: the home that all
        strategies share, else ``classic``.
    sweep : mapping of str to list or str, optional
        Values of parameters that are all played, such as ``{"noise": [0, 0.01]}`` or
        ``{"noise": "0:0.1:0.02"}``. Several parameters make a grid.
    games : int, optional
        How many games each plays; with ``until``, at most. 1e6 and ``"1e6"`` are a million.
        Default: 100,000, or 100,000,000 with ``until``; with ``exact``, one for each layout.
    seed : int, str, or a list of int
        Any non-negative integer, or several, also as ``"0-9"``. All strategies meet the same
        layouts under it. Default: 0.
    progress : callable, optional
        Called now and then, from the calling thread, with how far the strategy that plays is: see
        `bsbench.common.progress.Progress`.
    **options

    Returns
    -------
    Result or Results
        A `Result`, if one strategy, one scenario and one seed are given, and no list. Otherwise
        `Results`, a sequence of them: scenario by scenario, seed by seed, in the order given.
        Ctrl-C ends a run early; the result then holds what was played so far and
        says so (`Result.partial`).

    Raises
    ------
    BsbenchError
        If an argument is of the wrong kind, out of range or no parameter of the strategy, or the
        strategy needs more feedback than the scenario gives.
    StrategyError
        If your own strategy breaks the rules, raises, or takes too long. `StrategyError.result`
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
    >>> result.games, result.stats.worst <= 100
    (1000, True)
    >>> run(lambda view: view.open_cells[-1], games=100, board="6x6", fleet=[3, 2])
    <Result: function on classic+6x6+3-2, 100 games of seed 0, mean 27.6 ± 1.3>
    >>> [each.label for each in run(["linear", "random"], "classic", games=100)]
    ['linear', 'random']
    """
    request = Request.of(scenario, seed, games=games, **options)
    given = several(strategy)
    if not given:
        raise BsbenchError("no strategy is named")
    shooters = [as_strategy(each, request.limits) for each in given]
    if sweep is not None:
        points = read_sweep(_sweep_texts(sweep), shooters)
        shooters = list(points.strategies)
        request = replace(request, reference=request.reference or points.reference)
    scenarios, _ = scenarios_for(request, shooters)
    experiment = experiment_of(request, shooters, scenarios)
    panels = play(experiment, **request.how, watch=progress)
    one_seed = seed is None or is_whole(seed)
    if sweep is None and given == (strategy,) and one_seed and isinstance(scenario, Place | None):
        return panels[0].results[0]
    return Results((result for panel in panels for result in panel.results), panels)


def _sweep_texts(sweep: Mapping[str, Any]) -> list[str]:
    """Return the values of a sweep as they are written on the command line."""
    if not isinstance(sweep, Mapping):
        raise BsbenchError(
            f"a sweep is a table such as {{'noise': [0, 0.01]}}, not {shortened(sweep)}"
        )
    texts = {
        name: values if isinstance(values, str) else ",".join(map(value_text, several(values)))
        for name, values in sweep.items()
    }
    return [f"{name}={values}" for name, values in texts.items()]
