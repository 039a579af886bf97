"""A study is a folder: one that is put beside the others is found, and no other file is touched."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import bsbench.studies
from _pages.schemas import schemas
from bsbench.cli import main
from bsbench.cli.group import Section
from tests.support import ROOT

TOY = ROOT / "tests" / "support" / "toy_study"
PLAYED = ("random", "linear", "--scenario", "gym-5x5", "-n", "50")


@pytest.fixture(autouse=True)
def _toy(monkeypatch):
    """Let studies lie in the folder of the toy, too."""
    monkeypatch.setattr(bsbench.studies, "__path__", [*bsbench.studies.__path__, str(TOY)])
    yield
    vars(bsbench.studies).pop("half", None)
    for name in [name for name in sys.modules if name.startswith("bsbench.studies.half")]:
        del sys.modules[name]


def _run(*words: str) -> str:
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_it_is_one_folder_that_no_file_of_bsbench_names():
    files = list(TOY.rglob("*.py"))
    assert {path.parent.name for path in files} == {"half"}
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= 150
    for path in (ROOT / "bsbench").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not {"studies.half", "bsbench-half"} & set(text.split()), path


def test_it_is_in_the_help_and_runs():
    (listed,) = re.findall("^  half +(.*)$", _run("--help"), re.MULTILINE)
    section = _run("--help").partition(f"{Section.ODDS}:")[2].partition("\n\n")[0]
    assert "\n  half " in section
    page = _run("half", "--help")
    assert listed in " ".join(page.split())
    assert "half [OPTIONS] STRATEGIES..." in page
    table = _run("half", *PLAYED).splitlines()
    assert table[0].split() == ["strategy", "moves"]
    assert [line.split()[0] for line in table[2:4]] == ["random", "linear"]
    assert {"50", "gym-5x5"} <= set(table[-1].split())


def test_it_is_exported_in_all_formats(in_folder):
    kinds = ["csv", "json", "md", "latex"]
    words = [word for kind in kinds for word in (f"--export-{kind}", f"half.{kind}")]
    _run("half", *PLAYED, *words, "-q")
    record = json.loads(Path("half.json").read_text(encoding="utf-8"))
    with Path("half.csv").open(encoding="utf-8") as file:
        rows = [(row["strategy"], int(row["moves"])) for row in csv.DictReader(file)]
    assert rows == [(each["strategy"], each["moves"]) for each in record["halves"]]
    random = record["halves"][0]["moves"]
    assert f"| `random` | {random} |" in Path("half.md").read_text(encoding="utf-8")
    assert rf"random & {random} \\" in Path("half.latex").read_text(encoding="utf-8")


def test_its_json_follows_the_schema_of_its_type():
    found = schemas()
    registry = Registry().with_resource("common.json", Resource.from_contents(found["common"]))
    check = Draft202012Validator(found["half"], registry=registry)
    record = json.loads(_run("half", *PLAYED, "--export-json", "-", "-q"))
    check.validate(record)
    for wrong in ({"games": -1}, {"surplus": 1}, {"halves": [{"strategy": "random"}]}):
        assert not check.is_valid(record | wrong), wrong


def test_its_chart_is_a_kind(in_folder):
    assert "halfway" in _run("chart", "--help")
    _run("run", *PLAYED[1:], "-o", "linear.json", "--no-charts", "-q")
    _run("chart", "--kind", "halfway", "linear.json", "-o", "halfway.svg")
    assert "<svg" in Path("halfway.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ha"], "half"),
        (["half", "--scenario", "gym-5"], "gym-5x5"),
        (["chart", "--kind", "half"], "halfway"),
    ],
)
def test_the_shell_completes_it(words, expected):
    shell = ShellComplete(main, {}, "bsbench", "_BSBENCH_COMPLETE")
    found = shell.get_completions(words[:-1], words[-1])
    assert expected in [each.value for each in found]


def test_the_reference_has_its_command_and_its_format(monkeypatch):
    from _pages import commands, formats

    pages = dict(commands.pages())
    assert "[`bsbench half`](half.md)\n: " in pages["reference/commands/index.md"]
    assert "`--scenario SCENARIO`" in pages["reference/commands/half.md"].replace("\\", "")
    pages = dict(formats.pages())
    assert "| [Half](half.md) | `bsbench-half-1` |" in pages["reference/formats/index.md"]
    assert "| `halves[].moves` | integer |" in pages["reference/formats/half.md"]
    assert "| `halves` | array of object |" in pages["reference/formats/half.md"]
