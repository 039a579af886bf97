"""Strategies in Python think in processes of their own: what these can and can't do."""

from __future__ import annotations

import builtins
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench import StrategyError
from bsbench.cli import main
from bsbench.own.adapter import origin_of
from bsbench.own.choosing import alias
from bsbench.own.contract import GAME
from bsbench.own.importing import Task
from bsbench.own.thinker import NO_LIMITS, Thinkers
from bsbench.roster import make_variant
from bsbench.rules.scenario import find_scenario
from bsbench.runs.cores import Run
from bsbench.runs.records import load_result
from bsbench.studies.check import properties
from tests.support.helpers import interrupt, started
from tests.support.refusals import assert_refused, assert_sentence, names, refused

SLOW = pytest.mark.slow

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="thinkers are for POSIX")

OWN = '''
import os
import signal
import socket
import time

import numpy as np

import bsbench


class Shuffled:
    def reset(self, rules, rng):
        self.order = rng.sample(range(rules.cells), rules.cells)

    def shoot(self, view):
        return self.order[len(view.shots)]


class Shared:
    deterministic = True

    def shoot(self, view):
        return view.open_cells[len(view.hits) % len(view.open_cells)]


class Batch(bsbench.BatchStrategy):
    def shoot(self, view):
        return np.where(view.shot, -1, view.random()).reshape(view.games, -1).argmax(axis=1)


class Odd(Shuffled):
    """Goes wrong in some games only, after five shots."""

    def shoot(self, view):
        if len(view.shots) == 5 and self.order[0] == 0:
            return self.wrong(view)
        return super().shoot(view)


class Raises(Odd):
    def wrong(self, view):
        return 1 // 0


class Quits(Odd):
    def wrong(self, view):
        raise SystemExit


class Nothing(Odd):
    def wrong(self, view):
        pass


class Float(Odd):
    def wrong(self, view):
        return 2.0


class Pair(Odd):
    def wrong(self, view):
        return 0, 0


class Bool(Odd):
    def wrong(self, view):
        return True


class Unshowable(Odd):
    def wrong(self, view):
        return type("Sly", (), {"__repr__": lambda self: 1 // 0})()


class AtOnce(Shuffled):
    def shoot(self, view):
        return -1


class Off(Odd):
    def wrong(self, view):
        return -1


class Twice(Odd):
    def wrong(self, view):
        return view.shots[0]


class Loops(Odd):
    def wrong(self, view):
        while True:
            pass


class Sleeps(Shuffled):
    def shoot(self, view):
        time.sleep(0.02)
        return super().shoot(view)


class Hangs(Odd):
    def wrong(self, view):
        return 10**10**9


class Dies(Odd):
    def wrong(self, view):
        os._exit(7)


class Prints(Shuffled):
    def shoot(self, view):
        print("shot", len(view.shots))
        os.system("echo from outside")
        return super().shoot(view)


class Talks:
    def shoot(self, view):
        print("shot", len(view.shots))
        if len(view.shots) == 2:
            print("lost")
            raise IndexError("lost")
        return view.open_cells[0]


class Babbles:
    def shoot(self, view):
        while True:
            print("again")


class Reads(Shuffled):
    def shoot(self, view):
        return int(input())


class FirstOfSet:
    """The first of a set of texts.

    It depends on their hashes.
    """

    def shoot(self, view):
        return int(next(iter({str(cell) for cell in view.open_cells})))


class Interrupts(Odd):
    def wrong(self, view):
        raise KeyboardInterrupt("as Ctrl-C does")


class Breaks(Odd):
    def wrong(self, view):
        raise type("Odd", (BaseException,), {})("broken")


class Rewrites(Odd):
    def wrong(self, view):
        object.__setattr__(view.rules, "fleet", ())
        return view.open_cells[0]


class Stops(Odd):
    def wrong(self, view):
        os.kill(os.getpid(), signal.SIGSTOP)


class Forks(Shuffled):
    def shoot(self, view):
        os.fork()
        return super().shoot(view)


class ForksOnce(Shuffled):
    def reset(self, rules, rng):
        super().reset(rules, rng)
        if os.fork() == 0:
            time.sleep(3600)


class Garbles(Odd):
    def wrong(self, view):
        for number in os.listdir("/proc/self/fd"):
            try:
                socket.socket(fileno=os.dup(int(number))).sendall(GARBAGE)
            except OSError:
                pass
        return view.open_cells[0]


GARBAGE = b"[" * 100_000


class Empty(Garbles):
    def wrong(self, view):
        global GARBAGE
        GARBAGE = bytes.fromhex("0200000000000000") + b"{}"
        return super().wrong(view)


class Deep(Garbles):
    def wrong(self, view):
        global GARBAGE
        GARBAGE = (50_000).to_bytes(4, "little") + bytes(4) + b"[" * 50_000
        return super().wrong(view)


class Wide(Garbles):
    def wrong(self, view):
        global GARBAGE
        GARBAGE = bytes(4) + (2**31).to_bytes(4, "little") + bytes(1000)
        return super().wrong(view)


class NumpyCell(Shuffled):
    def shoot(self, view):
        return np.uint8(super().shoot(view))
'''


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A file of strategies in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "own.py").write_text(OWN)
    return tmp_path


