"""Panels played on a cluster, by Dask's ``distributed``.

::

    client                          scheduler           workers
      job: strategies, files  ->  the first task    ->  whoever needs its result gets it
      chunks of games a … b   ->  tasks, by a map   ->  one thread plays each
      adds them up, in order  <-                    <-  sums: some kilobytes

Games, sums and journal are those of a run without a cluster. Dask brings tasks to workers, and
plays them again where a worker is lost. Only some tasks for each thread are under way at a time,
so that an interruption, a goal that is reached, and memory stay bounded. Workers may come and go.
"""

from __future__ import annotations

import contextlib
import logging
import math
import pickle
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import CancelledError
from hashlib import sha256
from pathlib import Path
from typing import Any

from distributed import Client, get_worker
from distributed.scheduler import KilledWorker
from distributed.utils import silence_logging_cmgr

from bsbench.common.errors import BsbenchError, StoppedError
from bsbench.runs.chunks import Chunk, Job
from bsbench.runs.rounds import whole_units
from bsbench.runs.worker import Stamp, play_chunk, stamp

_FIRST, _FIRST_IN_PYTHON = 4_096, 8
"""Games of the first chunks, which show how long games take."""

_GROWTH = 16
"""Factor by which a chunk may be larger than those that are over."""

_SECONDS = 10.0
"""Seconds of work of a chunk, usually."""

_SMALLEST = 0.05
"""Share of that work that a chunk has at least, at the end of a round."""

_UNDER_WAY = 3
"""Tasks under way for each thread: none has to wait for the client."""

_PATIENCE = 30.0
"""Seconds to wait for the scheduler at first."""


def _as_given(packed: bytes) -> bytes:
    """Return a job, as the result of a task: Dask takes it to workers, and makes it again."""
    return packed


def _play(
    games: range, packed: bytes, wanted: Stamp, places: tuple[int, ...], moves: bool
) -> Chunk | str:
    """Play a chunk on a worker; or return why that can't be."""
    worker = get_worker()
    if (found := stamp()) != wanted:
        return _other_version(worker.address, f"has {found}", wanted)
    job: Job = pickle.loads(packed)
    folder = Path(worker.local_directory) / "bsbench" / sha256(packed).hexdigest()[:24]
    chunk = play_chunk(job, folder, places, games.start, len(games), moves)
    if isinstance(chunk, str):
        return f"the worker {worker.address} can't play: {chunk}"
    return chunk


def _other_version(address: str, found: str, wanted: Stamp) -> str:
    """Return in words what is wrong with a worker."""
    return (
        f"the worker {address} {found}, not the bsbench that is here, {wanted}: install that there"
    )


@contextlib.contextmanager
def _in_a_sentence() -> Iterator[None]:
    """Report in a sentence that the cluster is lost, whatever is asked of it."""
    try:
        yield
    except (OSError, CancelledError) as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise BsbenchError(f"the cluster is lost ({why}): play again when it is back") from error


class Cluster:
    """The workers of a Dask cluster, as `bsbench.runs.chunks.Workers`; made by `opened_cluster`."""

    def __init__(self, client: Client) -> None:
        self._client, self._stamp = client, stamp()
        self._job: Job | None = None

    @property
    def threads(self) -> int:
        """Threads of all workers now; at least 1."""
        with _in_a_sentence():
            return max(int(sum(self._client.nthreads().values())), 1)

    def chunks(
        self, job: Job, places: tuple[int, ...], first_game: int, end: int, moves: bool
    ) -> Generator[Chunk, None, None]:
        """Yield chunks in order: see `bsbench.runs.chunks.Workers.chunks`."""
        under_way: deque[tuple[range, Any]] = deque()
        begin = first_game
        try:
            while begin < end or under_way:
                with _in_a_sentence():
                    if job is not self._job:
                        self._job, self._size = job, _FIRST_IN_PYTHON if job.in_python else _FIRST
                        self._packed = self._client.submit(_as_given, pickle.dumps(job), pure=False)
                    cut = self._cut(begin, end, len(under_way), job.unit)
                    given = {"wanted": self._stamp, "places": places, "moves": moves}
                    under_way += zip(
                        cut,
                        self._client.map(_play, cut, packed=self._packed, pure=False, **given),
                        strict=True,
                    )
                    chunk = self._result(*under_way[0])
                begin = cut[-1].stop if cut else begin
                under_way.popleft()
                self._note(chunk)
                yield chunk
        finally:
            if under_way:
                with contextlib.suppress(Exception):
                    self._client.cancel([future for _, future in under_way], asynchronous=False)

    def _cut(self, begin: int, end: int, under_way: int, unit: int) -> list[range]:
        """Return ranges of games, for which there is room beside tasks that are under way."""
        room, cut = _UNDER_WAY * self.threads, list[range]()
        while begin < end and under_way + len(cut) < room:
            share = math.ceil((end - begin) / room)
            games = max(min(self._size, share), int(_SMALLEST * self._size), 1)
            cut.append(range(begin, min(begin + whole_units(games, unit), end)))
            begin = cut[-1].stop
        return cut

    def _note(self, chunk: Chunk) -> None:
        """Learn from a chunk how many games are enough work."""
        seconds = sum(part.seconds for part in chunk.parts.values())
        if 2 * chunk.games >= self._size and seconds > 0:
            self._size = max(int(chunk.games * min(_SECONDS / seconds, _GROWTH)), 1)

    def _result(self, games: range, future: Any) -> Chunk:
        """Return the chunk that a task has played, or raise what became of it."""
        try:
            chunk: Chunk | str = future.result()
        except KilledWorker as error:
            raise StoppedError(
                f"games {games.start:,} to {games.stop - 1:,} could not be played: "
                f"{error.allowed_failures + 1} workers ended while they played them"
            ) from None
        except ImportError as error:
            found = f"can't import bsbench ({error})"
            raise BsbenchError(_other_version("of the cluster", found, self._stamp)) from None
        if isinstance(chunk, str):
            raise BsbenchError(chunk)
        return chunk


@contextlib.contextmanager
def opened_cluster(engine: str | Client) -> Iterator[Cluster]:
    """Connect to a cluster: see `bsbench.runs.opening.opened`."""
    if not isinstance(engine, str):
        yield Cluster(engine)
        return
    # It logs each connection that is lost.
    with silence_logging_cmgr(logging.CRITICAL):
        try:
            client = Client(engine, timeout=_PATIENCE)
        except (OSError, ValueError) as error:
            raise BsbenchError(
                f"can't reach a Dask scheduler at {engine}: {error or 'it does not answer'}"
            ) from None
        with client:
            yield Cluster(client)
