"""However often a run is interrupted, what it finds is what it finds undisturbed, bit for bit."""

from __future__ import annotations

import json
import random
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.runs import cores

MEASURED = ("machine", "seconds", "versions", "date", "threads", "games_per_second")
LEARNER = "over9000-adaptive,games_per_learner=50"
TIMES = 60


def _found(path: Path) -> dict[str, dict]:
    """Return what records hold, but for what is measured; in a folder, by their names."""
    files = {file.name: file for file in path.glob("*.json")} or {"": path.with_suffix(".json")}
    records = {name: json.loads(file.read_text()) for name, file in files.items()}
    for record in records.values():
        for key in MEASURED:
            record.pop(key, None)
    return records


@pytest.fixture
def interrupted(in_folder, monkeypatch):
    """Return what runs a command, with Ctrl-C after some calls of its progress function."""
    monkeypatch.setattr("bsbench.cli.experiment._SHOWN_EVERY", 0.0)
    left = [0]

    def small_blocks(rules, games, threads, unit, plans=False):
        # Many moments: what is found does not depend on blocks.
        return 32, 128 // unit * unit

    monkeypatch.setattr(cores, "lanes_and_block", small_blocks)

    def show(now) -> None:
        if not now.setting_up:
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

    @contextmanager
    def progress_bar(*_):
        yield show

    monkeypatch.setattr("bsbench.cli.delivery.progress_bar", progress_bar)

    def run(words: list[str], calls: int = 0) -> int:
        left[0] = calls
        done = CliRunner().invoke(main, words, catch_exceptions=False)
        assert done.exit_code in (0, 130), done.output
        return done.exit_code

    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["run", "linear", "--until", "0.06", "--threads", "1"],
        ["run", "linear", "--until", "0.06", "--no-keep-moves"],
        ["run", "random", "--until", "0.05", "--seed", "0,1"],
        ["run", LEARNER, "--until", "0.14", "--threads", "2"],
        ["run", "salvo", "--scenario", "topcoder", "--until", "0.02"],
        ["compare", "linear", "random", "hunt-target", "--until", "0.15"],
        ["compare", "linear", LEARNER, "--until", "0.4", "--no-keep-moves"],
    ],
    ids=" ".join,
)
def test_sixty_interruptions_change_nothing(interrupted, in_folder, words):
    draws, times = random.Random(0), 0
    words = [*words, "--no-charts", "-q"]
    assert interrupted([*words, "-o", "whole"]) == 0
    more = []
    while interrupted([*words, "-o", "x", *more], draws.randint(1, 4) if times < TIMES else 0):
        more, times = ["--resume"], times + 1
    assert times > TIMES / 2, times
    assert not Path("x.journal").exists()
    assert _found(Path("x")) == _found(Path("whole"))