def runs(process: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    listing = ["ps", "-o", "stat=", "-p", str(process)]
    state = subprocess.run(listing, stdout=subprocess.PIPE, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


def thinkers_of(process: int) -> set[int]:
    """Return the numbers of the processes that a process has started."""
    listing = ["ps", "-o", "pid=,comm=", "--ppid", str(process)]
    found = subprocess.run(listing, stdout=subprocess.PIPE, text=True, check=False).stdout
    lines = (line.split() for line in found.splitlines())
    return {int(number) for number, name in lines if name.startswith("python")}


@contextmanager
def faulty(*named):
    """Fail unless the block ends with a fault of a strategy, in a sentence that names words."""
    with pytest.raises(StrategyError) as caught:
        yield caught
    assert_sentence(caught.value.problem, *named)


def moves_of(spec, games=60, **request):
    return bsbench.run(spec, "classic", games=games, keep_moves=True, **request).moves


@pytest.mark.parametrize(
    "name",
    ["Shared", "Batch", *(pytest.param(name, marks=SLOW) for name in ("Shuffled", "NumpyCell"))],
)
def test_the_number_of_thinkers_makes_no_difference(own, name):
    one = moves_of(f"own.py:{name}", threads=1, seed=5)
    longer = moves_of(f"own.py:{name}", threads=2, seed=5, games=200)
    np.testing.assert_array_equal(one, longer[:60])


def test_rounds_make_no_difference_and_keep_the_thinkers(own):
    # Of other tests.
    others = thinkers_of(os.getpid())
    player = Run(make_variant("own.py:Shuffled"), find_scenario("classic"), 5, 2)
    try:
        player.play_to(7)
        thinkers = thinkers_of(os.getpid()) - others
        assert len(thinkers) == 2
        player.play_to(60)
        assert thinkers_of(os.getpid()) - others == thinkers
    finally:
        player.close()
    moves = player.log.between(0, 60)
    np.testing.assert_array_equal(moves, moves_of("own.py:Shuffled", threads=1, seed=5))
    assert not thinkers & thinkers_of(os.getpid())


NOT_REPLAYED = {"Quits", "Float", "Off"}
"""Faults of a kind with others, whose replay would show nothing new."""


@pytest.mark.parametrize(
    ("name", "named", "line"),
    [
        ("Raises", ["ZeroDivisionError"], "in wrong: return 1 // 0"),
        ("Quits", ["SystemExit"], "in wrong: raise SystemExit"),
        pytest.param("Nothing", ["shoot", "None", "int"], "", marks=SLOW),
        ("Float", ["shoot", "2.0", "float"], ""),
        pytest.param("Pair", ["shoot", "tuple", "int"], "", marks=SLOW),
        pytest.param("Bool", ["shoot", "True", "bool"], "", marks=SLOW),
        pytest.param("Unshowable", ["shoot", "Sly"], "", marks=SLOW),
        ("Off", ["-1", "10x10", "0 to 99"], ""),
        ("Twice", ["0", "A1"], ""),
    ],
)
def test_a_fault_is_told_with_its_game_line_and_command(own, name, named, line):
    with pytest.raises(StrategyError) as caught:
        bsbench.run(f"own.py:{name}", "classic", games=2_000, seed=5, threads=1)
    error = caught.value
    assert_sentence(error.problem, *named)
    assert (error.seed, error.shots) == (5, 5)
    assert error.line.endswith(line)
    if line:
        assert error.line.startswith("own.py, line ")
    assert error.replay == (
        f"bsbench replay --strategy own.py:{name} --scenario classic --seed 5 --game {error.game}"
    )
    if name in NOT_REPLAYED:
        return
    # The command shows the same fault.
    arguments = error.replay.split()[1:]
    shown = CliRunner().invoke(main, arguments)
    assert shown.exit_code == 1
    assert str(error).partition("\n")[0] in shown.stderr
    assert shown.stdout.count("\n   ") >= 5
    again = bsbench.replay(f"own.py:{name}", "classic", seed=5, game=error.game)
    assert [move.cell for move in again.moves[:1]] == [0]
    assert len(again.moves) == 5
    assert str(again.fault) in str(error)


def test_a_game_that_goes_on_for_ever_is_ended_with_the_line_it_is_at(own):
    with faulty("0.5 s") as caught:
        bsbench.run("own.py:Loops", games=2_000, threads=1, timeout=0.5)
    assert caught.value.line.startswith("own.py, line ")
    assert caught.value.line.endswith(("while True:", "pass"))
    assert caught.value.shots == 5


def test_the_time_of_a_game_is_that_of_all_its_shots(own):
    with faulty("0.3 s") as caught:
        bsbench.run("own.py:Sleeps", games=3, threads=1, timeout=0.3)
    assert 5 < caught.value.shots < 16


@pytest.mark.slow
def test_code_that_can_not_be_interrupted_ends_with_its_process(own):
    with faulty("0.5 s") as caught:
        bsbench.run("own.py:Hangs", games=2_000, threads=1, timeout=0.5)
    assert caught.value.line.endswith("return 10**10**9")


def test_a_process_that_dies_is_told(own):
    with faulty("exit code 7"):
        bsbench.run("own.py:Dies", games=2_000, threads=1)


def test_what_is_printed_is_counted_and_told_once(own, capfd):
    with pytest.warns(bsbench.BsbenchWarning) as warned:
        result = bsbench.run("own.py:Prints", "classic", games=3, threads=2)
    (told,) = (str(each.message) for each in warned)
    lines = f"{round(result.stats.mean * 3):,} lines"
    assert_sentence(told, "'prints'", lines, "'shot 0'")
    assert capfd.readouterr() == ("", "")


def test_a_replay_shows_what_is_printed_before_its_move(own):
    command = "replay -s own.py:Talks --scenario classic"
    result = CliRunner().invoke(main, command.split())
    lines = result.stdout.splitlines()
    assert names(lines[0], "talks")
    assert [line.split()[:2] for line in lines[2:8]] == [
        ["|", "shot"],
        ["1", "A1"],
        ["|", "shot"],
        ["2", "A2"],
        ["|", "shot"],
        ["|", "lost"],
    ]
    assert lines[8] == ""
    assert "IndexError: lost" in result.stderr
    assert "Warning" not in result.output
    # Where it does not end by itself, too.
    heard = []
    again = bsbench.replay("own.py:Babbles", "classic", timeout=0.5, hear=heard.append)
    assert_sentence(again.fault.problem, "0.5 s")
    assert "".join(heard).startswith("again\nagain\n")
    assert len("".join(heard)) == 10_000


def test_there_is_nothing_to_read(own):
    with faulty("EOFError"):
        bsbench.run("own.py:Reads", games=3, threads=1)


@pytest.mark.parametrize("timeout", [0, float("nan"), float("inf"), 1e9])
def test_a_timeout_out_of_range_is_refused(own, timeout):
    for play in (
        lambda: bsbench.run("linear", games=3, timeout=timeout),
        lambda: bsbench.compare(["linear", "random"], games=3, timeout=timeout),
        lambda: bsbench.replay("linear", timeout=timeout),
    ):
        with refused("'timeout'"):
            play()


def test_a_comparison_goes_on_without_a_faulty_strategy(own):
    result = CliRunner().invoke(
        main,
        [
            "compare",
            "own.py:Raises",
            "random",
            "own.py:Shuffled",
            "--reference",
            "random",
            "-n",
            "3000",
            "--threads",
            "1",
            "--export-json",
            "-",
            "-o",
            "kept",
        ],
    )
    assert result.exit_code == 1
    table = json.loads(result.stdout)
    assert [each["label"] for each in table["strategies"]] == ["random", "shuffled"]
    assert (table["reference"], table["games"], table["partial"]) == ("random", 3000, False)
    assert "ZeroDivisionError" in table["faults"]["raises"]
    assert "'raises'" in result.stderr
    kept = sorted(path.name for path in (own / "kept").glob("*.json"))
    assert kept == ["raises-classic.json", "random-classic.json", "shuffled-classic.json"]
    cut_short = load_result("kept/raises-classic.json")
    assert cut_short.partial
    assert cut_short.games == cut_short.fault.game


@pytest.mark.parametrize("threads", [1, 2])
def test_games_before_a_fault_are_kept(own, threads):
    command = ["run", "-s", "own.py:Raises", "-n", "3000", "--keep-moves", "-o", "kept"]
    result = CliRunner().invoke(main, [*command, "--threads", str(threads)])
    assert result.exit_code == 2
    assert "'raises'" in result.stderr
    record = json.loads((own / "kept.json").read_text())
    kept = load_result("kept.json")
    # All games before the first one that goes wrong, whatever the threads.
    assert record["partial"]
    assert record["games"] == record["fault"]["game"] == kept.games > 0
    assert (record["requested"], record["fault"]["shots"]) == (3000, 5)
    assert "ZeroDivisionError" in record["fault"]["problem"]
    assert "return 1 // 0" in record["fault"]["line"]
    replay = "bsbench replay --strategy own.py:Raises --scenario classic --seed 0"
    assert f"{replay} --game {kept.games}" in result.stderr
    whole = bsbench.run("own.py:Raises", games=kept.games, keep_moves=True)
    assert (kept.moves == whole.moves).all()
    shown = [result.stdout, CliRunner().invoke(main, ["show", "kept.json"]).stdout]
    assert CliRunner().invoke(main, ["run", "-s", "random", "-n", "9", "-o", "b"]).exit_code == 0
    shown.append(CliRunner().invoke(main, ["compare", "kept.json", "b.json"]).stdout)
    result = CliRunner().invoke(main, ["report", "kept.json", "-o", "report.html"])
    assert result.exit_code == 0, result.output
    shown.append((own / "report.html").read_text(encoding="utf-8"))
    for each in shown:
        words = " ".join(each.split())
        for told in ("partial", f"{kept.games:,}", "3,000", "ZeroDivisionError"):
            assert names(words, told)


def test_the_error_holds_the_games_before(own):
    with pytest.raises(StrategyError) as error:
        bsbench.run("own.py:Raises", games=3_000)
    assert error.value.result.games == error.value.game
    assert error.value.result.fault is error.value
    with pytest.raises(StrategyError) as error:
        bsbench.run("own.py:AtOnce", games=10)
    assert error.value.result is None


def test_a_comparison_of_faulty_strategies_is_none(own):
    command = "compare own.py:Raises own.py:Off -n 3000 --threads 1"
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 2
    assert "bsbench replay" in result.stderr


@pytest.mark.parametrize("order", [("own.py:Raises", "random"), ("random", "own.py:Raises")])
def test_a_comparison_until_it_is_known_ends_without_a_faulty_strategy(own, order):
    comparison = bsbench.compare(order, "classic", until=0.5, threads=1)
    assert [result.label for result in comparison.results] == ["random"]
    assert list(comparison.faults) == ["raises"]


def test_playing_until_it_is_clear_ends_without_a_faulty_strategy(own):
    options = {"scenario": "classic", "games": 100_000, "threads": 1, "until": "clear"}
    comparison = bsbench.compare(["random", "own.py:Raises", "linear"], **options)
    assert list(comparison.faults) == ["raises"]
    assert (comparison.games, comparison.verdicts) == (4_096, (None, "fewer"))


def test_run_files_and_charts_take_strategies_of_users(own):
    (own / "run.toml").write_text('strategy = "own.py:Shuffled"\ngames = 50\nscenario = "classic"')
    command = ["run", "--config", "run.toml", "--trust", "--threads", "1"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    record = json.loads((own / "results" / "shuffled-classic.json").read_text())
    assert record["strategy"]["name"] == "shuffled"
    assert record["strategy"]["source"] == "own.py:Shuffled"
    command = "chart --kind shots --strategy own.py:Prints -n 20 -o shots.png"
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 0, result.output
    assert "shot 0" not in result.output
    result = CliRunner().invoke(main, ["list", "own.py:Shuffled"])
    assert result.exit_code == 0
    assert "own.py:Shuffled" in result.stdout


def test_ctrl_c_keeps_what_was_played_and_leaves_no_process(own):
    command = "from bsbench.cli import main; main()"
    run = ["run", "-s", "own.py:Sleeps", "-n", "100000", "--threads", "2", "--scenario", "classic"]
    with started("-c", command, *run) as process:
        thinkers, until = set(), time.monotonic() + 60
        while len(thinkers) < 2 and time.monotonic() < until:
            time.sleep(0.2)
            thinkers = thinkers_of(process.pid)
        assert len(thinkers) == 2
        time.sleep(6)
        code, _, errors = interrupt(process)
    assert code == 130, errors
    assert "Traceback" not in errors
    assert not any(map(runs, thinkers))
    if "nothing was saved" not in errors:
        record = json.loads((own / "results" / "sleeps-classic.json").read_text())
        assert record["partial"]
        assert record["games"] > 0


def test_signals_to_all_processes_end_no_thinker(own):
    """systemd and Slurm send SIGTERM to each process: that is no fault of the strategy."""
    task = Task(str(own / "own.py"), "Shuffled", "own.py", "own.py:Shuffled")
    thinkers = Thinkers(task, NO_LIMITS, GAME)
    thinker = thinkers.take()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        thinker._process.send_signal(number)
    time.sleep(0.5)
    assert thinker.description().kind == "python"
    thinker.end()


@pytest.mark.parametrize("closed", [(0,), (0, 1, 2)])
def test_closed_standard_streams_stop_no_thinker(own, closed):
    """Files get the numbers of streams that are closed, and a thinker has its own streams there."""
    code = f"import os; [os.close(each) for each in {closed}]; "
    code += "import sys; from bsbench.cli import main; main()"
    run = ["run", "-s", "own.py:Shuffled", "-n", "20", "--scenario", "classic", "-q"]
    ended = subprocess.run([sys.executable, "-c", code, *run], stderr=subprocess.PIPE, check=False)
    assert ended.returncode == 0, ended.stderr
    assert load_result(own / "results" / "shuffled-classic.json").games == 20


def test_a_process_that_can_not_start_is_said(own, monkeypatch):
    def refuse(*command, **options):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with refused("own.py:Shuffled", "Resource temporarily unavailable"):
        make_variant("own.py:Shuffled")


def test_a_replay_is_the_game_of_the_run():
    for strategy in ("prob", "linear", "over9000-adaptive"):
        moves = bsbench.run(strategy, "classic", games=7, seed=3, keep_moves=True).moves
        again = bsbench.replay(strategy, "classic", seed=3, game=6)
        assert len(again.moves) == moves[6]
        hits = {move.cell for move in again.moves if move.outcome}
        assert hits == {cell for ship in again.ships for cell in ship}
        assert again.fault is None


def test_a_replay_tells_moves_and_draws_the_board():
    command = "replay -s linear --board 3x4 --fleet 2,1 --feedback sunk --scenario classic"
    result = CliRunner().invoke(main, [*command.split(), "--seed", "4"])
    assert result.exit_code == 0, result.output
    again = bsbench.replay(
        "linear",
        find_scenario("classic").override(
            board=(3, 4), fleet=(2, 1), feedback=bsbench.Feedback.SUNK
        ),
        seed=4,
    )
    lines = result.stdout.splitlines()
    assert lines[0].endswith("game 0 of seed 4")
    assert lines[2].split()[:3] == ["1", "A1", "(0)"]
    assert lines[-1] == f"over after {len(again.moves)} moves"
    assert sum("sunk, ship" in line for line in lines) == 2
    assert "    1  2  3  4"[1:] in lines


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("", ["--strategy"]),
        ("-s linear --game -1", ["-1"]),
        ("-s linear --seed -1", ["-1"]),
        ("-s nobody", ["'nobody'"]),
        ("-s linear --scenario nowhere", ["'nowhere'"]),
        ("-s over9000 --scenario classic --feedback hit", ["over9000", "ship"]),
    ],
)
def test_a_replay_of_what_there_is_not_is_refused(arguments, named):
    assert_refused(CliRunner().invoke(main, ["replay", *arguments.split()]), *named)


# --- what a thinker can't do --------------------------------------------------------------------

SNOOP = '''
import gc
import os
import random
import sys


def reached():
    """Return all objects that can be found, and what the system tells of this process."""
    seen, queue = {}, [*gc.get_objects(), *sys.modules.values(), sys.argv, os.environ]
    frame = sys._getframe()
    while frame is not None:
        queue += [frame, *frame.f_locals.values(), *frame.f_globals.values()]
        frame = frame.f_back
    while queue:
        each = queue.pop()
        if id(each) not in seen:
            seen[id(each)] = each
            queue += gc.get_referents(each)
    return seen.values()


class Snoop:
    """Looks everywhere for the layout and the seed, once."""

    looked = False

    def reset(self, rules, rng):
        self.rng = rng

    def shoot(self, view):
        if not self.looked:
            Snoop.looked = True
            names = {name for name in sys.modules if name.startswith("bsbench.")}
            assert not {name for name in names if ".layouts" in name or ".play" in name}, names
            found = list(reached())
            seed = int("SEED"[::-1])
            assert len(found) > 10_000
            for each in found:
                assert type(each).__name__ not in ("Lookahead", "Uniform", "Referee", "Session")
                assert not (type(each) is int and each == seed)
                assert not (type(each) is str and str(seed) in each)
            for name in ("environ", "cmdline"):
                with open(f"/proc/self/{name}") as file:
                    assert str(seed) not in file.read()
            state = self.rng.getstate()
            for text in (f"snoop\\n{seed}\\n{{}}", f"snoop\\n{{}}", "{}"):
                for game in range(50):
                    assert random.Random(text.format(game)).getstate() != state
                    assert random.Random(game).getstate() != state
        return self.rng.choice(view.open_cells)
'''

SECRET = 7_340_912_655_281


def test_neither_layouts_nor_seed_are_in_reach(own):
    # The seed stands in the code backwards, so that only bsbench could reveal it.
    (own / "snoop.py").write_text(SNOOP.replace("SEED", str(SECRET)[::-1]))
    result = bsbench.run("snoop.py:Snoop", "classic", games=20, seed=SECRET, threads=1)
    assert result.stats.games == 20


def test_two_runs_of_a_strategy_that_takes_the_first_of_a_set_are_the_same(own):
    first = moves_of("own.py:FirstOfSet", games=40, threads=2)
    np.testing.assert_array_equal(first, moves_of("own.py:FirstOfSet", games=40, threads=1))
    report = bsbench.check_strategy("own.py:FirstOfSet", "gym-5x5", games=8)
    (failure,) = report.failures
    assert failure.what == properties.ANY_PROCESS
    assert names(failure.message, "set")


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("Interrupts", "KeyboardInterrupt"),
        ("Breaks", "Odd"),
        ("Rewrites", "rules"),
        # What their processes send is no answer.
        ("Garbles", "process"),
        ("Empty", "process"),
        ("Deep", "process"),
        ("Wide", "process"),
    ],
)
def test_whatever_a_strategy_does_is_its_own_fault(own, name, named):
    with faulty(named) as caught:
        bsbench.run(f"own.py:{name}", "classic", games=2_000, seed=5, threads=1)
    assert caught.value.seed == 5
    # Rules are shared: who is asked last, with whatever lanes, is the one that stands there.
    assert caught.value.shots == 5 or name == "Rewrites"


