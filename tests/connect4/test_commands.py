"""The commands of Connect 4: what they have in common, and best."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import threading

import click
import pytest
from click.testing import CliRunner

from bsbench.cli import main, waiting
from bsbench.common.errors import BsbenchError
from bsbench.connect4.cli import board_text, connect4_command
from bsbench.connect4.players import player_names
from bsbench.connect4.position import Position
from tests.docs.test_guide import assert_shown
from tests.support import ROOT
from tests.support.naive import connect4 as naive
from tests.support.refusals import assert_names, assert_refused

GUIDE = (ROOT / "docs" / "connect4.md").read_text(encoding="utf-8")
LATE = "2252576253462244111563365343671351441"


def _run(*arguments: str):
    return CliRunner().invoke(main, ["connect4", *arguments], prog_name="bsbench")


@pytest.mark.parametrize("name", connect4_command.list_commands(None))
def test_every_command_explains_itself_and_its_examples_parse(name):
    command = connect4_command.get_command(click.Context(connect4_command), name)
    printed = _run(name, "--help").output
    assert printed.startswith(f"Usage: bsbench connect4 {name}")
    assert_names(printed, *player_names())
    for line in printed.splitlines():
        if line.startswith("    bsbench"):
            words = shlex.split(line.partition(f"bsbench connect4 {name}")[2].replace("''", ""))
            with command.make_context(name, words, parent=click.Context(main)):
                pass


@pytest.mark.ci
@pytest.mark.parametrize("block", re.findall(r"```console\n\$ (.*?)```", GUIDE, flags=re.DOTALL))
def test_what_the_guide_shows_is_what_is_printed(block):
    command, _, expected = block.partition("\n")
    _, game, *arguments = shlex.split(command)
    assert game == "connect4"
    printed = _run(*arguments).output
    # Times, where there are any, are left out at the end.
    assert printed.startswith(expected)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("command", "shown"),
    re.findall(r"```sh\nbsbench connect4 ([^\n]*)\n```\n\n```text\n(.*?)```", GUIDE, re.DOTALL),
)
def test_the_match_of_the_guide_ends_as_shown(command, shown):
    assert_shown(shown, _run(*shlex.split(command)).output)


def _best(*arguments: str) -> dict:
    return json.loads(_run("best", *arguments, "--export-json", "-").output)


def test_best_prints_what_the_issue_says():
    found = _best("44455", "--player", "hard", "--depth", "4")
    twin = naive.Minimax(naive.Board([3, 3, 3, 4, 4]), 4)
    scores = twin.scores()
    assert found == {
        "position": "44455",
        "best": twin.best(scores) + 1,
        "scores": {str(column + 1): score for column, score in scores.items()},
        "nodes": twin.nodes,
    }


@pytest.mark.ci
def test_best_of_perfect_is_in_the_convention_of_the_test_sets():
    found = _best(LATE, "-p", "perfect,table_bits=12")
    board = naive.Board(Position.parse(LATE).played)
    assert found["scores"] == {str(c + 1): w for c, w in naive.worths(board, {}).items()}
    # The first line of the public set Test_L3_R1 says so.
    assert max(found["scores"].values()) == -1


def test_best_draws_lots_by_seed():
    columns = [_best("", "-p", "random", "--seed", str(seed))["best"] for seed in range(9)]
    assert len(set(columns)) > 3


def test_best_writes_a_file_once(in_folder):
    words = ("best", "44455", "--depth", "2", "--export-json")
    shown = _run(*words, "a.json")
    assert Position.parse("44455").drawing() in shown.output
    assert (in_folder / "a.json").read_text() == _run(*words, "-").output
    assert_refused(_run(*words, "a.json"), "a.json", "--force")
    assert _run(*words, "a.json", "--force").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("best 44a", ["'a'", "3"]),
        ("best 4141414", ["'4141414'", "first player"]),
        ("best 44 --depth 0", ["'depth'", "'hard'", "0"]),
        ("best 44 -p hrad", ["'hrad'", "'hard'"]),
        ("best 44 -p hard,preset=x", ["'x'", "seed-literal", "upstream"]),
        ("best 44 -p random --depth 3", ["'random'", "'depth'"]),
        ("best 44 --seed -1", ["seed", "-1"]),
        ("match hard", ["players", "1"]),
        ("match greedy random --depth 3", ["'greedy'", "'depth'"]),
        ("match hard random -n 3", ["3 games"]),
        ("match hard random -n 0", ["0 games"]),
        ("match hard random --opening 31", ["31", "30"]),
        ("match hard random --threads 0", ["0 threads", "1024"]),
        ("match hard random --export-json no/where.json", ["folder no"]),
        ("play --position 4141414", ["'4141414'"]),
        ("play --seed -1", ["seed", "-1"]),
    ],
)
def test_bad_input_gets_one_sentence_and_code_2(in_folder, arguments, named):
    assert_refused(_run(*arguments.split()), *named)


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
            waiting.in_background(search)
        assert not ended.is_set()
    finally:
        signal.signal(signal.SIGINT, before)
        released.set()


def test_what_goes_wrong_in_the_background_is_raised():
    with pytest.raises(BsbenchError, match="no"):
        waiting.in_background(lambda: Position.parse("no"))


@pytest.mark.parametrize(
    ("played", "row", "shown"),
    [
        ("44455", 1, " . . . O[X]. ."),
        ("1122334", 0, "[X X X X]. . ."),
        ("1212121", 3, "[X]. . . . . ."),
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
