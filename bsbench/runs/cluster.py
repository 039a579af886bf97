"""Panels played on a cluster, by Dask's ``distributed``.

::

    client                          scheduler           workers
      job: strategies, files  ->  a plugin        ->  each keeps it, also those that come later
      chunk of games a … b      ->  a task          ->  one thread plays it
      adds it up, in order      <-                  <-  sums: some kilobytes

Games, sums and journal are those of a run without a cluster. Dask brings tasks to workers, and
plays them again where a worker is lost. Only some tasks for each thread are under way at a time,
so that an interruption, a goal that is reached, and memory stay bounded; how many threads there
are is asked now and then, since workers may come and go.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import pickle
import signal
import threading
import time
import traceback
import uuid
import warnings
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask.config
from distributed import Client, LocalCluster, WorkerPlugin, as_completed, get_worker
from distributed.comm import get_address_host
from distributed.scheduler import KilledWorker
from distributed.utils import silence_logging_cmgr

from bsbench.common.errors import (
    BsbenchError,
    BsbenchWarning,
    FrontEnd,
    front_end,
    option,
    reason,
)
from bsbench.common.machine import usable_cores
from bsbench.runs.chunks import Chunk, Job, LostChunkError
from bsbench.runs.engines import DASK, OpenCluster
from bsbench.runs.panel import CHUNK
from bsbench.runs.rounds import whole_units
from bsbench.runs.worker import Stamp, forget, play_chunk, stamp

_FIRST, _FIRST_IN_PYTHON = 4_096, 8
"""Games of the first chunk, which shows how long games take."""

_GROWTH = 16
"""Factor by which a chunk may be larger than those that are over."""

_LEAST_SECONDS, _SECONDS, _MOST_SECONDS = 0.5, 10.0, 30.0
"""Seconds of work of a chunk: at the end of a round at least, usually, and on large clusters, so
that the scheduler is not asked for more tasks than it can give."""

_TASKS_PER_SECOND = 50

_UNDER_WAY = 2
"""Tasks under way for each thread: none has to wait for the client."""

_NEWS_SECONDS = 2.0
"""Seconds between two questions for the number of threads."""

_PATIENCE = 30.0
"""Seconds to wait for the scheduler at first."""

_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Settings of a cluster of this machine, whose dashboard nobody looks at: with Dask's own, it takes
some 8 % more processor time."""

_PROBE = """
def probe():
    try:
        from bsbench.runs.worker import stamp
    except ImportError as error:
        return str(error)
    return stamp()
"""


class _Stock(WorkerPlugin):  # type: ignore[misc]
    """Keeps a job on each worker, also on those that come later."""

    def __init__(self, job: Job) -> None:
        self.name = job.key
        self.packed = job.packed

    async def teardown(self, worker: Any) -> None:
        """End the processes of the job: bots and thinkers."""
        await asyncio.to_thread(forget, self.name)


class _DeafToCtrlC(WorkerPlugin):  # type: ignore[misc]
    """Leaves Ctrl-C, which a terminal sends to all processes, to the client."""

    name = "bsbench-ctrl-c"

    def setup(self, worker: Any) -> None:
        """Ignore it."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play(
    key: str, wanted: Stamp, places: tuple[int, ...], first_game: int, games: int, moves: bool
) -> Chunk | str:
    """Play a chunk on a worker; or return why that can't be."""
    worker = get_worker()
    if (found := stamp()) != wanted:
        return _other_version(worker.address, found, wanted)

    def read() -> Job:
        job: Job = pickle.loads(worker.plugins[key].packed)
        return job

    folder = Path(worker.local_directory) / "bsbench"
    chunk = play_chunk(key, read, folder, places, first_game, games, moves)
    if isinstance(chunk, str):
        return f"the worker {worker.address} can't play: {chunk}"
    return chunk


def _other_version(address: str, found: Any, wanted: Stamp) -> str:
    """Return in words what is wrong with a worker."""
    if isinstance(found, str):
        what = f"can't import bsbench ({found})"
    else:
        (version, revision, stream), (ours, our_revision, our_stream) = found, wanted
        what = (
            f"has bsbench {version} (revision {revision}, layout stream {stream}), and this is "
            f"bsbench {ours} (revision {our_revision}, layout stream {our_stream})"
        )
    return f"the worker {address} {what}: install the same bsbench on all machines"


