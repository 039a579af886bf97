"""Bots: the protocol word by word, bots that go wrong, and bots wherever strategies are named."""

from __future__ import annotations

import ast
import json
import re
import shlex
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.errors import BsbenchError, Fault
from bsbench.own import bot, exchange, lines, program
from bsbench.own.choosing import alias
from bsbench.own.program import Command
from bsbench.own.thinker import Limits
from bsbench.play.game import layout_of
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.samplers import make_sampler
from bsbench.roster import find_strategy, make_variant
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario
from bsbench.runs.records import load_result
from bsbench.runs.results import save_result
from bsbench.strategies import Strategy
from bsbench.strategies.view import View
from tests.own.test_lines import group_lives
from tests.support import ROOT, SUPPORT
from tests.support.refusals import assert_names, assert_refused, assert_sentence, refused, warned
from tests.support.verdicts import assert_verdict, verdict_in, words_of

FOLDER = SUPPORT / "bad_bots"
BOTS = FOLDER / "bots.py"
BAD = {
    each.name: verdict_in(ast.get_docstring(each))
    for each in ast.parse(BOTS.read_text()).body
    if isinstance(each, ast.FunctionDef)
}

PAGE = ROOT / "docs" / "protocol.md"
SMALL = Rules(3, 4, (3, 2), touching=True, feedback=Feedback.SUNK)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def command(name: str, *words: str) -> str:
    """Return how one of the bots in the folder is named."""
    return f"cmd:{shlex.join([sys.executable, '-S', str(BOTS), name, *words])}"


@pytest.fixture(autouse=True)
def nothing_is_left_behind(monkeypatch):
    """See to it that all bots end with all that they have started, and don't wait long for it."""
    started = []

    class Noted(lines.LineProcess):
        def __init__(self, *args, **named):
            super().__init__(*args, **named)
            started.append(self)

    monkeypatch.setattr(program, "LineProcess", Noted)
    monkeypatch.setattr(lines, "_GRACE", 0.3)
    yield
    for bots in program._found.values():
        bots.close()
    program._found.clear()
    assert not any(group_lives(process.pid) for process in started)


# The protocol.


SPEAKER = """
import sys

lines = iter(open(sys.argv[1]).read().splitlines())
for line in lines:
    side, text = line[:2], line[2:]
    if side == "< ":
        print(text, flush=True)
    elif (read := sys.stdin.readline()) != text + "\\n":
        print(f"error {read!r} is not {text!r}", flush=True)
open(sys.argv[2], "w").write("all of it")
"""


TOLD = r"> rules (\d+) (\d+) touching (\w+) \d+ ([\d ]*\d)( salvo 4 joint)?\n"


