"""Runs: blocks of games on all cores, put together in order.

A `Run` is a strategy at a scenario, set up once, that plays consecutive ranges of games.
`bsbench.runs.panel` lets one or several play the same games in turn.

Threads play blocks of games (kernels release the GIL), each asking for the next one
when it has lanes to fill; the main thread adds up their move counts in order of the
games, so that what is done at any time is a prefix of the run. A strategy in Python
thinks in a process of its own for each thread (`bsbench.own.thinker`). Results depend on
neither the number of threads, nor the size of blocks, nor the ranges.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from copy import copy
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, BsbenchWarning, StrategyError
from bsbench.common.parallel import Shared, in_order
from bsbench.common.settings import check_line
from bsbench.layouts import STREAM_VERSION, Sampler
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
from bsbench.play.samplers import make_sampler
from bsbench.play.session import Observer
from bsbench.rules.scenario import Scenario
from bsbench.runs.alarms import OpeningShots
from bsbench.runs.chunks import ChunkFault
from bsbench.runs.identity import Identity, revision
from bsbench.runs.request import MOST_KEPT, TIMEOUT, check_learners, in_a_row, replay_line
from bsbench.runs.results import Result
from bsbench.runs.tally import MoveLog, Notes, Tally
from bsbench.stats import AnswerRows
from bsbench.stats.answers import FIELDS as ANSWER_FIELDS
from bsbench.strategies import Strategy
from bsbench.strategies.base import Cells, FixedOrder, Planner
from bsbench.strategies.view import View

_FEWEST_LANES = 16
_MOST_LANES = 512
"""Lanes of a strategy in Python that chooses for one game after the other: enough to make the
steps between them cheap, and few enough that games end, and are counted, soon."""

_BLOCK_SECONDS = 0.5
"""About how long such a strategy plays a block of games."""


class ShotLog:
    """All shots of games in a row; an `Observer`, of which each thread has a copy.

    Parameters
    ----------
    first_game, games, most : int
        Which games, and their shots at most.

    Attributes
    ----------
    games : ndarray of int64, shape (lanes,)
        The number of the game in each lane. It is not taken from the simulator, which has the
        observer: such a circle keeps memory for long.
    """

    games: Cells

    def __init__(self, first_game: int, games: int, most: int) -> None:
        self._first = first_game
        self._shots = np.zeros((games, most), np.uint16)

    def copy(self) -> ShotLog:
        """Return an observer that writes into the same log."""
        return copy(self)

    def __call__(self, view: View, lanes: Cells) -> None:
        """Take note of the last shots in lanes."""
        fired_in, cells, number = view.fired(lanes)
        self._shots[self.games[fired_in] - self._first, number - 1] = cells

    def of(self, fired: Moves) -> npt.NDArray[np.uint16]:
        """Return the cells of all games, one after the other, given their numbers of shots."""
        return self._shots[np.arange(self._shots.shape[1]) < fired[:, np.newaxis]]


class Run:
    """A strategy at a scenario, which plays games from one on, as many as asked for.

    It is set up once, when it first plays: tables of the sampler, and kernels, which are
    compiled or loaded from the cache.

    Parameters
    ----------
    strategy : Strategy
    scenario : Scenario
    seed, threads : int
        As they are in a `Request`.
    timeout : float
        Seconds that the code of a strategy in Python may take for one game.
    first_game : int
        The number of the first game.
    before : Result, optional
        What has been played before from there on, to go on from.
    sampler : Sampler, optional
        Draws the layouts, in place of the one of the scenario's placement law.

    Attributes
    ----------
    tally : Tally
        What has been played so far.
    log : MoveLog
        Move counts of the games played, as far as they are not forgotten.
    most_kept : int
        With more games than that, their move counts are forgotten.
    notes : MoveLog or None
        What is noted of these games beside their move counts: see `bsbench.runs.tally.Notes`.
    fault : StrategyError or None
        What keeps the strategy from playing on.
    forfeits : list of int
        Games with faults, ascending, after which the strategy was started again.
    timeout : float
        Seconds that one game may take of the code of a strategy in Python.
    called : str
        What warnings call the strategy.
    survives : bool
        Whether all that keeps it from playing on is a fault, as where a model can't be reached.
    most_seconds : float
        Seconds of all threads together that the games may take before they are given up.
    shot_log : ShotLog or None
        What keeps the shots of the games that are played next. That takes time.

    Raises
    ------
    BsbenchError
        If its names could not be read in a record, or it can't go on from what was played before.
    """

    def __init__(
        self,
        strategy: Strategy,
        scenario: Scenario,
        seed: int,
        threads: int,
        timeout: float = TIMEOUT,
        first_game: int = 0,
        before: Result | None = None,
        sampler: Sampler | None = None,
    ) -> None:
        # They stand in the record, which could not be read again.
        check_line("the label of the strategy", strategy.label)
        check_line(f"the source of the strategy {strategy.name!r}:", strategy.source)
        self.fault: StrategyError | None = None
        self.timeout = timeout
        self.most_kept = MOST_KEPT
        self.most_seconds, self.survives = math.inf, False
        self.shot_log: ShotLog | None = None
        self._printed = Printed()
        # Those that play, in threads.
        self._playing: list[Strategy] = []
        self._game_seconds, self._to_come = 0.0, 0
        self.strategy, self.called = strategy, strategy.name
        self.scenario = scenario
        self.seed = seed
        self._threads = threads
        self._given = sampler
        self._sampler: Sampler | None = None
        self._setup_seconds = self._play_seconds = 0.0
        self._begun: float | None = None
        # Those of games before, and of each thread.
        self._shots_before: OpeningShots | None = None
        self._first_shots: list[OpeningShots] = []
        if strategy.restart and self.games_per_learner > 1:
            raise BsbenchError(
                f"{strategy.label!r} can't be started again where games depend on those before "
                "them: leave out restart"
            )
        self.tally = Tally.empty(first_game, scenario.rules.most_moves)
        self.forfeits: list[int] = []
        self.log = MoveLog(first_game, moves_dtype(scenario.rules))
        self.notes = self.empty_notes(first_game)
        self._identity = Identity.of(strategy, scenario, seed)
        self._revisions: tuple[str, ...] = (revision(),)
        if before is not None:
            self._identity = before.identity.and_of(self._identity, "the record", "this run")
            self._revisions = tuple(dict.fromkeys((*before.revisions, *self._revisions)))
            if not before.tally.has_evidence or before.first_game != first_game:
                raise BsbenchError(
                    f"the result of {strategy.label!r} can't be continued: it has no "
                    "evidence, or begins with another game"
                )
            self.forfeits += before.forfeits
            log = MoveLog(before.tally.end, moves_dtype(scenario.rules))
            if before.kept_moves is not None:
                log = self.log
                log.add(before.first_game, before.kept_moves)
            self.go_on(before.tally, log, before.setup_seconds, before.play_seconds)

    def empty_notes(self, first_game: int) -> MoveLog | None:
        """Return a log of what is noted of games from one on, if anything is."""
        rules = self.scenario.rules
        if self.strategy.answer_book is None:
            return MoveLog(first_game, moves_dtype(rules)) if rules.salvos else None
        return MoveLog(first_game, np.int64, (len(ANSWER_FIELDS) + rules.salvos,))

    def go_on(
        self,
        tally: Tally,
        log: MoveLog,
        setup_seconds: float,
        play_seconds: float,
        first_shots: OpeningShots | None = None,
        notes: MoveLog | None = None,
    ) -> None:
        """Go on from what has been played before."""
        self.tally, self.log = tally, log
        self.notes = notes or self.empty_notes(tally.end)
        self._setup_seconds, self._play_seconds = setup_seconds, play_seconds
        self._shots_before = first_shots

    @property
    def games_per_learner(self) -> int:
        """How many games in a row depend on each other."""
        return in_a_row(self.strategy, self.scenario)

    @property
    def games(self) -> int:
        """Games played so far."""
        return self.tally.games

    @property
    def is_set_up(self) -> bool:
        """Whether kernels are compiled, or loaded, and tables built."""
        return self._sampler is not None

    @property
    def seconds(self) -> tuple[float, float]:
        """Seconds for setting up, and for play, so far."""
        now = 0.0 if self._begun is None else time.perf_counter() - self._begun
        return self._setup_seconds, self._play_seconds + now

    @property
    def first_shots(self) -> OpeningShots | None:
        """First shots of the games so far, if they are watched."""
        shots = [*self._first_shots, *([self._shots_before] if self._shots_before else [])]
        return sum(shots, OpeningShots()) if shots else None

    def play_to(self, end: int, progress: Callable[[int], None] | None = None) -> None:
        """Play on until so many games are played in all, those before included.

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
        if self.games >= end:
            return
        check_learners(self.strategy, self.scenario, self.tally.first_game, self.tally.end)
        until = end
        while True:
            try:
                if self.games < until:
                    self._play_to(until, progress)
                if until == end or self.fault is not None:
                    break
                self._forfeit()
                until = end
                if progress is not None:
                    progress(self.games)
            except StrategyError as error:
                self.close()
                # What a bot writes after a game, the next one shows, when that one is counted.
                error.game = max(error.game, self.tally.end)
                self._add_replay(error)
                # One of the games before it may show a fault, too: the first fault counts.
                until = min(until - 1, error.game - self.tally.first_game)
                if len(self.forfeits) >= self.strategy.restart:
                    self.fault = error
                # Games that were not counted yet are played again.
                self._first_shots.clear()
            except BsbenchError as error:
                if not self.survives:
                    raise
                self.close()
                problem, _, line = str(error).partition("\n")
                facts = self.tally.end, self.seed, None, problem, line.strip()
                self.fault = StrategyError(self.strategy.name, *facts)
                break

    def _forfeit(self) -> None:
        """Count the next game as one in which every cell was shot, or that never ended."""
        game, rules = self.tally.end, self.scenario.rules
        moves, shots = np.array([[rules.forfeit], [rules.cells]], moves_dtype(rules))
        self.forfeits.append(game)
        self.log.add(game, moves)
        if self.notes is not None:
            self.notes.add(game, shots)
        self.tally = self.tally.and_then(moves, 1, None if self.notes is None else shots)

    def blame(self, fault: ChunkFault) -> None:
        """Note what keeps the strategy from playing on, where it was played elsewhere."""
        # As `bsbench.own.blame` has it where the code runs here.
        line = fault.line.removeprefix(f"{Path.cwd()}{os.sep}")
        facts = fault.game, self.seed, fault.shots, fault.problem, line
        error = StrategyError(self.strategy.name, *facts)
        self._add_replay(error)
        self.fault = error

    def _add_replay(self, error: StrategyError) -> None:
        if origin_of(self.strategy).spec:
            error.replay = replay_line(self.strategy, self.scenario, self.seed, error.game)

    def _play_to(self, end: int, progress: Callable[[int], None] | None) -> None:
        """Play on, as `play_to` does; faults are raised."""
        first, in_a_row = self.tally.end, self.games_per_learner
        last = self.tally.first_game + end
        self._to_come = last - first
        play, block = self._shooters(last - first)
        shared = Shared(Block(game, min(block, last - game)) for game in range(first, last, block))

        def kill() -> None:
            for strategy in self._playing:
                if isinstance(strategy, StandIn):
                    strategy.kill()

        self._begun = time.perf_counter()
        try:
            works = [partial(_work, own, shared) for own in play]
            with closing(in_order(works, first, kill)) as finished:
                for moves in finished:
                    notes: Notes | None = self._answers_of(len(moves))
                    if moves.ndim == 2:
                        moves, shots = moves.T
                        notes = shots if notes is None else np.column_stack([notes, shots])
                    self._check(moves)
                    if self.notes is not None and notes is not None:
                        self.notes.add(self.tally.end, notes)
                    self.log.add(self.tally.end, moves)
                    # In one assignment: Ctrl-C finds all of a block counted, or nothing of it.
                    self.tally = self.tally.and_then(moves, in_a_row, notes)
                    if self.games > self.most_kept:
                        self.log.stop()
                        if self.notes is not None:
                            self.notes.stop()
                    if progress is not None:
                        progress(self.games)
                    if self.games < end and len(play) * self.seconds[1] > self.most_seconds:
                        problem = f"it has used its {self.most_seconds:g} s; allow more time"
                        facts = self.tally.end, self.seed, None, problem
                        self.fault = StrategyError(self.strategy.name, *facts)
                        break
        finally:
            (_, self._play_seconds), self._begun = self.seconds, None
            # Nothing grows with the number of ranges.
            self._playing.clear()
            if len(self._first_shots) > self._threads:
                self._first_shots[:] = [sum(self._first_shots, OpeningShots())]

    def _answers_of(self, games: int) -> AnswerRows | None:
        """Return how the moves of the next games were chosen, if the strategy notes it."""
        book = self.strategy.answer_book
        return None if book is None else book.take(self.tally.end, games)

    def _check(self, moves: Moves) -> None:
        """Refuse move counts of the next games that can't be, before they are counted."""
        rules = self.scenario.rules
        wrong = np.flatnonzero((moves < rules.fewest_moves) | (moves > rules.most_moves))
        if len(wrong):
            game = int(wrong[0])
            raise StrategyError(
                self.strategy.name,
                self.tally.end + game,
                self.seed,
                None,
                f"the game ended after {moves[game]} {rules.counted}, and the fleet has "
                f"{rules.ship_cells} cells on a board of {rules.cells}: its code changed the game",
            )

    def _shooters(self, games: int) -> tuple[list[_Play], int]:
        """Set up what plays blocks in each thread; return it, and the games of a block."""
        rules, in_a_row = self.scenario.rules, self.games_per_learner
        threads = self._threads
        if isinstance(self.strategy, Adapter):
            # Threads of one process would take turns in the interpreter.
            threads = min(threads, games) if isinstance(self.strategy, StandIn) else 1
        if self.strategy.asks_elsewhere:
            threads = 1
        sampler = self._set_up(threads)
        plans = isinstance(self.strategy, Planner | FixedOrder)
        lanes, block = lanes_and_block(rules, games, threads, in_a_row, plans)
        if self.strategy.asks_elsewhere:
            # Blocks as small as lanes allow: games are counted as soon as they are over.
            lanes = min(self.strategy.most_lanes, games)
            block = -(-lanes // BLOCKS_PER_THREAD)
        if isinstance(self.strategy, Adapter) and not self.strategy.chooser.in_batches:
            # So that progress of a slow strategy shows soon.
            fitting = max(int(_BLOCK_SECONDS / max(self._game_seconds, 1e-9)), 1)
            share = max(games // threads // BLOCKS_PER_THREAD, 1)
            learners = max(min(fitting, share, SMALLEST_BLOCK) // in_a_row, 1)
            lanes = min(max(2 * learners, _FEWEST_LANES), _MOST_LANES)
            block = learners * in_a_row
        return [self._in_thread(sampler, lanes, block)] * threads, block

    def _in_thread(self, sampler: Sampler, lanes: int, block: int) -> _Play:
        def play(
            blocks: Iterator[Block], stopped: Callable[[], bool]
        ) -> Iterator[tuple[Block, Moves]]:
            rules, strategy = self.scenario.rules, self._copy(self._printed)
            self._playing.append(strategy)
            shared = SHARED_BYTES // self._threads
            observer: Observer | None = None
            if self.shot_log is not None:
                observer = self.shot_log.copy()
            elif not strategy.built_in and not isinstance(strategy, Planner | FixedOrder):
                # Those are asked for many shots at once.
                self._first_shots.append(shots := OpeningShots())
                observer = shots
            simulator = Simulator(
                rules, sampler, strategy, self.seed, lanes, block, shared, observer
            )
            if isinstance(observer, ShotLog):
                observer.games = simulator.session.games
            yield from simulator.play(blocks, stopped)
            if isinstance(strategy, StandIn):
                strategy.close()

        return play

    def _copy(self, printed: Printed) -> Strategy:
        """Return a strategy that plays in one thread; ``printed`` notes what its code prints."""
        strategy = self.strategy.copy()
        if isinstance(strategy, Adapter):
            strategy.timeout, strategy.games_to_come = self.timeout, self._to_come
        if isinstance(strategy, StandIn):
            strategy.printed = printed
        return strategy

    def _set_up(self, threads: int) -> Sampler:
        if self._sampler is None:
            begun = time.perf_counter()
            rules = self.scenario.rules
            if isinstance(self.strategy, StandIn):
                self.strategy.talkers.start(threads)
            sampler = self._given or make_sampler(rules, self.scenario.placement)
            # Games that are over are counted by a kernel, too.
            Tally.of(0, np.array([rules.cells], moves_dtype(rules)), rules.most_moves)
            if not self.strategy.asks_elsewhere:
                # One game compiles every kernel, or loads it from the cache.
                self._play_first(sampler)
            if isinstance(self.strategy, Adapter):
                # The user's code may have had something to load or compile, too.
                self._game_seconds = self._play_first(sampler)
            self._sampler = sampler
            self._setup_seconds += time.perf_counter() - begun
        return self._sampler

    def _play_first(self, sampler: Sampler) -> float:
        """Play the first game, which does not count; return the seconds of the user's code."""
        printed = Printed()
        strategy = self._copy(printed)
        simulator = Simulator(self.scenario.rules, sampler, strategy, self.seed, FEWEST_LANES)
        try:
            for _ in simulator.play(iter([Block(0, 1)])):
                pass
            return strategy.spent() if isinstance(strategy, Adapter) else 0.0
        except StrategyError:
            if self.strategy.restart:
                # It will fail again, if the game is one of those that are counted.
                return 0.0
            # No game follows in which it is printed again.
            self._printed.add(printed.lines, printed.first)
            raise
        finally:
            if isinstance(strategy, StandIn):
                strategy.close()

    def close(self) -> None:
        """End processes, and warn about what the strategy printed; no game may follow."""
        if isinstance(self.strategy, StandIn):
            self.strategy.talkers.close()
        self._playing.clear()
        printed, self._printed = self._printed, Printed()
        if text := printed_text(f"strategy {self.called!r}", printed.lines, printed.first):
            warnings.warn(text, BsbenchWarning, stacklevel=2)

    def result(
        self,
        requested: int | None = None,
        until: float | None = None,
        tally: Tally | None = None,
    ) -> Result:
        """Return what has been played, at least one game.

        Parameters
        ----------
        requested : int, optional
            Games asked for, of a run that was interrupted. Default: those played.
        until : float, optional
            Half-width of the interval of the mean that was asked for.
        tally : Tally, optional
            Of the first games alone. The time of play is divided in proportion.
        """
        strategy = self.strategy
        tally = tally or self.tally
        setup_seconds, play_seconds = self.seconds
        return Result(
            scenario=self.scenario,
            strategy=strategy.name,
            source=strategy.source,
            parameters=strategy.parameters,
            label=strategy.label,
            seed=self.seed,
            requested=tally.games if requested is None else requested,
            until=until,
            fault=self.fault,
            tally=tally,
            forfeits=tuple(game for game in self.forfeits if game < tally.end),
            kept_moves=self.log.between(tally.first_game, tally.end),
            threads=self._threads,
            setup_seconds=setup_seconds,
            play_seconds=play_seconds * tally.games / self.games,
            stream_version=STREAM_VERSION,
            revisions=self._revisions,
            strategy_sha256=self._identity.strategy_sha256,
            layouts_sha256=self._identity.layouts_sha256,
            first_shots=self.first_shots,
        )


_Play = Callable[[Iterator[Block], Callable[[], bool]], Iterator[tuple[Block, Moves]]]
"""Plays blocks, asking at times whether to stop, as `Simulator.play` does."""


def _work(
    play: _Play, blocks: Iterator[Block], stopped: Callable[[], bool]
) -> Iterator[tuple[int, int, Moves]]:
    """Play blocks in one thread, for `in_order`."""
    for block, moves in play(blocks, stopped):
        yield block.first_game, block.games, moves
