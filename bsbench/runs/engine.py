"""Runs: blocks of games on all cores, put together in order.

One engine serves `run`, `compare` and `duel`: a `Run` is a strategy at a scenario, set
up once, that plays consecutive ranges of games; `play_in_rounds` lets one or several play
the same games in turn, and asks after each round where the next one ends.

Within a round, threads play blocks of games (kernels release the GIL), each asking for the next one
when it has lanes to fill; the main thread adds up their move counts in order of the
games, so that what is done at any time is a prefix of the run. A strategy in Python
thinks in a process of its own for each thread (`bsbench.own.thinker`). Results depend on
neither the number of threads, nor the size of blocks, nor the rounds.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsbench.common.errors import BsbenchError, BsbenchWarning, StrategyError
from bsbench.common.machine import memory
from bsbench.common.parallel import Shared, in_order
from bsbench.common.settings import check_line
from bsbench.layouts import STREAM_VERSION, Sampler, make_sampler
from bsbench.own.adapter import Adapter, StandIn, origin_of
from bsbench.own.printing import Printed, printed_text
from bsbench.play.lockstep import (
    BLOCKS_PER_THREAD,
    FEWEST_LANES,
    SHARED_BYTES,
    SMALLEST_BLOCK,
    Block,
    Moves,
    Simulator,
    lanes_and_block,
    moves_dtype,
)
from bsbench.roster import as_strategy, make_strategy
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario
from bsbench.runs.alarms import FirstShots
from bsbench.runs.request import (
    TIMEOUT,
    check_feedback,
    check_request,
    check_timeout,
    replay_line,
    scenario_for,
)
from bsbench.runs.results import Result
from bsbench.runs.rounds import first_look, round_for
from bsbench.stats import Counts, Learning
from bsbench.strategies import Strategy
from bsbench.strategies.base import FixedOrder, Planner

_FEWEST_LANES = 16
_MOST_LANES = 512
"""Lanes of a strategy in Python that chooses for one game after the other: enough to make the
steps between them cheap, and few enough that games end, and are counted, soon."""

_BLOCK_SECONDS = 0.5
"""About how long such a strategy plays a block of games."""


# Public: each option is a keyword with a default.
def run(
    strategy: str | Strategy | type,
    scenario: str | Path | Scenario | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    games: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    keep_moves: bool = False,
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
        Games number 0 … games - 1 under the seed are played; with ``until``, at most.
        Default: 100,000, or 100,000,000 with ``until``.
    seed : int
        Any non-negative integer. All strategies meet the same layouts under it.
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    keep_moves : bool
        Keep the move count of each game (`Result.moves`), not only the histogram.
    placement : str, optional
        A placement law in place of the scenario's, such as ``sequential:longest``.
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
    games, seed, threads = check_request(games, seed, threads, until)
    playing = Run(strategy, scenario, seed, threads, check_timeout(timeout))
    if keep_moves:
        playing.keep_moves(games)
    unit = strategy.games_per_learner

    def next_round(played: int) -> int:
        if until is None:
            return games
        if played == 0:
            return first_look(unit, games)
        return round_for(until, played, playing.result().stats.half_width, unit, games)

    try:
        interrupted = play_in_rounds(
            [playing], next_round, progress and (lambda _, played: progress(played))
        )
    except StrategyError as fault:
        fault.result = playing.result(games, until) if playing.games else None
        raise
    if interrupted and playing.games == 0:
        raise KeyboardInterrupt
    return playing.result(games if interrupted else None, until)


def play_in_rounds(
    runs: Sequence[Run],
    next_round: Callable[[int], int],
    progress: Callable[[Run, int], None] | None = None,
) -> bool:
    """Play several runs of the same games in turn, until there is no next round.

    Few rounds that grow are best: at the end of each, lanes idle until the last game is over.

    Parameters
    ----------
    runs : sequence of Run
    next_round : callable
        Given the number of games that all have played, returns the number after the next
        round; the same number ends it.
    progress : callable, optional
        Called with the run and the number of its games played so far.

    Returns
    -------
    bool
        Whether Ctrl-C ended it; each run then has what was played until then.

    Raises
    ------
    StrategyError
        If all strategies break the rules or raise. A strategy that does so while others play on
        gets a `Run.fault`.
    """
    played = 0
    try:
        try:
            while (end := next_round(played)) > played:
                for each in runs:
                    if each.fault is None:
                        each.play_to(end, progress and partial(progress, each))
                if all(each.fault for each in runs):
                    assert runs[0].fault is not None
                    raise runs[0].fault
                played = end
        finally:
            for each in runs:
                each.close()
    except KeyboardInterrupt:
        return True
    return False


class Run:
    """A strategy at a scenario, which plays games from number 0 on, as many as asked for.

    It is set up once, when it first plays: tables of the sampler, and kernels, which are
    compiled or loaded from the cache.

    Parameters
    ----------
    strategy : Strategy
    scenario : Scenario
    seed, threads : int
        As `check_request` returns them.
    timeout : float
        Seconds that the code of a strategy in Python may take for one game.

    Attributes
    ----------
    games : int
        Games played so far: number 0 … games - 1 under the seed.
    fault : StrategyError or None
        What keeps the strategy from playing on.

    Raises
    ------
    BsbenchError
        If the strategy needs more feedback than the scenario gives.
    """

    def __init__(
        self,
        strategy: Strategy,
        scenario: Scenario,
        seed: int,
        threads: int,
        timeout: float = TIMEOUT,
    ) -> None:
        check_feedback(strategy, scenario)
        # They stand in the record, which could not be read again.
        check_line("the label of the strategy", strategy.label)
        check_line(f"the source of the strategy {strategy.name!r}:", strategy.source)
        self.fault: StrategyError | None = None
        self._timeout = timeout
        self._printed = Printed()
        # Those that play, in threads.
        self._playing: list[Strategy] = []
        self._game_seconds = 0.0
        self.strategy = strategy
        self.scenario = scenario
        self._seed = seed
        self._threads = threads
        self._sampler: Sampler | None = None
        self._setup_seconds = self._play_seconds = 0.0
        self._kept: Moves | None = None
        # Of each thread.
        self._first_shots: list[FirstShots] = []
        self._done = _Done(np.zeros(scenario.rules.cells + 1, np.int64), 0, None)

    @property
    def games(self) -> int:
        """Games played so far."""
        return self._done.games

    @property
    def moves(self) -> Moves:
        """Move count of each game played so far, of a run that keeps them."""
        assert self._kept is not None
        return self._kept[: self.games]

    def keep_moves(self, games: int, runs: int = 1) -> None:
        """Make room for the move counts of that many games; to be called before any is played.

        Parameters
        ----------
        games : int
        runs : int
            How many runs keep theirs, this one included.

        Raises
        ------
        BsbenchError
            If there is not enough memory for all of them.
        """
        kind = np.dtype(moves_dtype(self.scenario.rules))
        # Zeros take no memory until games are played, which may be hours later. Statistics take
        # about as much as two more runs.
        if games * kind.itemsize * (runs + 2) <= memory():
            with suppress(MemoryError, ValueError):
                self._kept = np.zeros(games, kind)
        if self._kept is None:
            each = f" of {runs} strategies" if runs > 1 else ""
            raise BsbenchError(
                f"the move counts of {games:,} games{each} don't fit in memory: play fewer games, "
                "or 'bsbench run' each strategy without --keep-moves, and compare the records"
            )

    def play_to(self, end: int, progress: Callable[[int], None] | None = None) -> None:
        """Play on until so many games are played in all.

        Where the strategy learns from game to game, ``end`` is a multiple of the games of a
        learner, unless no game follows.

        Parameters
        ----------
        end : int
        progress : callable, optional
            Called with the number of games played so far, from the calling thread.

        Raises
        ------
        KeyboardInterrupt
            If interrupted: what was played until then is kept, and no game may follow.

        Notes
        -----
        If the strategy breaks the rules or raises, `fault` says so, and no game may follow. All
        games before that one are played first: another thread may have been at some of them.
        """
        while True:
            try:
                self._play_to(end, progress)
                break
            except StrategyError as error:
                self.close()
                if origin_of(self.strategy).spec:
                    error.replay = replay_line(self.strategy, self.scenario, self._seed, error.game)
                # One of the games before it may show a fault, too: the first fault counts.
                self.fault, end = error, min(end - 1, error.game)
                if self.games >= end:
                    break
                # Games that were not counted yet are played again.
                self._first_shots.clear()

    def _play_to(self, end: int, progress: Callable[[int], None] | None) -> None:
        """Play on, as `play_to` does; faults are raised."""
        first, in_a_row = self.games, self.strategy.games_per_learner
        play, block = self._shooters(end - first)
        shared = Shared(Block(game, min(block, end - game)) for game in range(first, end, block))

        def kill() -> None:
            for strategy in self._playing:
                if isinstance(strategy, StandIn):
                    strategy.kill()

        begun = time.perf_counter()
        try:
            works = [partial(_work, own, shared) for own in play]
            with closing(in_order(works, first, kill)) as finished:
                for moves in finished:
                    self._check(moves)
                    if self._kept is not None:
                        self._kept[self.games : self.games + len(moves)] = moves
                    # In one assignment: Ctrl-C finds all of a block counted, or nothing of it.
                    self._done = self._done.and_then(moves, in_a_row)
                    if progress is not None:
                        progress(self.games)
        finally:
            self._play_seconds += time.perf_counter() - begun

    def _check(self, moves: Moves) -> None:
        """Refuse move counts of the next games that can't be, before they are counted."""
        rules = self.scenario.rules
        wrong = np.flatnonzero((moves < rules.ship_cells) | (moves > rules.cells))
        if len(wrong):
            game = int(wrong[0])
            raise StrategyError(
                self.strategy.name,
                self.games + game,
                self._seed,
                None,
                f"the game ended after {moves[game]} moves, and the fleet has {rules.ship_cells} "
                f"cells on a board of {rules.cells}: its code changed the game",
            )

    def _shooters(self, games: int) -> tuple[list[_Play], int]:
        """Set up what plays blocks in each thread; return it, and the games of a block."""
        rules, in_a_row = self.scenario.rules, self.strategy.games_per_learner
        threads = self._threads
        if isinstance(self.strategy, Adapter):
            # Threads of one process would take turns in the interpreter.
            threads = min(threads, games) if isinstance(self.strategy, StandIn) else 1
        sampler = self._set_up(threads)
        plans = isinstance(self.strategy, Planner | FixedOrder)
        lanes, block = lanes_and_block(rules, games, threads, in_a_row, plans)
        if isinstance(self.strategy, Adapter) and not self.strategy.chooser.in_batches:
            # So that progress of a slow strategy shows soon.
            fitting = max(int(_BLOCK_SECONDS / max(self._game_seconds, 1e-9)), 1)
            share = max(games // threads // BLOCKS_PER_THREAD, 1)
            block = min(fitting, share, SMALLEST_BLOCK)
            lanes = min(max(2 * block, _FEWEST_LANES), _MOST_LANES)
        return [self._in_thread(sampler, lanes, block)] * threads, block

    def _in_thread(self, sampler: Sampler, lanes: int, block: int) -> _Play:
        def play(
            blocks: Iterator[Block], stopped: Callable[[], bool]
        ) -> Iterator[tuple[Block, Moves]]:
            rules, strategy = self.scenario.rules, self._copy(self._printed)
            self._playing.append(strategy)
            shared = SHARED_BYTES // self._threads
            observer = None
            if not strategy.built_in and not isinstance(strategy, Planner | FixedOrder):
                # Those are asked for many shots at once.
                self._first_shots.append(observer := FirstShots())
            simulator = Simulator(
                rules, sampler, strategy, self._seed, lanes, block, shared, observer
            )
            yield from simulator.play(blocks, stopped)
            if isinstance(strategy, StandIn):
                strategy.close()

        return play

    def _copy(self, printed: Printed) -> Strategy:
        """Return a strategy that plays in one thread; ``printed`` notes what its code prints."""
        strategy = self.strategy.copy()
        if isinstance(strategy, Adapter):
            strategy.timeout = self._timeout
        if isinstance(strategy, StandIn):
            strategy.printed = printed
        return strategy

    def _set_up(self, threads: int) -> Sampler:
        if self._sampler is None:
            begun = time.perf_counter()
            rules = self.scenario.rules
            if isinstance(self.strategy, StandIn):
                self.strategy.thinkers.start(threads)
            sampler = make_sampler(rules, self.scenario.placement)
            # One game compiles every kernel, or loads it from the cache.
            self._play_first(sampler)
            if isinstance(self.strategy, Adapter):
                # The user's code may have had something to load or compile, too.
                self._game_seconds = self._play_first(sampler)
            self._sampler = sampler
            self._setup_seconds = time.perf_counter() - begun
        return self._sampler

    def _play_first(self, sampler: Sampler) -> float:
        """Play the first game, which does not count; return the seconds of the user's code."""
        printed = Printed()
        strategy = self._copy(printed)
        simulator = Simulator(self.scenario.rules, sampler, strategy, self._seed, FEWEST_LANES)
        try:
            for _ in simulator.play(iter([Block(0, 1)])):
                pass
            return strategy.spent() if isinstance(strategy, Adapter) else 0.0
        except StrategyError:
            # No game follows in which it is printed again.
            self._printed.add(printed.lines, printed.first)
            raise
        finally:
            if isinstance(strategy, StandIn):
                strategy.close()

    def close(self) -> None:
        """End processes, and warn about what the strategy printed; no game may follow."""
        if isinstance(self.strategy, StandIn):
            self.strategy.thinkers.close()
        self._playing.clear()
        printed, self._printed = self._printed, Printed()
        if text := printed_text(f"strategy {self.strategy.name!r}", printed.lines, printed.first):
            warnings.warn(text, BsbenchWarning, stacklevel=2)

    def result(self, requested: int | None = None, until: float | None = None) -> Result:
        """Return what has been played, at least one game.

        Parameters
        ----------
        requested : int, optional
            Games asked for, of a run that was interrupted. Default: those played.
        until : float, optional
            Half-width of the interval of the mean that was asked for.
        """
        strategy = self.strategy
        return Result(
            scenario=self.scenario,
            strategy=strategy.name,
            source=strategy.source,
            parameters=strategy.parameters,
            label=strategy.label,
            seed=self._seed,
            requested=self.games if requested is None else requested,
            until=until,
            fault=self.fault,
            counts=self._done.counts,
            learning=self._done.learning,
            moves=None if self._kept is None else self.moves,
            threads=self._threads,
            setup_seconds=self._setup_seconds,
            play_seconds=self._play_seconds,
            stream_version=STREAM_VERSION,
            first_shots=sum(self._first_shots, FirstShots()) if self._first_shots else None,
        )


_Play = Callable[[Iterator[Block], Callable[[], bool]], Iterator[tuple[Block, Moves]]]
"""Plays blocks, asking at times whether to stop, as `Simulator.play` does."""


def _work(
    play: _Play, blocks: Iterator[Block], stopped: Callable[[], bool]
) -> Iterator[tuple[int, int, Moves]]:
    """Play blocks in one thread, for `in_order`."""
    for block, moves in play(blocks, stopped):
        yield block.first_game, block.games, moves


class _Done(NamedTuple):
    """What has been played so far."""

    counts: Counts
    games: int
    learning: Learning | None

    def and_then(self, moves: Moves, games_per_learner: int) -> _Done:
        """Return this and a further block."""
        counts = self.counts + np.bincount(moves, minlength=len(self.counts))
        learning = None
        if games_per_learner > 1:
            learning = Learning.of(games_per_learner, moves)
            learning = self.learning + learning if self.learning else learning
        return _Done(counts, self.games + len(moves), learning)
