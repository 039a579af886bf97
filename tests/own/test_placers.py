"""Placers: programs and laws whose layouts `bsbench layouts` saves as a law."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.layouts.file import read_layouts
from bsbench.own import lines, program
from bsbench.own.choosing import alias
from bsbench.own.placer import placer_of
from bsbench.own.thinker import Thinker
from bsbench.play import placers
from bsbench.play.game import play_game
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import Rules
from bsbench.rules.layout import layout_text
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import find_scenario
from tests.support.refusals import assert_refused, refused

CLASSIC = find_scenario("classic").rules

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="starts processes")

CLASS = """
from dataclasses import dataclass


@dataclass
class Rows:
    '''Ships in random rows, each game one column further to the right, up to a column.'''

    last: int = 2

    def __post_init__(self):
        self._games = 0

    def place(self, rules, rng):
        rows = rng.sample(range(rules.rows), len(rules.fleet))
        col = min(self._games, self.last)
        self._games += 1
        return [[(row, col + k) for k in range(n)] for row, n in zip(rows, rules.fleet)]
"""

BOT = """
import random
import sys

announced, log = sys.argv[1:]
games = 0
for line in sys.stdin:
    open(log, "a").write(line)
    match line.split():
        case ["bsbench", *_]:
            print(announced.replace(",", chr(10)), flush=True)
        case ["rules", rows, _, _, _, _, *fleet]:
            print("ready", flush=True)
        case ["place", *number]:
            rng = random.Random(int(number[0]) if number else 0)
            taken = rng.sample(range(int(rows)), len(fleet))
            col, games = min(games, 2), games + 1
            print("  ".join(f"{row} {col} {n} E" for row, n in zip(taken, fleet)), flush=True)
        case ["quit"]:
            break
"""

BAD = """
import os
import time
from dataclasses import dataclass

ROWS = [[(row, col) for col in range(n)] for row, n in zip((0, 2, 4, 6, 8), (5, 4, 3, 3, 2))]


@dataclass
class Bad:
    how: str = ""

    def __post_init__(self):
        self._games = 0

    def place(self, rules, rng):
        self._games += 1
        if self._games <= 2:
            return ROWS
        return getattr(self, "_" + self.how)(rules)
"""

VERDICTS = {
    "leaves": ("return [*ROWS[:4], [(9, 9), (9, 10)]]", ("(9, 10)", "10x10"), ""),
    "overlaps": ("return [*ROWS[:4], [(0, 0), (1, 0)]]", ("'0 0 2 S'", "'0 0 5 E'"), ""),
    "touches": ("return [*ROWS[:4], [(7, 3), (8, 3)]]", ("'7 3 2 S'", "touches"), ""),
    "bends": ("return [*ROWS[:2], [40, 41, 51], *ROWS[3:]]", ("[40, 41, 51]", "straight"), ""),
    "misses": ("return ROWS[:4]", ("size 2",), ""),
    "adds": ("return [*ROWS, [99]]", ("'9 9 1 E'", "one too many"), ""),
    "nothing": ("return None", ("None",), ""),
    "numbers": ("return [1, 2, 3, 4, 5]", ("list of cells", "1"), ""),
    "fills": ("return [[0] * 10_000_000]", ("0.5 s",), ""),
    "raises": (
        "return ROWS[9]",
        ("IndexError",),
        r"bad.py, line \d+, in _raises: return ROWS\[9\]$",
    ),
    "quits": ("os._exit(3)", ("exit code 3",), ""),
    "loops": ("while True: pass", ("0.5 s",), "while True: pass$"),
    "streams": (
        "return (time.sleep(0.01) or ROWS[0] for _ in iter(int, 1))",
        ("0.5 s",),
        r"iter\(int",
    ),
}
"""By what a bad class does: its code, what its message names, and the line below."""

BAD += "".join(
    f"\n    def _{how}(self, rules):\n        {code}\n" for how, (code, *_) in VERDICTS.items()
)

BAD_BOT = """
import sys
import time

GOOD = "0 0 5 E  2 0 4 E  4 0 3 E  6 0 3 E  8 0 2 E"
how, games = sys.argv[1], 0
for line in sys.stdin:
    word = line.split()[0]
    games += word == "place"
    if word == "bsbench":
        print("ready", flush=True)
    elif word == "rules":
        print("refuse only 8x8" if how == "refuses" else "ready", flush=True)
    elif word == "place" and games < 3:
        print(GOOD, flush=True)
    elif how == "ends":
        sys.exit(3)
    elif how == "hangs":
        time.sleep(60)
    elif word == "place":
        print(how, flush=True)