def speaker(number: int, folder: Path) -> tuple[str, str]:
    """Return the command of a bot that speaks a transcript of the pages, and the transcript."""
    text = PAGE.read_text() + (ROOT / "docs" / "salvos.md").read_text()
    blocks = re.findall(r"```\n(> bsbench.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 4
    (folder / "transcript").write_text(blocks[number])
    (folder / "speaker.py").write_text(SPEAKER)
    words = [sys.executable, *(str(folder / name) for name in ("speaker.py", "transcript", "end"))]
    return f"cmd:{shlex.join(words)}", blocks[number]


@pytest.mark.parametrize(
    ("number", "games"), [(0, 1), (2, 3), pytest.param(3, 1, marks=pytest.mark.ci)]
)
def test_the_transcripts_of_the_pages_are_replayed_word_by_word(number, games, tmp_path):
    spec, transcript = speaker(number, tmp_path)
    strategy = make_variant(spec)
    rows, cols, feedback, fleet, salvo = re.search(TOLD, transcript).groups()
    given = {"fleet": [*map(int, fleet.split())], "feedback": feedback}
    if salvo:
        given |= {"shots": 4, "answers": "joint"}
    rules = Scenario(f"{rows}x{cols}", **given).rules
    sampler = make_sampler(rules, Placement())
    ((_, moves),) = Simulator(rules, sampler, strategy, 0, 2).play(iter([Block(0, games)]))
    strategy.close()
    strategy.talkers.close()
    overs = [int(over) for over in re.findall(r"over (\d+)", transcript)]
    # Of salvos, turns are counted.
    assert sorted(moves.reshape(games, -1)[:, 0].tolist()) == sorted(overs)
    assert (tmp_path / "end").read_text() == "all of it"


def test_the_session_with_all_capabilities_is_replayed_word_by_word(tmp_path):
    spec, _ = speaker(1, tmp_path)
    rules = Rules(2, 3, (2,), touching=True, feedback=Feedback.SUNK)
    place, sampler = Scenario(rules=rules), make_sampler(rules, Placement())
    (game, *_) = (each for each in range(99) if layout_of(rules, sampler, 0, each) == ((1, 4),))
    again = bsbench.replay(f"{spec},level=1.5", place, game=game)
    assert again.fault is None, str(again.fault)
    assert again.strategy.startswith("thinker level=1.5 arguments=")
    first, second, third = (move.insight for move in again.moves)
    assert first.remark == "The corner; considers A1, A2"
    assert (second.remark, second.scores) == ("", None)
    assert first.chances.tolist() == [0.29, 0.43, 0.29, 0.29, 0.43, 0.29]
    assert third.scores.tolist() == [-1, 0.33, 0, 0.33, -1, 0.33]
    assert (tmp_path / "end").read_text() == "all of it"


def naive_lines(places: bool, rules: Rules, talk: exchange.Talk) -> str:
    """Return what `write_lines` writes, from the definition."""
    written = []
    for lane in range(len(talk.live)):
        place = f"{lane} " if places else ""
        if talk.asked[lane] and (talk.begins[lane] or not talk.live[lane]):
            written.append(f"{place}over {talk.shots[lane]}")
        elif talk.asked[lane]:
            words = [("miss", "hit", "sunk")[talk.outcome[lane]], talk.cell[lane]]
            if talk.ship[lane] >= 0:
                words.append(talk.ship[lane])
            if talk.slot[lane] >= 0:
                first, down = divmod(int(talk.slot[lane]), 2)
                step = rules.cols if down else 1
                words += [first + step * nth for nth in range(rules.fleet[talk.ship[lane]])]
            written.append(place + " ".join(map(str, words)))
        if talk.begins[lane]:
            number = f" {talk.number[lane]}" if talk.number[lane] >= 0 else ""
            written.append(f"{place}game{number}")
    live = [str(lane) for lane in range(len(talk.live)) if talk.live[lane]]
    if live:
        written.append(" ".join(["shoot", *live]) if places else "shoot")
    return "".join(f"{line}\n" for line in written)


class Listening(Strategy):
    """Shoots at random, and compares the lines of the kernel with those of its twin."""

    name, source = "listening", "this test"

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self.random = np.random.default_rng(seed)
        self.talk = exchange.new_talk(rules, lanes)
        self.one = exchange.OneGame(rules)
        self.heard = ""

    def deal(self, lanes, games):
        self.talk.begins[lanes] = self.one.begins = True
        self.talk.number[lanes] = np.where(games % 3, games * 10**17 + 9, -1)
        self.one.number = int(self.talk.number[0])

    def shoot(self, view):
        seen = {name: getattr(view, name) for name in ("live", "cell", "outcome", "ship", "slot")}
        self.talk = talk = self.talk._replace(**seen)
        if self.lanes == 1:
            alone = naive_lines(False, self.rules, talk)
            assert self.one.lines(view).decode() == alone
        expected = naive_lines(True, self.rules, talk)
        size = exchange.write_lines(self.rules.cols, *talk)
        assert talk.room[:size].tobytes().decode() == expected
        self.heard += expected
        cells = np.full(self.lanes, -7)
        answer = [
            self.random.choice(np.flatnonzero(~talk.fired[lane]))
            for lane in np.flatnonzero(view.live)
        ]
        if self.lanes == 1 and answer:
            assert self.one.read(b"%d" % answer[0], cells) == exchange.WELL
            assert cells.tolist() == answer
        line = as_array(" ".join(map(str, answer)))
        assert exchange.read_cells(line, talk.live, talk.fired, cells) == exchange.WELL
        assert cells[talk.live].tolist() == answer
        return cells


def as_array(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


@pytest.mark.parametrize("feedback", Feedback)
@pytest.mark.parametrize("lanes", [1, 11])
def test_the_lines_are_those_of_their_twin(feedback, lanes):
    rules = Rules(5, 23, (10, 4, 4, 1), touching=False, feedback=feedback)
    strategy = Listening()
    simulator = Simulator(rules, make_sampler(rules, Placement()), strategy, 3, lanes)
    list(simulator.play(iter([Block(0, 4 * lanes)])))
    words = {word for line in strategy.heard.splitlines() for word in line.split()}
    assert {"game", "miss", "hit", "over", "shoot"} < words
    assert ("sunk" in words) == (feedback > Feedback.HIT)


@pytest.mark.parametrize(
    ("answer", "lane", "wrong"),
    [
        ("  3  4 ", 0, exchange.WELL),
        ("3", 2, exchange.NO_CELL),
        ("3 4 5", 2, exchange.TOO_MANY),
        ("3,4", 0, exchange.NO_CELL),
        ("3\t4", 0, exchange.NO_CELL),
        ("3 -4", 2, exchange.NO_CELL),
        ("3 4x", 2, exchange.NO_CELL),
        ("0 4", 0, exchange.REPEATED),
        ("3 12", 2, exchange.OFF_BOARD),
        ("999999999 4", 0, exchange.OFF_BOARD),
        ("3 9999999999", 2, exchange.NO_CELL),
    ],
)
def test_answers_are_read_strictly(answer, lane, wrong):
    live, fired = np.array([True, False, True]), np.zeros((3, 12), np.bool_)
    fired[0, 0] = fired[1, :] = True
    cells = np.full(3, -1)
    assert divmod(exchange.read_cells(as_array(answer), live, fired, cells), 5) == (lane, wrong)
    if wrong == exchange.WELL:
        assert cells.tolist() == [3, -1, 4]


@pytest.mark.parametrize(
    "answer", ["3", " 3 ", "", "3 4", "x", "3x", "-1", "0", "12", "9999999999", "3 x"]
)
def test_one_answer_is_read_as_one_of_many(answer):
    one = exchange.OneGame(SMALL)
    one.fired[0] = 1
    fired, cells, other = np.zeros((1, 12), np.bool_), np.full(1, -1), np.full(1, -1)
    fired[0, 0] = True
    right = one.read(answer.encode(), cells)
    assert exchange.read_cells(as_array(answer), np.array([True]), fired, other) == right
    assert right or cells.tolist() == other.tolist() == [3]


# Bots that go wrong.


@pytest.mark.parametrize(("name", "verdict"), BAD.items(), ids=BAD)
def test_each_gets_its_verdict(name, verdict):
    if "fault" not in verdict:
        assert_verdict(verdict, command(name), BOTS.name, "gym-5x5", 3, timeout=5)
        return
    with warnings.catch_warnings():
        # Some write to stderr.
        warnings.simplefilter("ignore", bsbench.BsbenchWarning)
        with pytest.raises(bsbench.StrategyError) as caught:
            bsbench.run(command(name), "gym-5x5", games=3, threads=1, timeout=0.5)
    assert_sentence(caught.value.problem, *words_of(verdict, "fault"))
    assert verdict.get("line", "") in caught.value.line
    assert caught.value.game == int(verdict.get("game", 0))
    assert shlex.split(caught.value.replay)[3] == command(name)


def fault_of(code: str, folder: Path, monkeypatch, games: int, **rules) -> bsbench.StrategyError:
    """Return the fault of a bot, written with what the bad ones share, in games of seed 5."""
    (folder / "late.py").write_text(f"from _bot import play, play_many, play_salvos\n{code}")
    monkeypatch.setenv("PYTHONPATH", str(FOLDER))
    monkeypatch.chdir(folder)
    with pytest.raises(bsbench.StrategyError) as caught:
        bsbench.run(
            f"cmd:{sys.executable} late.py", "gym-5x5", games=games, seed=5, threads=1, **rules
        )
    return caught.value


def test_a_fault_after_some_games_keeps_them(tmp_path, monkeypatch):
    """The bot shoots off the board in game 3 alone, of a batch, and that game is named."""
    choose = f"lambda cells, number: 99 if number == {alias('late', 5, 3)} else cells[0]"
    fault = fault_of(f"play_many({choose}, 'random', 'games 4')", tmp_path, monkeypatch, 8)
    assert (fault.game, fault.seed, fault.shots, fault.result.games) == (3, 5, 0, 3)


@pytest.mark.parametrize(
    ("plays", "wrote", "rules"),
    [
        ("play(cells", "'won'", {}),
        ("play_many(cells, 'games 4'", "24", {}),
        ("play_many(cells, 'games 4'", "24, flush=True", {}),
        ("play_salvos(cells", "'won'", {"shots": 3}),
    ],
)
def test_a_line_between_two_games_is_blamed_on_the_one_before(
    plays, rules, wrote, tmp_path, monkeypatch
):
    """The bot writes it when it hears that game 3 is over, whatever game comes next."""
    code = (
        "cells = lambda cells, number: cells[number % len(cells)]\n"
        f"over = lambda shots, number: number == {alias('late', 5, 3)} and print({wrote})\n"
        f"{plays}, 'random', over=over)"
    )
    fault = fault_of(code, tmp_path, monkeypatch, 12, **rules)
    if wrote.endswith("flush=True") and "after game" not in fault.problem:
        # Taken for a shot, it shows when the answer to the question is there, too.
        assert_names(fault.problem, "nobody", "asked")
        return
    assert_names(fault.problem, "after game 3", wrote.removesuffix(", flush=True"))
    # It may be counted by then.
    assert (fault.game in (3, 4), fault.shots) == (True, None)
    assert fault.result.games == fault.game


def test_a_killed_bot_does_not_block():
    """What Ctrl-C does: another thread kills all bots that play."""
    strategy, view = make_variant(command("good")), View(SMALL, 1)
    strategy.begin(SMALL, 1, 0)
    strategy.deal(np.array([0]), np.array([0]))
    view.begin(np.array([0]))
    strategy.kill()
    before = time.monotonic()
    with refused(kind=Fault):
        strategy.shoot(view)
    assert time.monotonic() - before < 5
    strategy.close()


# Bots wherever strategies are named.


def test_a_bot_plays_the_games_of_a_strategy_that_shoots_alike():
    linear = bsbench.run("linear", "gym-6x9", games=300, seed=4)
    for name, called in (("good", "bot-linear"), ("good_many", "good-many")):
        played = bsbench.run(command(name), "gym-6x9", games=300, seed=4, threads=2)
        assert played.moves.tolist() == linear.moves.tolist()
        assert played.strategy == called


def test_records_and_replays_name_the_command(in_folder):
    spec = command("good", "--level", "1,2 or 3")
    result = bsbench.run(spec, "gym-5x5", games=20, seed=1)
    assert result.label == "bot-linear arguments=good --level '1,2 or 3'"
    save_result(result, "good.json")
    loaded = load_result("good.json")
    assert loaded.source == spec
    assert len(loaded.strategy_sha256) == 64
    assert_refused(CliRunner().invoke(main, ["replay", "good.json"]), "--trust")
    for words in (["replay", "--game", "3", "--trust"], ["verify", "--trust"]):
        ended = CliRunner().invoke(main, [*words, "good.json"])
        assert ended.exit_code == 0, ended.output
    with refused("bot-linear", "good --level '1,2 or 3'"):
        find_strategy(spec).configured({"arguments": "--level 9"})


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("cmd:./absent,3", ["./absent,3"]),
        ("cmd:", ["cmd:PROGRAM ARGUMENTS"]),
        ("cmd:./my 'bot", ["./my 'bot"]),
        ("cmd:cat", ["cat", "'bsbench battleship 1'"]),
        ("cmd:true", ["cmd:true", "exit code 0"]),
        ("cmd:./b\x07", [r"./b\x07"]),
        ("cmd:node", ["node"]),
    ],
)
def test_commands_that_can_not_be_run(spec, named):
    with refused(*named):
        make_variant(spec)