@dataclass
class _Pace:
    """How large chunks of a job are."""

    job: Job
    largest: int = 0
    rate: float = 0.0

    def note(self, chunk: Chunk) -> None:
        """Learn from a chunk that is over how many games a thread plays in a second."""
        seconds = sum(part.seconds for part in chunk.parts.values())
        if 2 * chunk.games >= self.largest and seconds > 0:
            self.rate = chunk.games / seconds
        self.largest = max(self.largest, chunk.games)

    def games(self, rest: int, threads: int, moves: bool) -> int:
        """Return the games of the next chunk, of those that are not yet given to anybody."""
        unit = self.job.unit
        if not self.rate:
            games = _FIRST_IN_PYTHON if self.job.in_python else _FIRST
        else:
            seconds = min(max(_SECONDS, threads / _TASKS_PER_SECOND), _MOST_SECONDS)
            share = rest / (_UNDER_WAY * threads)
            wanted = max(min(self.rate * seconds, share), self.rate * _LEAST_SECONDS)
            games = min(math.ceil(wanted), _GROWTH * self.largest)
        if moves:
            games = min(games, CHUNK)
        return min(whole_units(max(games, 1), unit), rest)


class Cluster(OpenCluster):
    """The workers of a Dask cluster, as a `bsbench.runs.chunks.Workers`; made by `opened_cluster`.

    Attributes
    ----------
    lost : int
        Chunks that could not be played.
    """

    def __init__(self, client: Client) -> None:
        self.lost = 0
        self._client = client
        self._stamp = stamp()
        self._threads, self._asked = 0, -math.inf
        self._pace: _Pace | None = None
        self._check()

    def _check(self) -> None:
        """Refuse workers that have no bsbench, or another one; those that come later, too."""
        made: dict[str, Any] = {"__name__": "__main__"}
        # Sent by value: workers without bsbench have nothing to import it from.
        exec(_PROBE, made)
        for address, found in self._client.run(made["probe"]).items():
            if found != self._stamp:
                raise BsbenchError(_other_version(address, found, self._stamp))
        if not self._workers():
            warnings.warn(
                f"the scheduler {self._client.scheduler.address} has no workers yet: games begin "
                "when there is one",
                BsbenchWarning,
                stacklevel=2,
            )

    def _workers(self) -> dict[str, int]:
        """Return how many threads each worker has, by address."""
        workers: dict[str, int] = self._client.nthreads()
        return workers

    @property
    def threads(self) -> int:
        """Threads of all workers, a little while ago; at least 1."""
        if (now := time.monotonic()) - self._asked > _NEWS_SECONDS:
            self._threads = sum(self._workers().values())
            self._asked = now
        return max(self._threads, 1)

    def close(self) -> None:
        """Let workers forget the job."""
        if self._pace is not None:
            with contextlib.suppress(Exception):
                self._client.unregister_worker_plugin(self._pace.job.key)
            self._pace = None

    def chunks(
        self, job: Job, places: tuple[int, ...], first_game: int, end: int, moves: bool
    ) -> Generator[Chunk, None, None]:
        """Yield chunks in order: see `bsbench.runs.chunks.Workers.chunks`."""
        warm = self._pace is not None and self._pace.job.key == job.key
        if not warm:
            self.close()
            self._client.register_plugin(_Stock(job))
            self._pace = _Pace(job)
        pace = self._pace
        assert pace is not None
        done: dict[int, Chunk] = {}
        under_way: dict[Any, range] = {}
        results = as_completed(loop=self._client.loop, with_results=True, raise_errors=False)

        def submit(games: range, **where: Any) -> None:
            future = self._client.submit(
                _play,
                job.key,
                self._stamp,
                places,
                games.start,
                len(games),
                moves,
                key=f"bsbench_chunk-{uuid.uuid4().hex}",
                **where,
            )
            under_way[future] = games
            results.add(future)

        following, given = first_game, first_game
        lost: LostChunkError | None = None
        try:
            if not warm:
                given += pace.games(end - given, 1, moves)
                # The same chunk on each machine, which compiles kernels, or loads them.
                hosts = {get_address_host(address): address for address in self._workers()}
                for address in hosts.values():
                    where = {"workers": [address], "allow_other_workers": True}
                    submit(range(first_game, given), **where)
                if not hosts:
                    submit(range(first_game, given))
            while following < end:
                room = _UNDER_WAY * self.threads if pace.rate else 0
                while given < end and len(under_way) < max(room, not under_way):
                    games = pace.games(end - given, self.threads, moves)
                    submit(range(given, given + games))
                    given += games
                future, result = next(results)
                games_of = under_way.pop(future)
                try:
                    chunk = self._chunk(future, result, games_of)
                except LostChunkError as error:
                    self.lost += 1
                    # The chunks before it are played to the end.
                    if games_of.start < end:
                        lost, end = error, games_of.start
                    continue
                pace.note(chunk)
                done[games_of.start] = chunk
                while following in done:
                    chunk = done.pop(following)
                    following += chunk.games
                    yield chunk
            if lost is not None:
                raise lost
        finally:
            if under_way:
                with contextlib.suppress(Exception):
                    self._client.cancel(list(under_way), asynchronous=False)

    def _chunk(self, future: Any, result: Any, games: range) -> Chunk:
        """Return the chunk that a task has played, or raise what became of it."""
        if future.status == "error":
            error = future.exception()
            if isinstance(error, KilledWorker):
                raise LostChunkError(
                    f"games {games.start:,} to {games.stop - 1:,} could not be played: "
                    f"{error.allowed_failures + 1} workers ended while they played them"
                )
            if isinstance(error, ImportError):
                raise BsbenchError(_other_version("of the cluster", str(error), self._stamp))
            if isinstance(error, OSError):
                raise BsbenchError(f"a worker of the cluster can't play: {reason(error)}")
            raise error
        if future.status != "finished":
            raise _lost("it does not answer")
        if isinstance(result, str):
            raise BsbenchError(result)
        assert isinstance(result, Chunk)
        return result