"""


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """Return the folder of all placers here, so that their processes serve several tests."""
    place = tmp_path_factory.mktemp("placers")
    for name, code in (("rows", CLASS), ("bad", BAD), ("bot", BOT), ("bad_bot", BAD_BOT)):
        (place / f"{name}.py").write_text(code)
    return place


@pytest.fixture(autouse=True)
def _no_long_waits(in_folder, monkeypatch):
    monkeypatch.setattr(lines, "_GRACE", 0.3)


def written(*words: str, output: str = "out.txt") -> str:
    """Return what the command writes to a file."""
    done = CliRunner().invoke(main, ["layouts", *words, "-o", output])
    assert done.exit_code == 0, done.output
    return Path(output).read_text()


def groups(text: str) -> dict[str, list[str]]:
    """Return the layouts of each group of a file by its name."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            latest = found[line[1:-1]] = []
        elif not line.startswith("#"):
            latest.append(line)
    return found


def codes_of(placer: str, games: int, rules: Rules = CLASSIC, seed: int = 0) -> np.ndarray:
    """Return the layouts of a placer."""
    return placer_of(placer, 60.0).layouts(rules, games, seed)


def test_the_same_seed_writes_the_same_file(folder):
    words = f"{folder}/rows.py:Rows", f"{folder}/rows.py,last=1", "edge:3", "-n", "4"
    first = written(*words, "--seed", "7")
    assert written(*words, "--seed", "7", output="again.txt") == first
    found, others = groups(first), groups(written(*words, "--seed", "8", output="other.txt"))
    assert not any(found[name] == others[name] for name in found)
    assert [*found] == ["Rows", "Rows last=1", "edge:3"]
    assert {len(group) for group in found.values()} == {4}
    # One object places all games, and a longer file begins with the shorter one.
    assert [line.split()[1] for line in found["Rows"]] == ["0", "1", "2", "2"]
    assert [line.split()[1] for line in found["Rows last=1"]] == ["0", "1", "1", "1"]
    longer = written(*words[:-1], "6", "--seed", "7", output="longer.txt")
    assert {name: group[:4] for name, group in groups(longer).items()} == found


def test_the_header_is_a_command_that_writes_the_file_again():
    words = "edge", "uniform", "-n", "3", "--seed", "5", "--scenario", "classic"
    first = written(*words, "--board", "12x10")
    command = re.search("^# bsbench layouts (.*)$", first, flags=re.MULTILINE)[1].split()
    assert written(*command, output="again.txt") == first
    assert len(read_layouts("out.txt", Rules(12, 10, CLASSIC.fleet, touching=True))) == 6


@pytest.mark.parametrize("law", ["uniform", "sequential:fleet", "edge:3"])
def test_a_law_is_a_placer_whose_layouts_are_those_of_its_games(law):
    written(law, "-n", "20", "--seed", "3")
    drawn = make_sampler(CLASSIC, Placement.parse(law)).draw(3, 0, 20)
    assert [layout_text(each, CLASSIC) for each in read_layouts("out.txt:20", CLASSIC)] == [
        layout_text(each, CLASSIC) for each in drawn
    ]


def test_a_bot_that_places_alike_writes_the_same_file(folder):
    bot = f"cmd:{sys.executable} -S {folder}/bot.py"
    found = groups(written(f"{bot} 'name Rows,random,ready' {folder}/log", "-n", "3"))
    assert found == groups(written(f"{folder}/rows.py", "-n", "3", output="class.txt"))
    # It gets random numbers only if it wants some.
    codes_of(f"{bot} ready {folder}/plain", 3)
    for bots in program._found.values():
        bots.close()
    program._found.clear()
    first = ["bsbench placement 1", "rules 10 10 touching ship 1 5 4 3 3 2"]
    for log, numbers in (
        ("log", [f" {alias('Rows', 0, game)}" for game in range(3)]),
        ("plain", [""] * 3),
    ):
        heard = (folder / log).read_text().splitlines()
        assert heard == [*first, *(f"place{number}" for number in numbers), "quit"]


