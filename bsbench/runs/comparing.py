"""Experiments are played: strategies play the same games, and are compared with one of them.

Where they play until it is clear who is better, each difference has an interval of a confidence
sequence (`bsbench.stats.intervals`) at each look. All of these hold together in 95 % of
comparisons, so that the last ones do, whenever it ends: at most 5 % of comparisons of equal
strategies say of any that it needs fewer or more moves. That relies on nothing but the range: move
counts lie between the cells of the ships and those of the board.
"""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Unpack

import numpy as np

from bsbench.common.errors import BsbenchError, BsbenchWarning, StoppedError, StrategyError, option
from bsbench.common.journal import Journal
from bsbench.common.machine import memory, usable_cores
from bsbench.common.progress import Progress
from bsbench.common.settings import LARGEST_RUN
from bsbench.own.adapter import Adapter
from bsbench.play.lockstep import moves_dtype
from bsbench.roster import Given
from bsbench.rules.scenario import Scenario
from bsbench.runs.chunks import Workers
from bsbench.runs.comparison import Comparison, Firsts, Pair
from bsbench.runs.contestants import line_up, scenarios_for, with_records
from bsbench.runs.cores import Run
from bsbench.runs.exact import check_exact
from bsbench.runs.experiment import Experiment, experiment_of
from bsbench.runs.opening import opened
from bsbench.runs.panel import GameProgress, Panel, Watch
from bsbench.runs.request import (
    CLEAR,
    LOCAL,
    MOST_KEPT,
    TIMEOUT,
    ComparisonOptions,
    Engine,
    Place,
    Request,
    with_options,
)
from bsbench.runs.results import Result
from bsbench.runs.rounds import GROWTH, first_look, round_for, whole_units
from bsbench.stats import Difference
from bsbench.strategies import Strategy

_SMALLEST_ROUND = 4_096
_FEWEST_LEARNERS = 1_024
"""Games, and learners, of a round at least, if several are played: with fewer, lanes would idle
for much of the time."""

_SMALLEST_IN_PYTHON = 64
"""The same where a strategy in Python takes part, which is slow: an interruption can only keep
games that all have played."""


