"""A study is a folder: one that is put beside the others is found, and no other file is touched."""

from __future__ import annotations

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


def test_it_is_in_the_help_and_the_shell_completes_it():
    section = _run("--help").partition(f"{Section.ODDS}:")[2].partition("\n\n")[0]
    (listed,) = re.findall("^  half +(.*)$", section, re.MULTILINE)
    assert listed in " ".join(_run("half", "--help").split())
    shell = ShellComplete(main, {}, "bsbench", "_BSBENCH_COMPLETE")
    for words, expected in (([], "half"), (["chart", "--kind"], "halfway")):
        assert expected in [each.value for each in shell.get_completions(words, "half")]


def test_its_table_and_its_json_say_the_same():
    table = _run("half", *PLAYED).splitlines()
    assert table[0].split() == ["strategy", "moves"]
    record = json.loads(_run("half", *PLAYED, "--export-json", "-", "-q"))
    rows = [[each["strategy"], str(each["moves"])] for each in record["halves"]]
    assert [line.split() for line in table[2:4]] == rows
    found = schemas()
    registry = Registry().with_resource("common.json", Resource.from_contents(found["common"]))
    check = Draft202012Validator(found["half"], registry=registry)
    check.validate(record)
    assert not check.is_valid(record | {"games": -1})


def test_its_chart_is_a_kind(in_folder):
    _run("run", *PLAYED[1:], "-o", "linear.json", "--no-charts", "-q")
    _run("chart", "--kind", "halfway", "linear.json", "-o", "halfway.svg")
    assert "<svg" in Path("halfway.svg").read_text(encoding="utf-8")


def test_the_reference_has_its_command_and_its_format():
    from _pages import commands, formats

    assert "`--scenario SCENARIO`" in dict(commands.pages())["reference/commands/half.md"].replace(
        "\\", ""
    )
    assert "| `halves[].moves` | integer |" in dict(formats.pages())["reference/formats/half.md"]