@pytest.mark.parametrize("how", VERDICTS)
def test_bad_classes_are_blamed_and_nothing_is_saved(folder, how):
    _, named, line = VERDICTS[how]
    words = f"{folder}/bad.py,how={how}", "-n", "5", "--touching", "no", "--timeout", "0.5"
    done = CliRunner().invoke(main, ["layouts", *words, "-o", "out.txt"])
    said = assert_refused(done, f"Bad how={how}", "game 2", *named, lines=2 if line else 1)
    assert re.search(line, said.splitlines()[-1])
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("how", "named", "line"),
    [
        ("0 0 5 E 2 0 4 E 4 0 3 E 6 0 3 E 8 9 2 E", ("'8 9 2 E'", "game 2"), "line 5"),
        ("A1 A2", ("'A1 A2'", "game 2"), "'A1 A2'"),
        ("error no idea", ("no idea", "game 2"), ""),
        ("ends", ("exit code 3", "game 2"), ""),
        ("hangs", ("0.5 s", "game 2"), ""),
        ("refuses", ("only 8x8", "as it begins"), ""),
    ],
)
def test_bad_bots_are_blamed_and_nothing_is_saved(folder, how, named, line):
    bot = f"cmd:{sys.executable} -S {folder}/bad_bot.py '{how}'"
    words = bot, "-n", "5", "--timeout", "0.5"
    done = CliRunner().invoke(main, ["layouts", *words, "-o", "out.txt"])
    said = assert_refused(done, "'bad_bot'", *named, lines=2 if line else 1)
    assert line in said.splitlines()[-1]
    assert not list(Path().iterdir())


@pytest.mark.parametrize("codes", [[0, 0, 0, 0, 0], [-1, 20, 40, 60, 80], [2**62, 20, 40, 60, 80]])
def test_what_a_process_answers_is_not_trusted(folder, monkeypatch, codes):
    monkeypatch.setattr(Thinker, "shoot", lambda self, view: np.array(codes))
    with refused("Rows", "game 0"):
        codes_of(f"{folder}/rows.py", 1)


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("class Other:\n    def shoot(self, view): pass", ("placer",)),
        ("class Few:\n    def place(self, rules): pass", ("place(self, rules, rng)",)),
        ("class One:\n    def __init__(self, a): pass\n    place = print", ("a",)),
        ("class A:\n    place = print\nclass B(A): pass", ("several",)),
        ("class A:\n    place = print\n    def __init__(self, timeout=1): pass", ("timeout",)),
    ],
    ids=["strategy", "few_arguments", "unmade", "two", "taken_name"],
)
def test_what_is_no_placer_is_refused(code, named):
    Path("mine.py").write_text(code)
    with refused(*named):
        placer_of("mine.py", 60.0)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["nobody"], ("'nobody'", "uniform")),
        (["uniform", "-n", "0"], ("1",)),
        (["uniform", "-n", "1e7"], ("10,000,000",)),
        (["uniform", "--timeout", "0"], ("--timeout",)),
        (["uniform\n[x]"], ("placer",)),
    ],
)
def test_bad_requests_are_refused(in_folder, words, named):
    assert_refused(CliRunner().invoke(main, ["layouts", *words, "-o", "out.txt"]), *named)
    assert not list(in_folder.iterdir())


def test_an_existing_file_is_replaced_by_force_only():
    Path("out.txt").write_text("mine")
    assert_refused(CliRunner().invoke(main, ["layouts", "edge", "-o", "out.txt"]), "--force")
    assert_refused(CliRunner().invoke(main, ["layouts", "edge", "-o", "-"]), "-o")
    assert Path("out.txt").read_text() == "mine"
    assert len(groups(written("edge", "-n", "2", "--force"))["edge:3"]) == 2


def test_a_file_is_no_larger_than_what_can_be_read(monkeypatch):
    monkeypatch.setattr(placers, "MOST_LINES", 24)
    given = CLASSIC, 0, 60.0, lambda name: None

    def text(games: int) -> str:
        rules, seed, *others = given
        return placers.layouts_file(["uniform", "edge"], rules, games, seed, *others)

    # The command puts two lines before these.
    assert text(10).count("\n") == 22
    with refused("11", "10"):
        text(11)
    monkeypatch.setattr(placers, "LARGEST", 10 * 2 * 5 * len("10 10 5 E  "))
    with refused("9", "8"):
        text(9)


@pytest.mark.parametrize(("fleet", "touching"), [((4, 4, 3, 1), True), ((3, 2, 1, 1), "corners")])
def test_the_template_finds_layouts_on_crowded_boards(fleet, touching):
    CliRunner().invoke(main, ["new", "my_hider.py", "--kind", "placer"])
    assert len(codes_of("my_hider.py", 5, Rules(4, 4, fleet, touching))) == 5


