"""The bots that `bsbench new` writes are built, and play as their twin in plain Python does."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

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
from tests.support.naive.layouts import AROUND, DIAGONALS, beside, excluded, slots
from tests.support.naive.play import answer, play

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


class Bot:
    """A running bot, after the greeting.

    Attributes
    ----------
    said : dict
        What it announced: ``name`` and so on.
    exchanges : int
        How often it answered so far.
    """

    def __init__(self, command: Sequence[str], folder) -> None:
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.exchanges = 0
        self.write("bsbench battleship 1")
        self.said: dict[str, str] = {}
        while (line := self.read()) != "ready":
            word, _, rest = line.partition(" ")
            self.said[word] = rest

    def __enter__(self) -> Bot:
        return self

    def __exit__(self, *error: object) -> None:
        if error == (None, None, None):
            self.write("quit")
        else:
            self._process.kill()
        self._process.stdin.close()
        self._process.stdout.close()
        assert self._process.wait(timeout=10) == 0 or error[0]

    def write(self, line: str) -> None:
        self._process.stdin.write(line + "\n")

    def read(self) -> str:
        line = self._process.stdout.readline()
        assert line.endswith("\n"), f"the bot ended after {line!r}"
        return line[:-1]

    def play(self, rules, layouts: Sequence[Any], at_once: int = 0) -> list[list[int]]:
        """Return the shots of one game on each layout.

        With ``at_once``, so many games are played side by side, as bots are asked that play
        several; without, one after the other, as all others are.
        """
        touching = {True: "touching", "corners": "corners", False: "apart"}[rules.touching]
        fleet = " ".join(map(str, rules.fleet))
        self.write(
            f"rules {rules.rows} {rules.cols} {touching} {rules.feedback} {at_once or 1} {fleet}"
        )
        assert self.read() == "ready"
        games: list[list[int]] = [[] for _ in layouts]
        waiting = iter(range(len(layouts)))
        playing: dict[int, int] = {}

        def begin(place: int) -> None:
            playing.pop(place, None)
            if (game := next(waiting, None)) is not None:
                playing[place] = game
                self.write(f"{place} game" if at_once else "game")

        for place in range(at_once or 1):
            begin(place)
        while playing:
            places = sorted(playing)
            self.write(f"shoot {' '.join(map(str, places))}" if at_once else "shoot")
            cells = [int(cell) for cell in self.read().split(" ")]
            self.exchanges += 1
            for place, cell in zip(places, cells, strict=True):
                shots, ships = games[playing[place]], layouts[playing[place]]
                assert 0 <= cell < rules.cells
                assert cell not in shots
                shots.append(cell)
                over = set().union(*ships) <= set(shots)
                line = f"over {len(shots)}" if over else told(answer(rules, ships, shots), cell)
                self.write(f"{place} {line}" if at_once else line)
                if over:
                    begin(place)
        return games


def told(reply, cell: int) -> str:
    """Return the line that reports what a shot at a cell did."""
    named = [] if reply.ship is None else [reply.ship]
    if reply.sunk:
        return " ".join(map(str, ["sunk", cell, *named, *reply.cells]))
    return " ".join(map(str, ["hit" if reply.hit else "miss", cell, *named]))


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
