"""Games on a Dask cluster of processes of this machine: the same results, whatever dies.

Each worker is a process that loads bsbench: one test of a whole experiment is quick, with files of
a user on a small board; most others are slow.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.errors import StrategyError
from bsbench.roster import make_variant
from bsbench.rules.scenario import find_scenario
from bsbench.runs import worker
from bsbench.runs.comparing import play
from bsbench.runs.cores import Run
from bsbench.runs.experiment import Experiment
from bsbench.runs.opening import opened
from bsbench.runs.panel import Panel
from bsbench.runs.payloads import Payload
from tests.support import SUPPORT
from tests.support.crashing import CLASSIC, described, experiment_of
from tests.support.helpers import started
from tests.support.refusals import refused, warned
from tests.test_imports import _modules_after

distributed = pytest.importorskip("distributed", reason="needs the extra dev")
psutil = pytest.importorskip("psutil", reason="needs the extra dev")
module = pytest.importorskip("bsbench.runs.cluster")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


@pytest.fixture(scope="module")
def pool():
    """Start a cluster of two processes, for all tests."""
    with local_cluster(2) as (_, client), opened(client) as cluster:
        yield cluster


@contextlib.contextmanager
def local_cluster(workers):
    """Start a cluster of processes of this machine; yield it, and its client."""
    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**options, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield cluster, client


@pytest.fixture
def small(monkeypatch):
    """Let chunks be small."""
    monkeypatch.setattr(module, "_SECONDS", 0.2)
    monkeypatch.setattr(module, "_SMALLEST", 0.5)


def _described(*arguments, **options) -> list:
    return [described(each) for each in play(*arguments, **options)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["run", "run-until", "compare", "learners"])
def test_results_are_those_without_a_cluster(pool, small, kind):
    experiment = experiment_of(kind)
    assert _described(experiment, engine=pool) == _described(experiment)


# Strategies of a user.

PYTHON = """
from beside import CHANCE

class Mine:
    def reset(self, rules, rng):
        self.rng = rng

    def shoot(self, view):
        if self.rng.random() < CHANCE:
            raise ValueError("bad luck")
        return self.rng.choice(view.open_cells)
"""

KERNELS = """
from dataclasses import dataclass

import bsbench
from beside import CHANCE

@dataclass
class Fast(bsbench.Strategy):
    name = "fast"
    start: int = bsbench.parameter(0, "the first cell", least=0, most=9)

    def shoot(self, view):
        return (view.shots + self.start) % self.rules.cells
