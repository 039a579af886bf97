"""Whole commands on the mock engine: no kernel, and nothing that takes long to load too early."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.rules.scenario import find_scenario
from tests.support.mock_engine import mock_moves
from tests.test_imports import _modules_after

HEAVY = {"numba", "llvmlite", "matplotlib", "pandas"}


@pytest.mark.parametrize(
    "words",
    [
        "run prob -n 100 --no-charts -o x.json",
        "compare prob lattice2 --scenario classic -n 5000 --until clear",
        "match prob lattice2 -n 100",
    ],
)
def test_commands_load_no_more_than_they_need(in_folder, words):
    code = (
        "import pytest\nfrom bsbench.cli import main\n"
        "from tests.support.mock_engine import mock_engine\n"
        f"mock_engine(pytest.MonkeyPatch())\nmain({words.split()}, standalone_mode=False)"
    )
    assert not _modules_after(code) & HEAVY


def test_what_is_saved_is_what_the_engine_played(in_folder, mock_engine):
    words = "compare prob lattice2 --scenario classic -n 300 --seed 4 --export-json x.json"
    done = CliRunner().invoke(main, words.split())
    assert done.exit_code == 0, done.output
    rules = find_scenario("classic").rules
    for record in json.loads((in_folder / "x.json").read_text(encoding="utf-8"))["strategies"]:
        moves = mock_moves(rules, record["label"], 4, np.arange(300))
        assert record["counts"] == np.bincount(moves, minlength=rules.cells + 1).tolist()
