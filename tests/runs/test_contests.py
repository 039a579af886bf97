"""What cheats can do in a contest, and what docs/trust.md recommends against them."""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

import bsbench
from bsbench.runs import request
from bsbench.runs.records import load_result
from tests.support import ROOT, SUPPORT
from tests.support.fuzzing import ended
from tests.support.helpers import started
from tests.support.refusals import assert_refused

GAMES = 100

BOT = SUPPORT / "bad_bots" / "good.py"


@pytest.fixture
def cheats(in_folder):
    """Copy the cheats to the current folder, where they write down what they see."""
    for file in (SUPPORT / "cheats").glob("*.py"):
        shutil.copy(file, file.name)
    return in_folder


def _apart(one: bsbench.Result, other: bsbench.Result) -> float:
    """Return by how many standard errors the second mean is above the first."""
    variances = [each.moves.var(ddof=1) / each.games for each in (one, other)]
    return (other.moves.mean() - one.moves.mean()) / math.sqrt(sum(variances))


def test_an_entry_can_read_what_another_one_has_written_down(cheats):
    """In one command under a seed that is not secret, second.py profits from first.py."""
    honest = bsbench.run("second.py", "classic", games=GAMES, seed=8, threads=1)
    both = ["first.py", "second.py"]
    _, cheated = bsbench.run(both, "classic", games=GAMES, seed=8, threads=1)
    assert _apart(cheated, honest) > 4


def test_what_an_entry_has_written_down_is_worth_nothing_under_another_secret_seed(
    cheats, monkeypatch
):
    """As the page recommends: each entry is played by a command of its own."""
    seeds = iter((10**38, 10**37, 10**36))
    monkeypatch.setattr(request, "secrets", SimpleNamespace(randbits=lambda bits: next(seeds)))
    honest, _, cheating = (
        bsbench.run(name, "classic", games=GAMES, secret_seed=True, threads=1)
        for name in ("second.py", "first.py", "second.py")
    )
    assert Path("seen.txt").stat().st_size
    assert abs(_apart(honest, cheating)) < 4


def test_the_recipe_of_the_page_works(cheats):
    text = (ROOT / "docs" / "trust.md").read_text()
    block = re.search(r"## A contest.*?```sh\n(.*?)```", text, re.DOTALL)[1]
    for line in block.splitlines():
        words = line.replace("100000", str(GAMES)).split()
        assert words[0] == "bsbench"
        done = ended(*words[1:])
        assert done.exit_code == 0, done.output
    # With the built-in strategy, an entry is compared game by game, with others by the means.
    assert "unpaired games" in " ".join(done.output.split())
    paired = ended("compare", "first.json", "datagenetics").output
    assert f"over {GAMES} paired games" in " ".join(paired.split())


@pytest.mark.ci
@pytest.mark.parametrize("command", ["run", "compare", "match"])
def test_entries_of_one_command_have_no_secret_seed(command, cheats):
    done = ended(command, "first.py", "second.py", "--secret-seed", "-n", "5000")
    assert_refused(done, "--secret-seed", "first", "second")
    assert not Path("seen.txt").exists()


@pytest.mark.ci
def test_neither_other_scenarios_nor_restarts_show_layouts_again(cheats):
    done = ended("run", "first.py", "--scenario", "classic,harbour", "--secret-seed", "-n", "50")
    assert_refused(done, "--secret-seed", "first", "scenarios")
    bot = f"cmd:python3 {BOT},restart=3"
    assert_refused(ended("run", bot, "--secret-seed", "-n", "50"), "--secret-seed", "restart")
    # Built-in strategies see nothing that they could write down.
    words = ["run", "linear", "random", "--scenario", "classic,harbour", "--no-save"]
    assert ended(*words, "--secret-seed", "-n", "50").exit_code == 0


@pytest.mark.parametrize("command", ["run", "compare linear", "match linear"])
def test_each_game_is_dealt_once_except_the_first_one(command, cheats):
    """That one is played before, to load code, and to learn how fast the strategy is."""
    name, *others = command.split()
    ended(name, "witness.py", *others, "--secret-seed", "-n", "1000", "--threads", "2", "-q")
    met = Counter(Path("met.txt").read_text().split())
    assert sorted(met.values()) == [1] * 999 + [3]


def test_players_that_play_alike_need_twice_as_many_games_unpaired():
    """By the variance of their difference on the same layouts, and on others."""
    names = ["lattice", "datagenetics", "prob"]
    lattice, datagenetics, prob = (
        each.moves.astype(float) for each in bsbench.run(names, "classic", games=4_000, seed=5)
    )
    for one, other, least, most in (
        (lattice, datagenetics, 1.9, 2.5),
        (datagenetics, prob, 0.9, 1.3),
    ):
        assert least < (one.var() + other.var()) / (one - other).var() < most


def test_a_seed_of_few_digits_can_be_guessed(cheats):
    bsbench.run("cmd:python3 guesser.py", "gym-5x5", games=1, seed=31_415, threads=1)
    assert Path("found.txt").read_text() == "31415"


def test_a_secret_seed_is_not_guessed(cheats):
    result = bsbench.run("cmd:python3 guesser.py", "gym-5x5", games=1, secret_seed=True, threads=1)
    assert result.seed > 10**20
    assert Path("found.txt").read_text() == "None"


SPIES = """
import os, subprocess
from pathlib import Path
from types import SimpleNamespace

class Spies:
    def __init__(self):
        line = Path(f"/proc/{os.getppid()}/cmdline").read_bytes()
        Path("line.txt").write_bytes(line)
        if not Path("stays.txt").exists():
            stays = subprocess.Popen(["sleep", "60"], start_new_session=True)
            Path("stays.txt").write_text(str(stays.pid))

    def shoot(self, view):
        return view.open_cells[0]
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_strategy_reads_a_seed_on_the_command_line_and_its_programs_may_stay(in_folder):
    Path("spies.py").write_text(SPIES)
    for words in (["--seed", "31415926"], ["--secret-seed"]):
        command = ["-m", "bsbench", "run", "spies.py", *words, "-n", "5", "-o", "run", "--force"]
        with started(*command) as process:
            _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        line = Path("line.txt").read_bytes().split(b"\0")
        assert set(words) < {each.decode() for each in line}
        seed = load_result("run.json").seed
        assert (str(seed).encode() in line) == ("--seed" in words)
    # It has left the group of processes that bsbench ends.
    os.kill(int(Path("stays.txt").read_text()), signal.SIGKILL)
