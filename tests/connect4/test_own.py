"""Connect 4 with players of users: classes in Python, and programs that talk in lines."""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from bsbench import connect4
from bsbench.cli import main
from bsbench.common.errors import Fault
from bsbench.connect4 import quality
from bsbench.connect4.own.bot import Bot
from bsbench.connect4.own.checking import check_player
from bsbench.connect4.own.game import Moves, Rules
from bsbench.connect4.own.view import View
from bsbench.connect4.players import as_player, make_player
from bsbench.connect4.position import Position
from bsbench.matches import lockstep
from bsbench.matches.faults import PlayerError
from bsbench.own.choosing import Terms
from bsbench.own.command import Command
from bsbench.own.thinker import Thinker
from tests.support import ROOT
from tests.support.naive import connect4 as naive
from tests.support.refusals import assert_refused, names, refused

PLAYERS = '''
import os
import random
import time

class Mine:
    """Any column, by the random numbers of the game."""

    def __init__(self, least=0, eager=True):
        self.least, self.eager = least, eager

    def reset(self, rng):
        self.rng = rng

    def choose(self, view):
        for column in view.columns:
            if self.eager and view.wins(column):
                return column
        good = [column for column in view.columns if column >= self.least]
        return self.rng.choice(good or view.columns)

class Late(Mine):
    def answer(self, view):
        raise ValueError("nothing left")

    def choose(self, view):
        return super().choose(view) if len(view.moves) < 18 else self.answer(view)

class NoNumber(Late):
    def answer(self, view):
        return "3"

class NoColumn(Late):
    def answer(self, view):
        return 7

class Nothing(Late):
    def answer(self, view):
        pass

class Exits(Late):
    def answer(self, view):
        os._exit(4)

class Leaves(Late):
    def answer(self, view):
        raise SystemExit

class Asks(Late):
    def answer(self, view):
        return input("which column? ")

class Changes(Late):
    def answer(self, view):
        view.moves = ()

class Hangs(Late):
    def answer(self, view):
        with open("pid", "w") as file:
            file.write(str(os.getpid()))
        time.sleep(99)

class Loud(Mine):
    def choose(self, view):
        os.write(1, b"0 0 0\\n")
        print("thinking", flush=True)
        return super().choose(view)

class Forks(Late):
    def answer(self, view):
        if os.fork():
            os.wait()
        return view.columns[0]

class Wild(Mine):
    def choose(self, view):
        return random.choice(view.columns)

class Remembers(Mine):
    asked = 0

    def choose(self, view):
        Remembers.asked += 1
        return view.columns[Remembers.asked % len(view.columns)]

class NoPlayer:
    pass
'''


@pytest.fixture
def folder(in_folder):
    (in_folder / "own.py").write_text(PLAYERS)
    return in_folder


def _played(first, second="greedy", **options):
    options = {"games": 20, "seed": 3, "threads": 1} | options
    return connect4.play_match(first, second, **options)


def _same(one, other, pairs=None):
    return all(
        np.array_equal(getattr(one, name)[:pairs], getattr(other, name)[:pairs])
        for name in ("outcomes", "lengths")
    )


def test_a_view_shows_what_the_board_is():
    rng = random.Random(1)
    for _ in range(20):
        view, board = View(), naive.Board()
        while view.columns:
            assert view.columns == tuple(board.open_columns())
            for column in range(7):
                own, other = board.to_move, 1 - board.to_move
                wins = column in view.columns and board.makes_four(own, column)
                blocks = column in view.columns and board.makes_four(other, column)
                assert (view.wins(column), view.blocks(column)) == (wins, blocks)
                assert view.height(column) == board.heights[column]
                for row in range(6):
                    stone = board.cells[6 * column + row]
                    assert view.at(column, row) == {None: 0, own: 1, other: -1}[stone]
            column = rng.choice(view.columns)
            view = view.after(column)
            board.drop(column)
            assert View(view.moves).board == view.board == Position(view.moves).drawing()
            assert view.side == ("first", "second")[board.to_move]
        assert view.lost == board.has_four(1 - board.to_move)
        assert view.full == (not board.open_columns())


