"""The bots that `bsbench new` writes are built, and play as their twin in plain Python does."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.own.templates import KINDS, Written, write_template
from bsbench.roster import make_variant
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from tests.support import ROOT, naive
from tests.support.helpers import draw_layouts, move_counts, shots_fired
from tests.support.naive.layouts import AROUND, DIAGONALS, beside, excluded, slots

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


def density(rules, seed: int = 0, game: int = 0) -> Iterator[int]:
    """Shoot as the bots do that `bsbench new` writes: the first cell of the highest score.

    The score of a cell is the weight of all slots through it, of each ship not known to have sunk.
    A slot weighs 5 for each hit in it, 7 of them at most; and nothing with a miss, a cell of a
    sunk ship, or a hit that is known to be on another ship. As far as ships may not touch, neither
    the corners of a hit nor what is around a sunk ship are of a ship afloat.
    """
    shot: set[int] = set()
    hits: dict[int, int | None] = {}
    water: set[int] = set()
    afloat = dict(enumerate(rules.fleet))

    def around(cell: int, steps) -> list[int]:
        return [
            near
            for near in beside(rules.rows, rules.cols, cell, steps)
            if near in excluded(rules, (cell,))
        ]

    while len(shot) < rules.cells:
        scores = [0] * rules.cells
        for ship, length in afloat.items():
            for slot in slots(rules.rows, rules.cols, length):
                own = [hits[cell] in (None, ship) for cell in slot if cell in hits]
                if water.isdisjoint(slot) and all(own):
                    for cell in slot:
                        scores[cell] += 5 ** min(len(own), 7)
        best = max(
            (cell for cell in range(rules.cells) if cell not in shot), key=scores.__getitem__
        )
        shot.add(best)
        reply = yield best
        if reply.hit:
            hits[best] = None if reply.sunk else reply.ship
            water.update(around(best, DIAGONALS))
            if reply.sunk and reply.ship is not None:
                del afloat[reply.ship]
            for cell in reply.cells:
                hits.pop(cell, None)
                water.update([cell, *around(cell, AROUND)])
        else:
            water.add(best)


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


@pytest.fixture(scope="module")
def games():
    """Return layouts for each of `RULES`, and the twin's shots on them."""
    found = []
    for rules in RULES:
        codes = draw_layouts(rules, 4)
        ships = [naive.decode(rules, each) for each in codes.tolist()]
        found.append((rules, codes, [naive.play(density, rules, each, 0, 0) for each in ships]))
    return found


@pytest.mark.parametrize("kind", BOTS)
def test_plays_as_its_twin_and_as_datagenetics(tmp_path, games, kind):
    # One test for all, since each language is built once for it.
    written = build(kind, tmp_path)
    bot = make_variant(written.spec)
    assert (bot.label, bot.most_lanes) == ("my-bot", 64)
    for rules, codes, shots in games:
        # Side by side; and fewer at once, so that a place is used again.
        assert shots_fired(rules, bot, codes) == shots
        for lanes in (1, 3):
            assert move_counts(rules, bot, codes, lanes=lanes).tolist() == [*map(len, shots)]
    # A line that the bot does not know is no reason to stop.
    said = subprocess.run(
        shlex.split(written.spec.removeprefix("cmd:")),
        input="bsbench battleship 1\nweather fine 23\nquit\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.endswith("ready\n")

    sunk = Scenario(name="sunk", rules=Rules(10, 10, (5, 4, 3, 3, 2), True, Feedback.SUNK))
    played = [
        bsbench.run(name, sunk, games=64, threads=1) for name in (written.spec, "datagenetics")
    ]
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
