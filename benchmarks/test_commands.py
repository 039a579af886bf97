"""Whole commands as a user types them: start-up, play, tables, charts, on all cores."""

from __future__ import annotations

import subprocess
import sys

import pytest

MILLION = [
    ("prob", "harbour"),
    ("smart", "harbour"),
    ("random", "classic"),
    ("linear", "classic"),
    ("random", "harbour"),
    ("linear", "harbour"),
]


def _bsbench(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "bsbench", *arguments], check=True)


@pytest.mark.parametrize(("strategy", "scenario"), MILLION)
def test_a_million_games(benchmark, tmp_path, strategy, scenario):
    output = str(tmp_path / "run")
    arguments = ("run", "-q", "-s", strategy, "--scenario", scenario, "-o", output)
    benchmark.pedantic(
        _bsbench, (*arguments, "-n", "1000000"), rounds=5, warmup_rounds=1, iterations=1
    )


def test_a_thousand_games(benchmark, tmp_path):
    arguments = ("run", "-q", "-s", "prob", "-o", str(tmp_path / "run"), "-n", "1000")
    benchmark.pedantic(_bsbench, arguments, rounds=5, warmup_rounds=1, iterations=1)


def test_help(benchmark):
    command = [sys.executable, "-m", "bsbench", "--help"]
    benchmark(subprocess.run, command, check=True, stdout=subprocess.DEVNULL)
