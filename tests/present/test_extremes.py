"""The longest and the shortest game of a run, and pages from the command line."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.present.replaying.analysis import extreme_game
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.records import load_result
from bsbench.runs.results import save_result
from bsbench.runs.tally import Tally
from tests.support.helpers import save_bare
from tests.support.refusals import assert_refused, names, refused

POND = Scenario(name="pond", rules=Rules(6, 7, (4, 3, 2), touching=True, feedback=Feedback.SHIP))


def _replay(*arguments: str):
    return CliRunner().invoke(main, ["replay", *arguments])


@pytest.fixture(scope="module")
def run():
    return bsbench.run("prob", POND, games=30_000, seed=3, keep_moves=True)


@pytest.mark.parametrize("worst", [True, False])
def test_it_is_the_first_game_of_that_length(run, worst, in_folder):
    counts = run.moves
    expected = int(np.argmax(counts) if worst else np.argmin(counts))
    found = extreme_game("prob", POND, worst=worst, games=30_000, seed=3)
    assert (found.game, found.moves, found.games) == (expected, counts[expected], 30_000)
    assert len(bsbench.replay("prob", POND, seed=3, game=expected).moves) == found.moves
    # Known from the record, with move counts or without.
    for name, keep in (("with", True), ("without", False)):
        save_result(bsbench.run("prob", POND, games=30_000, seed=3, keep_moves=keep), name)
        kept = load_result(f"{name}.json")
        assert (kept.moves is not None) == keep
        played: list[int] = []
        known = {"seed": 3, "run": kept, "progress": played.append}
        assert extreme_game("prob", POND, worst=worst, **known) == found
        assert not played


def test_games_of_a_record_without_evidence_are_played_again(run, in_folder):
    bare = save_bare(run, "bare.json")
    found = extreme_game("prob", POND, worst=True, seed=3, run=load_result(bare))
    assert found.game == run.moves.argmax()
    # Shorter than any that was played.
    counts = run.counts.copy()
    shortest = int(np.flatnonzero(counts)[0])
    counts[[shortest - 1, shortest]] += [1, -1]
    other = dataclasses.replace(run, kept_moves=None, tally=Tally.without_evidence(counts, None))
    with refused("30,000 games", "prob"):
        extreme_game("prob", POND, worst=False, seed=3, run=other)


def test_extremes_of_a_range_far_out():
    run = bsbench.run("linear", POND, games=2_000, first_game=2**40, seed=3)
    found = extreme_game("linear", POND, worst=False, seed=3, run=run)
    assert found.game == 2**40 + run.moves.argmin()
    assert len(bsbench.replay("linear", POND, seed=3, game=found.game).moves) == found.moves


def test_the_command_names_the_game_and_writes_the_page(in_folder):
    where = ["--scenario", "classic", "--board", "6x7", "--fleet", "4,3,2", "--seed", "3"]
    result = _replay("-s", "prob", "-s", "bob", *where, "--worst", "-n", "5000", "-o", "worst.html")
    assert result.exit_code == 0, result.output
    run = bsbench.run("prob", POND, games=5000, seed=3, keep_moves=True)
    game, moves = int(run.moves.argmax()), run.moves.max()
    others = len(bsbench.replay("bob", POND, seed=3, game=game).moves)
    for line, named in zip(
        result.stdout.splitlines(),
        [
            ("5,000 games", "prob", f"game {game}", f"{moves} moves"),
            ("prob", f"{moves} moves"),
            ("bob", f"{others} moves"),
            ("worst.html",),
        ],
        strict=True,
    ):
        assert all(names(line, name) for name in named), line
    text = (in_folder / "worst.html").read_text()
    assert all(names(text, name) for name in (f"Game {game}", "seed 3"))
    # Nothing is overwritten, and that is told before anything is played.
    assert_refused(_replay("-s", "prob", *where, "-o", "worst.html"), "worst.html")
    assert (in_folder / "worst.html").read_text() == text
    # The page alone is what goes to standard output.
    result = _replay("-s", "prob", *where, "--best", "-n", "500", "-o", "-")
    assert result.stdout.startswith("<!doctype html>")
    assert names(result.stderr, "500 games")


def test_a_record_says_what_is_played(in_folder):
    save_result(bsbench.run("hunt-target", POND, games=300, seed=3), "run")
    result = _replay("run.json", "--game", "7")
    played = bsbench.replay("hunt-target", POND, seed=3, game=7)
    first, *_, last = result.output.splitlines()
    assert all(names(first, name) for name in ("hunt-target", "pond", "game 7", "seed 3"))
    assert names(last, f"{len(played.moves)} moves")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("-s prob --worst --best", ["--worst", "--best"]),
        ("-s prob --game 1 --best", ["--game", "--best"]),
        ("-s prob --games 10", ["--games", "--worst", "--best"]),
        ("-s prob -o game.txt", ["'game.txt'", ".html"]),
        ("-s prob -o nowhere/game.html", ["nowhere"]),
        ("run.json", ["run.json"]),
        ("run.json --seed 1", ["--seed"]),
    ],
)
def test_what_makes_no_sense_is_told(in_folder, arguments, named):
    assert_refused(_replay(*arguments.split()), *named)


def test_a_strategy_that_is_not_known_is_told(run):
    from bsbench.runs.contestants import strategy_of

    with refused("'gone'"):
        strategy_of(dataclasses.replace(run, strategy="gone"))
