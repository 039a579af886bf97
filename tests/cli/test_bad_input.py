"""Values that options and arguments must refuse: one sentence and exit code 2, nothing accepted.

Hypothesis draws a parameter of a command, and a value. A few are tried every time; more are slow.
Files that are wrong: `tests/support/damage.py`, and the tests of who reads them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from bsbench.cli import main


class Played(SystemExit):
    """Raised in place of playing: the input was accepted."""


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
def lines(draw) -> list[str]:
    """Return the words of a command, of which one value is wrong."""
    command, parameter = draw(st.sampled_from(PARAMETERS))
    value = draw(st.sampled_from(VALUES[parameter.name]))
    base = BASES[command]
    if isinstance(parameter, click.Argument):
        # In place of the command's own ones.
        base = [
            each for each in base if each.startswith("-") or base[base.index(each) - 1][0] == "-"
        ]
        return [*command.split(), *base, *([] if value == "--" else ["--"]), value]
    name = draw(st.sampled_from(parameter.opts))
    return [*command.split(), *without(base, parameter), name, value]


def without(base: list[str], option: click.Option) -> list[str]:
    """Return arguments without an option and its value, which may be given once."""
    for name in option.opts:
        if name in base and not option.multiple:
            at = base.index(name)
            return base[:at] + base[at + 2 :]
    return base


@pytest.fixture
def folder(in_folder, monkeypatch):
    """Run in a folder with a pipe and an empty file; what is accepted is not played."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("pipes with names are for POSIX")
    monkeypatch.setattr("bsbench.cli.play.saved_game_path", lambda: in_folder / "saved.json")
    for name in ("bsbench.runs.running.run", "bsbench.reproduce.folder.play"):
        monkeypatch.setattr(name, _accept)
    for name in ("fifo.toml", "fifo.zip", "fifo.py"):
        os.mkfifo(name)
    Path("empty.zip").touch()
    Path("empty.onnx").touch()


def _accept(*_: object, **__: object) -> None:
    raise Played(0)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("count", [30, pytest.param(150, marks=pytest.mark.slow)])
def test_a_wrong_value_is_refused_in_a_sentence(count):
    @seed(12)
    @settings(max_examples=count, suppress_health_check=list(HealthCheck))
    @given(lines())
    def one(words: list[str]) -> None:
        Path("saved.json").unlink(missing_ok=True)
        done = CliRunner().invoke(main, words)
        told = f"{words}\n{done.output}\n{done.exc_info}"
        assert isinstance(done.exception, SystemExit), told
        assert done.exit_code == 2, told
        *usage, sentence = done.stderr.strip("\n").split("\n")
        assert sentence.startswith("Error: "), told
        assert all(re.match("Usage: |Try |$|Scenario ", line, re.I) for line in usage), told
        assert len(sentence) < 1_000, told
        assert sentence.isprintable(), told

    one()
