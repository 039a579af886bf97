"""Calibration: whether a probability of 30 % is right in 30 of 100 cases.

Some strategies compute how likely each cell holds a ship (`Strategy.chances`). Here they play, and
before each shot these probabilities are compared with what the cells hold: that of the cell that is
shot, and those of all cells not shot yet. In some positions, they are also compared with the exact
probabilities, which follow from all layouts that agree with the shots so far (`bsbench.counting`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from dataclasses import field as attribute
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from msgspec import field

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.found import Found
from bsbench.common.parallel import Shared, in_order
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.common.record import Content, Count, Figure, Player, Record
from bsbench.counting.evidence import Answer, Evidence
from bsbench.counting.posterior import find_posterior
from bsbench.kernels.forecasts import BINS, CELLS, COLUMNS, SHOTS, UNIT, add_forecasts
from bsbench.own.adapter import Adapter, InProcess, StandIn
from bsbench.own.printing import kept_quiet
from bsbench.play.lockstep import Block, Simulator, lanes_and_block
from bsbench.play.samplers import make_sampler
from bsbench.play.session import Session
from bsbench.roster import as_strategy, find_strategy, strategy_names
from bsbench.rules.drawing import cell_name
from bsbench.rules.scenario import Scenario, ScenarioRecord
from bsbench.runs.request import (
    TIMEOUT,
    check_playable,
    check_request,
    check_timeout,
    in_a_row,
    limits_of,
    scenario_for,
)
from bsbench.stats.forecasts import Estimate, Forecasts
from bsbench.strategies import Strategy
from bsbench.strategies.base import Cells
from bsbench.strategies.view import View

GROUPS = 200
"""Groups of games, from which errors are computed: game or learner i is in group i mod `GROUPS`."""

FIRST_SHOTS, STAGES = 10, 30
"""Exact probabilities are counted after 10 shots of game 0, 11 of game 1, … 39 of game 29, and so
on from 10. Before the tenth shot, counting takes long."""

_AT_ONCE = 4_096
"""Games in memory at once, of those in which exact probabilities are counted."""


class BinRecord(Record, frozen=True):
    """Forecasts that are nearly the same.

    Attributes
    ----------
    forecasts
        Number of forecasts.
    forecast
        Their mean.
    share
        Share that held a ship.
    low
        Lower end of its 95 % interval.
    high
        Upper end.
    """

    forecasts: Count
    forecast: float
    share: float
    low: float | None
    high: float | None


class ForecastsRecord(Record, frozen=True):
    """Probabilities of cells, against what these hold: see `bsbench.stats.forecasts`.

    Attributes
    ----------
    forecasts
        Number of forecasts.
    came
        Cells of these that held a ship.
    impossible
        Forecasts of 0 or 1 that were wrong.
    forecast
        Mean forecast.
    share
        Share of these cells that held a ship.
    bias
        Forecast less share.
    brier
        Brier score.
    reliability
        Part of the score that wrong probabilities cost.
    resolution
        Part that knowledge gains.
    uncertainty
        Score of somebody who always says the mean share.
    within
        Variance and covariance within bins.
    bits
        Logarithmic score, in bits.
    all_bins, bins
        Forecasts that are nearly the same.
    """

    forecasts: Count
    came: Count
    impossible: Count
    forecast: Figure
    share: Figure
    bias: Figure
    brier: Figure
    reliability: Figure
    resolution: Figure
    uncertainty: Figure
    within: Figure
    bits: Figure
    all_bins: list[BinRecord] = field(name="bins")


class ExactnessRecord(Record, frozen=True):
    """Comparison with exact probabilities.

    Attributes
    ----------
    positions
        Positions compared, one of each game that lasts long enough.
    error
        Distance from exact probabilities, on average over open cells.
    excess
        Its probability of the cell that it shot, less the exact one.
    loss
        The greatest exact probability of any cell, less that of the cell that it shot.
    """

    positions: Count
    error: Figure
    excess: Figure
    loss: Figure


class CalibrationEntry(Player, frozen=True):
    """What the probabilities of a strategy are worth.

    Attributes
    ----------
    source
        Who proposed it, and where.
    shots
        For the cells that were shot.
    cells
        For all cells that were open.
    exact
        Comparison with exact probabilities, or null.
    """

    source: str
    shots: ForecastsRecord
    cells: ForecastsRecord
    exact: ExactnessRecord | None


class CalibrationRecord(Content, frozen=True):
    """What `bsbench calibration --export-json` writes.

    It says whether probabilities of strategies are right.

    Attributes
    ----------
    scenario
        What was played.
    seed
        Seed of the layouts.
    games
        Games played.
    strategies
        One for each strategy.
    seconds.play
        Playing.
    """

    schema = "bsbench-calibration-1"
    steps = {"play": "seconds"}  # noqa: RUF012
    scenario: ScenarioRecord
    seed: Count
    games: Count
    strategies: list[CalibrationEntry]


@dataclass(frozen=True)
class Exactness:
    """Probabilities of a strategy, compared with exact ones in positions of its own games.

    Attributes
    ----------
    positions : int
        One of each game that lasts long enough.
    error : Estimate
        How far its probabilities are from the exact ones, on average over the open cells of a
        position.
    excess : Estimate
        Its probability of the cell that it shot, minus the exact one.
    loss : Estimate
        The greatest exact probability of any cell, minus that of the cell that it shot.
    """

    positions: int
    error: Estimate
    excess: Estimate
    loss: Estimate


@dataclass(frozen=True)
class Calibration:
    """What the probabilities of a strategy are worth.

    Attributes
    ----------
    strategy : Strategy
    shots : Forecasts
        For the cells that it shot.
    cells : Forecasts
        For all cells that were not shot yet, before each shot.
    exact : Exactness or None
    """

    strategy: Strategy
    shots: Forecasts
    cells: Forecasts
    exact: Exactness | None = None

    @property
    def label(self) -> str:
        """The strategy's."""
        return self.strategy.label

    @property
    def name(self) -> str:
        """The strategy's."""
        return self.strategy.name

    @property
    def parameters(self) -> dict[str, Any]:
        """The strategy's."""
        return self.strategy.parameters

    @property
    def source(self) -> str:
        """The strategy's."""
        return self.strategy.source


