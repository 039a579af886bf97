"""Strategies in Python think in processes of their own: what these can and can't do."""

from __future__ import annotations

import builtins
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

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
from tests.own import test_plugins as plain
from tests.support.helpers import interrupt, started
from tests.support.refusals import assert_names, assert_refused, assert_sentence, refused

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="thinkers are for POSIX")

OWN = '''
import os
import signal
import socket
import time


class Odd(Shuffled):
    """Goes wrong in some games only, after five shots."""

    def shoot(self, view):
        if len(view.shots) == 5 and self.order[0] == 0:
            return self.wrong(view)
        return super().shoot(view)


class Talks:
    def shoot(self, view):
        print("shot", len(view.shots))
        if len(view.shots) == 2:
            print("lost")
            raise IndexError("lost")
        return view.open_cells[0]


class Garbles(Odd):
    def wrong(self, view):
        for number in os.listdir("/proc/self/fd"):
            try:
                socket.socket(fileno=os.dup(int(number))).sendall(self.garbage)
            except OSError:
                pass
        return view.open_cells[0]


class Empty(Garbles):
    garbage = bytes.fromhex("0200000000000000") + b"{}"


class Deep(Garbles):
    garbage = (50_000).to_bytes(4, "little") + bytes(4) + b"[" * 50_000


class Wide(Garbles):
    garbage = bytes(4) + (2**31).to_bytes(4, "little") + bytes(1000)
'''

SHOOT = {
    "NumpyCell": "return np.uint8(super().shoot(view))",
    "AtOnce": "return -1",
    "Sleeps": "time.sleep(0.02)",
    "Prints": "print('shot', len(view.shots)) or os.system('echo from outside')",
    "Babbles": "while True: print('again')",
    "Reads": "return int(input())",
    "FirstOfSet": "return int(next(iter({str(cell) for cell in view.open_cells})))",
}
"""What classes do before they shoot in a random order."""

WRONG = {
    "Raises": "return 1 // 0",
    "Off": "return -1",
    "Loops": "while True: pass",
    "Breaks": "raise type('Broken', (BaseException,), {})('broken')",
    "Stops": "os.kill(os.getpid(), signal.SIGSTOP)",
}
"""What an `Odd` does then; other faults are those of `tests/support/bad_strategies`."""

OWN = plain.OWN + OWN
for name, code in SHOOT.items():
    OWN += f"\n\nclass {name}(Shuffled):\n    def shoot(self, view):\n        {code}\n"
    OWN += "        return super().shoot(view)\n"
for name, code in WRONG.items():
    OWN += f"\n\nclass {name}(Odd):\n    def wrong(self, view):\n        {code}\n"


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


@pytest.mark.parametrize("name", ["Shared", "Batch", "NumpyCell"])
def test_the_number_of_thinkers_makes_no_difference(own, name):
    one = moves_of(f"own.py:{name}", threads=1, seed=5)
    longer = moves_of(f"own.py:{name}", threads=2, seed=5, games=200)
    np.testing.assert_array_equal(one, longer[:60])


def test_rounds_make_no_difference_and_keep_the_thinkers(own):
    # Of other tests.
    others = thinkers_of(os.getpid())
    player = Run(make_variant("own.py:Shuffled"), find_scenario("classic"), 5, 2)
    player.play_to(7)
    thinkers = thinkers_of(os.getpid()) - others
    assert len(thinkers) == 2
    player.play_to(60)
    assert thinkers_of(os.getpid()) - others == thinkers
    player.close()
    moves = player.log.between(0, 60)
    np.testing.assert_array_equal(moves, moves_of("own.py:Shuffled", threads=1, seed=5))
    assert not thinkers & thinkers_of(os.getpid())


@pytest.mark.parametrize(
    ("name", "named", "line"),
    [
        ("Raises", ["ZeroDivisionError"], "in wrong: return 1 // 0"),
        ("Off", ["-1", "10x10", "0 to 99"], ""),
    ],
)
def test_a_fault_is_told_with_its_game_line_and_command(own, name, named, line):
    with faulty(*named) as caught:
        bsbench.run(f"own.py:{name}", "classic", games=2_000, seed=5, threads=1)
    error = caught.value
    assert (error.seed, error.shots, error.result.games) == (5, 5, error.game)
    assert error.result.fault is error
    assert error.line.endswith(line)
    assert error.line.startswith("own.py, line " if line else "")
    assert error.replay == (
        f"bsbench replay --strategy own.py:{name} --scenario classic --seed 5 --game {error.game}"
    )
    # The command shows the same fault.
    shown = CliRunner().invoke(main, error.replay.split()[1:])
    assert shown.exit_code == 1
    assert str(error).partition("\n")[0] in shown.stderr
    assert shown.stdout.count("\n   ") >= 5
    again = bsbench.replay(f"own.py:{name}", "classic", seed=5, game=error.game)
    assert again.moves[0].cell == 0
    assert len(again.moves) == 5
    assert str(again.fault) in str(error)


