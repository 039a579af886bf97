"""`bsbench new` writes working strategies of each kind, and the examples work."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.common.errors import BsbenchError
from bsbench.own.templates import KINDS, names, write_template
from bsbench.runs.check import check_strategy

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("kind", KINDS)
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


def test_a_file_that_is_there_is_left_as_it_is(in_folder):
    Path("mine.py").write_text("mine")
    result = CliRunner().invoke(main, ["new", "mine.py"])
    assert result.exit_code == 2
    assert "mine.py is there already, and is left as it is" in result.stderr
    assert Path("mine.py").read_text() == "mine"


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("mine", "ends in .py"),
        ("2.py", "begin the file's name with a letter"),
        ("class.py", "no word of Python's own"),
        ("a b.py", "letters, digits and _"),
        ("no/where/mine.py", "can't write"),
    ],
)
def test_bad_file_names_are_refused(in_folder, file, words):
    with pytest.raises(BsbenchError, match=words):
        write_template(file)


def test_names_follow_from_the_file():
    assert names(Path("my_file.py")) == ("MyFile", "my-file")
    assert names(Path("a-b_c.py")) == ("ABC", "a-b-c")
    assert names(Path("prob.py"), ("prob",)) == ("MyProb", "my-prob")
    assert names(Path("true.py")) == ("MyTrue", "my-true")


@pytest.mark.parametrize(
    "spec",
    [
        "parity_line_hunter.py:ParityLineHunter",
        "corner_shy.py:CornerShy",
        "spiral_hunter.py:SpiralHunter",
    ],
)
def test_examples_keep_to_the_contract(spec):
    report = check_strategy(f"{EXAMPLES}/{spec}", games=4)
    assert report.passed, str(report)
