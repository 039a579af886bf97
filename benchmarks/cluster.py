"""What a Dask cluster costs on this machine: ``python -m benchmarks.cluster [GAMES]``.

Prints, as a table in Markdown, the processor time for each game without a cluster as a share of
that with one, and how many chunks a second client, scheduler and workers can take. Clocks mean
little on a machine that does something else, too; processor time does.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator

import psutil
from distributed import Client, LocalCluster

from bsbench.roster import make_strategy
from bsbench.rules.scenario import find_scenario
from bsbench.runs import cluster
from bsbench.runs.comparing import play
from bsbench.runs.experiment import Experiment
from bsbench.runs.opening import opened

CLASSIC = find_scenario("classic")


def _experiment(name: str, games: int) -> Experiment:
    return Experiment((make_strategy(name),), (CLASSIC,), games=games, keep_moves=False)


def _processor() -> float:
    """Return the processor time of this process and its children so far."""
    processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def _spent(experiment: Experiment, **options: object) -> float:
    begun = _processor()
    play(experiment, **options)
    return _processor() - begun


@contextlib.contextmanager
def _started(workers: int) -> Iterator[cluster.Cluster]:
    """Start a cluster of processes of this machine, with one thread each."""
    local = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with local, Client(local) as client, opened(client) as pool:
        yield pool


def main() -> None:
    """Print the table."""
    games = int(float(sys.argv[1])) if len(sys.argv) > 1 else 4_000_000
    rows = []
    experiment = _experiment("prob", games)
    play(_experiment("prob", 1_000))
    for workers in (1, 2):
        with _started(workers) as pool:
            play(_experiment("prob", 1_000), engine=pool)
            ratios = []
            for _ in range(3):
                local = _spent(experiment, threads=workers)
                ratios.append(local / _spent(experiment, engine=pool))
            text = ", ".join(f"{ratio:.1%}" for ratio in sorted(ratios))
            rows.append((f"efficiency of {workers} worker(s), {games:,} games of prob", text))
    with _started(2) as pool:
        cluster._FIRST = cluster._GROWTH = 1  # type: ignore[misc]
        chunks = 1_000
        begun = time.perf_counter()
        play(_experiment("linear", chunks), engine=pool)
        rate = chunks / (time.perf_counter() - begun)
        rows.append(("chunks a second, of one game each, 2 workers", f"{rate:.0f}"))
    print("| what | measured |\n| --- | ---: |")
    for what, value in rows:
        print(f"| {what} | {value} |")


if __name__ == "__main__":
    main()
