"""Slow cases are found by measuring, and what is listed exists."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.durations import STEADY, THRESHOLD, listed_now, slow_tests
from tests.support import ROOT

TOY = """
import subprocess, sys, time
import pytest
from tests.durations import THRESHOLD, YARDSTICK, yardstick

def work(times):
    end = time.process_time() + times * THRESHOLD * yardstick() / YARDSTICK
    while time.process_time() < end:
        pass

@pytest.fixture(scope="module")
def costly():
    work(5)
    yield
    work(5)

def test_short(): pass
def test_long(): work(4)
def test_waits(): time.sleep(3 * THRESHOLD)
def test_child(): subprocess.run([sys.executable, "-c", "sum(range(10**8))"], check=True)
@pytest.mark.parametrize("times", [0, 4])
def test_some(times): work(times)
@pytest.mark.parametrize("times", [4, 5])
def test_each(times): work(times)
def test_first_of_two(costly): pass
def test_second_of_two(costly): pass
def test_that_compiles():
    import numba
    numba.njit(lambda x: sum([x**2, x**3]))(3)
def test_skipped(): pytest.skip("here")
"""


def test_each_line_names_a_test_that_exists():
    assert slow_tests()
    for name in slow_tests():
        file, _, test = name.partition("[")[0].partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"^def {test}\(", text, re.MULTILINE), name


def test_what_is_listed_stays_until_it_is_clearly_quicker():
    almost, few = 0.9 * THRESHOLD, 0.9 * THRESHOLD / STEADY
    assert listed_now({}, {"a::b": almost, "a::c": THRESHOLD}, []) == {"a::c": THRESHOLD}
    before = {"a::b": 1, "a::c": 1}
    assert listed_now(before, {"a::b": almost, "a::c": few}, []) == {"a::b": almost}


def test_seconds_stay_unless_they_differ_clearly():
    before = {"a::b": 1.0, "a::c": 1.0, "a::d": 1.0}
    now = {"a::b": 0.9 * STEADY, "a::c": 1.1 * STEADY, "a::d": 0.9 / STEADY}
    assert listed_now(before, now, []) == {**now, "a::b": 1.0}


def test_a_test_is_listed_if_all_its_cases_are_slow():
    both = {"a::b[1]": 1.0, "a::b[2]": 2.0}
    assert listed_now({}, both, []) == {"a::b": 3.0}
    assert listed_now({}, {**both, "a::b[3]": 0.0}, []) == both
    # A case that was not measured stays what it was.
    assert listed_now({}, both, ["a::b[3]"]) == both
    assert listed_now({"a::b": 3.0}, both, ["a::b[3]"]) == {"a::b": 3.0}
    assert listed_now({"a::b": 3.0}, {}, [*both]) == {"a::b": 3.0}


# The command imports all of bsbench, in a process of its own.
@pytest.mark.slow
def test_the_command_lists_what_takes_long(tmp_path):
    here, other = tmp_path / "tests" / "here", tmp_path / "tests" / "other"
    here.mkdir(parents=True)
    other.mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    (here / "test_toy.py").write_text(TOY)
    (other / "test_toy.py").write_text("def test_gone(): pass\n")
    file = tmp_path / "tests" / "slow.txt"
    elsewhere = "    9.0 tests/other/test_toy.py::test_gone\n"
    skipped = "    9.0 tests/here/test_toy.py::test_skipped\n"
    file.write_text(f"{elsewhere}{skipped}    9.0 tests/here/test_toy.py::test_short\n")

    # Its output is read by people alone.
    command = [sys.executable, "-m", "tests.durations", "tests/here"]
    subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    names = "child each first_of_two long second_of_two skipped some[4]"
    found = slow_tests(file)
    assert {each.rpartition("test_")[2] for each in found} == {*names.split(), "gone"}
    text = file.read_text()
    assert elsewhere in text
    assert skipped in text
    assert found["tests/here/test_toy.py::test_each"] > found["tests/here/test_toy.py::test_long"]


@pytest.mark.slow
@pytest.mark.parametrize(("how", "all_run"), [(["-m", ""], True), (["-k", "e"], True), ([], False)])
def test_workers_run_the_cases_that_are_asked_for(tmp_path, how, all_run):
    """A family of 50 cases, in a tree of its own with the settings of this one."""
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "test_many.py").write_text(
        "import pytest\n@pytest.mark.parametrize('n', range(50))\ndef test_one(n): pass\n"
    )
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(settings.replace('["tests"]', '["cases"]', 1))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("CI", None)
    for number in ("0", "1"):
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n", number, "-p", "no:cacheprovider", *how],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert f"{50 if all_run else 7} passed" in ended.stdout, ended.stdout + ended.stderr
