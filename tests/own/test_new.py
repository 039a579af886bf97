"""`bsbench new` writes working strategies of each kind, and the examples work.

What bots do that it writes is tested in `test_new_bots`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from bsbench.cli import main
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
        ("a.py", "numba", "a.py:A", ""),
        ("a.py", "python-process", "cmd:python3 a.py", ""),
        ("a.cc", None, "cmd:./a", "g++ -O3 -std=c++17 -o a a.cc"),
        ("a b/c.rs", None, "cmd:'a b/c'", "rustc -O -o 'a b/c' 'a b/c.rs'"),
        ("a-b.java", None, "cmd:java -cp . AB", "javac a-b.java"),
        # A class called String would hide Java's own.
        ("string.java", None, "cmd:java -cp . MyString", "javac string.java"),
        ("true.py", None, "true.py:MyTrue", ""),
        ("class.js", None, "cmd:node class.js", ""),
        ("a.mjs", "js", "cmd:node a.mjs", ""),
    ],
)
def test_kind_and_commands_follow_from_the_name(in_folder, file, kind, spec, build):
    Path(file).parent.mkdir(exist_ok=True)
    written = write_template(file, kind)
    assert (written.spec, written.build) == (spec, build)


def test_a_program_that_is_missing_is_named(in_folder, monkeypatch):
    monkeypatch.setenv("PATH", str(in_folder))
    result = CliRunner().invoke(main, ["new", "mine.java"])
    assert result.exit_code == 0
    for tool, line in zip(("javac", "java"), result.stderr.splitlines(), strict=True):
        assert names(line, tool)


@pytest.mark.parametrize(
    ("file", "kind", "named"),
    [
        ("mine", None, (".py", ".cpp", ".mjs")),
        ("2.cpp", None, ("'2.cpp'", "my_file.cpp")),
        ("class.py", None, ("class.py",)),
        ("no/where/mine.py", None, ("no/where/mine.py",)),
        ("mine.py", "cpp", ("mine.py", "cpp", ".cpp")),
    ],
)
def test_bad_file_names_are_refused(in_folder, file, kind, named):
    with refused(*named):
        write_template(file, kind)
    assert not list(in_folder.iterdir())


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
