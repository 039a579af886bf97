"""Runs: blocks of games on all cores, put together in order.

Threads play blocks of games (kernels release the GIL), each asking for the next one
when it has lanes to fill; the main thread adds up their move counts in order of the
games, so that what is done at any time is a prefix of the run. Results depend
neither on the number of threads nor on the size of blocks.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

import bsbench
from bsbench.errors import BsbenchError
from bsbench.layouts import STREAM_VERSION, make_sampler
from bsbench.machine import usable_cores
from bsbench.results import Result
from bsbench.rules import Rules
from bsbench.scenario import DEFAULT, Scenario, find_scenario
from bsbench.simulate import LARGEST_BLOCK, Block, Moves, Simulator, default_lanes, moves_dtype
from bsbench.stats import Counts, Learning
from bsbench.strategies import Strategy, make_strategy

_SMALLEST_BLOCK = 1_024
_BLOCKS_PER_THREAD = 8
"""Blocks there are for each thread at least, in a run large enough for that."""

_FEWEST_LANES = 64
"""More than the few lanes for which kernels are compiled apart (see `lanes`)."""

_MOST_THREADS = 1_024


def run(
    strategy: str | Strategy,
    scenario: str | Path | Scenario | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    games: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
    keep_moves: bool = False,
    placement: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Play games of one strategy and return their move counts.

    Parameters
    ----------
    strategy : str or Strategy
        A strategy, or its name.
    scenario : str, Path or Scenario, optional
        A scenario, its name, or the path of its TOML file. Default: the strategy's
        home, else ``classic``.
    parameters : mapping of str to bool, int, float or str, optional
        Values of parameters of the strategy named; the others have their defaults.
    games : int
        Games number 0 … games - 1 under the seed are played.
    seed : int
        Any non-negative integer. All strategies meet the same layouts under it.
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    keep_moves : bool
        Keep the move count of each game (`Result.moves`), not only the histogram.
    placement : str, optional
        A placement law in place of the scenario's, such as ``sequential:longest``.
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
    KeyboardInterrupt
        If interrupted before a single block of games was over.

    Examples
    --------
    >>> result = run("linear", "classic", games=1000, seed=1)
    >>> result.stats.games, result.stats.worst <= 100
    (1000, True)
    """
    if isinstance(strategy, str):
        strategy = make_strategy(strategy, parameters)
    elif parameters:
        raise BsbenchError(
            f"parameters go with the name of a strategy: this {strategy.name!r} is made already"
        )
    scenario = scenario_for(strategy, scenario)
    if placement is not None:
        scenario = scenario.override(placement=placement)
    games, seed, threads = check_request(games, seed, threads)
    check_feedback(strategy, scenario)
    rules = scenario.rules

    begun = time.perf_counter()
    sampler = make_sampler(rules, scenario.placement)
    # One game compiles every kernel, or loads it from the cache.
    first_game = iter([Block(0, 1)])
    for _ in Simulator(rules, sampler, strategy.copy(), seed, _FEWEST_LANES).play(first_game):
        pass
    set_up = time.perf_counter()

    lanes, block = _lanes_and_block(rules, games, threads, strategy.games_per_learner)
    blocks = (Block(first, min(block, games - first)) for first in range(0, games, block))

    def simulator() -> Simulator:
        return Simulator(rules, sampler, strategy.copy(), seed, lanes, block)

    try:
        kept = np.zeros(games if keep_moves else 0, moves_dtype(rules))
    except (MemoryError, ValueError):
        raise BsbenchError(
            f"the move counts of {games:,} games don't fit in memory: play fewer games, or don't "
            "keep their move counts"
        ) from None
    in_a_row = strategy.games_per_learner
    done = _Done(np.zeros(rules.cells + 1, np.int64), 0, None)
    try:
        with closing(_play_in_order(simulator, blocks, threads)) as finished:
            for moves in finished:
                if keep_moves:
                    kept[done.games : done.games + len(moves)] = moves
                # In one assignment: an interrupt finds a block in all of them, or in none.
                done = done.and_then(moves, in_a_row)
                if progress is not None:
                    progress(done.games)
    except KeyboardInterrupt:
        if done.games == 0:
            raise
    return Result(
        scenario=scenario,
        strategy=strategy.name,
        source=strategy.source,
        parameters=strategy.parameters,
        label=strategy.label,
        seed=seed,
        requested=games,
        counts=done.counts,
        learning=done.learning,
        moves=kept[: done.games] if keep_moves else None,
        threads=threads,
        setup_seconds=set_up - begun,
        play_seconds=time.perf_counter() - set_up,
        bsbench=bsbench.__version__,
        stream_version=STREAM_VERSION,
    )


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