def test_a_bot_that_does_not_start_is_given_up_after_the_timeout(monkeypatch):
    monkeypatch.setattr("bsbench.own.thinker._LEAST_START", 0.1)
    with refused("cmd:sleep 60", "0.2 s"):
        bsbench.run("cmd:sleep 60", games=1, timeout=0.2)


@pytest.mark.parametrize(
    "words",
    [
        *("run cmd:./x", "check cmd:./x", "worst cmd:./x", "replay --strategy cmd:./x"),
        *("compare cmd:./x linear", "tune cmd:./x --vary a=1"),
        "optimum --board 4x4 --fleet 3,2 --strategy cmd:./x",
    ],
)
def test_all_that_has_a_timeout_limits_the_start_of_bots(monkeypatch, words):
    def start(spec, limits):
        heard.append(limits.longest_start)
        raise BsbenchError("enough")

    heard = []
    monkeypatch.setattr(bot, "strategy_of", start)
    for timeout in ("300", "0.5"):
        ended = CliRunner().invoke(main, [*words.split(), "--timeout", timeout])
        assert "enough" in ended.output, ended.output
    assert heard == [300, 10]


def test_a_bot_may_refuse_rules(tmp_path):
    (tmp_path / "wide.py").write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    wide = line.startswith('bsbench') or line.split()[2] == '9'\n"
        "    print('ready' if wide else 'refuse I need 9 columns', flush=True)\n"
    )
    spec = f"cmd:{sys.executable} -S {tmp_path / 'wide.py'}"
    with refused("'wide'", "5x5", "I need 9 columns"):
        bsbench.run(spec, "gym-5x5", games=1)
    assert make_variant(spec).fits(Rules(1, 9, (3,), touching=True))