def test_a_view_can_only_be_read():
    view = View((3,) * 6)
    for wrong in (
        lambda: view.after(3),
        lambda: view.at(7, 0),
        lambda: view.at(0, 6),
        lambda: view.wins(-1),
    ):
        with pytest.raises(ValueError, match=r"\d"):
            wrong()
    with pytest.raises(AttributeError, match="moves"):
        view.moves = ()
    with pytest.raises(AttributeError, match="moves"):
        del view.moves


def test_a_class_plays_the_same_games_wherever_it_runs(folder):
    one = _played("own.py:Mine,least=2")
    assert one.labels == ("own.py:Mine least=2", "greedy")
    assert one.players[0].parameters == {"least": 2, "eager": True}
    assert re.fullmatch("a user's own, [0-9a-f]{12}", one.to_dict()["players"][0]["source"])
    assert _same(one, _played("own.py:Mine,least=2", threads=2))
    assert _same(one, _played("own.py:Mine,least=2", games=8), 4)
    assert not _same(one, _played("own.py:Mine"))
    assert not _same(one, _played("own.py:Mine,least=2", seed=4))
    space = {}
    exec(PLAYERS, space)
    here = type(
        "Here", (space["Mine"],), {"__init__": lambda self: space["Mine"].__init__(self, 2)}
    )
    assert _same(one, _played(here))


@pytest.mark.parametrize("column", [-1, 7, 2**40])
def test_what_a_process_answers_is_checked_where_it_is_read(folder, monkeypatch, column):
    """A class could write to the socket of its process itself."""
    monkeypatch.setattr(Thinker, "shoot", lambda self, view: np.full(64, column))
    with pytest.raises(PlayerError, match=rf"column {column}\b"):
        _played("own.py:Mine", opening_plies=2)
    with pytest.raises(PlayerError, match=rf"column {column}\b"):
        connect4.judge_players(["own.py:Mine"], plies=[28], positions=2)
    assert connect4.replay("own.py:Mine", "greedy", solved_from=40).fault is not None


@pytest.mark.parametrize("method", ["deal", "shoot"])
def test_a_fault_in_no_lane_that_is_asked_is_told_of_the_first(folder, monkeypatch, method):
    def fail(*given):
        raise Fault(63, "it is gone")

    monkeypatch.setattr(Thinker, method, fail)
    with pytest.raises(PlayerError, match=r"game 0 of seed 3.*: it is gone"):
        _played("own.py:Mine", games=2)


def test_a_class_in_this_process_has_no_time_limit():
    assert as_player(type("Here", (), {"choose": lambda self, view: 3})).timeout == math.inf


def test_a_player_of_ones_own_scores_half_of_the_points_against_itself(folder):
    match = _played("own.py:Mine", "own.py:Mine", games=40)
    assert match.pairs.tolist() == [0, 0, 20, 0, 0]
    assert match.efforts[0].moves == match.efforts[1].moves
    assert match.efforts[0].seconds > 0


def test_settings_are_read_as_their_defaults_are(folder):
    with refused("'leest'", "'least'"):
        _played("own.py:Mine,leest=2")
    with refused("'eager'", "'x'"):
        _played("own.py:Mine,eager=x")