@dataclass(frozen=True, eq=False)
class CalibrationReport(Found):
    """The calibration of some strategies on the same layouts.

    Attributes
    ----------
    scenario : Scenario
    seed, games : int
        Games 0 … games - 1 under the seed were played.
    calibrations : tuple of Calibration
    seconds : float
    """

    form: ClassVar = CalibrationRecord

    scenario: Scenario
    seed: int
    games: int
    calibrations: tuple[Calibration, ...] = attribute(repr=False)
    seconds: float

    @property
    def strategies(self) -> tuple[Calibration, ...]:
        """The entries of the record."""
        return self.calibrations

    def rows(self) -> list[dict[str, Any]]:
        """Return the bins."""
        return [
            {"strategy": each["label"], "cells": cells, **row}
            for each in self.to_dict()["strategies"]
            for cells, key in (("shot", "shots"), ("open", "cells"))
            for row in each[key]["bins"]
        ]


def calibrate(
    strategies: Iterable[str | Strategy | type],
    scenario: str | Path | Scenario | None = None,
    *,
    games: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    exact: int = 0,
    timeout: float = TIMEOUT,
    progress: Watch = ignored,
) -> CalibrationReport:
    """Play games, and compare the probabilities that strategies give cells with what these hold.

    Parameters
    ----------
    strategies : iterable of str, Strategy or type
        Parameters follow a name after commas: ``over9000,noise=0``.
    scenario : str, Path or Scenario, optional
        Default: the home of the first strategy, else ``classic``.
    games : int, optional
        Games 0 … games - 1 under the seed are played. Default: 100,000.
    seed : int
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    exact : int
        Games in each of which probabilities are compared with exact ones in one position.
    timeout : float
        Seconds that the code of a strategy in Python may take for one game.
    progress : callable, optional
        Called now and then with a `bsbench.common.progress.Progress`.

    Raises
    ------
    BsbenchError
        If an argument is out of range, a strategy has no probabilities or needs more feedback than
        the scenario gives; layouts come in turn (the law ``each``); or, with ``exact``, layouts
        are not uniform or too many to be counted.
    StrategyError
        If a user's strategy breaks the rules, raises, or takes too long.
    """
    timeout, limits = check_timeout(timeout), limits_of(timeout)
    players = [as_strategy(strategy, limits).copy() for strategy in strategies]
    check_chances(players)
    for player in players:
        if isinstance(player, Adapter):
            player.timeout = timeout
    where = scenario_for(players[0], scenario)
    where.rules.check_single_shots("chances are judged")
    if where.placement.law == "each":
        raise BsbenchError(
            "a calibration needs random layouts, but the law each takes all layouts in turn: "
            "choose the law uniform"
        )
    games, seed, cores = check_request(games, seed, threads)
    for player in players:
        check_playable(player, where)
    if exact:
        check_request(exact, seed, 1)
        where.check_uniform()
    begun = time.perf_counter()
    found = []
    for player in players:
        counted = _play(player, where, games, seed, cores, progress)
        compared = _compare(player, where, exact, seed, progress) if exact else None
        found.append(Calibration(player, counted[SHOTS], counted[CELLS], compared))
    return CalibrationReport(
        threads=cores,
        scenario=where,
        seed=seed,
        games=games,
        calibrations=tuple(found),
        seconds=time.perf_counter() - begun,
    )