def test_replay_shows_what_a_bot_writes_to_stderr():
    heard = []
    again = bsbench.replay(command("chatters"), "gym-5x5", hear=heard.append)
    assert heard[0].startswith("I think.\nI think.\n")
    assert again.printed == (10_001 * len(again.moves), "I think.")
    with warned("'I think.'"):
        bsbench.run(command("chatters"), "gym-5x5", games=2)


def test_names_and_files_come_from_the_command(in_folder):
    Path("classes").mkdir()
    for name in ("hunter.py", "weights.bin", "Sinker", "bot.jar", "classes/Hunter.class"):
        Path(name).touch()
    for text, *expected in [
        ("./Sinker weights.bin", "Sinker", "weights.bin", "Sinker", "weights.bin"),
        ("python3 -u hunter.py 'a b'", "hunter", "'a b'", "hunter.py"),
        ("/usr/bin/java -jar bot.jar", "bot", "", "bot.jar"),
        ("java Hunter", "java", "Hunter"),
        ("java -cp classes Hunter -x", "Hunter", "-x", "classes/Hunter.class"),
    ]:
        found = Command.read(f"cmd:{text}")
        files = [str(each.relative_to(in_folder)) for each in found.files]
        assert [found.name, found.words, *files] == expected


def test_a_bot_plays_no_more_games_at_once_than_it_announced():
    strategy = make_variant(command("good_many"))
    simulator = Simulator(SMALL, make_sampler(SMALL, Placement()), strategy, 0, 64)
    assert simulator.lanes == 5
    with refused("5", "6"):
        make_variant(command("good_many")).begin(SMALL, 6, 0)
    strategy.close()