def test_a_thinker_that_stops_itself_is_ended(own, monkeypatch):
    monkeypatch.setattr("bsbench.own.thinker._PATIENCE", 1.0)
    with faulty("1.5 s") as caught:
        bsbench.run("own.py:Stops", "classic", games=2_000, seed=5, threads=1, timeout=0.5)
    # The game is the very one in which it stopped.
    again = bsbench.replay("own.py:Stops", "classic", seed=5, game=caught.value.game, timeout=0.5)
    assert len(again.moves) == 5


def test_processes_that_a_strategy_forks_answer_nothing_and_end_with_it(own):
    with faulty() as caught:
        moves_of("own.py:Forks", games=3, threads=1)
    assert caught.value.line.endswith("os.fork()")
    before = sleeping()
    moves_of("own.py:ForksOnce", games=3, threads=1)
    assert sleeping() <= before


def sleeping() -> set[str]:
    """Return the numbers of all processes in which a thinker, or a copy of one, runs."""
    listing = subprocess.run(["ps", "-eo", "pid=,args="], stdout=subprocess.PIPE, text=True)
    return {
        line.split()[0]
        for line in listing.stdout.splitlines()
        if "bsbench.own.thinker_main" in line and " ps " not in line
    }


@pytest.mark.parametrize("name", ["Shuffled", "Loops"])
def test_a_thinker_ends_when_bsbench_is_killed(own, name):
    command = "from bsbench.cli import main; main()"
    run = ["run", "-s", f"own.py:{name}", "-n", "10000000", "--threads", "2"]
    with started("-c", command, *run) as process:
        thinkers, until = set(), time.monotonic() + 60
        while len(thinkers) < 2 and time.monotonic() < until:
            time.sleep(0.2)
            thinkers = thinkers_of(process.pid)
        time.sleep(4)
        process.kill()
        process.wait()
        time.sleep(2)
        assert len(thinkers) == 2
        assert not any(map(runs, thinkers))