# What the problem names, and the line to blame.
FAULTS = {
    "Late": r"ValueError: nothing left\n  own.py, line \d+, in answer: raise ValueError",
    "NoNumber": r"'3'.*\bstr\b",
    "NoColumn": r"\b7\b",
    "Nothing": r"\bNone\b",
    "Exits": r"exit code 4\b",
    "Forks": r"\bforks?\b",
    "Leaves": r"SystemExit\n  own.py, line",
    "Asks": "EOFError: .*\n  own.py, line .*, in answer: return input",
    "Changes": "AttributeError: .*'moves'",
    "Hangs": r"1\.5 s\b.*\n  own.py, line \d+, in",
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_goes_wrong_is_told_with_game_and_line(folder, name):
    player = make_player(f"own.py:{name}")
    player.timeout = 1.5 if name == "Hangs" else 30.0
    with pytest.raises(PlayerError, match=FAULTS[name]) as error:
        _played(player)
    told = str(error.value)
    assert told.startswith(f"player 'own.py:{name}', ")
    assert re.search(r"game \d+ of seed 3, after [1-7]{18,19}: ", told)
    assert f"bsbench connect4 replay own.py:{name} greedy --seed 3 --opening 8 --game " in told
    match = error.value.match
    if match is not None:
        assert _same(match, _played("own.py:Mine", games=match.games))
    if name == "Hangs":
        with pytest.raises(ProcessLookupError):
            os.kill(int(Path("pid").read_text()), 0)


def test_what_a_class_prints_is_no_answer(folder):
    assert _same(_played("own.py:Loud", games=4), _played("own.py:Mine", games=4))


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("own.py", ["own.py:Mine", "own.py:Late"]),
        ("own.py:Mein", ["own.py", "'Mein'", "'Mine'"]),
        ("own.py:NoPlayer", ["choose(self, view)"]),
        ("none.py:Mine", ["none.py"]),
        ("broken.py:Mine", ["broken.py", "ZeroDivisionError"]),
        ("no such:Mine", ["'no such:Mine'"]),
        ("nobody", ["'nobody'", "FILE.py:CLASS", "cmd:COMMAND"]),
        ("cmd:", ["'cmd:'"]),
        ("cmd:'", ["command"]),
        ("cmd:none-of-these", ["none-of-these"]),
        ("cmd:/", ["/", "folder"]),
        ("llm:x", ["'llm:x'", "language model"]),
        ("cmd:cat", ["cmd:cat", "'bsbench connect4 1'"]),
        ("cmd:true", ["exit code 0"]),
    ],
)
def test_who_is_no_player_is_refused_in_a_sentence(folder, spec, named):
    Path("broken.py").write_text("1 / 0")
    with refused(*named, lines=2 if "broken" in spec else 1):
        _played(spec)


@pytest.mark.parametrize("spec", ["cmd:/", "llm:x", "own.py:NoPlayer"])
def test_who_is_no_player_is_refused_before_all_that_is_long(folder, monkeypatch, spec):
    def begun(*given, **options):
        raise AssertionError("positions are judged, or games played")

    monkeypatch.setattr(quality, "judged_positions", begun)
    monkeypatch.setattr(quality, "compile_player", begun)
    monkeypatch.setattr(lockstep, "play_blocks", begun)
    before = sorted(Path().iterdir())
    for words in (["quality", "greedy", spec], ["league", "greedy", "random", spec]):
        assert_refused(CliRunner().invoke(main, ["connect4", *words, "-o", "kept"]))
    assert [each for each in sorted(Path().iterdir()) if each.suffix] == before


SHELL = """
move="$1"
while read -r line; do
  case "$line" in
    bsbench*) echo "${2:-ready}" ;;
    move) eval "$move" ;;
    quit) ${3:-exit} ;;
  esac
done
"""


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("echo x", "'x'.*column"),
        ("echo 7", r"column 7\b"),
        ("echo 0", "column 0.* full"),
        ("printf '3\\n3\\n'", "line .*'3'"),
        ("echo error no idea", ": no idea"),
        ("printf '\\377\\n'", "'.*'.*column"),
        ("exit 5", r"exit code 5$"),
        ("echo why >&2; exit 5", r"exit code 5\n.*\bwhy$"),
        ("exec >&-; sleep 9", "stdout"),
        ("head -c 3000000 /dev/zero", "1,048,576 bytes"),
        ("sleep 9", r"0\.1 s\b"),
    ],
)
def test_programs_that_misbehave_are_ended(in_folder, move, said):
    Path("bot.sh").write_text(SHELL)
    player = make_player(f"cmd:sh bot.sh {json.dumps(move)}")
    player.timeout = 0.1 if move.startswith("sleep") else 30.0
    with pytest.raises(PlayerError) as error:
        _played(player, opening_plies=4)
    # Without the command that shows the game.
    assert re.search(said, str(error.value).rpartition("\n")[0])


def test_a_program_that_ignores_quit_is_ended(in_folder):
    Path("bot.sh").write_text(f"echo $$ > pid\n{SHELL}")
    with pytest.raises(PlayerError, match=r"column 9\b"):
        _played("cmd:sh bot.sh 'echo 9' ready 'sleep 9'")
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text()), 0)