def test_a_bot_that_can_not_have_its_memory_is_told_of_the_limit(in_folder):
    (in_folder / "bot.sh").write_text("read line\necho '#'\n")
    limited = bot.Bot(Command.read("cmd:sh bot.sh"), limits=Limits(memory=1 << 28))
    with refused("'#'", "memory", kind=Fault):
        limited.announced()


# What protocol 2 adds.


OBEDIENT = """
import sys

level = 1
for line in sys.stdin:
    words = line.split()
    if words[0] in ("set", "limits"):
        print(line, end="", file=open("told.txt", "a"))
        if words[:2] == ["set", "level"]:
            level = int(words[2])
    elif words[0] == "bsbench":
        print("can limits\\noption level int 1 1 7\\noption note text a\\nrandom\\nready")
    elif words[0] == "rules":
        cells = int(words[1]) * int(words[2])
        print("ready")
    elif words[0] == "game":
        number, shot = int(words[1]), -level
    elif words[0] == "shoot":
        if number % 7 == 3 and shot == 5 * level:
            sys.exit(1)
        shot += level
        print(shot % cells)
    sys.stdout.flush()
"""


@pytest.fixture
def obedient(in_folder):
    """Write a bot that goes over the board in steps of its level, and dies in some games."""
    Path("obedient.py").write_text(OBEDIENT)
    return f"cmd:{sys.executable} -S obedient.py"


