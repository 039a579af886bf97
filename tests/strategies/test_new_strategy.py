"""A built-in strategy is its file and its twin, and no other file: shown on a copy of the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

STRATEGY = '''"""The strategy ``diagonal``."""

from bsbench.kernels.boards import lane_of_boards
from bsbench.kernels.plans import empty_plan, lay_down, waiting_cells
from bsbench.rules.board import Rules
from bsbench.strategies.base import Cells, Insight, Planner


class Diagonal(Planner):
    """Even diagonals, then odd ones; after a hit, its neighbours first.

    Source: the tests.
    """

    name = "diagonal"
    source = "the tests"

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for the order, and a stack in front of it."""
        super().begin(rules, lanes, seed)
        self.plan = empty_plan(rules, lanes, rules.cells, "NSEW", once=True)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Lay down the cells of even diagonals, then the others."""
        cells = range(self.rules.cells)
        order = sorted(cells, key=lambda cell: sum(divmod(cell, self.rules.cols)) % 2)
        self.plan.cells[lanes, self.plan.front :] = order
        lay_down(self.plan, lanes, self.rules.cells)

    def insight(self, lane: int) -> Insight:
        """Return the cells in the order in which they come."""
        closed = ~lane_of_boards(self.plan.open, lane, self.rules.cells)
        return Insight(closed=closed, waiting=waiting_cells(self.plan, lane))
'''

TWIN = '''"""The twin of ``diagonal``."""

from tests.support.naive.strategies.hunt_target import hunt_and_target


def diagonal(rules, seed: int, game: int):
    cells = range(rules.cells)
    yield from hunt_and_target(
        rules, sorted(cells, key=lambda cell: sum(divmod(cell, rules.cols)) % 2)
    )
'''


@pytest.fixture
def tree(tmp_path) -> Path:
    """Copy the tree, and add a strategy and its twin."""
    copy = tmp_path / "bsbench"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    (copy / "bsbench/strategies/diagonal.py").write_text(STRATEGY, encoding="utf-8")
    (copy / "tests/support/naive/strategies/diagonal.py").write_text(TWIN, encoding="utf-8")
    return copy


def _python(tree: Path, *arguments: str) -> str:
    """Run Python in the copy, and return what it prints."""
    ended = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def _run_tests(tree: Path, files: str, names: str, *marks: str) -> str:
    """Run some tests in the copy; return a line for each."""
    paths = [f"tests/{file.replace('/', '/test_')}.py" for file in files.split()]
    options = ["-n", "0", "-v", *marks, "-p", "no:cacheprovider", "-k", names]
    return _python(tree, "-m", "pytest", *options, *paths)


def test_its_file_and_its_twin_are_enough(tree):
    told = _run_tests(
        tree,
        "present/charts present/looks studies/check strategies/golden docs/readme"
        " reproduce/reproduce strategies/strategies",
        "diagonal and not real and not large or tables or look or listed or with_results",
        *("-m", ""),
    )
    for test in (
        "strategies/test_strategies.py::test_agrees_with_the_twin_move_by_move[diagonal]",
        "studies/test_check.py::test_every_strategy_keeps_to_the_contract[diagonal]",
        "present/test_looks.py::test_looks_that_files_give_are_unlike_each_other",
        "docs/test_readme.py::test_the_records_are_of_what_the_tables_say[harbour]",
        "reproduce/test_reproduce.py::test_without_a_name_the_bundled_ones_are_listed",
        "strategies/test_golden.py::test_all_strategies_with_results_have_golden_histograms",
    ):
        assert f"tests/{test} PASSED" in told
    # Golden histograms may come later: a skipped test names the command that writes them.
    assert _skipped(told) == {
        f"tests/strategies/test_golden.py::test_move_counts_are_what_they_were[diagonal-{scenario}]"
        for scenario in ("classic", "harbour")
    }
    assert "'python -m tests.golden diagonal'" in told


def _skipped(told: str) -> set[str]:
    return set(re.findall(r"^(\S+) SKIPPED", told, flags=re.MULTILINE))