ADAPTIVE = """
class Adaptive:
    '''One ship, where the game before was shot late.'''

    def __init__(self):
        self._late = 1

    def told(self, shots):
        assert all(type(each) is int for each in shots)
        open("log", "a").write(" ".join(map(str, shots)) + chr(10))
        self._late = next(c for c in range(24, -1, -1) if c not in shots[:-5] and c % 5)

    def place(self, rules, rng):
        return [[self._late - 1, self._late]]
"""

ADAPTIVE_BOT = """
import sys

late = 1
for line in sys.stdin:
    match line.split():
        case ["bsbench", *_]:
            print("can told" if len(sys.argv) == 1 else "name deaf")
            print("ready", flush=True)
        case ["rules", *_]:
            print("ready", flush=True)
        case ["told", *shots]:
            open("log", "a").write(line.removeprefix("told "))
            late = next(c for c in range(24, -1, -1) if str(c) not in shots[:-5] and c % 5)
        case ["place", *_]:
            print(f"{late // 5} {late % 5 - 1} 2 E", flush=True)
        case ["quit"]:
            break
"""

ADAPTIVE_BOT_SPEC = f"cmd:{sys.executable} -S bot.py"


def _shots_at(lines: list[str], strategy: str) -> list[list[int]]:
    """Return the shots of each game on the layouts of a file."""
    found = []
    rules = find_scenario("gym-5x5").override(fleet=[2]).rules
    for game, line in enumerate(lines):
        Path("one.txt").write_text(f"{line}\n")
        sampler = make_sampler(rules, Placement("file", "one.txt"))
        moves = play_game(bsbench.make_strategy(strategy), rules, sampler, 5, game)
        found.append([move.cell for move in moves])
    return found


def shot_at(placer: str, *words: str, output: str = "law.txt"):
    """Return what the command ends with that lays one ship on a small board."""
    Path("bot.py").write_text(ADAPTIVE_BOT)
    Path("mine.py").write_text("class Mine:\n    def shoot(self, view):\n        raise KeyError\n")
    if not Path("adaptive.py").exists():
        Path("adaptive.py").write_text(ADAPTIVE)
    given = ["layouts", placer, "--scenario", "gym-5x5", "--fleet", "2", "-n", "4", "-o", output]
    return CliRunner().invoke(main, [*given, *words])


@pytest.mark.parametrize(
    ("placer", "strategy"),
    [("adaptive.py", "prob"), (ADAPTIVE_BOT_SPEC, "random"), ("adaptive.py", "hunt-target")],
    ids=["class", "bot", "other"],
)
def test_placers_are_told_the_shots_at_their_layouts(placer, strategy):
    saved = shot_at(placer, "--shooter", strategy, "--seed", "5")
    assert saved.exit_code == 0, saved.output
    text = Path("law.txt").read_text()
    assert f"--shooter {strategy}" in text
    lines = [line for line in text.splitlines() if line[0] not in "#["]
    told = [[*map(int, line.split())] for line in Path("log").read_text().splitlines()]
    assert len(lines) == 4
    # After the last game nothing is placed.
    assert told == _shots_at(lines, strategy)[:-1]


def test_placers_need_not_listen():
    Path("adaptive.py").write_text(ADAPTIVE.replace("def told", "def _told"))
    for placer in ("adaptive.py", f"{ADAPTIVE_BOT_SPEC} deaf", "uniform"):
        for output, *words in (["with.txt", "--shooter", "prob"], ["without.txt"]):
            ended = shot_at(placer, "--force", *words, output=output)
            assert ended.exit_code == 0, ended.output
        both = [Path(name).read_text().splitlines()[2:] for name in ("with.txt", "without.txt")]
        assert both[0] == both[1]
    assert not Path("log").exists()


@pytest.mark.parametrize(
    ("placer", "against", "named"),
    [
        (ADAPTIVE, "over9000", "which ship is hit"),
        (ADAPTIVE.replace("(self, shots)", "(self)"), "prob", "told"),
        (ADAPTIVE.replace("assert all", "raise ValueError(shots) #"), "prob", "ValueError"),
        (ADAPTIVE, "mine.py:Mine", "in shoot: raise KeyError"),
    ],
)
def test_what_can_not_shoot_or_be_told_is_refused(placer, against, named):
    Path("adaptive.py").write_text(placer)
    ended = shot_at("adaptive.py", "--shooter", against)
    assert ended.exit_code == 2, ended.output
    assert named in ended.output
    assert "Traceback" not in ended.output
    assert not Path("law.txt").exists()