def test_options_are_parameters(obedient):
    """Level 2 shoots at every second cell, and then twice at the first one."""
    first = bsbench.run(obedient, "gym-6x9", games=2, seed=1, threads=1, timeout=9)
    assert first.parameters["level"] == 1
    assert Path("told.txt").read_text() == "limits start 10 game 9 games 2\n"
    with pytest.raises(bsbench.StrategyError) as caught:
        bsbench.run(f"{obedient},level=2", "gym-6x9", games=2, seed=1, threads=1, timeout=9)
    assert "level=2" in caught.value.replay
    assert Path("told.txt").read_text().count("set level 2\n") == 1
    with refused("level", "7"):
        bsbench.run(f"{obedient},level=8", "gym-6x9", games=2)
    assert make_variant(f"{obedient},note=c,level=3").label == "obedient level=3 note=c"
    swept = bsbench.run(obedient, "gym-6x9", games=2, seed=1, sweep={"level": [1, 5]})
    assert {each.parameters["level"] for each in swept} == {1, 5}


@pytest.mark.parametrize(
    "text",
    [
        *("LEVEL int 1", "level complex 1j", "level int 5 0 3", "level float 1 0 inf", "level"),
        *("note text a,b", "pick choice a b,c", "on bool 1", "level int 1.5", "level float 1e400"),
    ],
)
def test_options_that_can_not_be_are_refused(text):
    with pytest.raises(ValueError, match=r"name|option|between|large"):
        program._read_option(text)


def test_what_follows_a_command_is_a_setting_unless_it_is_quoted(obedient):
    assert make_variant(f"{obedient} '--x=1,y=2'").parameters["arguments"] == "--x=1,y=2"
    with refused("'y'", "quotes"):
        make_variant(f"{obedient} --x=1,y=2")
    with refused("note", "a b"):
        find_strategy(obedient).configured({"note": "a b"})
    level = make_variant(f"{obedient} --x=1,level=2")
    assert (level.level, level.parameters["arguments"]) == (2, "--x=1")


def test_what_was_set_before_is_told_again_where_it_differs(obedient):
    """A process is used again: what one strategy has set, another one sets back."""
    for settings in ("level=1", "level=5", "level=5", "level=1"):
        strategy = make_variant(f"{obedient},{settings}")
        strategy.begin(SMALL, 1, 0)
        strategy.close()
    told = [line for line in Path("told.txt").read_text().splitlines() if line.startswith("set")]
    assert told == ["set level 5", "set level 1"]