def test_the_time_of_a_game_is_that_of_all_its_shots(own):
    with faulty("0.3 s") as caught:
        bsbench.run("own.py:Sleeps", games=3, threads=1, timeout=0.3)
    assert 5 < caught.value.shots < 16


def test_what_is_printed_is_counted_and_told_once(own, capfd):
    with pytest.warns(bsbench.BsbenchWarning) as warned:
        result = bsbench.run("own.py:Prints", "classic", games=3, threads=2)
    (told,) = (str(each.message) for each in warned)
    lines = f"{round(result.stats.mean * 3):,} lines"
    assert_sentence(told, "'prints'", lines, "'shot 0'")
    assert capfd.readouterr() == ("", "")


def test_a_replay_shows_what_is_printed_before_its_move(own):
    result = CliRunner().invoke(main, ["replay", "-s", "own.py:Talks", "--scenario", "classic"])
    lines = result.stdout.splitlines()
    shown = [" ".join(line.split()[:2]) for line in lines[2:9]]
    assert shown == ["| shot", "1 A1", "| shot", "2 A2", "| shot", "| lost", ""]
    assert "IndexError: lost" in result.stderr
    # The position can be pasted into other commands.
    odds = shlex.split(result.stderr.splitlines()[-1].partition(": bsbench ")[2])
    assert odds == ["odds", "classic: A1=miss A2=miss"]
    assert "Warning" not in result.output
    # Where it does not end by itself, too.
    heard = []
    again = bsbench.replay("own.py:Babbles", "classic", timeout=0.5, hear=heard.append)
    assert_sentence(again.fault.problem, "0.5 s")
    assert "".join(heard).startswith("again\nagain\n")
    assert len("".join(heard)) == 10_000


def test_there_is_nothing_to_read(own):
    with faulty("EOFError") as caught:
        bsbench.run("own.py:Reads", games=3, threads=1)
    assert (caught.value.game, caught.value.shots) == (0, 0)
    assert caught.value.line.endswith("return int(input())")


def test_a_comparison_goes_on_without_a_faulty_strategy(own):
    words = "compare own.py:Raises random own.py:Shuffled --reference random -n 3000 --threads 1"
    result = CliRunner().invoke(main, [*words.split(), "--export-json", "-", "-o", "kept"])
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
    record = json.loads((own / "kept.json").read_text())
    kept = load_result("kept.json")
    # All games before the first one that goes wrong, whatever the threads.
    assert record["partial"]
    assert record["games"] == record["fault"]["game"] == kept.games > 0
    assert (record["requested"], record["fault"]["shots"]) == (3000, 5)
    assert "return 1 // 0" in record["fault"]["line"]
    replay = "bsbench replay --strategy own.py:Raises --scenario classic --seed 0"
    assert f"{replay} --game {kept.games}" in result.stderr
    whole = bsbench.run("own.py:Raises", games=kept.games, keep_moves=True)
    assert (kept.moves == whole.moves).all()
    shown = [result.stdout]
    for words in ("show kept.json", "compare kept.json kept.json", "report kept.json -o -"):
        shown.append(CliRunner().invoke(main, words.split()).stdout)
    for each in shown:
        words = " ".join(each.split())
        assert_names(words, "partial", f"{kept.games:,}", "3,000", "ZeroDivisionError")


def test_there_may_be_no_games_before_an_error(own):
    with faulty("-1") as caught:
        bsbench.run("own.py:AtOnce", games=10)
    assert caught.value.result is None


@pytest.mark.parametrize("order", [("own.py:Raises", "random"), ("random", "own.py:Raises")])
def test_a_comparison_until_it_is_known_ends_without_a_faulty_strategy(own, order):
    comparison = bsbench.compare(order, "classic", until=0.5, threads=1)
    assert [result.label for result in comparison.results] == ["random"]
    assert list(comparison.faults) == ["raises"]
    # And until it is clear.
    options = {"scenario": "classic", "games": 100_000, "threads": 1, "until": "clear"}
    comparison = bsbench.compare([*order, "linear"], **options)
    assert list(comparison.faults) == ["raises"]
    assert (comparison.games, comparison.verdicts) == (4_096, (None, "fewer"))