@with_options(ComparisonOptions)
def compare(
    strategies: Iterable[Given | Result],
    scenario: Place | None = None,
    *,
    games: float | str | None = None,
    seed: int | None = None,
    progress: Callable[[Progress], object] | None = None,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Let several strategies play the same games, and compare each with one of them.

    Parameters
    ----------
    strategies : list of str, Path, Strategy, type, callable or Result
        Two at least, all different: strategies as for `bsbench.run`; results of earlier runs, the
        paths of their records, which end in ``.json``, or records that come with bsbench, such as
        ``@classic/lattice``. With results, strategies play the same scenario as they did, and the
        seed and number of games of the first of them unless others are given. Results are
        compared game by game where the move counts are kept (`Result.moves`; beside a record,
        those of ``run --keep-moves``) and the seed is the same; else by their means.
    scenario : str, Path or Scenario, optional
        A scenario, its name, or the path of its TOML file. Default: the home that all
        strategies share, else ``classic``.
    games : int, optional
        Games number 0 … games - 1 under the seed are played by each; with ``until``, at most.
        Default: 100,000, or 100,000,000 with ``until``.
    seed : int, optional
        Any non-negative integer. Default: 0.
    progress : callable, optional
        Called now and then, from the calling thread, with how far the strategy that plays is: see
        `bsbench.common.progress.Progress`.
    **options

    Returns
    -------
    Comparison
        After Ctrl-C, it holds the games that every strategy that had begun has finished, and
        says so (`Comparison.partial`). The strategies play in turn, in rounds that grow, so
        that these games are many.

    Raises
    ------
    BsbenchError
        If an argument is out of range, there are fewer than two strategies or two that are
        the same, one needs more feedback than the scenario gives, or results were played
        on other scenarios.
    StrategyError
        If all strategies break the rules, raise, or take too long, and there is no result.
        `StrategyError.result` holds the games before.
    KeyboardInterrupt
        If interrupted before two strategies had played the same game.

    Examples
    --------
    >>> comparison = compare(["linear", "random"], "classic", games=1000, seed=1)
    >>> comparison.results[0].label, comparison.differences[1].significant
    ('linear', True)
    """
    # It may be a record.
    named = options.pop("reference", None)
    request = Request.of(scenario, seed, games=games, **options)
    request.check_single("a comparison")
    contestants, reference, refused = line_up(strategies, named, request.limits, request.keep_going)
    shooters = [each for each in contestants if isinstance(each, Strategy)]
    request = with_records(request, [each for each in contestants if isinstance(each, Result)])
    where, _ = scenarios_for(request, shooters)
    asked = experiment_of(request, shooters, where, refused)
    asked = dataclasses.replace(asked, reference=reference)
    (found,) = play(asked, **request.how, watch=progress, contestants=contestants)
    return found


def play(
    experiment: Experiment,
    *,
    contestants: Sequence[Strategy | Result] = (),
    threads: int | None = None,
    engine: Engine = LOCAL,
    timeout: float = TIMEOUT,
    watch: Watch | None = None,
    before: Mapping[tuple[str, Scenario, int], Result] | None = None,
    journal: Journal | None = None,
) -> tuple[Comparison, ...]:
    """Play an experiment.

    Parameters
    ----------
    experiment : Experiment
    contestants : sequence of Strategy or Result
        Of one panel: its strategies, and results that they are compared with.
    threads : int, optional
        Default: as many as there are cores. The results do not depend on it.
    engine : str or distributed.Client
        As for `bsbench.run`.
    timeout : float
        As for `bsbench.run`.
    watch : callable, optional
        Called now and then, from the calling thread, with a `GameProgress`.
    before : mapping of (str, Scenario, int) to Result, optional
        By label, scenario and seed, results of the first games, to go on from.
    journal : Journal, optional
        What keeps all that is played, opened with `Experiment.about`; what it has is not played
        again. Its file stays until `Journal.discard`.

    Returns
    -------
    tuple of Comparison
        One for each scenario and seed, in order, of one result or more. After Ctrl-C, the last one
        may be partial, and those not begun are missing.

    Raises
    ------
    BsbenchError, StrategyError
        As for `bsbench.run` and `bsbench.compare`.
    KeyboardInterrupt
        If interrupted before there was anything to compare, or of one strategy any game.
    """
    comparisons: list[Comparison] = []
    with opened(engine) as workers:
        for number, panel in enumerate(experiment.panels):
            known = {
                label: result
                for (label, *where), result in (before or {}).items()
                if where == [panel.scenario, panel.seed]
            }
            try:
                comparison = play_together(
                    panel,
                    threads or usable_cores(),
                    timeout,
                    contestants=contestants,
                    watch=watch,
                    before=known,
                    journal=journal,
                    key=f"panel {number}",
                    workers=workers,
                )
            except (KeyboardInterrupt, StoppedError) as ended:
                if not comparisons:
                    raise
                if isinstance(ended, StoppedError):
                    warnings.warn(
                        f"{ended}; the games before are kept", BsbenchWarning, stacklevel=2
                    )
                break
            comparisons.append(comparison)
            if comparison.partial:
                break
    return tuple(comparisons)


def play_together(
    asked: Experiment,
    threads: int,
    timeout: float,
    *,
    contestants: Sequence[Strategy | Result] = (),
    watch: Watch | None = None,
    before: Mapping[str, Result] | None = None,
    journal: Journal | None = None,
    key: str = "",
    workers: Workers | None = None,
) -> Comparison:
    """Let strategies play the same games, or one alone, and compare them.

    Parameters
    ----------
    asked : Experiment
        Of one scenario and seed.
    threads : int
    timeout : float
        As for `play`.
    contestants : sequence of Strategy or Result
        Default: the strategies of the experiment.
    watch : callable, optional
        Called now and then, from the calling thread.
    before : mapping of str to Result, optional
        By label, results of the first games, to go on from.
    journal, key
        As for `Panel.play`.
    workers : Workers, optional
        Who plays. Default: threads of this process.

    Raises
    ------
    BsbenchError
        As for `compare`; or if what was played before can't be continued.
    StrategyError, KeyboardInterrupt
        As for `compare`; of one alone, as for `bsbench.run`.
    """
    contestants = contestants or asked.strategies
    strategies = sum(isinstance(each, Strategy) for each in contestants)
    if not strategies:
        played = tuple(each for each in contestants if isinstance(each, Result))
        names = tuple(each.label for each in played)
        best = min(played, key=lambda each: each.stats.mean).label
        reference = asked.reference or best
        return Comparison(played, reference, from_records=names, faults=asked.refused)
    if asked.scenario.placement.law == "each":
        for each in contestants:
            if isinstance(each, Strategy):
                check_exact(each, asked.scenario, asked.until, timeout)
    size = np.dtype(moves_dtype(asked.scenario.rules)).itemsize
    # Statistics take about as much as two more runs.
    if asked.keep_moves and (strategies + 2) * asked.games * size > memory():
        raise BsbenchError(
            f"the move counts of {asked.games:,} games don't fit in memory: play fewer games, or "
            f"leave out {option('keep_moves')}"
        )
    before, timeout = before or {}, min(timeout, asked.seconds)
    threads = threads if workers is None else workers.threads
    players = [
        each
        if isinstance(each, Result)
        else Run(
            each,
            asked.scenario,
            asked.seed,
            threads,
            timeout,
            asked.first_game,
            before.get(each.label),
        )
        for each in contestants
    ]
    labels = [each.label for each in contestants]
    clear = asked.until == CLEAR
    kept = MOST_KEPT if asked.until is not None or asked.games <= MOST_KEPT else 0
    if asked.keep_moves is not None:
        kept = LARGEST_RUN * asked.keep_moves
    panel = Panel(
        players,
        0 if asked.reference is None else labels.index(asked.reference),
        # Levels hold for differences from a reference that was chosen before the games.
        chooses=asked.reference is None and not clear,
        most_kept=kept,
        keep_totals=clear,
        workers=workers,
    )
    forgotten = [label for label, result in before.items() if result.kept_moves is None]
    if clear and forgotten:
        raise BsbenchError(
            f"{option('until', CLEAR)} goes on from games whose move counts are kept, and those of "
            f"{forgotten[0]} are not: play its games again, as another record"
        )
    records = tuple(each.label for each in contestants if isinstance(each, Result))
    called = {id(run): labels[place] for place, run in panel.runs.items()}
    for run in panel.runs.values():
        run.most_seconds, run.survives = asked.seconds, asked.keep_going
        if run.games > asked.games:
            raise BsbenchError(
                f"{run.games:,} games of {called[id(run)]} have been played already: ask for "
                f"{run.games:,} or more"
            )

    def shown(run: Run, setting_up: bool) -> None:
        assert watch is not None
        watch(
            GameProgress(
                called[id(run)],
                run.games,
                asked.games if asked.until is None else None,
                setting_up=setting_up,
                scenario=asked.scenario,
                seed=asked.seed,
                tally=run.tally,
                goal=asked.goal,
                differences=None
                if len(labels) == 1
                else {labels[place]: each for place, each in panel.differences().items()},
            )
        )

    interrupted = False
    try:
        next_round = partial(_next_round, panel, asked, workers is None)
        interrupted = panel.play(next_round, asked.games, watch and shown, journal, key)
    except StrategyError as fault:
        if len(labels) == 1:
            (run,) = panel.runs.values()
            fault.result = run.result(asked.games, asked.goal) if run.games else None
        if not records:
            known = [*(run.fault for run in panel.runs.values()), *asked.refused.values()]
            fault.others = [each for each in known if each is not None and each is not fault]
            raise
    finally:
        for run in panel.runs.values() if len(labels) > 1 else ():
            if run.fault and run.games:
                run.fault.result = run.result(asked.games)
    begun = panel.settle(whole=clear and panel.games > 0)
    requested = asked.games if interrupted else None
    until = asked.goal if len(labels) == 1 else None
    results = {labels[place]: panel.result(place, requested, until) for place in begun}
    pairs = {labels[place]: Pair.of_sums(sums) for place, sums in panel.pairs.items()}
    if (against := results.get(labels[panel.reference])) is not None:
        results |= {
            label: dataclasses.replace(results[label], against=pair.against(against))
            for label, pair in pairs.items()
            if label in results
            and pair.race.games == results[label].games
            and (results[label].kept_moves is None or against.kept_moves is None)
        }
    results |= {each.label: each for each in contestants if isinstance(each, Result)}
    faults = {called[id(run)]: run.fault for run in panel.runs.values() if run.fault}
    left = [label for label in labels if label not in faults]
    reference = labels[panel.reference]
    panel.check_kept(len(results) >= min(len(left), 2) and reference in results)
    if clear:
        pairs = {
            labels[place]: dataclasses.replace(pairs[labels[place]], difference=difference)
            for place, difference in _in_sequence(panel, asked).items()
        }
    firsts: dict[str, Firsts] = {}
    if (sums := panel.firsts) is not None:
        firsts = {labels[place]: sums.of(place) for place in sums.places}
    return Comparison(
        tuple(results[label] for label in left if label in results),
        reference,
        missing=tuple(label for label in left if label not in results),
        from_records=records,
        until=asked.until,
        margin=asked.margin if clear else None,
        faults={**asked.refused, **faults},
        stored=pairs,
        stored_firsts=firsts,
    )


def _next_round(panel: Panel, asked: Experiment, in_turn: bool, played: int) -> int:
    """Return the games at the end of the next round of a panel, given those that were played.

    Without ``until``, strategies that play in turn play in several, so that an interruption keeps
    much. With it, strategies with a fault don't count; if only one is left, no round follows.
    """
    games, until, unit, runs = asked.games, asked.goal, panel.unit, panel.runs
    if asked.until == CLEAR:
        return _next_look(panel, asked, played)
    if until is None:
        ends = [games]
        slow = any(
            isinstance(run.strategy, Adapter) or run.strategy.asks_elsewhere
            for run in runs.values()
        )
        least = _SMALLEST_IN_PYTHON if slow else _SMALLEST_ROUND
        least = max(least, _FEWEST_LEARNERS * unit if unit > 1 else 0)
        while in_turn and len(runs) > 1 and ends[0] // GROWTH >= least:
            ends.insert(0, whole_units(ends[0] // GROWTH, unit))
        return next((end for end in ends if end > played), games)
    if played == 0:
        return first_look(unit, games)
    widths = panel.half_widths()
    if not widths:
        return played
    unknown = any(map(math.isnan, widths))
    return round_for(until, played, math.nan if unknown else max(widths), unit, games)


_DOUBLED = 2
"""Factor by which each look but the first multiplies the games played, where it has to become clear
who is better: on average a third more games than needed are played, and lanes seldom idle."""


def _next_look(panel: Panel, asked: Experiment, played: int) -> int:
    """Return the games at the end of the next round on the way to clear verdicts."""
    games = asked.games // panel.unit * panel.unit
    if played == 0:
        return first_look(panel.unit, games)
    unclear = any(
        each.decided(asked.margin) == "unclear"
        for place, each in _in_sequence(panel, asked).items()
        if place in panel.going
    )
    return min(_DOUBLED * played, games) if unclear else played


def _in_sequence(panel: Panel, asked: Experiment) -> dict[int, Difference]:
    """Return the differences to the reference, with intervals that hold at all looks together.

    Those of all strategies hold together, too: the 5 % in which one may miss are shared. If the
    reference has a fault, fewer are compared with the next one, at the same shares.
    """
    together = len(asked.strategies) - 1
    return {place: sums.in_sequence(together) for place, sums in panel.pairs.items()}
