"""Runs: blocks of games on all cores, put together in order.

A block is some consecutive games. Threads play blocks (kernels release the GIL); the
main thread adds up their move counts in order of the games, so that what is done at
any time is a prefix of the run. Results depend neither on the number of threads
nor on the size of blocks.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

import numpy as np

import bsbench
from bsbench.errors import BsbenchError
from bsbench.layouts import STREAM_VERSION, make_sampler
from bsbench.results import Result, usable_cores
from bsbench.scenario import DEFAULT, Scenario, find_scenario
from bsbench.simulate import Moves, Simulator, default_lanes, moves_dtype
from bsbench.strategies import Strategy, find_strategy

_LARGEST_BLOCK = 65_536
_SMALLEST_BLOCK = 1_024
_BLOCKS_PER_THREAD = 8
"""Blocks each thread plays at least, in a run large enough, so that they end together."""


def run(
    strategy: str | Strategy,
    scenario: str | Scenario | None = None,
    *,
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
    scenario : str or Scenario, optional
        A scenario, its name, or the path of its TOML file. Default: the strategy's
        home, else ``classic``.
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
        If an argument is out of range, or the strategy needs more feedback than
        the scenario gives.
    KeyboardInterrupt
        If interrupted before a single block of games was over.

    Examples
    --------
    >>> result = run("linear", "classic", games=1000, seed=1)
    >>> result.stats.games, result.stats.worst <= 100
    (1000, True)
    """
    if isinstance(strategy, str):
        strategy = find_strategy(strategy)()
    if not isinstance(scenario, Scenario):
        scenario = find_scenario(scenario or strategy.home or DEFAULT)
    if placement is not None:
        scenario = scenario.override(placement=placement)
    if games < 1:
        raise BsbenchError(f"can't play {games} games: ask for at least 1")
    if seed < 0:
        raise BsbenchError(f"a seed is a non-negative integer, not {seed}")
    if threads is None:
        threads = usable_cores()
    if threads < 1:
        raise BsbenchError(f"can't play on {threads} threads: ask for at least 1")
    rules = scenario.rules
    if rules.feedback < strategy.needs:
        raise BsbenchError(
            f"strategy {strategy.name!r} needs feedback {str(strategy.needs)!r}, and the scenario "
            f"{scenario.name!r} gives only {str(rules.feedback)!r}: choose another scenario, or "
            f"raise it with --feedback {strategy.needs}"
        )

    begun = time.perf_counter()
    sampler = make_sampler(rules, scenario.placement)
    # The first game compiles every kernel, or loads it from the cache.
    Simulator(rules, sampler, strategy.copy(), seed, lanes=1).play(0, 1)
    set_up = time.perf_counter()

    block = min(max(games // (_BLOCKS_PER_THREAD * threads), _SMALLEST_BLOCK), _LARGEST_BLOCK)
    lanes = min(default_lanes(rules), block)
    idle: SimpleQueue[Simulator] = SimpleQueue()
    for _ in range(threads):
        idle.put(Simulator(rules, sampler, strategy.copy(), seed, lanes))
    stop = threading.Event()

    def play_block(first: int) -> Moves | None:
        simulator = idle.get()
        try:
            return simulator.play(first, min(block, games - first), stop.is_set)
        finally:
            idle.put(simulator)

    kept = np.zeros(games if keep_moves else 0, moves_dtype(rules))
    # Histogram and number of games in one assignment: an interrupt finds both or neither.
    done = np.zeros(rules.cells + 1, np.int64), 0
    firsts = iter(range(0, games, block))
    pending: deque[Future[Moves | None]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                # A bounded queue, so that memory does not grow with games.
                while len(pending) < 2 * threads and (first := next(firsts, None)) is not None:
                    pending.append(pool.submit(play_block, first))
                if not pending:
                    break
                moves = pending.popleft().result()
                assert moves is not None
                counts, played = done
                if keep_moves:
                    kept[played : played + len(moves)] = moves
                done = counts + np.bincount(moves, minlength=len(counts)), played + len(moves)
                if progress is not None:
                    progress(done[1])
        except KeyboardInterrupt:
            if done[1] == 0:
                raise
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    counts, played = done
    return Result(
        scenario=scenario,
        strategy=strategy.name,
        source=strategy.source,
        parameters=strategy.parameters,
        seed=seed,
        requested=games,
        counts=counts,
        moves=kept[:played] if keep_moves else None,
        threads=threads,
        setup_seconds=set_up - begun,
        play_seconds=time.perf_counter() - set_up,
        bsbench=bsbench.__version__,
        stream_version=STREAM_VERSION,
    )
