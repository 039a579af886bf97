"""Two versions are compared in turns; stubs stand for them, whose clocks go as wanted."""

from __future__ import annotations

import subprocess

import pytest
from click.testing import CliRunner

from benchmarks import ratio
from tests.support import ROOT

pytestmark = pytest.mark.ci

# Each game takes so many seconds, the next round twice as many, and so on.
STUB = """
import time
from types import SimpleNamespace

import numpy as np

class BsbenchError(Exception):
    pass

now = 0.0
slowness = {slowness}
time.process_time = lambda: now

def run(strategy, scenario, games, threads):
    global now
    assert (scenario, threads) == ("classic", 1)
    if strategy not in slowness:
        raise BsbenchError(f"unknown strategy {{strategy!r}}: choose another one")
    now += slowness[strategy] * games
    return SimpleNamespace(counts=np.array([games, {moves} if strategy == "odd" else 0]))
"""


@pytest.fixture
def versions(tmp_path):
    for name, slowness, moves in (
        ("base", {"better": 3e-3, "worse": 1e-3, "odd": 1e-3}, 17),
        ("head", {"better": 2e-3, "worse": 4e-3, "odd": 1e-3, "new": 1e-3}, 18),
    ):
        package = tmp_path / name / "bsbench"
        package.mkdir(parents=True)
        text = STUB.format(slowness=slowness, moves=moves)
        (package / "__init__.py").write_text(text, encoding="utf-8")
    return [str(tmp_path / "base"), str(tmp_path / "head")]


def _rows(*arguments: str) -> dict[str, list[str]]:
    result = CliRunner().invoke(ratio.main, list(arguments))
    assert result.exit_code == 0, result.output
    lines = [line for line in result.output.splitlines() if line.startswith("|")]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {name: rest for name, *rest in rows}


def test_the_ratio_is_above_1_where_the_head_is_faster(versions):
    named = [word for name in ("better", "worse", "odd", "new") for word in ("-s", name)]
    rows = _rows(*versions, *named, "--rounds", "6")
    assert rows["better"] == ["1.50", "1.50 to 1.50", "yes"]
    assert rows["worse"] == ["0.25", "0.25 to 0.25", "yes"]
    # Whose games are others, and what is new.
    assert rows["odd"] == ["1.00", "1.00 to 1.00", "NO"]
    assert rows["new"] == ["–", "–", "base: unknown strategy 'new'"]


def test_the_interval_is_of_the_median():
    # Conover: of 15, those of ranks 4 and 12.
    assert ratio.interval([*range(15, 0, -1)]) == (4, 12)
    # No narrower one of six would do.
    assert ratio.interval([1.1, 0.9, 1.0, 1.2, 0.8, 5.0]) == (0.8, 5.0)


def test_what_is_no_version_is_refused(in_folder):
    for version in ("nowhere", "."):
        result = CliRunner().invoke(ratio.main, [version, "-s", "linear"])
        assert result.exit_code == 1
        assert "Traceback" not in result.output


@pytest.mark.slow
def test_a_revision_is_compared_with_the_checkout():
    git = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, check=False)
    if git.returncode:
        pytest.skip("needs git")
    (row,) = _rows("HEAD", "-s", "linear", "--rounds", "6", "--seconds", "0.01").values()
    median = float(row[0])
    low, high = map(float, row[1].split(" to "))
    assert 0 < low <= median <= high
    assert row[2] == "yes"
