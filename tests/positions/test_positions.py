"""The reference positions, and the second counter that confirms them."""

from __future__ import annotations

import ast
import re
import sys
from fractions import Fraction
from types import SimpleNamespace

import pytest

from _pages.positions import pages
from bsbench.common.errors import BsbenchError
from bsbench.counting.evidence import Evidence
from bsbench.counting.posterior import find_posterior
from bsbench.rules.board import TOUCHING, Feedback
from bsbench.rules.position import Position, answer_text
from bsbench.rules.scenario import find_scenario
from tests.docs.test_blocks import PAGES, blocks
from tests.positions import make, second

FILES = {kind.rules: second.positions_in(kind.path) for kind in make.KINDS}
SMALL = [rules for rules in FILES if second.read(f"{rules}:").rules.cells <= 20]


def _package(text: str) -> second.Count:
    """Return what the package counts."""
    position = Position.parse(text)
    found = find_posterior(Evidence(position.rules, position.answers))
    return second.Count(found.layouts, [int(number) for number in found.cells])


@pytest.mark.quick
def test_lines_are_positions_of_many_rules():
    positions = {text: Position.parse(text) for texts in FILES.values() for text in texts}
    assert len(positions) == sum(kind.positions for kind in make.KINDS) >= 2_000
    assert {*make.FOLDER.glob("*.txt")} == {kind.path for kind in make.KINDS}
    for text, position in positions.items():
        assert str(position) == text
        assert len(position.expected) >= 2 + make.FEWEST_OPEN
        assert len({*position.expected}) == len(position.expected)
    rules = {position.rules for position in positions.values()}
    assert len(rules) == len(FILES) >= 12
    assert {each.touching for each in rules} == {*TOUCHING}
    assert {each.feedback for each in rules} == {*Feedback}
    assert {*range(3, 11)} <= {each.rows for each in rules}
    assert sum(each.joint for each in rules) >= 3
    fleet = (4, 3, 3, 2, 2, 2, 1, 1, 1, 1)
    assert {each.apart.wire for each in rules if each.fleet == fleet} == {"apart", "corners"}
    # Games that have just begun, and some that are nearly over.
    assert {f"{kind.rules}:" for kind in make.KINDS if kind.fewest == 0} <= {
        text.partition(" ;")[0] for text in positions
    }
    assert any(text.count("=sunk") == 9 for text in positions)


@pytest.mark.quick
@pytest.mark.all_cases
@pytest.mark.parametrize("rules", SMALL)
def test_small_boards_are_counted_alike_in_three_ways(rules):
    for text in FILES[rules][:: len(SMALL) * 80 // 100]:
        line = second.read(text)
        assert second.enumerated(line) == second.counted(line) == _package(text)
        assert second.difference(text) == ""


@pytest.mark.slow
@pytest.mark.parametrize("rules", FILES)
def test_the_second_counter_confirms_each_line(rules):
    for text in FILES[rules]:
        assert second.difference(text) == "", text


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, id=kind.rules, marks=[pytest.mark.slow] * (kind.rules not in SMALL[:2]))
        for kind in make.KINDS
    ],
)
def test_the_script_writes_the_same_again(kind):
    assert make.file_text(kind) == kind.path.read_text(encoding="utf-8")


def test_the_second_counter_shares_no_code():
    tree = ast.parse((make.FOLDER / "second.py").read_text(encoding="utf-8"))
    imported = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported += [
        each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names
    ]
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names


RIGHT = "3x3 2 touching hit: B2=hit ; layouts=4 best=A2,B1,B3,C2 A1=0/1 A2=1/4 C2=1/4"


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("layouts=4", "layouts=8", "layouts=4"),
        ("best=A2,B1,B3,C2", "best=A2", "best=A2,B1,B3,C2"),
        ("best=A2,B1", "best=A1,A2,B1", "best=A2,B1,B3,C2"),
        ("A2=1/4", "A2=2/8", "A2=1/4"),
        ("A1=0/1", "A1=1/4", "A1=0/1"),
        ("B2=hit", "B2=miss", "layouts=8"),
        ("touching", "apart", ""),
    ],
)
def test_wrong_figures_are_found(right, wrong, said, tmp_path, capsys):
    assert second.difference(RIGHT) == ""
    assert second.difference(RIGHT.replace(right, wrong)) == said
    path = tmp_path / "some.txt"
    path.write_text(f"# some\n{RIGHT}\n{RIGHT.replace(right, wrong)}\n")
    assert second.main([str(path)]) == (said != "")
    assert said in capsys.readouterr().out


def test_unknown_rules_are_refused():
    for head in ("3x3 2 near hit", "3x3 2 apart seen", "3x3 2 apart hit repeats"):
        with pytest.raises(ValueError, match="unknown rules"):
            second.read(f"{head}: ; layouts=12")


