"""What each command keeps when a signal ends it, and how it goes on from that."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.cli.group import Keeps
from bsbench.common.journal import Journal
from bsbench.counting import optimum
from bsbench.studies.value import equilibrium
from tests.pages.when_a_command_ends import commands, kept
from tests.support.refusals import assert_refused

MEASURED = {"threads", "seconds", "versions", "date", "machine", "games_per_second"}


class Case(NamedTuple):
    """A command that Ctrl-C ends, as soon as a line on its progress has come so many times."""

    words: str
    mark: str
    times: int = 1
    resumes: bool = True
    marked: str = "partial"


SMALL = "--scenario gym-5x5 -n 40000 --threads 1"
SLOW = pytest.mark.slow
PLAN = """
title = "Mine"
text = "Two strategies."
[[parts]]
scenario = "gym-5x5"
strategies = ["linear", "random"]
games = 40_000
"""
CASES = {
    "`run` of one strategy": Case(f"run random {SMALL} --no-charts", "random: .*,"),
    "`run` of several": Case(f"run random linear {SMALL} --no-charts", "linear: .*,", 2),
    "`compare`": Case(f"compare random linear {SMALL} --no-charts", "linear: .*,", 2),
    "`match`": Case(f"match random linear {SMALL}", "linear: .*,", 2),
    "`optimum`": Case("optimum --board 3x3 --fleet 3,2 -s linear -s random", "least", 3),
    "`value`": Case(
        "value --board 3x3 --fleet 2,2 --against linear", "round 4", 1, marked="not proven"
    ),
    "`worst`": Case("worst datagenetics --scenario gym-10x10 -n 100000", "climbs", 3, False),
    "`tune`": Case(
        "tune datagenetics --vary hit_weight=1,3 --scenario gym-5x5 -n 40000", ",", 8, marked=""
    ),
    "`reproduce`": Case("reproduce mine.toml", "random: .*,", 1, marked=""),
    "`connect4 match`": Case("connect4 match random greedy -n 400", "games", 1, False),
}
LONG = {"`optimum`", "`value`", "`worst`", "`tune`"}
CLEAR = Case(
    "compare over9000 over9000,noise=0.0001 --until clear --margin 0.1 --no-charts",
    "noise.*: .*,",
    2,
)
ELSEWHERE = {"`play`": "test_play.py", "`survey` with `--play`": "test_survey.py"}
NOTHING = """
best, bound, cache, chart, check, cite, connect4 best, connect4 play, docs,
layouts, list, merge, new, odds, replay, report, show, solve, verify
"""


def test_each_command_says_what_it_keeps():
    ways = {way for keeps, found in kept().items() if keeps != Keeps.NOTHING for way in found}
    assert ways == CASES.keys() | ELSEWHERE.keys()
    nothing = {each.strip() for each in NOTHING.replace("\n", " ").split(",")}
    named = {way.split("`")[1] for way in ways}
    assert named | nothing == {name for name, _ in commands()}
    assert not named & nothing


@pytest.fixture
def interrupted(in_folder, monkeypatch):
    """Return what runs a command; with a case, Ctrl-C ends it."""
    monkeypatch.setattr("bsbench.cli.experiment._SHOWN_EVERY", 0.0)
    monkeypatch.setattr(optimum, "_AT_ONCE", 100)
    monkeypatch.setattr(optimum, "_PLACES", 1 << 14)
    (in_folder / "mine.toml").write_text(PLAN)
    awaited: list[Case] = []
    seen = [0]

    def show(now) -> None:
        if awaited and re.search(awaited[0].mark, str(now)):
            seen[0] += 1
            if seen[0] == awaited[0].times:
                raise KeyboardInterrupt

    @contextmanager
    def shown(*_):
        yield show

    for place in ("delivery.progress_bar", "delivery.status", "reproduce.progress_bar"):
        monkeypatch.setattr(f"bsbench.cli.{place}", shown)

    def run(words: str, case: Case | None = None):
        awaited[:], seen[0] = [case] if case else [], 0
        return CliRunner().invoke(main, words.split(), catch_exceptions=False)

    return run


def _found(name: str) -> dict:
    """Return what a record holds, or those in a folder, but for what is measured."""
    files = {file.name: file for file in Path(name).glob("*.json")} or {"": Path(f"{name}.json")}
    records = {file: json.loads(path.read_text()) for file, path in files.items()}
    return {file: _bare(record) for file, record in records.items()}


def _bare(record):
    if isinstance(record, dict):
        return {key: _bare(each) for key, each in record.items() if key not in MEASURED}
    return [_bare(each) for each in record] if isinstance(record, list) else record


@pytest.mark.parametrize(
    "case",
    [
        *(
            pytest.param(
                case,
                id=name,
                marks=[pytest.mark.ci] * (name in LONG) + [pytest.mark.quick] * (name == "`match`"),
            )
            for name, case in CASES.items()
        ),
        pytest.param(CLEAR, id="--until clear"),
    ],
)
@pytest.mark.played
def test_what_was_found_is_kept_and_gone_on_from(interrupted, in_folder, case):
    where = " -o x" if case.resumes else ""
    ended = interrupted(case.words + where, case)
    assert ended.exit_code == 130, ended.output
    assert case.marked in ended.stdout
    if not case.resumes:
        return
    assert ended.stderr.rstrip().endswith("--resume") or "--resume." in ended.stderr
    assert Path("x.journal").exists()
    if case.marked:
        assert _found("x")
    done = interrupted(f"{case.words} -o x --resume")
    assert done.exit_code in (0, 1), done.output
    assert not Path("x.journal").exists()
    whole = interrupted(f"{case.words} -o whole")
    assert whole.exit_code == done.exit_code
    assert _found("x") == _found("whole")
    if case is CASES["`reproduce`"]:
        return
    before = _found("x")
    again = interrupted(f"{case.words} -o x --resume")
    assert again.exit_code == 0, again.output
    assert _found("x") == before


DAMAGES = [None, ["a", "b"], [10**9, 10**9 + 1]]


@pytest.mark.ci
@pytest.mark.parametrize(
    "damage", [DAMAGES[0], *(pytest.param(each, marks=SLOW) for each in DAMAGES[1:])], ids=str
)
@pytest.mark.parametrize(
    ("words", "late", "early", "marked"),
    [
        (
            "optimum --board 4x4 --fleet 3,2 --touching no --feedback sunk -s linear",
            ("least mean,", 210),
            ("least mean,", 1),
            "are bounds",
        ),
        pytest.param(
            *("value --board 4x4 --fleet 3,2", ("round 9", 1), ("round 1,", 1), "not proven"),
            marks=SLOW,
        ),
    ],
)
def test_bounds_never_get_worse(interrupted, words, late, early, marked, damage):
    for name, moment in (("early", early), ("x", late)):
        ended = interrupted(f"{words} -o {name}", Case(words, *moment))
        assert ended.exit_code == 130, ended.output
        assert marked in ended.stdout
    first, best = _bounds("early"), _bounds("x")
    assert first[0] <= best[0] < best[1] <= first[1]
    assert first != best
    if damage is not None:
        journal = Journal.open("x.journal", _about("x.journal"), resume=True)
        journal.put("bounds", damage)
        journal.write()
        journal.close()
        before = Path("x.json").read_bytes()
        assert_refused(interrupted(f"{words} -o x --resume", Case(words, *early)), "x.journal")
        assert Path("x.json").read_bytes() == before
        return
    assert interrupted(f"{words} -o x --resume", Case(words, *early)).exit_code == 130
    assert _bounds("x") == best


def _bounds(name: str) -> list[Fraction]:
    record = json.loads(Path(f"{name}.json").read_text())
    bounds = record.get("bounds") or [record[key]["fraction"] for key in ("low", "high")]
    return [Fraction(bound) for bound in bounds]


def _about(path: str) -> dict:
    with closing(sqlite3.connect(path)) as database:
        ((text,),) = database.execute("SELECT about FROM about")
    return json.loads(text)


@pytest.mark.ci
def test_what_is_whole_is_whole_for_the_same_question_only(interrupted):
    words = "value --board 3x3 --fleet 2"
    assert interrupted(f"{words} -o x").exit_code == 0
    before = Path("x.json").read_bytes()
    for same in (words, f"{words} --seconds 5"):
        done = interrupted(f"{same} -o x --resume")
        assert done.exit_code == 0
        assert "x.json" in done.stdout
    for other in (f"{words} --against linear", words.replace("3x3", "3x4")):
        assert_refused(interrupted(f"{other} -o x --resume"), "x.json", "--force")
    assert_refused(interrupted(f"{words} -o x"), "x.json", "--force")
    assert Path("x.json").read_bytes() == before
    # What was asked for beside the record is written, too.
    assert interrupted(f"{words} -o x --resume --export-csv a.csv").exit_code == 0
    assert Path("a.csv").exists()


@pytest.mark.ci
def test_time_that_was_up_is_gone_on_from(interrupted, monkeypatch):
    watch = equilibrium._DoubleOracle._watch

    def hurry(search, now) -> None:
        watch(search, now)
        if search.found.rounds == 3:
            raise equilibrium._TimeUp

    words = "value --board 3x3 --fleet 2,2"
    with monkeypatch.context() as patch:
        patch.setattr(equilibrium._DoubleOracle, "_watch", hurry)
        ended = interrupted(f"{words} -o x")
    assert ended.exit_code == 0, ended.output
    assert "not proven" in ended.stdout
    assert "--resume" in ended.stderr
    before = _bounds("x")
    done = interrupted(f"{words} -o x --resume")
    assert done.exit_code == 0, done.output
    assert before[0] <= _bounds("x")[0] == _bounds("x")[1] <= before[1]
    assert not Path("x.journal").exists()
