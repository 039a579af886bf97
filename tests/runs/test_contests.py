"""What cheats can do in a contest, and what docs/trust.md recommends against them."""

from __future__ import annotations

import math
import re
import shutil
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

import bsbench
from bsbench.runs import request
from tests.support import ROOT, SUPPORT
from tests.support.fuzzing import ended
from tests.support.refusals import assert_refused

GAMES = 100

BOT = f"{SUPPORT / 'bad_bots' / 'bots.py'} good"


@pytest.fixture
def cheats(in_folder):
    """Copy the cheats to the current folder, where they write down what they see."""
    for file in [SUPPORT / "bad_bots" / "_bot.py", *(SUPPORT / "cheats").glob("*.py")]:
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


@pytest.mark.ci
def test_a_seed_of_few_digits_can_be_guessed(cheats):
    bsbench.run("cmd:python3 guesser.py", "gym-5x5", games=1, seed=31_415, threads=1)
    assert Path("found.txt").read_text() == "31415"


def test_a_secret_seed_is_not_guessed(cheats):
    result = bsbench.run("cmd:python3 guesser.py", "gym-5x5", games=1, secret_seed=True, threads=1)
    assert result.seed > 10**20
    assert Path("found.txt").read_text() == "None"