def thinking(process) -> set[int]:
    """Wait until a command has its two thinkers, and return them."""
    thinkers, until = set(), time.monotonic() + 60
    while len(thinkers) < 2 and time.monotonic() < until:
        time.sleep(0.2)
        thinkers = thinkers_of(process.pid)
    assert len(thinkers) == 2
    return thinkers


COMMAND = "-c", "from bsbench.cli import main; main()", "run", "--threads", "2"


def test_ctrl_c_keeps_what_was_played_and_leaves_no_process(own):
    run = ["-s", "own.py:Sleeps", "-n", "100000", "--scenario", "classic"]
    with started(*COMMAND, *run) as process:
        thinkers = thinking(process)
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


# --- what a thinker can't do --------------------------------------------------------------------

SNOOP = '''
import gc
import os
import random
import shlex
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


@pytest.mark.parametrize(
    ("arguments", "named"), [("", "--strategy"), ("-s linear --game -1", "-1")]
)
def test_a_replay_of_what_there_is_not_is_refused(arguments, named):
    assert_refused(CliRunner().invoke(main, ["replay", *arguments.split()]), named)


def test_neither_layouts_nor_seed_are_in_reach(own):
    # The seed stands in the code backwards, so that only bsbench could reveal it.
    (own / "snoop.py").write_text(SNOOP.replace("SEED", str(SECRET)[::-1]))
    result = bsbench.run("snoop.py:Snoop", "classic", games=20, seed=SECRET, threads=1)
    assert result.stats.games == 20


def test_two_runs_of_a_strategy_that_takes_the_first_of_a_set_are_the_same(own):
    first = moves_of("own.py:FirstOfSet", games=40, threads=2)
    np.testing.assert_array_equal(first, moves_of("own.py:FirstOfSet", games=40, threads=1))


@pytest.mark.parametrize(
    ("name", "named"),
    # What the processes of the last three send is no answer.
    [("Breaks", "Broken"), ("Empty", "process"), ("Deep", "process"), ("Wide", "process")],
)
def test_whatever_a_strategy_does_is_its_own_fault(own, name, named):
    with faulty(named) as caught:
        bsbench.run(f"own.py:{name}", "classic", games=2_000, seed=5, threads=1)
    assert (caught.value.seed, caught.value.shots) == (5, 5)


def test_a_thinker_that_stops_itself_is_ended(own, monkeypatch):
    monkeypatch.setattr("bsbench.own.thinker._PATIENCE", 1.0)
    with faulty("1.5 s") as caught:
        bsbench.run("own.py:Stops", "classic", games=2_000, seed=5, threads=1, timeout=0.5)
    # The game is the very one in which it stopped.
    again = bsbench.replay("own.py:Stops", "classic", seed=5, game=caught.value.game, timeout=0.5)
    assert len(again.moves) == 5


@pytest.mark.parametrize("name", ["Shuffled", "Loops"])
def test_a_thinker_ends_when_bsbench_is_killed(own, name):
    with started(*COMMAND, "-s", f"own.py:{name}", "-n", "10000000") as process:
        thinkers = thinking(process)
        time.sleep(4)
        process.kill()
        process.wait()
        time.sleep(2)
        assert not any(map(runs, thinkers))


def test_a_class_that_is_imported_apart_is_not_imported_here(own):
    (own / "marks.py").write_text("import builtins\nbuiltins.marked = 1\n" + OWN)
    assert moves_of("marks.py:Shuffled", games=3, threads=1).shape == (3,)
    assert not hasattr(builtins, "marked")
    assert not origin_of(make_variant("marks.py:Shuffled")).trusted
    (own / "fast.py").write_text("import bsbench\nclass Fast(bsbench.Strategy):\n    shoot = len\n")
    assert origin_of(make_variant("fast.py:Fast")).trusted


def test_random_numbers_of_a_class_are_those_of_the_alias(own):
    """All 63 bits of it reach the other process."""
    for game in range(3):
        played = bsbench.replay("own.py:Shuffled", "gym-5x5", seed=7, game=game).moves
        order = random.Random(alias("shuffled", 7, game)).sample(range(25), 25)
        assert [move.cell for move in played] == order[: len(played)]