@pytest.mark.parametrize(
    ("greeting", "named"),
    [
        ("hello", "'hello'"),
        ("needs hit", "'needs hit'"),
        ("games 0", "'games 0'"),
        ("error too late", "too late"),
        ("", "''"),
    ],
)
def test_a_program_must_greet(in_folder, greeting, named):
    Path("bot.sh").write_text(SHELL.replace(":-ready", ""))
    with refused("cmd:sh bot.sh", named):
        _played(f"cmd:sh bot.sh 'echo 3' '{greeting}'")


GUIDE = (ROOT / "docs" / "connect4-your-player.md").read_text(encoding="utf-8")
TRANSCRIPTS = [
    text.splitlines()
    for text in re.findall(r"```text\n(> bsbench connect4 1\n.*?)```", GUIDE, re.DOTALL)
]

FOLLOWS = """
import sys
log = open(sys.argv[2], "w")
for line in open(sys.argv[1]).read().splitlines():
    if line[:2] == "> ":
        print(sys.stdin.readline(), end="", file=log, flush=True)
    else:
        print(line[2:], flush=True)
"""


def test_the_transcripts_of_the_guide_are_what_is_said(in_folder):
    assert len(TRANSCRIPTS) == 2
    Path("follows.py").write_text(FOLLOWS)
    for transcript in TRANSCRIPTS:
        lines = [line.partition("   ")[0].rstrip() for line in transcript]
        Path("said").write_text("\n".join(lines))
        program = Bot(Command.read(f"cmd:{sys.executable} follows.py said log"))
        lanes = program.announced().games
        view = Moves(lanes)
        program.begin(Terms("the guide", {}, Rules(), lanes, 0, 30.0))
        for number, line in enumerate(lines):
            words = line[2:].split()
            if line[0] != ">" or words[0] == "bsbench":
                continue
            lane = np.array([int(words.pop(0)) if words[0].isdecimal() else 0])
            if words[0] == "game":
                # Without a number of its own, the game still begins.
                program.deal(lane, np.array([0 if len(words) == 1 else int(words[1])]))
            elif words[0] == "moves":
                moves = [int(word) for word in words[1:]]
                view.asked[lane], view.plies[lane] = True, len(moves)
                view.played[lane, : len(moves)] = moves
            elif words[0] == "move":
                said = [int(word) for word in lines[number + 1][2:].split()]
                assert program.shoot(view)[view.asked].tolist() == said
                view.asked[:] = False
            elif words[0] == "over":
                program.over(int(lane[0]), {"win": 1, "draw": 0, "loss": -1}[words[-1]])
        program.end()
        assert Path("log").read_text().splitlines() == [
            line[2:] for line in lines if line[0] == ">"
        ]


def test_games_of_a_batch_are_those_played_one_by_one(folder):
    Path("batch.py").write_text(BATCH)
    one = _played("cmd:python3 batch.py 1", games=10, threads=1)
    assert _same(one, _played("cmd:python3 batch.py 7", games=10, threads=1))
    assert not _same(one, _played("cmd:python3 batch.py 7", games=10, threads=1, seed=4))


BATCH = """
import sys
games = int(sys.argv[1])
moves, numbers = {}, {}
for line in sys.stdin:
    words = line.split()
    place = int(words.pop(0)) if words[0].isdecimal() else 0
    if words[0] == "bsbench":
        print(f"name batch\\ngames {games}\\nrandom\\nready", flush=True)
    elif words[0] == "game":
        numbers[place] = int(words[1])
    elif words[0] == "moves":
        moves[place] = [int(word) for word in words[1:]]
    elif words[0] == "over":
        assert words[1] in ("win", "loss", "draw")
        del numbers[place], moves[place]
    elif words[0] == "move":
        answers = []
        for place in [int(word) for word in words[1:]] or [0]:
            played = moves[place]
            room = [c for c in range(7) if played.count(c) < 6]
            answers.append(room[(numbers[place] // 7 ** len(played)) % len(room)])
        print(*answers, flush=True)
"""


def _run(*words: str, code: int = 0, given: str = ""):
    result = CliRunner().invoke(main, ["connect4", *words], input=given)
    assert result.exit_code == code, result.output
    return result


