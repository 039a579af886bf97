"""The problem "Spot the ships": samples, walks of the appendices, bad input."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from bsbench.cli import main
from bsbench.play.spot_the_ships import Problem, Scan, read_problem, solve
from bsbench.roster import find_strategy
from bsbench.rules.scenario import find_scenario
from tests.support import naive
from tests.support.helpers import draw_layouts, rules
from tests.support.refusals import assert_refused

# Section 8. The text lost the number of sample 3: its board shows 16 scans. In sample 5 it
# lost a character in each of the last two rows, ".X.XXXXXX" and "X.XX++++X": the ship of 5
# at (9,4) must show five "+", and a cell of row 8 between two ships' halos an "X".
SAMPLES = [
    ("linear\n5 6 2\n1 1 4 E 3 3 2 S", "28\nXXXXXX\nX++++X\nXXXXXX\nXXX+XX\nXXX+..\n"),
    ("smart\n5 6 2\n1 1 4 E 3 3 2 S", "18\nXXXXXX\nX++++X\nXXXXXX\nXXX+X.\n..X+X.\n"),
    ("prob\n5 6 2\n1 1 4 E 3 3 2 S", "11\nXXXXXX\nX++++X\nXXXXXX\n..X+X.\n..X+X.\n"),
    ("linear\n4 4 2\n1 1 1 E 3 0 4 E", "16\nXXXX\nX+XX\nXXXX\n++++\n"),
    (
        "smart\n3 10 5\n0 0 2 E 2 0 1 E 2 5 5 E 0 6 4 E 1 3 1 E",
        "20\n++XXXX++++\nXXX+XXXXXX\n+XXXX+++++\n",
    ),
    (
        "prob\n10 10 5\n0 0 1 E 1 2 2 E 3 3 3 S 4 5 4 S 9 4 5 E",
        "58\n+XXXX.XX.X\nXX++XXX.X.\nXXXXXX.X.X\n.XX+XXXXXX\nXXX+X+X.X.\nX.X+X+XX.X\n.XXXX+XXXX\n"
        "X.X.X+X.X.\n.X.XXXXXXX\nX.XX+++++X\n",
    ),
]


def _solve(text: str, *arguments: str):
    return CliRunner().invoke(main, ["solve", *arguments], input=text)


@pytest.mark.parametrize(("text", "output"), SAMPLES)
def test_samples_of_the_judge(text, output):
    result = _solve(text)
    assert (result.exit_code, result.stdout, result.stderr) == (0, output, "")


def test_any_white_space_separates_and_files_are_read(tmp_path):
    text, output = SAMPLES[1]
    path = tmp_path / "input"
    path.write_text("\r\n\t" + re.sub(r"\s", " \r\n\t ", text) + "\n\n")
    assert _solve("", str(path)).stdout == output
    path.write_text("\ufeff" + text, encoding="utf-8")
    assert _solve("", str(path)).stdout == output
    assert _solve(" ".join(text.split())).stdout == output


def test_a_board_without_ships_needs_no_scan():
    assert _solve("prob 2 3 0").stdout == "0\n...\n...\n"
    assert _solve("smart 2 3 0", "--trace").stdout == "0\n...\n...\n"


def _scans(text: str) -> list[Scan]:
    problem = read_problem(text)
    scans: list[Scan] = []
    solve(problem, find_strategy(problem.strategy)(), watch=scans.append)
    return scans


def _matrix(text: str) -> list[int]:
    return [int(word) for word in text.split()]


# Appendix C, with its board of a ship of 3 at (1,1) and one of 2 at (3,3). Where the column
# says "just added -1", the matrix is the last one, -1 at cells closed since. The ninth
# matrix of the text has 9 at (4,5); the pseudo-code gives 10, as the tenth matrix has it.
APPENDIX_C = [
    ("10 14 16 16 14 10 13 17 19 19 17 13 14 18 20 20 18 14 13 17 19 19 17 13 10 14 16 16 14 10",
     "", "(2,2)"),
    ("10 14 13 16 14 10 13 17 13 19 17 13 11 11 -1 12 13 12 13 17 13 19 17 13 10 14 13 16 14 10",
     "", "(1,3)"),
    ("10 14 -1 16 -1 10 13 17 13 -1 17 13 11 11 -1 12 -1 12 13 17 13 19 17 13 10 14 13 16 14 10",
     "(0,3)(1,4)(2,3)(1,2)", "(0,3)"),
    ("10 14 -1 -1 -1 10 13 17 13 -1 17 13 11 11 -1 12 -1 12 13 17 13 19 17 13 10 14 13 16 14 10",
     "(1,4)(2,3)(1,2)", "(1,4)"),
    ("10 14 -1 -1 -1 10 13 17 13 -1 -1 13 11 11 -1 12 -1 12 13 17 13 19 17 13 10 14 13 16 14 10",
     "(2,3)(1,2)", "(2,3)"),
    ("10 14 -1 -1 -1 10 13 17 13 -1 -1 13 11 11 -1 -1 -1 12 13 17 13 19 17 13 10 14 13 16 14 10",
     "(1,2)", "(1,2)"),
    ("10 -1 -1 -1 -1 10 13 17 -1 -1 -1 13 11 -1 -1 -1 -1 12 13 17 13 19 17 13 10 14 13 16 14 10",
     "(1,1)", "(1,1)"),
    ("-1 -1 -1 -1 -1 10 13 -1 -1 -1 -1 13 -1 -1 -1 -1 -1 12 13 17 13 19 17 13 10 14 13 16 14 10",
     "(1,0)", "(1,0)"),
    ("-1 -1 -1 -1 -1 6 -1 -1 -1 -1 -1 9 -1 -1 -1 -1 -1 10 7 11 13 13 11 13 7 11 13 13 11 10",
     "", "(3,2)"),
    ("-1 -1 -1 -1 -1 6 -1 -1 -1 -1 -1 9 -1 -1 -1 -1 -1 10 4 4 -1 5 6 11 7 11 12 13 11 10",
     "", "(4,3)"),
    # The text shows no matrix for the last step.
    (None, "(3,3)(4,4)(4,2)", "(3,3)"),
]  # fmt: skip


def test_the_walk_of_appendix_c():
    scans = _scans("prob 5 6 2 1 1 3 E 3 3 2 S")
    assert len(scans) == len(APPENDIX_C)
    for scan, (matrix, waiting, cell) in zip(scans, APPENDIX_C, strict=True):
        if matrix is not None:
            assert scan.insight.scores.tolist() == _matrix(matrix), scan.number
        assert "".join(f"({c // 6},{c % 6})" for c in scan.insight.waiting) == waiting
        assert f"({scan.cell // 6},{scan.cell % 6})" == cell


# Appendix B: the lead of boardList before the scans that it shows, on the same board.
APPENDIX_B = {
    8: "(1,1)(1,2)(1,3)(1,4)(1,5)(2,0)(2,1)(2,2)(2,3)",
    9: "(1,2)(2,1)(1,3)(1,4)(1,5)(2,3)(2,4)",
    10: "(1,3)(1,4)(1,5)(2,4)(2,5)(3,0)(3,1)(3,2)(3,3)",
    11: "(1,4)(1,5)(2,5)(3,0)(3,1)(3,2)(3,3)(3,4)(3,5)(4,0)",
    17: "(3,3)(3,4)(3,5)(4,0)(4,1)(4,2)(4,3)(4,4)(4,5)",
    18: "(3,4)(4,3)(3,5)(4,0)(4,1)(4,5)",
    19: "(4,3)(3,5)(4,0)(4,1)(4,5)",
}


def test_the_walk_of_appendix_b():
    scans = {scan.number: scan for scan in _scans("smart 5 6 2 1 1 3 E 3 3 2 S")}
    for number, lead in APPENDIX_B.items():
        cells = [(int(r), int(c)) for r, c in re.findall(r"\((\d),(\d)\)", lead)]
        shown = [divmod(cell, 6) for cell in scans[number].insight.waiting]
        assert shown[: len(cells)] == cells, number
        assert divmod(scans[number].cell, 6) == cells[0]


@pytest.mark.parametrize("name", ["linear", "smart", "prob"])
@given(drawn=rules(touching=False), seed=st.integers(0, 100))
def test_scans_and_board_agree_with_the_twin(name, drawn, seed):
    ships = naive.decode(drawn, draw_layouts(drawn, 1, seed=seed)[0])
    problem = Problem(name, drawn.rows, drawn.cols, ships)
    scans: list[Scan] = []
    solution = solve(problem, find_strategy(name)(), watch=scans.append)
    assert all(scan.cell == scan.insight.waiting[0] for scan in scans if scan.insight.waiting)
    shots = naive.play(naive.twin(name), drawn, ships, 0, 0)
    assert solution.scans == len(shots)
    spotted = set().union(*ships)
    closed = set(shots)
    if name != "linear":
        for cell in spotted:
            closed.update(naive.beside(drawn.rows, drawn.cols, cell, naive.DIAGONALS))
    expected = "".join(
        "+" if cell in spotted else "X" if cell in closed else "." for cell in range(drawn.cells)
    )
    assert solution.board.replace("\n", "") == expected
    assert solution.eliminated == len(closed) - len(shots)


def test_the_trace_shows_board_matrix_list_and_position():
    steps = _solve("prob 5 6 2 1 1 3 E 3 3 2 S", "--trace").stdout.split("\n\n")
    assert steps[2] == (
        "..X.X.   10 14 -1 16 -1 10\n"
        ".OO+..   13 17 13 -1 17 13\n"
        "..X.X.   11 11 -1 12 -1 12\n"
        "...O..   13 17 13 19 17 13\n"
        "...O..   10 14 13 16 14 10\n"
        "likelihood as before, just added -1\n"
        "high-probability list: (0,3) (1,4) (2,3) (1,2)\n"
        "scan 3: (0,3)"
    )
    assert steps[-1].startswith("11\n")


def test_all_strategies_are_compared_on_one_board():
    result = _solve(SAMPLES[2][0], "--all", "--seed", "4")
    rows = [line.split() for line in result.stdout.splitlines() if re.search(r"\d", line)]
    assert [row[:2] for row in rows[:3]] == [["linear", "28"], ["smart", "18"], ["prob", "11"]]
    assert rows[3][0] == "smart-random"
    ships = ((7, 8, 9, 10), (21, 27))
    drawn = Problem("prob", 5, 6, ships).rules
    assert int(rows[3][1]) == len(naive.play(naive.twin("smart-random"), drawn, ships, 4, 0))
    assert [row[2] for row in rows] == ["6"] * 4
    again = _solve(SAMPLES[2][0], "--all", "--seed", "4")
    assert again.stdout == result.stdout


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", ["strategy"]),
        ("probability 3 3 0", ["line 1", "'probability'", "prob"]),
        ("prob\n3", ["line 2", "columns"]),
        ("prob\n3 ٣ 1", ["line 2", "columns"]),
        ("prob\n" + "9" * 9999 + " 3 1", ["line 2", "'99999999999999999999…'", "rows"]),
        ("prob\n0 3 1", ["rows", "250"]),
        ("prob\n9 9 1\n0 0 6 E", ["line 3", "'6'", "size", "ship 1"]),
        ("prob\n3 3 1\n0 0 2 e", ["line 3", "'e'", "ship 1"]),
        ("prob\n3 3 1\n0 2 2 E", ["line 3", "'0 2 2 E'", "ship 1", "3x3"]),
        ("prob\n3 3 1\n2 0 2 S", ["line 3", "'2 0 2 S'", "ship 1", "3x3"]),
        ("prob\n5 5 2\n0 0 2 E\n1 2 2 S", ["line 4", "'1 2 2 S'", "ship 2", "ship 1"]),
        ("prob\n5 5 1\n0 0 2 E\n4", ["line 4", "'4'"]),
    ],
)
def test_bad_input_is_refused_by_line_and_word(text, named):
    assert_refused(_solve(text), *named)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--trace", "--all"], ["--trace", "--all"]),
        (["--seed", "3"], ["--seed", "--all"]),
    ],
)
def test_bad_options_are_refused(in_folder, arguments, named):
    (in_folder / "mine.png").write_text("mine")
    assert_refused(_solve(SAMPLES[0][0], *arguments), *named)
    assert (in_folder / "mine.png").read_text() == "mine"


def test_a_30x30_board_is_solved_as_by_the_twin():
    board = find_scenario("harbour").override(board=(30, 30), fleet=[5, 4, 3, 2, 2, 1, 1] * 5).rules
    ships = naive.decode(board, draw_layouts(board, 1, law="sequential")[0])
    solution = solve(Problem("prob", 30, 30, ships), find_strategy("prob")())
    assert solution.scans == len(naive.play(naive.twin("prob"), board, ships, 0, 0))


@pytest.mark.parametrize(("name", "arguments"), [("a.png", ["--all"]), ("b.svg", [])])
def test_charts(in_folder, name, arguments):
    # One scan for all, and a board without ships.
    for text in (SAMPLES[5][0], "prob 1 30 1 0 4 5 E", "prob 1 1 0"):
        (in_folder / name).unlink(missing_ok=True)
        assert _solve(text, "--chart", name, *arguments).exit_code == 0
        assert (in_folder / name).read_bytes()[:5] in (b"\x89PNG\r", b"<?xml")
