"""Blocks of work on several threads, whose results are passed on in order.

Each thread takes the next block when it has time for one, so that blocks end in any order; the
thread that asked for the results receives them in the order of the blocks. What is done at any
time is therefore a prefix of the whole, and Ctrl-C keeps it.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

Work = Callable[[Callable[[], bool]], Iterable[tuple[int, int, _Result]]]
"""The work of one thread. Its argument is a function that returns whether to stop; the work calls
it now and then. It yields, for each of its blocks, first unit, number of units, and result."""

_PATIENCE = 1.0
"""Seconds to wait for a thread after an error or an interrupt: a single move of a player can take
minutes, and nothing can stop it."""

_own = threading.local()
"""``core``: that of who started a thread of `in_order`; -1 if that is unknown."""


class Shared(Iterator[_Item]):
    """An iterator from which several threads take items.

    Parameters
    ----------
    items : iterable
    """

    def __init__(self, items: Iterable[_Item]) -> None:
        self._items = iter(items)
        self._lock = threading.Lock()

    def __next__(self) -> _Item:
        with self._lock:
            return next(self._items)


def in_order(
    works: Sequence[Work[_Result]],
    first: int = 0,
    abandon: Callable[[], object] = lambda: None,
) -> Generator[_Result, None, None]:
    """Do work on threads, one for each, and yield the results of blocks in order.

    An error in any thread ends all threads and is raised here. Closing the generator ends them
    too, and so does an exception in it, such as KeyboardInterrupt.

    Parameters
    ----------
    works : sequence of callable
        See `Work`. Their blocks together are consecutive.
    first : int
        The first unit of the first block.
    abandon : callable, optional
        Called when the work ends early: ends what threads may be waiting for.
    """
    stop = threading.Event()
    finished: SimpleQueue[tuple[int, int, _Result] | BaseException | None] = SimpleQueue()

    core = _this_core()

    def run(work: Work[_Result]) -> None:
        _own.core = core
        try:
            for block in work(stop.is_set):
                finished.put(block)
            finished.put(None)
        except BaseException as error:
            finished.put(error)

    # As daemons, they don't keep the process from ending.
    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    working = len(threads)
    early: dict[int, tuple[int, _Result]] = {}
    try:
        for thread in threads:
            thread.start()
        while working:
            item = finished.get()
            if item is None:
                working -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                early[item[0]] = item[1:]
                while first in early:
                    units, result = early.pop(first)
                    first += units
                    yield result
    finally:
        stop.set()
        if working:
            abandon()
        for thread in threads:
            if thread.ident is not None:
                thread.join(_PATIENCE if working else None)


def share_core(process: int) -> None:
    """Keep this thread and a process on one core, if it is a thread of `in_order`, on Linux.

    All threads of one `in_order` that call this are on the same core. It is for programs that
    think less than it takes to wake another core, or a thread there that waits for the
    interpreter's lock.

    Parameters
    ----------
    process : int
        Its number.
    """
    # Other threads may go on to something else. Those of `in_order` end soon.
    if (core := getattr(_own, "core", -1)) >= 0:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(process, {core})
            os.sched_setaffinity(0, {core})


def _this_core() -> int:
    """Return the core that this thread runs on; -1 if that is unknown, as outside of Linux."""
    try:
        # The 39th field, proc_pid_stat(5); the second one may hold blanks.
        return int(Path("/proc/thread-self/stat").read_bytes().rpartition(b")")[2].split()[36])
    except (OSError, ValueError, IndexError):
        return -1
