"""Wrong input of every kind: one sentence and exit code 2, never a traceback, nothing accepted.

Each kind of input has a strategy of hypothesis, which draws command-line arguments, files, and
whether the input must be refused. A few of each are tried every time; 1,200 in all are slow.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from bsbench.cli import main
from bsbench.present.human import HumanGame
from bsbench.rules.scenario import find_scenario
from tests.support import ROOT


@dataclass
class Case:
    """What a command is given, and whether it must refuse it."""

    arguments: list[str]
    files: dict[str, bytes] = field(default_factory=dict)
    stdin: bytes = b""
    wrong: bool = True
    """Whether it must be refused; otherwise it may be."""


class Played(SystemExit):
    """Raised in place of playing: the input was accepted."""


def run(case: Case, folder: Path) -> None:
    """Give a command its input, and check how it ends."""
    for name, content in case.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    done = CliRunner().invoke(main, case.arguments, input=case.stdin)
    told = f"{case}\n{done.output}\n{done.exc_info}"
    assert done.exception is None or isinstance(done.exception, SystemExit), told
    assert done.exit_code == 2 if case.wrong else done.exit_code in (0, 2), told
    if done.exit_code == 2:
        *usage, sentence = done.stderr.strip("\n").split("\n")
        assert sentence.startswith("Error: "), told
        assert all(re.match("Usage: |Try |$|Scenario ", line, re.I) for line in usage), told
        assert len(sentence) < 1_000, told
        assert sentence.isprintable(), told
    for name, content in case.files.items():
        assert (folder / name).read_bytes() == content or not case.wrong, f"{name} was changed"


# --- TOML -----------------------------------------------------------------------------------------

GOOD = {"board": '"5x6"', "fleet": "[4, 2]", "touching": "false", "feedback": '"sunk"'}

KINDS = {
    "scenario.toml": (GOOD, ["list", "scenario.toml"]),
    "run.toml": ({"strategy": '"linear"', "games": "5"}, ["run", "--config", "run.toml"]),
    "plan.toml": (
        {"title": '"t"', "scenario": '"gym-5x5"', "strategies": '["prob", "linear"]'},
        ["reproduce", "plan.toml", "-o", "out"],
    ),
}
"""Files with what is right, and who reads them; `tests/support/damage.py` makes wrong values."""

BAD_TOML = [
    *(b"a" + b".a" * 5_000 + b" = 1", b"[a" + b" . 'a'" * 5_000 + b"]", b"a = " + b"[" * 5_000),
    *(b"a = '''", b'a = "\\q"', b"a = 1 1", b"\xff", b"\0", b"[", b"= 1", b"a = {" * 5_000),
    *(b"name = 'a'\nname = 'a'", b"#" * 1_000_001, b"x = 0b" + b"1" * 5_000),
]


@st.composite
def toml(draw, kind: str) -> Case:
    good, arguments = KINDS[kind]
    text = "".join(f"{key} = {value}\n" for key, value in good.items()).encode()
    if draw(st.booleans()):
        return Case(arguments, {kind: text + draw(st.sampled_from(BAD_TOML))})
    return Case(arguments, {kind: draw(damaged(text))}, wrong=False)


@st.composite
def damaged(draw, content: bytes) -> bytes:
    """Cut a file off, or put some bytes in place of others."""
    at = draw(st.integers(0, len(content)))
    if draw(st.booleans()):
        return content[:at]
    return content[:at] + draw(st.binary(max_size=4)) + content[at + draw(st.integers(0, 3)) :]


# --- files of layouts -----------------------------------------------------------------------------


def is_layout(line: str) -> bool:
    """Return whether a line lays a 4 and a 2 on 5x6 cells, apart: from the definition."""
    words = line.partition("#")[0].split()
    ships = []
    for row, col, size, way in zip(*[iter(words)] * 4, strict=False):
        if (
            not all(re.fullmatch("[0-9]{1,9}", each) for each in (row, col, size))
            or way not in "ES"
        ):
            return False
        down, right = (0, 1) if way == "E" else (1, 0)
        ships.append(
            [(int(row) + down * n, int(col) + right * n) for n in range(min(int(size), 99))]
        )
    taken = [cell for ship in ships for cell in ship]
    apart = all(
        max(abs(row - other_row), abs(col - other_col)) > 1
        for ship in ships
        for other in ships
        if other is not ship
        for row, col in ship
        for other_row, other_col in other
    )
    fits = all(row < 5 and col < 6 for row, col in taken)
    return len(words) == 8 and sorted(map(len, ships)) == [2, 4] and fits and apart


@st.composite
def layouts(draw) -> Case:
    words = draw(st.sampled_from(["1 1 4 E 3 3 2 S", "0 0 2 E 2 0 4 E", "0 5 4 S 0 0 2 S"])).split()
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(words) - 1))
        new = st.one_of(
            st.integers(-1, 9).map(str), st.sampled_from(["", "E", "S", "x", "٣", "1.0"])
        )
        words[at] = draw(st.one_of(new, st.text(max_size=3)))
    line = " ".join(words).replace("\n", " ").replace("\r", " ")
    try:
        text = f"# layouts\n1 1 4 E 3 3 2 S\n{line}\n".encode()
    except UnicodeEncodeError:
        text, line = b"\xff", "\xff"
    wrong = bool(line.partition("#")[0].split()) and not is_layout(line)
    if draw(st.integers(0, 9)) == 0:
        text, wrong = draw(st.sampled_from([b"", b"#", b"\xff", b"\0"])), True
    board = ["--board", "5x6", "--fleet", "4,2", "--touching", "no", "--feedback", "hit"]
    arguments = ["replay", "-s", "linear", *board, "--placement", "file:some.txt", "-o", "-"]
    return Case(arguments, {"some.txt": text}, wrong="\0" in line or wrong)


# --- agents ---------------------------------------------------------------------------------------


@st.composite
def agents(draw) -> Case:
    content = draw(damaged((ROOT / "results" / "rl" / "ppo-gym-5x5.onnx").read_bytes()))
    arguments = ["replay", "-s", "agent.onnx", "--scenario", "gym-5x5", "-o", "-"]
    return Case(arguments, {"agent.onnx": content}, wrong=False)


# --- saved games ----------------------------------------------------------------------------------

BAD_SAVED = {
    "format": [None, "", 1, []],
    "stream_version": [None, 0, 99, "2", 1e999],
    "scenario": [None, [], {}, "classic"],
    "seed": [None, -1, 1.0, 0.5, True, "1", [], float("nan")],
    "game": [None, -1, 1.0, 1.5, True, "1", 2**63, 10**30, float("nan"), float("inf")],
    "adviser": [[], 1, True, {}, "nobody", ""],
    "versus": [[], 1, True, {}, "nobody", ""],
    "hints": [None, -1, 1.5, True, "1", [], float("nan")],
    "shots": [None, 1, {"a": 1}, "ab", [1.0], [True], [-1], [30], [None], [3, 3], [[1]], ["A1"]],
}


@st.composite
def saved(draw) -> Case:
    rules = find_scenario("gym-5x6")
    game = HumanGame(rules, 7, adviser="linear")
    game.fire(3)
    game.save(Path("saved.json"))
    record = json.loads(Path("saved.json").read_text())
    wrong = True
    damage = draw(st.sampled_from(["value", "value", "value", "missing", "noise"]))
    if damage == "value":
        key = draw(st.sampled_from(sorted(BAD_SAVED)))
        record[key] = draw(st.sampled_from(BAD_SAVED[key]))
    elif damage == "missing":
        del record[draw(st.sampled_from(sorted(record)))]
    content = json.dumps(record).encode()
    if damage == "noise":
        content, wrong = draw(damaged(content)), False
    return Case(["play", "--resume", "--typed"], {"saved.json": content}, wrong=wrong)


# --- text to solve --------------------------------------------------------------------------------


@st.composite
def texts(draw) -> Case:
    content, wrong = draw(damaged(b"prob 5 6 2 1 1 4 E 3 3 2 S\n")), False
    if draw(st.integers(0, 3)) == 0:
        content = draw(st.sampled_from([b"", b"\xff", b"\0", b"1" * 10_000_001, b"prob 1", b"8 8"]))
        wrong = True
    if draw(st.booleans()):
        return Case(["solve", "-"], stdin=content, wrong=wrong)
    return Case(["solve", "input.txt"], {"input.txt": content}, wrong=wrong)


# --- command lines --------------------------------------------------------------------------------

BASES = {
    "run": ["-s", "linear", "-n", "2"],
    "compare": ["linear", "random", "-n", "2"],
    "tune": ["datagenetics", "--vary", "hit_weight=1,9", "-n", "600"],
    "chart": ["-k", "shots", "-n", "2"],
    "show": [],
    "report": [],
    "reproduce": ["harbour", "-n", "2"],
    "replay": ["-s", "linear"],
    "play": [],
    "list": [],
    "check": ["linear", "-n", "1", "--scenario", "gym-5x5"],
    "new": ["mine.py"],
    "layouts": ["uniform", "-n", "2", "-o", "mine.txt"],
    "solve": [],
    "worst": ["linear", "--board", "4x4", "--fleet", "3,2"],
    "connect4 best": ["4", "--depth", "1"],
    "connect4 match": ["random", "hard", "-n", "2", "--depth", "1"],
    "connect4 play": ["--depth", "1"],
}
"""What each command is given besides a wrong value."""

NOT_WHOLE = ["x", "1.5", "nan", "1e3", "0x10", "", " ", "--", "9" * 400]
NO_VARIANT = ["", "nobody", "none.py:X", "empty.zip", "linear,x=1", "linear,"]
NO_COUNT = [each for each in NOT_WHOLE if each != "1e3"]


def alike(keys: str, values: list[str]) -> dict[str, list[str]]:
    """Return the same values for several parameters."""
    return dict.fromkeys(keys.split(), values)


VALUES = {
    "games": [*NO_COUNT, "0", "-1"],
    "exact": [*NO_COUNT, "-1"],
    "paired": [*NO_COUNT, "-1"],
    "repeats": ["x", "", "counted"],
    "first_game": [*NO_COUNT, "-1", str(2**63)],
    "seeds": ["x", "1.5", "", " ", "1,1", "3-1", "0-9999", "1,", "-", "9" * 400],
    "scenarios": ["nowhere", "none.toml", "gym-4x4", "", "fifo.toml", ".", "classic,", "a,classic"],
    "vary": ["=", "a=", "zzz", "hit_weight=2:1", "hit_weight=1:2:0", "hit_weight=1e9:nan", ""],
    **alike("races candidates", [*NO_COUNT, "0", "-1", "1001"]),
    "sweeps": ["x", "=", "a=", "zzz=1", "noise=1:0:1"],
    "origin": ["none.json", "", "fifo.toml", "/dev/zero", ".", "@nowhere", "empty.zip"],
    "seed": [*NOT_WHOLE, "-1"],
    "threads": ["x", "1.5", "0", "-1", "1025", ""],
    "engine": ["x", "", "Dask"],
    "timeout": ["x", "0", "-1", "nan", "inf", "-inf", "86401", "1e999", ""],
    "limit_memory": ["x", "0", "-1", "nan", "9" * 30, ""],
    "memory": ["x", "0", "-1", "1.5G", "nan", "9" * 30, ""],
    **alike("until seconds limit_seconds", ["x", "0", "-1", "nan", "inf", ""]),
    "margin": ["x", "-1", "nan", "inf", ""],
    "game": [*NOT_WHOLE, "-1", str(2**63), "9" * 23],
    "steps": [*NOT_WHOLE, "0", "-1", "9" * 12],
    "opening_plies": [*NOT_WHOLE, "-1", "99"],
    "scenario": ["nowhere", "none.toml", "gym-4x4", "", "a\0.toml", "fifo.toml", ".", "/dev/zero"],
    "placement": ["nowhere", "uniform:x", "edge:0", "avoid:x.py:X", "avoid:nobody", ""],
    "board": ["0x0", "x", "10", "999x999", "10x10x10", ""],
    "fleet": ["", "0", "a", "99", "-1", "1,,2", "5,4,3,3,2," * 30],
    "touching": ["maybe", "", "true"],
    "feedback": ["loud", "", "1"],
    "shots": ["0", "101", "x", "-1", ""],
    "answers": ["both", "", "1"],
    "config": ["none.toml", "", ".", "fifo.toml", "/dev/zero"],
    "references": ["none.json", "", "fifo.toml", "/dev/zero"],
    **alike("export_csv export_json export_md", ["", "none/x.csv", ".", "empty.zip"]),
    **alike("export_latex export_parquet report", ["", "none/x.tex", "."]),
    "reference": ["", "nobody"],
    "shooter": ["", "nobody", "empty.zip"],
    "conditions": ["", "zzz", "mean >"],
    **alike("kind formats order", ["", "zzz"]),
    "versus": ["", "nobody", "empty.zip", "none.zip"],
    "hints": ["", "nobody", "empty.zip", "fifo.zip"],
    "strategy": ["", "nobody", "none.py:X", "none.zip", "fifo.zip", "empty.onnx", "fifo.py:X"],
    "strategies": ["", "nobody", "none.py:X", "empty.zip", "fifo.zip", "fifo.py:X"],
    **alike("variants named given", NO_VARIANT),
    "placers": ["", "nobody", "none.py:X", "edge:0", "uniform,x=1", "fifo.py:X", "file:fifo.toml"],
    "resume": ["", "none.zip", "empty.zip", "fifo.zip", "/dev/zero"],
    "depth": ["", "x", "0", "-1", "99"],
    "variant": ["", "nobody", "random,x=1"],
    "position": ["8", "x", "4444444", "44455٣"],
    "results": ["", "none.json", "fifo.toml", "/dev/zero", "empty.zip", "nothing"],
    "paths": ["", "none.json", "fifo.toml", "/dev/zero", "empty.zip", "nothing"],
    "record": ["", "none.json", "fifo.toml", "/dev/zero", "empty.zip", "."],
    "file": ["", "none/x.py", "class.py", "a b.py", "1.py", "fifo.toml", "/dev/zero", "."],
    "name": ["", "nowhere", "none.toml", "fifo.toml"],
    "output": ["", "empty.zip/x"],
    "export_games": ["", "none/x.csv", ".", "x.json"],
    "chart": ["", "x.gif", "none/x.png"],
    "positional": [],
    **alike("files records", ["", "none.json", "fifo.toml", "/dev/zero", "empty.zip"]),
    "style": ["", "x"],
    "width": ["", "x", "0", "-1", "1mm", "9999mm", "84"],
    "opinions": ["", "nobody", "none.py:X", "empty.zip"],
    "following": [*NOT_WHOLE, "-1", "1001"],
    "odds": ["x", "-1", "nan", "inf", ""],
}
"""Values that each parameter must refuse, by the name that its function has for it."""


def parameters() -> list[tuple[str, click.Parameter]]:
    """Return all parameters of all commands that take a text or a number."""
    found = []
    for command in BASES:
        at = main
        for word in command.split():
            at = at.get_command(click.Context(at), word)
        for each in at.params:
            if not getattr(each, "is_flag", False):
                found.append((command, each))
    return found


PARAMETERS = parameters()


def test_each_parameter_has_values_to_refuse():
    assert {parameter.name for _, parameter in PARAMETERS} <= set(VALUES)


@st.composite
def lines(draw) -> Case:
    command, parameter = draw(st.sampled_from(PARAMETERS))
    value = draw(st.sampled_from(VALUES[parameter.name]))
    base = BASES[command]
    if isinstance(parameter, click.Argument):
        # In place of the command's own ones.
        base = [
            each for each in base if each.startswith("-") or base[base.index(each) - 1][0] == "-"
        ]
        return Case([*command.split(), *base, *([] if value == "--" else ["--"]), value])
    name = draw(st.sampled_from(parameter.opts))
    return Case([*command.split(), *without(base, parameter), name, value])


def without(base: list[str], option: click.Option) -> list[str]:
    """Return arguments without an option and its value, which may be given once."""
    for name in option.opts:
        if name in base and not option.multiple:
            at = base.index(name)
            return base[:at] + base[at + 2 :]
    return base


# --- all of them ----------------------------------------------------------------------------------

INPUTS = {
    "scenario": toml("scenario.toml"),
    "run file": toml("run.toml"),
    "plan": toml("plan.toml"),
    "layouts": layouts(),
    "agent": agents(),
    "saved game": saved(),
    "command line": lines(),
    "text": texts(),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Run in a folder with a pipe and an empty file; what is accepted is not played."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("pipes with names are for POSIX")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bsbench.cli.play.saved_game_path", lambda: tmp_path / "saved.json")
    for name in ("bsbench.runs.running.run", "bsbench.reproduce.folder.play"):
        monkeypatch.setattr(name, _accept)
    for name in ("fifo.toml", "fifo.zip", "fifo.py"):
        os.mkfifo(name)
    Path("empty.zip").touch()
    Path("empty.onnx").touch()
    return tmp_path


def _accept(*_: object, **__: object) -> None:
    raise Played(0)


def tried(kind: str, count: int, folder: Path) -> None:
    @seed(len(kind))
    @settings(max_examples=count, suppress_health_check=list(HealthCheck))
    @given(INPUTS[kind])
    def one(case: Case) -> None:
        for path in (*KINDS, "saved.json"):
            Path(path).unlink(missing_ok=True)
        run(case, folder)

    one()


@pytest.mark.parametrize("count", [15, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", INPUTS)
def test_wrong_input_is_refused_in_a_sentence(folder, kind, count):
    tried(kind, count, folder)
