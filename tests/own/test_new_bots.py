"""The bots that `bsbench new` writes are built, and play as their twin in plain Python does."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.kernels.slots import read_slot
from bsbench.own.templates import KINDS, Written, write_template
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from tests.support import ROOT
from tests.support.helpers import draw_layouts
from tests.support.naive.bots import Bot, density
from tests.support.naive.play import play

BOTS = [kind for kind in KINDS if KINDS[kind].run]
RULES = [
    *(Rules(8, 9, (4, 3, 2), True, feedback) for feedback in Feedback),
    *(Rules(7, 5, (3, 2, 2, 1), False, feedback) for feedback in Feedback),
    *(Rules(7, 5, (3, 2, 2, 1), "corners", feedback) for feedback in Feedback),
    # All hits of a ship of ten can be open at once.
    Rules(6, 12, (10, 3), True, Feedback.HIT),
    Rules(1, 12, (3, 2), False, Feedback.SUNK),
    Rules(9, 1, (3, 1), True, Feedback.SHIP),
]


@cache
def is_there(tool: str) -> bool:
    """Return whether a tool runs; that of rustup may be there without a compiler behind it."""
    if shutil.which(tool) is None:
        return False
    asked = subprocess.run([tool, "--version"], capture_output=True, check=False)
    return asked.returncode == 0


def build(kind: str, folder: Path) -> Written:
    """Write a bot and build it; skip the test if that takes what is not installed."""
    written = write_template(folder / f"my_bot{KINDS[kind].suffixes[0]}", kind)
    for line in filter(None, (written.build, written.spec.removeprefix("cmd:"))):
        tool = shlex.split(line)[0]
        if "/" not in tool and not is_there(tool):
            pytest.skip(f"{tool} is not installed")
    if written.build:
        done = subprocess.run(
            shlex.split(written.build), capture_output=True, text=True, check=False
        )
        # No warnings either.
        assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return written


def ships(rules: Rules, games: int) -> list[tuple[tuple[int, ...], ...]]:
    """Return random layouts: the cells of each ship."""
    layouts = []
    for codes in draw_layouts(rules, games).tolist():
        slots = (read_slot(code, rules.cols) for code in codes)
        layouts.append(
            tuple(
                tuple(int(first + step * part) for part in range(length))
                for (first, step), length in zip(slots, rules.fleet, strict=True)
            )
        )
    return layouts


@pytest.fixture(scope="module")
def games():
    """Return layouts for each of `RULES`, and the twin's shots on them."""
    layouts = [ships(rules, 4) for rules in RULES]
    return layouts, [
        [play(density, rules, each, 0, 0) for each in some]
        for rules, some in zip(RULES, layouts, strict=True)
    ]


@pytest.mark.parametrize("kind", BOTS)
def test_plays_as_its_twin_and_as_datagenetics(tmp_path, games, kind):
    # One test for all, since each language is built once for it.
    written = build(kind, tmp_path)
    with Bot(shlex.split(written.spec.removeprefix("cmd:")), tmp_path) as bot:
        assert bot.said.pop("name", "my-bot") == "my-bot"
        assert bot.said == {"games": "64"}
        for rules, layouts, shots in zip(RULES, *games, strict=True):
            assert bot.play(rules, layouts) == shots
            before = bot.exchanges
            assert bot.play(rules, layouts, at_once=len(layouts)) == shots
            assert bot.exchanges - before == max(map(len, shots))
            # A place is used again.
            assert bot.play(rules, layouts, at_once=3) == shots
            # A line that the bot does not know is no reason to stop.
            bot.write("weather fine 23")

    sunk = Scenario(name="sunk", rules=Rules(10, 10, (5, 4, 3, 3, 2), True, Feedback.SUNK))
    played = [
        bsbench.run(name, sunk, games=64, threads=1) for name in (written.spec, "datagenetics")
    ]
    assert (played[0].label, played[1].label) == ("my-bot", "datagenetics")
    assert played[0].moves.tolist() == played[1].moves.tolist()


@pytest.mark.parametrize("kind", BOTS)
def test_is_short_and_says_what_to_type(in_folder, kind):
    file = f"my_bot{KINDS[kind].suffixes[0]}"
    result = CliRunner().invoke(main, ["new", file, "--kind", kind])
    assert result.exit_code == 0, result.output
    text = Path(file).read_text()
    assert "$" not in text
    assert max(map(len, text.splitlines())) <= 100
    *commands, check, run = (line.strip() for line in result.stdout.splitlines()[1:])
    assert all(line in text for line in commands)
    assert check.startswith("bsbench check ")
    assert run.startswith("bsbench run --strategy ")


@pytest.mark.slow
def test_the_example_with_options_can_be_tuned(in_folder):
    """Its defaults cost more than a move, on purpose."""
    if not is_there("g++"):
        pytest.skip("g++ is not installed")
    source = str(ROOT / "examples" / "tunable.cpp")
    subprocess.run(["g++", "-O2", "-std=c++17", "-o", "tunable", source], check=True)
    checked = CliRunner().invoke(main, ["check", "cmd:./tunable", "-n", "20"])
    assert checked.exit_code == 0, checked.output
    tuned = bsbench.tune(
        "cmd:./tunable", ["edge_bonus=-0.5:1", "miss_near=-0.5:0.5"], games=20_000, seed=1
    )
    found = bsbench.compare(["cmd:./tunable", tuned.best], "classic", games=4_000, seed=77)
    assert found.reference == found.results[1].label
    assert found.differences[0].mean - found.differences[0].half_width > 1