def test_a_bot_that_may_fail_forfeits_games_and_plays_on(obedient, in_folder):
    """Which games those are depends on neither threads nor ranges."""
    plain = [alias("obedient", 4, game) % 7 == 3 for game in range(60)]
    whole = bsbench.run(f"{obedient},restart=60", "gym-6x9", games=60, seed=4, threads=2)
    lost = whole.forfeits
    assert whole.fault is None
    # A game that is over before its sixth shot can't fail.
    assert set(lost) <= {game for game, fails in enumerate(plain) if fails}
    assert len(lost) > 5
    assert all(whole.moves[game] == 54 for game in lost)
    linear = bsbench.run("linear", "gym-6x9", games=60, seed=4).moves
    others = [game for game in range(60) if game not in lost]
    assert whole.moves[others].tolist() == linear[others].tolist()
    # Parts are merged, whatever the number of their forfeits.
    parts = [
        bsbench.run(
            f"{obedient},restart={len(lost) - 1}", "gym-6x9", games=30, seed=4, first_game=first
        )
        for first in (0, 30)
    ]
    joined = parts[0] + parts[1]
    assert (joined.forfeits, joined.moves.tolist()) == (lost, whole.moves.tolist())
    joined.save("both.json")
    assert load_result("both.json").forfeits == lost
    (path,) = save_result(whole, "whole.json")
    shown = CliRunner().invoke(main, ["show", str(path)])
    assert f"failed in {len(lost)} of 60 games" in " ".join(shown.output.split())
    # A record can't claim others.
    record = json.loads(path.read_text())
    for wrong in ([60], [3, 3], list(range(60)), [5, 4]):
        path.write_text(json.dumps(record | {"forfeits": wrong}))
        with refused("forfeits"):
            load_result(path)
    # Only so many games are forfeited.
    with pytest.raises(bsbench.StrategyError) as caught:
        bsbench.run(f"{obedient},restart=2", "gym-6x9", games=60, seed=4, threads=2)
    assert (caught.value.game, caught.value.result.forfeits) == (lost[2], lost[:2])


def test_a_bot_that_fails_in_game_0_loses_that_game_alone(obedient):
    text, fails = Path("obedient.py").read_text(), "number % 7 == 3 and shot == 5 * level"
    Path("first.py").write_text(text.replace(fails, f"number == {alias('first', 4, 0)}"))
    spec = f"cmd:{sys.executable} -S first.py,restart=3"
    assert bsbench.run(spec, "gym-6x9", games=20, seed=4).forfeits == (0,)
    assert bsbench.run(spec, "gym-6x9", games=20, seed=4, first_game=20).forfeits == ()


def test_learners_are_not_started_again(obedient, in_folder):
    text = OBEDIENT.replace("note text a", "games_per_learner int 5")
    Path("obedient.py").write_text(text)
    with refused("restart"):
        bsbench.run(f"{obedient},restart=3", "gym-6x9", games=10)
    assert bsbench.run(f"{obedient},restart=3,games_per_learner=1", "gym-6x9", games=4).games == 4


def test_shots_have_limits_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(FOLDER))
    (tmp_path / "sleeps.py").write_text(
        "import time\nfrom _bot import play\n"
        "play(lambda cells: time.sleep(0.4 * (len(cells) in (25, 20))) or cells[0])\n"
    )
    spec = f"cmd:{sys.executable} {tmp_path / 'sleeps.py'}"
    for settings, shots in (("move_timeout=0.2", 0), ("move_timeout=0.2,first_timeout=9", 5)):
        with pytest.raises(bsbench.StrategyError) as caught:
            bsbench.run(f"{spec},{settings}", "gym-5x5", games=1, seed=3)
        assert caught.value.shots == shots
        assert "0.2 s" in caught.value.problem


def test_the_page_of_a_replay_has_what_a_bot_says(in_folder):
    words = ["replay", "--scenario", "gym-5x5", "-s", command("thinks")]
    assert "| yes; considers A1, A2" in CliRunner().invoke(main, words).output
    assert CliRunner().invoke(main, [*words, "-o", "game.html"]).exit_code == 0
    assert "yes; considers A1, A2" in Path("game.html").read_text()
