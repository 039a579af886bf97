"""What is measured in a process of its own; each function prints lines of JSON."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any


def first_game(strategy: str, scenario: str) -> None:
    """Play one game."""
    import bsbench

    bsbench.run(strategy, scenario, games=1)
    print(json.dumps({}))


def long_run(strategy: str, scenario: str, games: int, threads: int) -> None:
    """Play games, and tell how long they took and the largest memory that was ever in use."""
    import bsbench

    result = bsbench.run(strategy, scenario, games=games, threads=threads)
    print(json.dumps({"seconds": result.play_seconds, "peak_bytes": _peak_bytes()}))


def _peak_bytes() -> int | None:
    """Return the largest resident memory of this process, if the system tells."""
    try:
        # What getrusage tells on Linux may be that of the process which started this one.
        found = re.search(
            r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8")
        )
        if found:
            return 1024 * int(found[1])
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def compile_times(games: list[tuple[str, str]]) -> None:
    """Play one game each of strategies on scenarios, and tell what compiled for how long.

    numba tells of every compilation as it begins and ends; loading from the cache is none.
    A kernel's time is its own, without that of those it calls, which are distinguished; what
    numba needs of its own is put together by its modules.
    """
    from numba.core import event

    import bsbench

    kernels: dict[str, dict[str, Any]] = {}
    nested: list[float] = []
    begun: list[float] = []

    class Clock(event.Listener):
        def on_start(self, event):
            begun.append(time.perf_counter())
            nested.append(0.0)

        def on_end(self, event):
            taken = time.perf_counter() - begun.pop()
            own = taken - nested.pop()
            if nested:
                nested[-1] += taken
            function = event.data["dispatcher"].py_func
            name = function.__module__
            if name.startswith("bsbench."):
                name = f"{name.removeprefix('bsbench.')}.{function.__qualname__.partition('.')[0]}"
            row = kernels.setdefault(name, {"kernel": name, "versions": 0, "seconds": 0.0})
            row["versions"] += 1
            row["seconds"] += own

    with event.install_listener("numba:compile", Clock()):
        for strategy, scenario in games:
            bsbench.run(strategy, scenario, games=1)
    print(json.dumps(sorted(kernels.values(), key=lambda row: -row["seconds"])))


def take_turns() -> None:
    """Play what each line of standard input names, and tell how long that took.

    A line is a list: strategy, scenario, number of games. `benchmarks.ratio` writes it.
    """
    import bsbench

    print(json.dumps({"place": bsbench.__file__}), flush=True)
    for line in sys.stdin:
        strategy, scenario, games = json.loads(line)
        begun = time.process_time()
        try:
            result = bsbench.run(strategy, scenario, games=games, threads=1)
        except bsbench.BsbenchError as error:
            told: dict[str, Any] = {"problem": str(error)}
        else:
            told = {"seconds": time.process_time() - begun, "moves": result.counts.tolist()}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    take_turns()
