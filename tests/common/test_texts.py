"""Text of users and strangers: checked on the way in, escaped on every way out."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bsbench
from bsbench.common.errors import StrategyError
from bsbench.common.texts import (
    as_markdown_code,
    for_csv,
    for_markdown,
    for_terminal,
    is_line,
    is_text,
    prose_for_markdown,
    short,
    short_names,
    shortened,
)
from bsbench.rules.scenario import find_scenario, scenario_from_dict
from bsbench.runs.results import save_result
from tests.support.fuzzing import JUNK, ended
from tests.support.refusals import assert_refused, refused

HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "a`b|c", "<script>", "[x](y)", "&amp;", "$\\foo$"]

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What controls a terminal, changes the direction of writing, or can't be encoded."""


@given(text=st.text(st.characters(), max_size=40) | st.sampled_from([j for j in JUNK if j]))
def test_no_text_is_obeyed_by_a_terminal(text):
    if not isinstance(text, str):
        return
    shown = for_terminal(text)
    assert for_terminal(shown) == shown
    assert not _OBEYED.search(shown)
    shown.encode()
    if is_line(text):
        assert shown == text
        text.encode()


@pytest.mark.parametrize("text", ["a\nb", "\x1b[2J", "\u202e", "\ud800", "x" * 1_001, 3, None])
def test_what_is_no_line(text):
    assert not is_line(text)
    assert is_text(text) == (text in ("a\nb", "x" * 1_001))
    assert len(shortened(text)) < 100
    assert shortened(text).isprintable()


def test_each_format_has_its_escapes():
    assert [for_csv(text) for text in HOSTILE[:4]] == [f"'{text}" for text in HOSTILE[:4]]
    kept = ["a=b", "", "1", -1, 2.5, None]
    assert [for_csv(cell) for cell in kept] == kept
    assert for_markdown("a`b|c\n# <d>") == "a\\`b\\|c \\# \\<d\\>"
    assert as_markdown_code("prob") == "`prob`"
    assert as_markdown_code("a`b") == "a\\`b"
    assert prose_for_markdown("`a|b` [c]\n `d") == "`a|b` \\[c\\] \\`d"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_comes_through_every_format(in_folder, name):
    table = find_scenario("gym-6x6").to_dict() | {"name": name}
    for strategy in ("linear", "random"):
        result = bsbench.run(strategy, scenario_from_dict(table), games=20)
        save_result(result, f"{strategy}.json")
    text = result.csv_text()
    assert not re.search(r"(^|,)\"?[=+@-]", text)
    read = pd.read_csv(io.StringIO(text))
    assert set(read["scenario"]) == {for_csv(name)}
    assert read["games"].sum() == 20
    both = ["compare", "linear.json", "random.json"]
    exported = ended(*both, "-q", "--export-csv", "-").stdout
    assert len(pd.read_csv(io.StringIO(exported))) == 2
    markdown = ended(*both, "-q", "--export-md", "-").stdout
    assert for_markdown(name) in markdown
    assert name in ended(*both).output
    page = ended("report", "linear.json", "random.json", "-o", "-").stdout
    # The page has a script of its own.
    assert page.count("<script>") == 1
    assert ended("chart", "linear.json", "-k", "ecdf", "-o", "a.svg").exit_code == 0


def test_a_scenario_file_has_lines_of_text(in_folder):
    for key, value in (("name", "x" * 1_001), ("summary", "a\\u001b[2J"), ("source", "\\u202e")):
        text = 'board = "6x6"\nfleet = [2]\ntouching = true\nfeedback = "hit"\n'
        Path("mine.toml").write_text(f'{text}{key} = "{value}"')
        result = ended("run", "-s", "linear", "--scenario", "mine.toml", "-q")
        assert_refused(result, "mine.toml", key)


def test_a_label_that_no_record_could_hold_is_refused_before_it_is_played():
    @dataclass
    class Said(bsbench.Strategy):
        name = "said"
        source = "two\nlines"

        def shoot(self, view):
            raise AssertionError("never played")

    with refused("said", "source"):
        bsbench.run(Said(), games=1)


def test_what_a_strategy_says_is_escaped():
    error = StrategyError("x", 3, 0, 1, "ValueError: \x1b[31m\ud800", "\x1b]0;title\x07")
    assert str(error).endswith("ValueError: \\x1b[31m\\ud800\n  \\x1b]0;title\\x07")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows forbids such names")
def test_names_of_files_are_escaped(in_folder):
    record = bsbench.run("linear", "gym-6x6", games=20).to_dict()
    for name in ("\x1b[31mred.json", "other.json"):
        Path(name).write_text(json.dumps(record))
    assert "\\x1b[31mred" in ended("show", "\x1b[31mred.json").output
    assert "linear (\\x1b[31mred)" in ended("compare", "other.json", "\x1b[31mred.json").output
    Path("\x1b[31mred.json").write_text("{")
    assert_refused(ended("report", ".", "-o", "-"), "\\x1b[31mred.json")


def test_hidden_files_make_no_folder_unreadable(in_folder):
    save_result(bsbench.run("linear", "gym-6x6", games=40), "d/linear")
    text = Path("d/linear.json").read_text()
    Path("d/.linear.abcd1234.json").write_text(text[:300])
    Path("d/.linear.json").write_text(text)
    assert ended("report", "d", "-o", "-").exit_code == 0
    assert ended("chart", "d", "-k", "ecdf", "-o", "-").exit_code == 0


@settings(max_examples=30)
@given(st.lists(st.text("ab", max_size=12), unique=True), st.integers(3, 8))
def test_short_names_are_as_different_as_names(names, longest):
    found = short_names(names, longest)
    assert len(set(found)) == len(names)
    # Those that need not be longer are not.
    if len({short(name, longest) for name in names}) == len(names):
        assert all(len(each) <= longest for each in found)
