"""A file from a stranger is data: no code that it names runs, and nothing in it is unpickled."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from pathlib import Path

import pytest

import bsbench
from bsbench.common.machine import hide_memory
from bsbench.present.human import HumanGame
from bsbench.reproduce.plan import find_plan
from bsbench.roster import make_variant
from bsbench.rules.placement import STREAM_VERSION
from bsbench.runs.records import load_result
from bsbench.runs.results import save_result
from tests.support.fuzzing import ended
from tests.support.helpers import started
from tests.support.refusals import assert_names, assert_refused, refused

TOOLS = """
from pathlib import Path

Path(__file__).with_name("RAN").touch()


class X:
    def shoot(self, view):
        return view.open_cells[0]
"""

SCENARIO = 'board = "5x5"\nfleet = [2, 2]\ntouching = true\nfeedback = "ship"\n'


@pytest.fixture
def pack(in_folder):
    """A folder with a strategy in it, which leaves a file behind when it is imported."""
    (in_folder / "pack").mkdir()
    for name in ("tools.py", "a,b.py"):
        (in_folder / "pack" / name).write_text(TOOLS)
    (in_folder / "pond.toml").write_text(SCENARIO)
    before, path = set(sys.modules), list(sys.path)
    yield in_folder / "pack" / "RAN"
    for name in set(sys.modules) - before:
        if name.startswith(("pack", "_bsbench_tools")):
            del sys.modules[name]
    sys.path[:] = path


def _record(name: str, **strategy: str) -> None:
    """Write a record of linear as that of another strategy, which would play the same games."""
    record = bsbench.run("linear", "pond.toml", games=30).to_dict()
    record["strategy"] |= {"name": name, "label": name, **strategy}
    Path("run.json").write_text(json.dumps(record))


NAMED = [
    ("pack.tools:X", {}),
    ("x", {"source": "pack/tools.py:X"}),
    # In a record, no parameters follow a name.
    ("x", {"source": "pack/a,b.py:X"}),
]


@pytest.mark.parametrize(("name", "more"), NAMED)
@pytest.mark.parametrize(
    "command",
    [
        ["replay", "run.json", "--worst", "-o", "-"],
        ["replay", "run.json", "-s", "prob"],
        ["chart", "run.json", "-k", "shots", "-o", "-"],
    ],
)
def test_a_record_runs_no_code_that_it_names(pack, command, name, more):
    _record(name, **more)
    result = ended(*command)
    assert_refused(result, repr(more.get("source", name)), "--strategy", "--trust")
    assert not pack.exists()


def test_what_only_reads_a_record_needs_no_trust(pack):
    _record("x", source="pack/tools.py:X")
    for command in (
        ["report", "run.json", "-o", "-"],
        ["compare", "run.json", "linear", "-q", "--export-csv", "-"],
        ["chart", "run.json", "-k", "occupancy", "-n", "10", "-o", "-"],
    ):
        assert ended(*command).exit_code == 0
    with refused("strategy"):
        bsbench.present.charts.CHARTS["shots"].draw([load_result("run.json")])
    assert not pack.exists()


@pytest.mark.parametrize("allowed", [["--trust"], ["-s", "pack/tools.py:X"]])
def test_a_strategy_of_ones_own_is_played_when_it_is_named_or_trusted(pack, allowed):
    save_result(bsbench.run("pack/tools.py:X", "pond.toml", games=30), "run")
    assert load_result("run.json").source == "pack/tools.py:X"
    played = ended("replay", "run.json", "--game", "2", *allowed).output
    assert played.startswith("x on pond, game 2 of seed 0\n")
    # It is named for the record, not to play a second time.
    assert played.count("x on pond") == 1
    if allowed[0] == "-s":
        allowed = ["--strategy", allowed[1]]
    chart = ended("chart", "run.json", "-k", "shots", "-n", "5", "-o", "shots.svg", *allowed)
    assert "saved" in chart.output
    ended("replay", "run.json", "-s", "linear", *allowed, "-o", "both.html")
    page = Path("both.html").read_text()
    assert page.count('"label": "') == 2
    # Another one is not taken for it.
    (Path("pack") / "other.py").write_text(TOOLS.replace("class X", "class Y"))
    assert_refused(ended("replay", "run.json", "-s", "pack/other.py:Y"), "--trust")
    assert ended("chart", "run.json", "-k", "shots", "--strategy", "prob").exit_code == 2


def test_a_run_file_runs_no_code_that_it_names(pack):
    Path("run.toml").write_text('strategy = "pack/tools.py:X"\nscenario = "pond.toml"\ngames = 5\n')
    result = ended("run", "--config", "run.toml", "-q")
    assert_refused(result, "run.toml", "pack/tools.py:X", "--trust")
    # Nor as what others are compared with.
    Path("other.toml").write_text(
        'strategy = ["linear", "random"]\nreference = "pack/tools.py:X,step=3"\n'
    )
    assert ended("run", "--config", "other.toml", "-q").exit_code == 2
    assert not pack.exists()
    for allowed in (["--trust"], ["-s", "pack/tools.py:X"]):
        assert ended("run", "--config", "run.toml", "-q", "--no-save", *allowed).exit_code == 0
    assert pack.exists()


@pytest.mark.parametrize(
    "named",
    [
        'strategies = ["linear", "pack.tools:X"]',
        'strategies = ["linear"]\n[[parts]]\nstrategies = ["pack.tools:X,step=3"]',
    ],
)
def test_a_plan_runs_no_code_that_it_names(pack, named):
    text = f'title = "T"\nscenario = "pond.toml"\n{named}'
    Path("mine.toml").write_text(text)
    for more in ([], ["--from-records"]):
        assert_refused(ended("reproduce", "mine.toml", *more), "mine.toml", "--trust")
    with refused("mine.toml", "trust=True"):
        find_plan("mine.toml")
    assert not pack.exists()


def test_a_folder_of_results_runs_no_code_that_it_names(pack):
    plan = 'title = "T"\nscenario = "pond.toml"\ngames = 5\nstrategies = ["linear", "random"]\n'
    Path("mine.toml").write_text(plan + 'charts = ["histogram:linear"]\n')
    assert ended("reproduce", "mine.toml", "-o", "made", "-q").exit_code == 0
    manifest = Path("made", "reproduce.json")
    manifest.write_text(manifest.read_text().replace("histogram:linear", "shots:pack.tools:X"))
    result = ended("report", "made", "-o", "-")
    assert_refused(result, "made/reproduce.json", "pack.tools:X", "--trust")
    assert not pack.exists()
    Path("mine.toml").write_text(plan.replace("random", "pack.tools:X"))
    assert ended("reproduce", "mine.toml", "-o", "own", "-q", "--trust").exit_code == 0
    assert ended("report", "own", "-o", "-", "--trust").exit_code == 0


@pytest.mark.parametrize("role", ["adviser", "versus"])
def test_a_saved_game_runs_no_code_that_it_names(pack, role):
    path = Path("game.json")
    HumanGame(bsbench.find_scenario("pond.toml"), 1, **{role: "pack/tools.py:X"}).save(path)
    pack.unlink()
    with refused("game.json", "pack/tools.py:X"):
        HumanGame.load(path)
    assert not pack.exists()
    assert getattr(HumanGame.load(path, trust=True), role) == "pack/tools.py:X"


def test_a_record_of_another_stream_is_not_played_again(in_folder):
    (in_folder / "pond.toml").write_text(SCENARIO)
    _record("linear")
    record = json.loads(Path("run.json").read_text())
    Path("old.json").write_text(json.dumps(record | {"stream_version": 1}))
    for command in (["replay", "old.json"], ["chart", "old.json", "-k", "occupancy", "-o", "-"]):
        result = ended(*command)
        assert_refused(result, "linear", "stream 1")
    assert_names(ended("show", "old.json").output, "stream 1")
    compared = ended("compare", "old.json", "random", "-n", "30").output
    both = f"linear (1), random ({STREAM_VERSION})"
    assert_names(compared, both)
    _record("linear", source="other")
    charted = ended("chart", "old.json", "run.json", "-k", "histogram")
    assert_names(charted.stderr, "streams", "1", f"{STREAM_VERSION}")


# What users' code could read.

DUMPABLE = 3, 4
"""Numbers of what `prctl` gets and sets."""

SPIES = """
import ctypes, os
from bsbench.common.machine import hide_memory