def _lanes_and_block(
    rules: Rules, games: int, threads: int, games_per_learner: int
) -> tuple[int, int]:
    """Return the number of lanes of each thread, and of games in a block.

    A lane plays one game at a time, or the games of one learner.
    """
    share = -(-games // games_per_learner // threads)
    lanes = max(min(default_lanes(rules), share), _FEWEST_LANES)
    # Not much more than there are lanes, so that the first blocks are over soon.
    block = min(max(share // _BLOCKS_PER_THREAD, _SMALLEST_BLOCK // games_per_learner), 2 * lanes)
    if games_per_learner == 1:
        return lanes, min(block, LARGEST_BLOCK)
    return lanes, games_per_learner * max(block, 1)


def check_request(games: int, seed: int, threads: int | None) -> tuple[int, int, int]:
    """Return the numbers of a request as plain integers, threads filled in.

    Raises
    ------
    BsbenchError
        If one is not a whole number, or out of range.
    """
    if threads is None:
        threads = usable_cores()
    for name, value in (("games", games), ("seed", seed), ("threads", threads)):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise BsbenchError(f"{name} must be a whole number, not {value!r}")
    if games < 1:
        raise BsbenchError(f"can't play {games} games: ask for at least 1")
    if seed < 0:
        raise BsbenchError(f"a seed is a non-negative integer, not {seed}")
    if not 1 <= threads <= _MOST_THREADS:
        raise BsbenchError(f"can't play on {threads} threads: ask for 1 to {_MOST_THREADS}")
    return int(games), int(seed), int(threads)


def scenario_for(strategy: Strategy, scenario: str | Path | Scenario | None = None) -> Scenario:
    """Return a scenario, by name or path too; without one, the strategy's home, else `DEFAULT`."""
    if isinstance(scenario, Scenario):
        return scenario
    return find_scenario(str(scenario or strategy.home or DEFAULT))


def check_feedback(strategy: Strategy, scenario: Scenario) -> None:
    """Refuse a scenario that tells a strategy less than it needs.

    Raises
    ------
    BsbenchError
        If it does.
    """
    if scenario.rules.feedback < strategy.needs:
        raise BsbenchError(
            f"strategy {strategy.name!r} needs feedback {str(strategy.needs)!r}, and the scenario "
            f"{scenario.name!r} gives only {str(scenario.rules.feedback)!r}: choose another "
            f"scenario, or raise it with --feedback {strategy.needs}"
        )


class _Shared(Iterator[Block]):
    """Hands out the blocks of a run to several threads."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._lock = threading.Lock()

    def __next__(self) -> Block:
        with self._lock:
            return next(self._blocks)


def _play_in_order(
    simulator: Callable[[], Simulator], blocks: Iterator[Block], threads: int
) -> Generator[Moves, None, None]:
    """Play blocks on several threads; yield their move counts in order of the games.

    An error in any thread ends all of them and is raised here; so does closing
    the iterator, or an exception such as KeyboardInterrupt in it.
    """
    shared = _Shared(blocks)
    stop = threading.Event()
    finished: SimpleQueue[tuple[Block, Moves] | BaseException | None] = SimpleQueue()

    def work() -> None:
        try:
            for block_and_moves in simulator().play(shared, stop.is_set):
                finished.put(block_and_moves)
            finished.put(None)
        except BaseException as error:
            finished.put(error)

    workers: list[threading.Thread] = []
    try:
        for _ in range(threads):
            worker = threading.Thread(target=work)
            worker.start()
            workers.append(worker)
        working, next_game = threads, 0
        early: dict[int, Moves] = {}
        while working:
            item = finished.get()
            if item is None:
                working -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                block, moves = item
                early[block.first_game] = moves
                while next_game in early:
                    moves = early.pop(next_game)
                    next_game += len(moves)
                    yield moves
    finally:
        stop.set()
        for worker in workers:
            worker.join()