def test_a_league_goes_on_without_who_fails(folder):
    record = ["-n", "10", "--threads", "1", "--export-json", "-", "--quiet"]
    result = _run("league", "own.py:Mine", "random", "own.py:Late", "greedy", *record, code=1)
    league = json.loads(result.stdout)
    alone = json.loads(_run("league", "own.py:Mine", "random", "greedy", *record).stdout)
    assert league["matches"] == alone["matches"]
    assert "faults" not in alone
    assert list(league["faults"]) == ["own.py:Late"]
    assert names(result.stderr, "'own.py:Late'")
    assert "ValueError: nothing left" in result.stderr
    shown = _run("league", "own.py:Late", "greedy", "random", "-n", "10", code=1).stdout
    (left_out,) = (line for line in shown.splitlines() if "left out" in line)
    assert names(left_out, "own.py:Late")
    assert "partial" not in shown
    failed = _run("league", "own.py:Late", "own.py:Exits", "-n", "20", code=2)
    assert "Error: player 'own.py:" in failed.stderr


def test_a_match_keeps_what_was_played_before_a_fault(folder, monkeypatch):
    monkeypatch.setattr(lockstep, "_BLOCK_SECONDS", 0)
    words = ["match", "own.py:Late", "greedy", "-n", "400", "--seed", "6", "--threads", "1"]
    result = _run(*words, "-o", "kept", code=2)
    assert "Error: player 'own.py:Late'" in result.stderr
    record = json.loads(Path("kept.json").read_text())
    assert 0 < record["games"] < record["requested"] == 400
    assert re.search(rf"partial.* {record['games']} of 400 ", result.stdout)


def test_the_quality_of_moves_leaves_out_who_fails(folder):
    words = ["own.py:Late", "own.py:Mine,eager=false", "-n", "5", "--plies", "28-30"]
    result = _run("quality", *words, "--export-json", "-", "--quiet", code=1)
    found = json.loads(result.stdout)
    assert [player["label"] for player in found["players"]] == ["own.py:Mine eager=false"]
    assert list(found["faults"]) == ["own.py:Late"]


def test_a_player_of_ones_own_is_asked_and_played_against(folder):
    assert names(_run("best", "4445", "-p", "own.py:Mine").stdout, "own.py:Mine")
    _run("best", "444555444555666666", "-p", "own.py:Late", code=2)
    result = _run("play", "-p", "own.py:Mine", "--position", "4455", given="6\n7\n3\n")
    assert "you win" in result.stdout
    _run("match", "own.py:Mine", "random", "--timeout", "0", code=2)


def test_check_finds_what_can_not_be_repeated(folder):
    wild = check_player("own.py:Wild", positions=13)
    assert [finding.passed for finding in wild.findings] == [True, True, False, False, False]
    late = check_player("own.py:Late", positions=26)
    assert [finding.passed for finding in late.findings] == [False, None, None, None, None]
    assert "ValueError: nothing left" in str(late)
    assert late.remarks == ()
    with refused("0 positions"):
        check_player("random", positions=0)


@pytest.mark.slow
def test_check_finds_memory_of_other_games(folder):
    result = _run("check", "own.py:Remembers", "-n", "26", code=1)
    assert "✗" in result.stdout
    assert names(result.stdout.splitlines()[-1], "own.py:Remembers")


def test_new_players_work(folder):
    said = _run("new", "my_player.py").stdout
    assert "bsbench connect4 check my_player.py:MyPlayer" in said
    checked = _run("check", "my_player.py:MyPlayer", "-n", "13").stdout
    assert checked.count("✓") == 5
    # It wins at once wherever it can.
    assert re.search(r"^· .*: in (\d+) of \1 positions", checked, re.MULTILINE)
    assert names(checked.splitlines()[-1], "my_player.py:MyPlayer")
    assert _played("my_player.py:MyPlayer", games=40).score.share > 0.6
    _run("new", "talks.py", "--kind", "python-process")
    assert _played("cmd:python3 talks.py", games=4).games == 4
    assert_refused(_run("new", "my_player.py", code=2), "my_player.py")
    assert_refused(_run("new", "a.py", "--kind", "cpp", code=2), "a.py", "cpp")
    for template in ("my_player.py", "talks.py"):
        assert "$" not in Path(template).read_text()