@contextlib.contextmanager
def _started(workers: int) -> Iterator[LocalCluster]:
    """Start a cluster of processes of this machine."""
    try:
        with dask.config.set(_QUIET):
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                # As without a cluster, nothing limits the memory.
                memory_limit=None,
                dashboard_address="127.0.0.1:0",
                # Without certificates, other users of this machine could run code as this one.
                security=True,
                silence_logs=logging.CRITICAL,
            )
    except (OSError, RuntimeError) as error:
        raise BsbenchError(
            f"can't start the processes of a cluster ({error}). In a script, put all that plays "
            'behind if __name__ == "__main__": each of these processes imports the script'
        ) from None
    with cluster:
        yield cluster


def _lost(why: str) -> BsbenchError:
    again = "play again"
    if front_end() is FrontEnd.COMMAND_LINE:
        again = f"give the command again, with {option('resume', True)},"
    return BsbenchError(f"the cluster is lost ({why}): {again} when it is back")


def _is_of_dask(error: BaseException) -> bool:
    """Return whether it was raised in Dask itself, not in what bsbench does on either side."""
    frames = traceback.walk_tb(error.__traceback__)
    names = [frame.f_globals.get("__name__", "").partition(".")[0] for frame, _ in frames]
    return [name for name in names if name in ("bsbench", "distributed")][-1:] == ["distributed"]


@contextlib.contextmanager
def _in_a_sentence() -> Iterator[None]:
    """Report in a sentence that scheduler or workers are lost, whatever is asked of them."""
    try:
        yield
    except (Exception, asyncio.CancelledError) as error:
        if not _is_of_dask(error):
            raise
        raise _lost(" ".join(str(error).split())[:200] or type(error).__name__) from error


@contextlib.contextmanager
def opened_cluster(engine: str | Client, threads: int | None) -> Iterator[Cluster]:
    """Connect to a cluster, or start one: see `bsbench.runs.opening.opened`."""
    with _in_a_sentence(), contextlib.ExitStack() as stack:
        if isinstance(engine, str):
            # It logs each connection that is lost.
            stack.enter_context(silence_logging_cmgr(logging.CRITICAL))
        if engine == DASK:
            number = threads or usable_cores()
            local = stack.enter_context(_started(number))
            client = stack.enter_context(Client(local))
            client.register_plugin(_DeafToCtrlC())
        elif isinstance(engine, str):
            try:
                client = stack.enter_context(Client(engine, timeout=_PATIENCE))
            except (OSError, ValueError) as error:
                raise BsbenchError(
                    f"can't reach a Dask scheduler at {engine}: {error or 'it does not answer'}"
                ) from None
        else:
            client = engine
            if client.asynchronous:
                raise BsbenchError("the Dask Client is asynchronous: give one that is not")
        cluster = Cluster(client)
        stack.callback(cluster.close)
        yield cluster