BY_HAND = [
    # Ships of one: how many places they have.
    ("3x3 2 touching hit: ; layouts=12 best=B2 A1=2/12 A2=3/12 B2=4/12", "6 along, 6 down"),
    ("3x3 2 touching hit: B2=miss ; layouts=8 A1=2/8 A2=2/8", "a ring of 8 cells"),
    ("3x3 2 touching hit: B2=hit ; layouts=4 best=A2,B1,B3,C2 A1=0/4 A2=1/4", "4 neighbours"),
    ("3x3 2 touching hit: A1=hit ; layouts=2 best=A2,B1 A2=1/2 B2=0/2", "2 neighbours"),
    ("3x3 2 touching hit: A1=hit A2=miss ; layouts=1 best=B1 B1=1/1 C1=0/1", "only down"),
    ("3x3 2 touching hit 3-shots: B2=miss ; layouts=8 A1=1/4", "turns tell nothing more"),
    ("3x3 3 touching hit: ; layouts=6 A1=2/6 B2=2/6 C2=2/6", "3 rows and 3 columns"),
    ("3x3 1 touching hit: A1=miss ; layouts=8 B2=1/8 C3=1/8", "8 cells are left"),
    ("1x4 2 touching hit: ; layouts=3 best=A2,A3 A1=1/3 A2=2/3", "12, 23, 34"),
    ("1x5 3 touching hit: ; layouts=3 best=A3 A1=1/3 A2=2/3 A3=3/3", "all have the middle"),
    ("4x4 4 touching hit: ; layouts=8 A1=2/8 B3=2/8", "4 rows and 4 columns"),
    ("5x5 5 touching hit: C3=miss ; layouts=8 A1=2/8 A3=1/8 C1=1/8", "row C, column 3 are out"),
    ("10x10 5 touching ship: ; layouts=120 best=E5,E6,F5,F6 A1=2/120 E5=10/120", "6 in each of 20"),
    ("10x10 2 apart hit: ; layouts=180 A1=2/180 A2=3/180 B2=4/180", "9 in each of 20"),
    # Two ships; equal ones that change places count twice.
    ("2x2 1-1 touching hit: ; layouts=12 A1=6/12 B2=6/12", "4 cells times 3"),
    ("2x2 1-1 corners hit: ; layouts=4 A1=2/4 A2=2/4", "2 diagonals, twice"),
    ("1x5 2-2 apart hit: ; layouts=2 best=A1,A2,A4,A5 A1=2/2 A3=0/2", "12 45, twice"),
    (
        "1x6 2-2 apart hit: ; layouts=6 best=A2,A5 A1=4/6 A2=6/6 A3=2/6",
        "12 45, 12 56, 23 56, twice",
    ),
    (
        "1x6 2-2 touching hit: ; layouts=12 best=A2,A5 A1=6/12 A2=10/12 A3=8/12",
        "12 34, 12 45, 12 56, 23 45, 23 56, 34 56, twice",
    ),
    ("1x6 2-2 touching hit: A2=hit ; layouts=10 best=A5 A1=6/10 A3=6/10 A5=8/10", "without 34 56"),
    (
        "1x7 3-2 apart sunk: ; layouts=6 best=A2,A6 A1=4/6 A2=6/6 A3=4/6 A4=2/6",
        "123 56, 123 67, 234 67, and mirrored",
    ),
    (
        "3x3 2-2 apart hit: ; layouts=16 A1=8/16 A2=8/16 B2=0/16",
        "in rows A and C, or columns 1 and 3, 4 ways each, twice",
    ),
    (
        "3x3 1-1 apart hit: B2=miss ; layouts=32 best=A1,A3,C1,C3 A1=10/32 A2=6/32",
        "beside a corner's 2 neighbours 5 cells are free, beside an edge's 4 are 3",
    ),
    # What is told of sinkings.
    (
        "3x3 2-2 apart sunk: A1=hit A2=sunk:2a@A1-A2 ; layouts=2 best=C2 B1=0/2 C1=1/2 C2=2/2",
        "row C",
    ),
    ("3x3 2-2 apart told: A1=hit A2=sunk ; layouts=4 best=C2 B1=0/4 C1=2/4 C2=4/4", "either sank"),
    ("1x5 3-2 touching told: A1=hit A2=sunk ; layouts=1 best=A3,A4,A5 A3=1/1", "3 must be behind"),
    (
        "1x5 2-2 touching length: A2=hit A3=sunk:2 ; layouts=2 best=A4,A5 A1=0/2 A4=2/2",
        "23 45, twice",
    ),
    ("1x4 2-1 touching told: A2=sunk ; layouts=1 best=A3,A4 A1=0/1 A3=1/1", "1 is on A2, 2 behind"),
    (
        "1x4 2-1 touching told: A2=hit ; layouts=4 best=A1,A3 A1=3/4 A3=3/4 A4=2/4",
        "12 with 3 or 4, 23 with 1 or 4: the ship of 1 would have sunk",
    ),
    (
        "1x4 2-1 touching hit: A2=hit ; layouts=5 best=A3 A1=3/5 A3=4/5 A4=3/5",
        "12 with 3 or 4, 23 with 1 or 4, 34 with 2",
    ),
    ("2x2 2-2 touching hit: A1=hit A2=hit ; layouts=4 B1=4/4 B2=4/4", "2 rows or 2 columns, twice"),
    ("2x2 2-2 touching length: A1=hit A2=hit ; layouts=2 B1=2/2", "not the rows: none has sunk"),
    # Which ship is hit, and joint answers.
    ("1x6 3-2 touching ship: A3=hit:2 ; layouts=1 best=A2,A4,A5,A6 A1=0/1 A2=1/1", "23 456"),
    (
        "2x3 2-2 touching ship: A1=hit:2a ; layouts=7 best=A2,B1 A2=5/7 A3=3/7 B2=4/7",
        "2a on A1 A2, 2b in 3 places behind; 2a on A1 B1, 2b in 4",
    ),
    ("1x5 2-1 touching ship 2-shots joint: A1+A3=0 ; layouts=1 best=A2,A4,A5 A2=1/1", "45 and 2"),
    (
        "2x2 1-1 touching ship 2-shots joint: A1+B2=1a:1 ; layouts=4 best=A2,B1 A2=2/4",
        "1a on A1 or B2, 1b on A2 or B1",
    ),
]
"""Positions whose figures can be counted by hand, and how: cells of a row are its numbers."""


