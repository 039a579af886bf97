from __future__ import annotations

import os
import random
import subprocess
import threading
import time
from contextlib import closing

import pytest

from bsbench.common import parallel
from bsbench.common.parallel import Shared, in_order, share_core


def _blocks(units: int, size: int) -> Shared[tuple[int, int]]:
    return Shared((first, min(size, units - first)) for first in range(0, units, size))


def test_results_come_in_order_however_blocks_end(ends_threads):
    shared, delays = _blocks(50, 3), random.Random(1)

    def work(stopped):
        for first, units in shared:
            time.sleep(delays.random() / 200)
            yield first, units, list(range(first, first + units))

    found = list(in_order([work] * 4))
    assert [unit for block in found for unit in block] == list(range(50))


def test_the_first_unit_may_be_any():
    assert list(in_order([lambda stopped: [(9, 1, "b"), (7, 2, "a")]], first=7)) == ["a", "b"]


def test_an_error_in_a_thread_ends_all_and_is_raised(ends_threads):
    ended = []

    def fails(stopped):
        yield 0, 1, "done"
        raise ValueError("broken")

    def waits(stopped):
        while not stopped():
            time.sleep(0.001)
        ended.append(True)
        return
        yield

    with pytest.raises(ValueError, match="broken"):
        list(in_order([waits, fails]))
    assert ended


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, GeneratorExit])
def test_closing_ends_threads_that_wait_for_something(interrupt, ends_threads):
    released = threading.Event()

    def waits(stopped):
        yield 0, 1, "first"
        released.wait()

    with closing(in_order([waits], abandon=released.set)) as results:
        assert next(results) == "first"
        with pytest.raises(interrupt):
            results.throw(interrupt)
    assert released.is_set()


def test_a_thread_that_can_not_be_stopped_keeps_nobody_waiting(monkeypatch):
    monkeypatch.setattr(parallel, "_PATIENCE", 0.01)
    released = threading.Event()

    def deaf(stopped):
        yield 0, 1, "first"
        released.wait()

    before = set(threading.enumerate())
    results = in_order([deaf])
    assert next(results) == "first"
    begun = time.monotonic()
    results.close()
    assert time.monotonic() - begun < 10
    left = set(threading.enumerate()) - before
    assert [thread.daemon for thread in left] == [True]
    released.set()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores are set on Linux only")
def test_a_quick_program_shares_the_core_of_the_thread_that_asks():
    before, seen = os.sched_getaffinity(0), []
    with subprocess.Popen(["sleep", "60"]) as process:

        def work(stop):
            share_core(process.pid)
            seen.append((os.sched_getaffinity(0), os.sched_getaffinity(process.pid)))
            yield len(seen) - 1, 1, None

        share_core(process.pid)
        assert os.sched_getaffinity(process.pid) == before
        assert len([*in_order([work])]) == 1
        process.kill()
    ((thread, program),) = seen
    assert thread == program
    assert len(thread) == 1
    assert os.sched_getaffinity(0) == before