"""


@pytest.fixture
def files(in_folder):
    """Write strategies that import a file beside them."""
    for name, text in (("mine", PYTHON), ("fast", KERNELS), ("beside", "CHANCE = 0.0")):
        (in_folder / f"{name}.py").write_text(text)
    return in_folder


def test_files_that_only_the_client_has_travel(pool, files):
    (files / "layouts.txt").write_text("0 0 3 E  2 2 2 S\n1 1 3 S  0 3 2 E\n")
    pond = {"board": "6x6", "fleet": "3,2", "touching": True, "placement": "file:layouts.txt"}
    scenario = CLASSIC.override(**pond)
    variants = ("mine.py:Mine", "fast.py:Fast,start=3", "linear")
    experiment = Experiment(tuple(map(make_variant, variants)), (scenario,), games=600)
    expected = _described(experiment)

    def remove(now) -> None:
        if now.setting_up:
            for path in files.glob("*.*"):
                path.unlink()

    assert _described(experiment, engine=pool, watch=remove) == expected


@pytest.mark.slow
def test_faults_come_back_as_they_are_without_a_cluster(pool, small, files):
    (files / "beside.py").write_text("CHANCE = 0.00005")
    strategies = tuple(map(make_variant, ("mine.py:Mine", "linear", "random")))
    faults, found = [], []
    for engine in (pool, "local"):
        with refused("game", "bad luck", kind=StrategyError, lines=3) as caught:
            bsbench.run(strategies[0], games=3_000, engine=engine)
        assert "mine.py, line 10, in shoot" in str(caught.value)
        assert caught.value.replay
        faults.append([str(caught.value), caught.value.result.counts.tolist()])
        experiment = Experiment(strategies, (CLASSIC,), games=9_000)
        (comparison,) = play(experiment, engine=engine)
        found.append([described(comparison), [str(each) for each in comparison.faults.values()]])
    assert faults[0] == faults[1]
    assert found[0] == found[1]
    assert len(found[0][1]) == 1
    assert found[0][0]["results"][0]["label"] == "linear"


def test_a_class_of_this_program_has_to_be_in_a_file(pool):
    class Mine:
        def shoot(self, view):
            return view.open_cells[0]

    with refused("'mine'", "FILE.py:Mine"):
        bsbench.run(Mine, games=10, engine=pool)


def test_bots_play_on_this_machine_alone(in_folder):
    bot = in_folder / "bot.py"
    bot.write_text(f"#!{sys.executable} -S\n{(SUPPORT / 'bad_bots' / '_bot.py').read_text()}")
    bot.write_text(bot.read_text() + "\nplay(lambda open_cells: open_cells[0])\n")
    bot.chmod(0o700)
    with refused("'bot'", "without a cluster"):
        Payload.of(make_variant("cmd:./bot.py"))


def test_a_strategy_alone_may_fail_in_its_first_game_on_a_worker(in_folder, tmp_path_factory):
    class Workers:
        threads = 1

        def chunks(self, job, places, first_game, end, moves):
            folder = tmp_path_factory.mktemp("worker")
            yield worker.play_chunk(job, folder, places, first_game, end - first_game, moves)

    (in_folder / "bad.py").write_text("class Bad:\n    def shoot(self, view):\n        return 99\n")
    run = Run(make_variant("bad.py"), find_scenario("gym-5x5"), 0, 1)
    with refused("game 0", "seed 0", "99", kind=StrategyError, lines=2):
        Panel([run], workers=Workers()).play(lambda games: 5, 5)


# What dies.


def _end(processes: list) -> None:
    """Wait until processes have ended; fail if they don't."""
    _, alive = psutil.wait_procs(processes, timeout=20)
    assert not [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_nothing(pool, small, files):
    strategies = tuple(map(make_variant, ("mine.py:Mine", "prob")))
    experiment, killed = Experiment(strategies, (CLASSIC,), games=1_500), []
    expected = _described(experiment)

    def kill(now) -> None:
        if not now.setting_up and not killed:
            workers = map(psutil.Process, pool._client.run(os.getpid).values())
            worker = max(workers, key=lambda each: len(each.children()))
            killed.extend([worker, *worker.children(recursive=True)])
            worker.kill()

    assert _described(experiment, engine=pool, watch=kill) == expected
    # Its thinkers, too.
    assert len(killed) > 1
    _end(killed)


DEADLY = """
import os
import bsbench

class Deadly(bsbench.Strategy):
    name = "deadly"

    def deal(self, lanes, games):
        if (games > 30_000).any():
            os._exit(1)

    def shoot(self, view):
        return view.shots.copy()
"""


@pytest.mark.slow
def test_a_chunk_that_kills_workers_is_reported_and_a_client_can_be_given(small, in_folder):
    import dask

    (in_folder / "deadly.py").write_text(DEADLY)
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": 0}))
        cluster, client = stack.enter_context(local_cluster(1))
        pool = stack.enter_context(opened(client))
        deadly, linear = make_variant("deadly.py:Deadly"), make_variant("linear")
        with warned("games"):
            result = bsbench.run(deadly, "classic", games=100_000, engine=pool)
        assert result.partial
        assert 0 < result.games <= 30_001
        # Workers may come while games are played; the rest of an experiment goes on.
        experiment = Experiment((linear,), (CLASSIC,), games=400_000)
        came = []

        def scale(now) -> None:
            if not came:
                came.append(cluster.scale(2))

        assert _described(experiment, engine=pool, watch=scale) == _described(experiment)


@contextlib.contextmanager
def _scheduler(folder, workers=1):
    """Start a scheduler and workers by hand, in a folder; yield its address and all processes."""
    main = "from distributed.cli.dask_{} import main; main()"
    options = ("--host", "127.0.0.1", "--no-dashboard")
    with contextlib.ExitStack() as stack:

        def start(name, *more):
            process = started("-c", main.format(name), *more, *options, stderr=subprocess.DEVNULL)
            with contextlib.chdir(folder):
                return stack.enter_context(process)

        processes = [start("scheduler", "--port", "0", "--scheduler-file", "scheduler.json")]
        deadline = time.monotonic() + 60
        address = ""
        while not address and time.monotonic() < deadline:
            with contextlib.suppress(OSError, ValueError):
                address = json.loads((folder / "scheduler.json").read_text())["address"]
            time.sleep(0.05)
        one = ("--no-nanny", "--nthreads", "1")
        processes += [start("worker", address, *one) for _ in range(workers)]
        with distributed.Client(address) as client:
            client.wait_for_workers(workers, timeout=60)
        yield address, processes


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["threads", "submit", "chunk"])
def test_a_scheduler_that_is_lost_is_reported_in_a_sentence(in_folder, monkeypatch, moment):
    """At any moment: as workers are asked for, given a job or play."""
    monkeypatch.setattr(module, "_PATIENCE", 1.0)
    (in_folder / "cluster").mkdir()
    with _scheduler(in_folder / "cluster") as (address, processes):

        def lose(*given, **options):
            processes[0].kill()
            processes[0].wait()
            return real(*given, **options)

        where, name = {
            "threads": (distributed.Client, "nthreads"),
            "submit": (distributed.Client, "submit"),
            "chunk": (module.Cluster, "_result"),
        }[moment]
        real = getattr(where, name)
        monkeypatch.setattr(where, name, lose)
        command = ["run", "random", "--scenario", "classic", "-n", "1e6", "-q", "-o", "kept"]
        ended = CliRunner().invoke(main, [*command, "--engine", address])
    assert ended.exit_code == 2, ended.output
    assert ended.output.startswith("Error: the cluster is lost (")
    assert ended.output.count("\n") == 1
    assert not list(in_folder.glob("kept*")) or moment == "chunk"


# What is refused.


def test_workers_with_another_bsbench_are_refused(pool, monkeypatch):
    monkeypatch.setattr(pool, "_stamp", ("0.0.1", "abc", 7))
    with refused("bsbench", "0.0.1"):
        bsbench.run("linear", games=10, engine=pool)


def test_engines_that_can_not_be_are_refused(monkeypatch):
    for engine, named in (
        ("cloud", ["cloud", "local", "Dask"]),
        (7, ["engine"]),
        ("tcp://127.0.0.1:9", ["tcp://127.0.0.1:9"]),
    ):
        monkeypatch.setattr(module, "_PATIENCE", 0.5)
        with refused(*named):
            bsbench.run("linear", games=10, engine=engine)
    with refused("threads"):
        bsbench.run("linear", games=10, threads=2, engine="tcp://127.0.0.1:9")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with refused("pip install 'bsbench[dask]'"):
        bsbench.run("linear", games=10, engine="tcp://127.0.0.1:9")


def test_nothing_of_dask_is_imported_without_a_cluster():
    loaded = _modules_after("import bsbench\nbsbench.run('linear', 'classic', games=100)")
    assert not loaded & {"dask", "distributed", "tornado", "cloudpickle"}