@pytest.mark.all_cases
@pytest.mark.parametrize(("text", "why"), BY_HAND)
def test_figures_are_those_counted_by_hand(text, why):
    line = second.read(text)
    for layouts, cells in (_package(text), second.enumerated(line), second.counted(line)):
        for name, figure in line.figures.items():
            if name == "layouts":
                assert layouts == int(figure)
            elif name == "best":
                left = [cell for cell in range(len(cells)) if cell not in line.answers]
                most = max(cells[cell] for cell in left)
                best = [line.rules.name(cell) for cell in left if cells[cell] == most]
                assert best == figure.split(","), why
            else:
                number, of = map(int, figure.split("/"))
                assert Fraction(cells[line.rules.cell(name)], layouts) == Fraction(number, of), why


PAGE = PAGES["docs/positions"]


def test_what_the_page_says_of_the_file_is_true():
    ((name, text),) = pages()
    assert f'href="{name.rpartition("/")[2]}"' in PAGE
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert sorted(lines) == sorted(line for texts in FILES.values() for line in texts)
    assert f"{len(lines):,} positions of {len(FILES)} rules, from 3×3 to 10×10" in PAGE
    assert f"{len(lines):,} [reference positions]" in PAGES["docs/figures"]


def test_the_positions_and_answers_of_the_page_are_read():
    codes = [
        code.replace(r"\|", "|")
        for code in re.findall(r"^\|.*?`(.*?)` \|", PAGE, flags=re.MULTILINE)
    ]
    positions = [code for code in codes if ":" in code.partition("=")[0]]
    assert len(positions) == 5
    for text in positions:
        assert str(Position.parse(text)) == text
    assert second.difference(positions[-1]) == ""
    answers = [code for code in codes if code not in positions]
    assert len(answers) == 8
    changes = [{"feedback": kind} for kind in Feedback] + [{"shots": 2, "answers": "joint"}]
    for answer in answers:
        read = []
        for change in changes:
            where = find_scenario("classic").override(**change)
            try:
                position = Position.parse(answer, where)
                read.append(answer_text(position.answers[0], where.rules))
            except BsbenchError:
                continue
        assert answer in read


def _mine(rules: list[str], answers: list[str]) -> tuple[int, dict[str, int]]:
    """Count as the page asks a program to."""
    line = second.read(f"{' '.join(rules)}: {' '.join(answers)}")
    layouts, cells = second.count(line)
    left = [cell for cell in range(len(cells)) if cell not in line.answers]
    return layouts, {line.rules.name(cell): cells[cell] for cell in left}


def test_a_program_checks_itself_as_the_page_says(in_folder, monkeypatch):
    (code,) = (code for language, code in blocks(PAGE) if language == "python")
    lines = [line for rules in SMALL for line in FILES[rules][:5]]
    (in_folder / "positions.txt").write_text("\n".join(["# some", *lines]))
    monkeypatch.setitem(sys.modules, "mine", SimpleNamespace(count=_mine))
    exec(code, {})
    wrong = [
        lambda layouts, cells: (layouts + 1, cells),
        lambda layouts, cells: (layouts, dict(reversed(cells.items()))),
        lambda layouts, cells: (layouts, cells | {min(cells, key=cells.get): -1}),
        lambda layouts, cells: (layouts, {cell: number + 1 for cell, number in cells.items()}),
    ]
    for change in wrong:
        mine = SimpleNamespace(count=lambda rules, answers: change(*_mine(rules, answers)))  # noqa: B023
        monkeypatch.setitem(sys.modules, "mine", mine)
        with pytest.raises(AssertionError):
            exec(code, {})