@pytest.mark.skipif(shutil.which("g++") is None, reason="no compiler of C++ here")
def test_a_new_player_in_cpp_works(in_folder):
    said = _run("new", "my_bot.cpp").stdout.splitlines()
    assert said[1] == "  g++ -O3 -std=c++17 -o my_bot my_bot.cpp"
    assert said[2] == "  bsbench connect4 check cmd:./my_bot"
    subprocess.run([*said[1].split(), "-Wall", "-Wextra", "-Werror"], check=True)
    assert _played("cmd:./my_bot 3", games=40).score.share > 0.7
    assert _same(_played("cmd:./my_bot 3", games=4), _played("cmd:./my_bot 3", games=4, threads=2))


def test_the_names_of_the_package_are_there():
    for name in connect4.__all__:
        assert getattr(connect4, name) is not None
    with contextlib.suppress(AttributeError):
        connect4.nothing  # noqa: B018
        raise AssertionError


# Replays.


def test_a_replay_is_the_game_of_the_match():
    match = _played("greedy", "random", games=6)
    for game in range(6):
        again = connect4.replay("greedy", "random", seed=3, game=game, solved_from=30)
        pair, side = divmod(game, 2)
        assert again.labels == (("greedy", "random"), ("random", "greedy"))[side]
        assert len(again.position.played) == match.lengths[pair, side]
        winner = {"first": 1, "second": -1, None: 0}[again.position.winner]
        assert winner * (1, -1)[side] == match.outcomes[pair, side]


def test_values_are_those_of_the_solver():
    position = Position.parse("2252576253462244111563")
    again = connect4.replay_moves(position, 18)
    assert again.values[:18] == (None,) * 18
    assert len(again.values) == 23
    solver = make_player("perfect")
    solver.begin(0)
    texts = {str(column): str(value) for column, value in again.values[22].items()}
    # The first player is to move, and has 11 stones: the second wins with its stone 20, in 9 more.
    assert texts["3"] == "loses in 9"
    for ply in range(18, 23):
        at = Position(position.played[:ply])
        for column, score in solver.analyse(at).scores.items():
            value = again.values[ply][column]
            assert value.outcome == np.sign(score)
            if not score:
                continue
            assert value.moves == 22 - abs(score) - (ply + (score < 0)) // 2
    # Who has just won could do so with one stone.
    over = connect4.replay("greedy", "greedy", seed=3, game=4, solved_from=20)
    assert over.position.winner is not None
    assert len(over.values) == len(over.position.played) > 20
    assert str(over.values[-1][over.position.played[-1]]) == "wins in 1"


def test_replays_as_text(folder):
    words = ["own.py:Loud", "greedy", "--seed", "3", "--game", "8", "--solve-from", "16"]
    result = _run("replay", *words)
    assert "      | thinking\n" in result.stdout
    assert re.search(r"^ +8  O \d  random$", result.stdout, re.MULTILINE)
    assert re.search(r"^ +1[6-9]  [XO] \d  (wins|loses|draw)", result.stdout, re.MULTILINE)
    assert names(result.stdout, "16 stones")
    words[0] = "own.py:Late"
    failed = _run("replay", *words, code=1)
    assert "own.py:Late failed" in failed.stdout
    assert "ValueError: nothing left" in failed.stderr
    assert "X first" in _run("replay", "--moves", "1212121").stdout
    for words in (
        ["random"],
        ["random", "greedy", "--moves", "44"],
        ["--moves", "48"],
        ["random", "greedy", "--solve-from", "43"],
        ["random", "greedy", "--game", "-1"],
        ["random", "greedy", "-o", "game.txt"],
    ):
        assert_refused(_run("replay", *words, code=2))


def test_the_guide_tells_what_there_is(in_folder):
    rows = re.findall(r"^\| `(.*?)` \|", GUIDE, re.MULTILINE)
    named = {name for row in rows[1:] for name in re.findall(r"\b([a-z]+)\b(?:\([a-z, ]*\))?", row)}
    members = {name for name in dir(View) if not name.startswith("_")}
    assert members <= named
    player, api = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    Path("my_player.py").write_text(player)
    # Fewer games, with later openings.
    api = re.sub(r"games=\d+", "games=2, seed=1", api).replace("range(16, 31)", "[30], positions=2")
    space = {}
    exec(player, space)
    exec(api.replace("seed=0, game=3", "solved_from=30"), space)
    assert Path("game.html").read_text().startswith("<!doctype html>")
