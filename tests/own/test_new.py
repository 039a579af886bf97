"""`bsbench new` writes working strategies of each kind, and the examples work.

What bots do that it writes is tested in `test_new_bots`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.own import templates
from bsbench.own.templates import KINDS, write_template
from bsbench.studies.check.study import check_strategy
from tests.support import ROOT
from tests.support.refusals import assert_refused, names, refused

EXAMPLES = ROOT / "examples"
# The placer is tested in `test_placers`.
STRATEGIES = [name for name, kind in KINDS.items() if not kind.run and kind.role == "strategy"]


@pytest.mark.parametrize("kind", STRATEGIES)
def test_templates_work(in_folder, kind):
    result = CliRunner().invoke(main, ["new", "my_file.py", "--kind", kind])
    assert result.exit_code == 0, result.output
    assert "bsbench check my_file.py:MyFile" in result.stdout
    text = Path("my_file.py").read_text()
    assert "$" not in text
    assert max(map(len, text.splitlines())) <= 100
    report = check_strategy("my_file.py:MyFile", games=6)
    assert report.passed, str(report)
    assert report.strategy == "my-file"


@pytest.mark.parametrize("file", ["mine.py", "mine.cpp"])
def test_a_file_that_is_there_is_left_as_it_is(in_folder, file):
    Path(file).write_text("mine")
    result = CliRunner().invoke(main, ["new", file])
    assert_refused(result, file)
    assert Path(file).read_text() == "mine"


@pytest.mark.parametrize(
    ("file", "kind", "spec", "build"),
    [
        ("a.py", None, "a.py:A", ""),
        ("a.py", "numba", "a.py:A", ""),
        ("a.py", "python-process", "cmd:python3 a.py", ""),
        ("a.cc", None, "cmd:./a", "g++ -O3 -std=c++17 -o a a.cc"),
        ("a b/c.rs", None, "cmd:'a b/c'", "rustc -O -o 'a b/c' 'a b/c.rs'"),
        ("a-b.java", None, "cmd:java -cp . AB", "javac a-b.java"),
        # A class called String would hide Java's own.
        ("string.java", None, "cmd:java -cp . MyString", "javac string.java"),
        ("class.js", None, "cmd:node class.js", ""),
        ("a.mjs", "js", "cmd:node a.mjs", ""),
    ],
)
def test_kind_and_commands_follow_from_the_name(in_folder, file, kind, spec, build):
    Path(file).parent.mkdir(exist_ok=True)
    written = write_template(file, kind)
    assert (written.spec, written.build) == (spec, build)


def test_a_path_stands_in_comments_only_where_it_can_do_no_harm(in_folder):
    Path("a*").mkdir()
    written = write_template("a*/bot.py", "python-process")
    assert written.spec == "cmd:python3 'a*/bot.py'"
    text = Path("a*/bot.py").read_text()
    assert "cmd:python3 bot.py" in text
    assert "a*" not in text


def test_a_program_that_is_missing_is_named(in_folder, monkeypatch):
    monkeypatch.setenv("PATH", str(in_folder))
    result = CliRunner().invoke(main, ["new", "mine.java"])
    assert result.exit_code == 0
    for tool, line in zip(("javac", "java"), result.stderr.splitlines(), strict=True):
        assert names(line, tool)


def test_kinds_are_completed():
    completion = ShellComplete(main, {}, "bsbench", "_BSBENCH_COMPLETE")
    found = completion.get_completions(["new", "--kind"], "p")
    assert [item.value for item in found] == ["python", "placer", "python-process"]


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("mine", (".py", ".cpp", ".mjs")),
        ("2.cpp", ("'2.cpp'", "my_file.cpp")),
        ("2.py", ("2.py",)),
        ("class.py", ("class.py",)),
        ("a b.py", ("a b.py",)),
        ("no/where/mine.py", ("no/where/mine.py",)),
    ],
)
def test_bad_file_names_are_refused(in_folder, file, named):
    with refused(*named):
        write_template(file)
    assert not list(in_folder.iterdir())


def test_a_file_of_another_kind_is_refused(in_folder):
    result = CliRunner().invoke(main, ["new", "mine.py", "--kind", "cpp"])
    assert_refused(result, "mine.py", "cpp", ".cpp")
    assert not list(in_folder.iterdir())


def test_names_follow_from_the_file():
    assert templates.names(Path("my_file.py")) == ("MyFile", "my-file")
    assert templates.names(Path("a-b_c.py")) == ("ABC", "a-b-c")
    assert templates.names(Path("prob.py"), ("prob",)) == ("MyProb", "my-prob")
    assert templates.names(Path("true.py")) == ("MyTrue", "my-true")


@pytest.mark.parametrize(
    "spec",
    [
        "parity_line_hunter.py:ParityLineHunter",
        pytest.param("corner_shy.py:CornerShy", marks=pytest.mark.slow),
        pytest.param("spiral_hunter.py:SpiralHunter", marks=pytest.mark.slow),
    ],
)
def test_examples_keep_to_the_contract(spec):
    report = check_strategy(f"{EXAMPLES}/{spec}", games=4)
    assert report.passed, str(report)
