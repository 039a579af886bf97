"""What a Dask cluster costs on this machine: ``python -m benchmarks.cluster [GAMES]``.

Prints, as a table in Markdown, how many chunks a second the scheduler and the client can take, how
many bytes a chunk has, and the processor time for each game, as a share of that without a
cluster. Clocks mean little on a machine that does something else, too; processor time does.
"""

from __future__ import annotations

import pickle
import sys
import time

import psutil

from bsbench.roster import make_strategy, strategy_names
from bsbench.rules.scenario import find_scenario
from bsbench.runs import cluster
from bsbench.runs.comparing import play
from bsbench.runs.experiment import Experiment
from bsbench.runs.opening import opened

CLASSIC = find_scenario("classic")


def _experiment(names: list[str], games: int) -> Experiment:
    return Experiment(tuple(map(make_strategy, names)), (CLASSIC,), games=games, keep_moves=False)


def _processor() -> float:
    """Return the processor time of this process and its children so far."""
    processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def _spent(experiment: Experiment, **options: object) -> float:
    begun = _processor()
    play(experiment, **options)
    return _processor() - begun


def main() -> None:
    """Print the table."""
    games = int(float(sys.argv[1])) if len(sys.argv) > 1 else 4_000_000
    rows = []
    experiment = _experiment(["prob"], games)
    play(_experiment(["prob"], 1_000))
    for workers in (1, 2):
        with opened("dask", workers) as pool:
            play(_experiment(["prob"], 1_000), engine=pool)
            ratios = []
            for _ in range(3):
                local = _spent(experiment, threads=workers)
                ratios.append(local / _spent(experiment, engine=pool))
            text = ", ".join(f"{ratio:.1%}" for ratio in sorted(ratios))
            rows.append((f"efficiency of {workers} worker(s), {games:,} games of prob", text))
    with opened("dask", 2) as pool:
        size = cluster._Pace.games
        cluster._Pace.games = lambda self, rest, threads, moves: min(1, rest)  # type: ignore
        chunks = 1_000
        begun = time.perf_counter()
        play(_experiment(["linear"], chunks), engine=pool)
        rate = chunks / (time.perf_counter() - begun)
        rows.append(("chunks a second, of one game each, 2 workers", f"{rate:.0f}"))
        cluster._Pace.games = size  # type: ignore[method-assign]
        names = [name for name in strategy_names() if name != "over9000-adaptive"]
        for several in (["prob"], names):
            found: list[int] = []
            kept = cluster.Cluster._chunk

            def counted(self, *arguments, kept=kept, found=found):  # type: ignore
                chunk = kept(self, *arguments)
                found.append(len(pickle.dumps(chunk)))
                return chunk

            cluster.Cluster._chunk = counted  # type: ignore[method-assign]
            play(_experiment(several, 200_000), engine=pool)
            cluster.Cluster._chunk = kept  # type: ignore[method-assign]
            rows.append((f"bytes of a chunk, {len(several)} strategies", f"{max(found):,}"))
    print("| what | measured |\n| --- | ---: |")
    for what, value in rows:
        print(f"| {what} | {value} |")


if __name__ == "__main__":
    main()