def test_a_class_that_is_imported_apart_is_not_imported_here(own):
    (own / "marks.py").write_text("import builtins\nbuiltins.marked = 1\n" + OWN)
    assert moves_of("marks.py:Shuffled", games=3, threads=1).shape == (3,)
    assert not hasattr(builtins, "marked")
    assert not origin_of(make_variant("marks.py:Shuffled")).trusted
    (own / "fast.py").write_text("import bsbench\nclass Fast(bsbench.Strategy):\n" + FAST)
    assert origin_of(make_variant("fast.py:Fast")).trusted


FAST = """
    def shoot(self, view):
        return view.shots.copy()
"""


def test_control_characters_of_a_strategy_do_not_reach_the_terminal(own):
    (own / "sly.py").write_text(SLY)
    with pytest.raises(StrategyError) as caught:
        bsbench.run("sly.py:Sly", "classic", games=3, threads=1)
    assert "\x1b" not in str(caught.value)
    assert "owned" in str(caught.value)
    assert "\x1b" not in make_variant("sly.py:Sly").source


SLY = """
class Sly:
    source = chr(27) + "[31mred"

    def shoot(self, view):
        raise ValueError(chr(27) + "]0;owned" + chr(7))
"""


def test_random_numbers_of_a_class_are_those_of_the_alias(in_folder):
    """All 63 bits of it reach the other process."""
    Path("mine.py").write_text(
        "class Mine:\n"
        "    def reset(self, rules, rng):\n"
        "        self.order = rng.sample(range(rules.cells), rules.cells)\n"
        "    def shoot(self, view):\n"
        "        return self.order[len(view.shots)]\n"
    )
    for game in range(3):
        played = bsbench.replay("mine.py:Mine", "gym-5x5", seed=7, game=game).moves
        order = random.Random(alias("mine", 7, game)).sample(range(25), 25)
        assert [move.cell for move in played] == order[: len(played)]