if os.geteuid() == 0:
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    # As after the start of a program.
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)

def spied():
    parent = os.getpid()
    child = os.fork()
    if not child:
        ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
        try:
            open(f"/proc/{parent}/mem", "rb").close()
        except OSError:
            os._exit(0)
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

before = spied()
hide_memory()
print(before, spied())
"""

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hides memory")


@linux
def test_a_child_can_not_read_the_memory_of_bsbench():
    with started("-c", SPIES) as process:
        said, errors = process.communicate(timeout=60)
    if said == "0 0\n":
        pytest.skip("this system lets no process read the memory of its parent")
    assert said == "1 0\n", errors


@linux
@pytest.mark.parametrize(
    "start",
    [lambda: make_variant("own.py:Mine"), lambda: make_variant("cmd:cat")],
    ids=["class", "bot"],
)
def test_memory_is_hidden_before_users_code_is_started(in_folder, monkeypatch, start):
    def begin(*given, **options):
        found.append(prctl(DUMPABLE[0], 0, 0, 0, 0))
        raise OSError("enough")

    found, prctl = [], ctypes.CDLL(None).prctl
    prctl(DUMPABLE[1], 1, 0, 0, 0)
    hide_memory.cache_clear()
    monkeypatch.setattr(subprocess, "Popen", begin)
    (in_folder / "own.py").write_text("class Mine:\n    def shoot(self, view):\n        pass\n")
    with refused():
        start()
    assert found == [0]
