"""Strategies that go wrong in all ways of `tests/support/bad_strategies/README.md`."""

from __future__ import annotations

import ast
import os
import secrets
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.own import loading
from bsbench.own.adapter import InProcess
from bsbench.roster import make_variant
from bsbench.studies.check.study import check_strategy
from tests.support import SUPPORT
from tests.support.helpers import started
from tests.support.refusals import assert_names, assert_refused, names, warned
from tests.support.verdicts import assert_verdict, verdict_in

FOLDER = SUPPORT / "bad_strategies"
PLAIN, KERNELS = f"{FOLDER / 'plain.py'}", f"{FOLDER / 'kernels.py'}"
VERDICTS = {
    f"{file.stem}:{each.name}": verdict
    for file in sorted(FOLDER.glob("*.py"))
    for each in ast.parse(file.read_text()).body
    if isinstance(each, ast.ClassDef)
    if (verdict := verdict_in(ast.get_docstring(each) or ""))
}

SLOW = {"plain:Backtracks", "import_hangs:Mine", "import_kernel_hangs:Mine", "kernels:Stops"}
"""Processes that are waited for until they are ended."""

TIMEOUT = 0.5

MARK = "BSBENCH_TEST"
"""In the environment of processes that a test starts."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


@pytest.fixture
def no_process_left(monkeypatch):
    """See to it that all processes that a test starts have ended after it."""
    monkeypatch.setenv(MARK, str(time.time_ns()))
    yield
    until = time.monotonic() + 3
    while (left := _marked()) and time.monotonic() < until:
        time.sleep(0.1)
    assert not left


def _marked() -> list[int]:
    """Return the processes that a test has started, and those that they have."""
    found, mark = [], f"{MARK}={os.environ[MARK]}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # A process that has ended, but was not waited for, has no environment.
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return [process for process in found if process != os.getpid()]


@pytest.mark.parametrize(
    "player",
    [pytest.param(each, marks=[pytest.mark.slow] * (each in SLOW)) for each in VERDICTS],
)
def test_each_gets_its_verdict(player, no_process_left, monkeypatch):
    verdict, (file, _, name) = VERDICTS[player], player.partition(":")
    path = str(FOLDER / f"{file}.py")
    # Those that cheat need some time, and enough games to raise an alarm.
    given, timeout = ("gym-5x5", 3), TIMEOUT
    if "alarms" in verdict:
        given, timeout = ("classic", 24), 20
    monkeypatch.setattr("bsbench.own.thinker._LEAST_START", 4.0)
    begun = time.monotonic()
    assert_verdict(verdict, f"{path}:{name}", path, *given, timeout=timeout)
    assert time.monotonic() - begun < 30


def test_the_command_says_it_with_exit_code_1(no_process_left):
    spec = f"{PLAIN}:Exits"
    result = CliRunner().invoke(main, ["check", spec, "--scenario", "gym-5x5", "--timeout", "0.5"])
    assert result.exit_code == 1, result.output
    assert "\n✗ " in f"\n{result.stdout}"
    assert names(result.stdout, "exit code 3")


def test_the_command_prints_alarms(no_process_left):
    words = ["check", f"{KERNELS}:Knows", "--scenario", "classic"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    alarms = [line for line in result.stdout.splitlines() if line.startswith("! ")]
    assert_names(alarms[0], "classic", "24 of 24")
    quiet = CliRunner().invoke(main, [*words, "-q"])
    assert quiet.stdout == ""
    assert all(alarm.removeprefix("! ") in quiet.stderr for alarm in alarms)


def test_a_file_that_can_not_be_imported_is_no_verdict(no_process_left):
    result = CliRunner().invoke(main, ["check", f"{FOLDER / 'import_exits.py'}:Mine"])
    assert_refused(result, str(FOLDER / "import_exits.py"), "exit code 4")


def test_nothing_is_left_when_the_check_is_killed(no_process_left):
    code = "from bsbench.cli import main; main()"
    spec = f"{KERNELS}:Loops"
    with started("-c", code, "check", spec, "--timeout", "60") as process:
        # Until the kernel is compiled, and never ends.
        until = time.monotonic() + 60
        while len(_marked()) < 2 and time.monotonic() < until:
            time.sleep(0.2)
        time.sleep(3)
        process.kill()
        process.wait()


def test_what_is_printed_is_reported_by_the_parent(no_process_left, tmp_path):
    code = Path(KERNELS).read_text()
    (tmp_path / "loud.py").write_text(code.replace("pass\n", "print('aha')\n"))
    with warned("'aha'"):
        assert check_strategy(f"{tmp_path / 'loud.py'}:Good", "gym-5x5", 3).passed


def test_without_processes_classes_are_played_here(monkeypatch):
    spec = f"{PLAIN}:Good"
    apart = bsbench.run(spec, "classic", games=40)
    monkeypatch.setattr(loading, "_THINKERS", False)
    monkeypatch.setattr(loading, "_found", {})
    assert isinstance(make_variant(spec), InProcess)
    assert bsbench.run(spec, "classic", games=40).counts.tolist() == apart.counts.tolist()
    for file in (PLAIN, KERNELS):
        assert check_strategy(f"{file}:Good", "gym-5x5", 3).passed


def test_who_guesses_the_seed_knows_nothing_of_a_secret_one():
    def mean(seed: int) -> float:
        result = bsbench.run(f"{PLAIN}:SeedPeek", "classic", games=64, seed=seed)
        assert bool(result.alarms) == (result.stats.mean == 17)
        return result.stats.mean

    assert mean(0) == 17
    assert mean(secrets.randbits(128)) > 70


def test_who_changes_bsbench_changes_no_result():
    # It shoots the first open cell, as linear does.
    spec = f"{FOLDER / 'saboteur.py'}:Mine"
    comparison = bsbench.compare(["linear", spec], "classic", games=64, seed=5)
    linear, mine = comparison.results
    assert (linear.moves == mine.moves).all()
    assert (linear.moves == bsbench.run("linear", games=64, seed=5, keep_moves=True).moves).all()
