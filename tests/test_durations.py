"""Slow cases are found by measuring, and what is listed exists."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.durations import STEADY, THRESHOLD, listed_now, slow_tests
from tests.support import ROOT


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