def check_chances(strategies: Sequence[Strategy]) -> None:
    """Refuse strategies that compute no probabilities of ships, or that are named twice.

    Raises
    ------
    BsbenchError
        If there is such a strategy, or no strategy at all.
    """
    if not strategies:
        raise BsbenchError(f"no strategy is named: choose among {_those_with_chances()}")
    taken = set()
    for strategy in strategies:
        if not strategy.gives_chances:
            raise BsbenchError(
                f"strategy {strategy.label!r} computes no probabilities of ships: choose among "
                f"{_those_with_chances()}, or a class that says probabilities = True, or a bot "
                "that announces can info"
            )
        if strategy.label in taken:
            raise BsbenchError(f"{strategy.label!r} is named twice: name it once")
        taken.add(strategy.label)


def _those_with_chances() -> str:
    return ", ".join(name for name in strategy_names() if find_strategy(name)().gives_chances)


class _Watcher:
    """Adds up a strategy's probabilities, shot by shot, in one thread; an `Observer`.

    Attributes
    ----------
    total : ndarray of Python's int, shape (2, groups, bins, columns)
        See `bsbench.kernels.forecasts`.
    """

    def __init__(self, games_per_learner: int) -> None:
        shape = 2, GROUPS, BINS, COLUMNS
        self.total = np.zeros(shape, object)
        self._in_a_row = games_per_learner
        self._sums = np.zeros(shape, np.int64)

    def watch(self, session: Session) -> None:
        """Watch a session from its beginning."""
        self._session = session

    def __call__(self, view: View, lanes: Cells) -> None:
        """Add the probabilities from before the last shots in lanes."""
        session = self._session
        truth = session.truth
        chances = session.chances(lanes)
        groups = session.games[lanes] // self._in_a_row % GROUPS
        wrong = add_forecasts(
            *(chances, lanes, groups, view.cell, view.outcome),
            *(truth.content, truth.water, self._sums),
        )
        if wrong >= 0:
            row, cell = divmod(wrong, chances.shape[1])
            name = cell_name(cell, view.rules.cols)
            raise Fault(
                int(lanes[row]),
                f"chances gives {chances[row, cell]:g} for cell {cell} ({name}): a "
                "probability is a number from 0 to 1",
            )

    def carry(self) -> None:
        """Add the sums to the total, before they exceed 64 bits."""
        self.total += self._sums
        self._sums[:] = 0


