"""The commands of Connect 4 that ask players: best, grade, list."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading

import click
import pytest
from click.testing import CliRunner

from bsbench.cli import main, playing
from bsbench.common.errors import BsbenchError
from bsbench.connect4.cli import connect4_command
from bsbench.connect4.cli.play import board_text
from bsbench.connect4.grading import read_tasks
from bsbench.connect4.players import find_player, player_names
from bsbench.connect4.position import Position
from tests.docs.test_guide import assert_shown
from tests.support import ROOT
from tests.support.naive import connect4 as naive

GUIDE = (ROOT / "docs" / "connect4.md").read_text(encoding="utf-8")
LATE = "2252576253462244111563365343671351441"


def _run(*arguments: str, stdin: str | None = None):
    return CliRunner().invoke(main, ["connect4", *arguments], input=stdin, prog_name="bsbench")


@pytest.mark.parametrize("name", connect4_command.list_commands(None))
def test_every_command_explains_itself_and_its_examples_parse(name):
    command = connect4_command.get_command(click.Context(connect4_command), name)
    printed = _run(name, "--help").output
    assert printed.startswith(f"Usage: bsbench connect4 {name}")
    assert command.get_short_help_str()
    for line in printed.splitlines():
        if line.startswith("    bsbench"):
            words = shlex.split(line.partition(f"bsbench connect4 {name}")[2].replace("''", ""))
            with command.make_context(name, words, parent=click.Context(main)):
                pass


@pytest.mark.parametrize("block", re.findall(r"```console\n\$ (.*?)```", GUIDE, flags=re.DOTALL))
def test_what_the_guide_shows_is_what_is_printed(block):
    command, _, expected = block.partition("\n")
    told, _, command = command.rpartition(" | ")
    _, game, *arguments = shlex.split(command)
    assert game == "connect4"
    printed = _run(*arguments, stdin=told.partition("'")[2].rstrip("'")).output
    # Times, where there are any, are left out at the end.
    assert printed.startswith(expected)


@pytest.mark.parametrize(
    ("command", "shown"),
    re.findall(r"```sh\nbsbench connect4 ([^\n]*)\n```\n\n```text\n(.*?)```", GUIDE, re.DOTALL),
)
def test_the_match_of_the_guide_ends_as_shown(command, shown):
    assert_shown(shown, _run(*shlex.split(command)).output)


def test_help_imports_no_numba():
    code = (
        "import sys; from bsbench.cli import main\n"
        "try: main(['connect4', 'best', '--help'])\n"
        "finally: assert not {'numba', 'numpy', 'rich'} & set(sys.modules), 'slow'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_best_prints_what_the_issue_says():
    found = json.loads(
        _run("best", "44455", "--player", "hard", "--depth", "4", "--export-json", "-").output
    )
    assert list(found) == ["position", "best", "scores", "nodes"]
    twin = naive.Minimax(naive.Board([3, 3, 3, 4, 4]), 4)
    scores = twin.scores()
    assert found == {
        "position": "44455",
        "best": twin.best(scores) + 1,
        "scores": {str(column + 1): score for column, score in scores.items()},
        "nodes": twin.nodes,
    }


def test_best_of_perfect_is_in_the_convention_of_the_test_sets():
    found = json.loads(
        _run("best", LATE, "-p", "perfect,table_bits=12", "--export-json", "-").output
    )
    board = naive.Board(Position.parse(LATE).played)
    assert found["scores"] == {str(c + 1): w for c, w in naive.worths(board, {}).items()}
    # The first line of the public set Test_L3_R1 says so.
    assert max(found["scores"].values()) == -1


def test_best_shows_board_scores_and_who_wins():
    printed = _run("best", LATE, "-p", "perfect,table_bits=12").output
    assert Position.parse(LATE).drawing() in printed
    assert "O, the second player, is to move\nperfect table_bits=12 plays column" in printed
    assert "with perfect play, the first player wins with its stone number 21" in printed
    assert (
        "the game is a draw"
        in _run("best", "52677675164321472411331752454", "-p", "perfect").output
    )


def test_best_draws_lots_by_seed():
    columns = {
        json.loads(
            _run("best", "", "-p", "random", "--seed", str(seed), "--export-json", "-").output
        )["best"]
        for seed in range(60)
    }
    assert columns == set(range(1, 8))


def test_options_are_short_for_parameters():
    one = _run("best", "44455", "--depth", "3", "--threads", "2", "--set", "terminal=eval").output
    other = _run("best", "44455", "-p", "hard,depth=3,threads=2,preset=seed-literal").output
    assert one.partition(" nodes,")[0] == other.partition(" nodes,")[0]
    assert "hard depth=3 threads=2 terminal=eval plays column" in one


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["4444444"], "plays column 4 at move 7, which is full"),
        (["44a"], "has 'a' at place 3"),
        (["4141414"], "is won by the first player: no move is possible"),
        (["41414142"], "continues after it was won by move 7"),
        (["44", "--depth", "0"], "'depth' of player 'hard' wants a whole number, at least 1"),
        (["44", "--depth", "x"], "'depth' of player 'hard' wants a whole number"),
        (["44", "-p", "hrad"], "unknown player 'hrad': did you mean 'hard'?"),
        (["44", "-p", "hard,preset=x"], "no preset 'x': choose one of seed-literal, upstream"),
        (["44", "-p", "random", "--depth", "3"], "has no parameters: 'depth' can't be set"),
        (["44", "--depth", "4", "--set", "depth=3"], "'depth' is set twice"),
        (["44", "--seed", "-1"], "a seed is a non-negative integer, not -1"),
    ],
)
def test_bad_input_gets_one_sentence_and_code_2(arguments, words):
    result = _run("best", *arguments)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr
    assert not result.stdout


def _solved_lines(count):
    """Return lines of positions solved by brute force."""
    lines = ["# solved by brute force", ""]
    board = naive.Board()
    played = Position.parse(LATE).played
    for number, column in enumerate(played, 1):
        board.drop(column)
        if number > len(played) - count:
            text = Position(played[:number]).text
            lines.append(f"{text} {naive.worth(board, {})}  # {number} stones")
    return lines


def test_grade_tells_right_and_wrong(in_folder):
    lines = _solved_lines(12)
    (in_folder / "solved").write_text("\n".join(lines))
    result = _run("grade", "solved", "--set", "table_bits=16")
    assert result.exit_code == 0
    assert "12 positions: 12 right, 0 wrong" in result.output
    place = 5
    words = lines[place].split()
    lines[place] = f"{words[0]} {int(words[1]) + 1}"
    result = _run("grade", "-", stdin="\n".join(lines))
    assert result.exit_code == 1
    assert f"line {place + 1}: {words[0]} is worth {words[1]}, not" in result.output
    assert "12 positions: 11 right, 1 wrong" in result.output
    figures = json.loads(_run("grade", "-", "--export-json", "-", stdin="\n".join(lines)).output)
    told = {"positions": 12, "right": 11, "wrong": 1}
    assert figures | told == figures
    assert figures["nodes"] > 0
    assert figures["median"] <= figures["longest"] <= figures["seconds"]
    wrong = {"line": place + 1, "position": words[0], "found": int(words[1])}
    assert figures["wrong_lines"] == [{**wrong, "told": int(words[1]) + 1}]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("4x 1", "has 'x' at place 2"),
        ("44455", "'44455' is not a position and its score: write them as '44455 2'"),
        ("44455 2 3", "'44455 2 3' is not a position and its score"),
        ("44455 two", "'two' is not a score: it is a whole number from -18 to 18"),
        ("44455 19", "'19' is not a score"),
        ("4141414 0", "is won by the first player"),
    ],
)
def test_lines_that_cannot_be_read_are_refused_with_their_number(line, words):
    result = _run("grade", "-", stdin=f"44455 2\n\n{line}\n")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: line 3 of standard input: ")
    assert words in result.stderr
    assert not result.stdout


def test_files_without_positions_are_refused(in_folder):
    with pytest.raises(BsbenchError, match="solved holds no position"):
        read_tasks(["# nothing\n"], "solved")
    assert "can't read none: No such file" in _run("grade", "none").stderr


def test_ctrl_c_does_not_wait_for_a_search():
    released, ended = threading.Event(), threading.Event()

    def search():
        os.kill(os.getpid(), signal.SIGINT)
        released.wait(60)
        ended.set()

    # Whoever runs the tests may ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            playing.in_background(search)
        assert not ended.is_set()
    finally:
        signal.signal(signal.SIGINT, before)
        released.set()


def test_what_goes_wrong_in_the_background_is_raised():
    with pytest.raises(BsbenchError, match="no"):
        playing.in_background(lambda: Position.parse("no"))


def test_grade_tells_what_was_graded_when_ctrl_c_comes(monkeypatch):
    solved = []

    def work(search):
        if len(solved) == 3:
            raise KeyboardInterrupt
        solved.append(search())
        return solved[-1]

    monkeypatch.setattr("bsbench.connect4.cli.grade.in_background", work)
    result = _run("grade", "-", stdin="\n".join(_solved_lines(12)))
    assert result.exit_code == 130
    assert "3 positions: 3 right, 0 wrong" in result.stdout
    assert "interrupted after 3 of 12 positions" in result.stderr


def test_list_shows_all_players_and_each_in_full():
    printed = _run("list").output
    for name in player_names():
        player = find_player(name)()
        assert name in printed
        in_full = _run("list", name).output
        assert player.idea in in_full
        assert all(parameter in in_full for parameter in player.parameters)
    assert "unknown player 'x'" in _run("list", "x").stderr


@pytest.mark.parametrize(
    ("played", "row", "shown"),
    [
        ("44455", 1, " . . . O[X]. ."),
        ("1122334", 0, "[X X X X]. . ."),
        ("1212121", 3, "[X]. . . . . ."),
        ("7", 0, " . . . . . .[X]"),
    ],
)
def test_the_last_stone_and_the_four_that_won_are_marked(played, row, shown):
    at = Position.parse(played)
    coloured = board_text(at)
    plain = click.unstyle(coloured)
    assert plain.splitlines()[-2 - row] == shown
    # But for brackets, it is the drawing.
    stones = [re.sub(r"[][]", " ", line).strip() for line in plain.splitlines()]
    assert stones == at.drawing().splitlines()
    marked = 4 if at.winner else 0
    assert coloured.count("\x1b[7m") == marked