def _play(
    strategy: Strategy, scenario: Scenario, games: int, seed: int, cores: int, progress: Watch
) -> tuple[Forecasts, Forecasts]:
    """Return forecasts of shots and of all open cells, in games on all cores."""
    rules, unit = scenario.rules, in_a_row(strategy, scenario)
    # A user's class in Python takes turns in the interpreter.
    threads = 1 if isinstance(strategy, Adapter) else cores
    lanes, block = lanes_and_block(rules, games, threads, unit)
    sampler = make_sampler(rules, scenario.placement)
    blocks = Shared(Block(game, min(block, games - game)) for game in range(0, games, block))
    watchers = [_Watcher(unit) for _ in range(threads)]

    def work(watcher: _Watcher, stopped: Callable[[], bool]) -> Iterator[tuple[int, int, int]]:
        # Where games share decisions, a user's object is not asked, and gives no probabilities.
        shared = {"shared_bytes": 0} if isinstance(strategy, Adapter) else {}
        player = strategy.copy()
        simulator = Simulator(
            rules, sampler, player, seed, lanes, block, observer=watcher, **shared
        )
        watcher.watch(simulator.session)
        for done, _ in simulator.play(blocks, stopped):
            watcher.carry()
            yield done.first_game, done.games, done.games
        if isinstance(player, StandIn):
            player.close()

    played = 0
    with (
        kept_quiet() if isinstance(strategy, InProcess) else nullcontext(),
        closing(in_order([partial(work, watcher) for watcher in watchers])) as finished,
    ):
        for number in finished:
            played += number
            progress(Progress(strategy.label, played, games))
    shots, cells = sum((watcher.total for watcher in watchers), np.zeros((), object))
    if not cells[..., 0].any():
        raise BsbenchError(
            f"strategy {strategy.label!r} never gave a cell a probability (a method chances that "
            "returns nothing but NaN, or a bot that answers info without chances)"
        )
    return Forecasts(shots, UNIT), Forecasts(cells, UNIT)


def _compare(
    strategy: Strategy, scenario: Scenario, games: int, seed: int, progress: Watch
) -> Exactness:
    """Compare probabilities with exact ones, in one position of each game."""
    rules, sampler = scenario.rules, make_sampler(scenario.rules, scenario.placement)
    figures: list[tuple[float, float, float]] = []
    for first in range(0, games, _AT_ONCE):
        session = Session(strategy.copy(), rules, min(_AT_ONCE, games - first), seed)
        view, everyone = session.view, np.arange(min(_AT_ONCE, games - first))
        session.deal(everyone, first + everyone, sampler.draw(seed, first, len(everyone)))
        due = FIRST_SHOTS + (first + everyone) % STAGES
        seen: list[tuple[npt.NDArray[Any], ...]] = []
        for shots in range(FIRST_SHOTS + STAGES):
            lanes = np.flatnonzero(view.live & (due == shots))
            session.step()
            # What the strategy knew before that shot.
            chances = session.chances(lanes) if len(lanes) else ()
            for lane, said in zip(lanes.tolist(), chances, strict=True):
                answers = [Answer(*(int(part[lane]) for part in step)) for step in seen]
                figures.append(_errors(Evidence(rules, answers), said, int(view.cell[lane])))
                progress(Progress(strategy.label, len(figures), unit="positions counted"))
            last = view.cell, view.outcome, view.ship, view.slot
            seen.append(tuple(part.copy() for part in last))
            view.live[lanes] = False
    if not figures:
        raise BsbenchError(
            f"no game of {strategy.label!r} lasted {FIRST_SHOTS} shots: there is no position to "
            "compare"
        )
    means = np.array(figures)
    error = means.std(axis=0, ddof=1) / np.sqrt(len(means)) if len(means) > 1 else [np.nan] * 3
    return Exactness(
        len(means),
        *(
            Estimate(float(mean), float(se))
            for mean, se in zip(means.mean(axis=0), error, strict=True)
        ),
    )


def _errors(
    evidence: Evidence, said: npt.NDArray[np.float64], cell: int
) -> tuple[float, float, float]:
    """Return the figures of `Exactness` in one position, where a cell is shot next."""
    exact, is_open = find_posterior(evidence).probabilities, ~evidence.shot
    return (
        float(np.nanmean(abs(said - exact)[is_open])),
        float(said[cell] - exact[cell]),
        float(exact[is_open].max() - exact[cell]),
    )
