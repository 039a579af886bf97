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

pytestmark = pytest.mark.ci

POND = Scenario(name="pond", rules=Rules(6, 7, (4, 3, 2), touching=True, feedback=Feedback.SHIP))


def _replay(*arguments: str):
    return CliRunner().invoke(main, ["replay", *arguments])


@pytest.fixture(scope="module")
def run():
    return bsbench.run("linear", POND, games=3_000, seed=3, keep_moves=True)


def test_it_is_the_first_game_of_that_length(run, in_folder):
    counts = run.moves
    kept = {}
    for keep in (True, False):
        save_result(bsbench.run("linear", POND, games=3_000, seed=3, keep_moves=keep), str(keep))
        kept[keep] = load_result(f"{keep}.json")
        assert (kept[keep].moves is not None) == keep
    for worst in (True, False):
        expected = int(np.argmax(counts) if worst else np.argmin(counts))
        found = extreme_game("linear", POND, worst=worst, games=3_000, seed=3)
        assert (found.game, found.moves, found.games) == (expected, counts[expected], 3_000)
        assert len(bsbench.replay("linear", POND, seed=3, game=expected).moves) == found.moves
        # Known from the record, with move counts or without.
        for record in kept.values():
            known = {"seed": 3, "run": record, "progress": lambda done: pytest.fail("it plays")}
            assert extreme_game("linear", POND, worst=worst, **known) == found


def test_games_of_a_record_without_evidence_are_played_again(run, in_folder):
    bare = save_bare(run, "bare.json")
    found = extreme_game("linear", POND, worst=True, seed=3, run=load_result(bare))
    assert found.game == run.moves.argmax()
    # Shorter than any that was played.
    counts = run.counts.copy()
    shortest = int(np.flatnonzero(counts)[0])
    counts[[shortest - 1, shortest]] += [1, -1]
    other = dataclasses.replace(run, kept_moves=None, tally=Tally.without_evidence(counts, None))
    with refused("3,000 games", "linear"):
        extreme_game("linear", POND, worst=False, seed=3, run=other)


def test_extremes_of_a_range_far_out():
    run = bsbench.run("linear", POND, games=2_000, first_game=2**40, seed=3)
    found = extreme_game("linear", POND, worst=False, seed=3, run=run)
    assert found.game == 2**40 + run.moves.argmin()
    assert len(bsbench.replay("linear", POND, seed=3, game=found.game).moves) == found.moves


def test_the_command_names_the_game_and_writes_the_page(in_folder):
    where = ["--scenario", "classic", "--board", "6x7", "--fleet", "4,3,2", "--seed", "3"]
    result = _replay(
        "-s", "linear", "-s", "random", *where, "--worst", "-n", "500", "-o", "worst.html"
    )
    assert result.exit_code == 0, result.output
    run = bsbench.run("linear", POND, games=500, seed=3, keep_moves=True)
    game, moves = int(run.moves.argmax()), run.moves.max()
    others = len(bsbench.replay("random", POND, seed=3, game=game).moves)
    for line, named in zip(
        result.stdout.splitlines(),
        [
            ("500 games", "linear", f"game {game}", f"{moves} moves"),
            ("linear", f"{moves} moves"),
            ("random", f"{others} moves"),
            ("worst.html",),
        ],
        strict=True,
    ):
        assert all(names(line, name) for name in named), line
    text = (in_folder / "worst.html").read_text()
    assert all(names(text, name) for name in (f"Game {game}", "seed 3"))
    # Nothing is overwritten, and that is told before anything is played.
    assert_refused(_replay("-s", "linear", *where, "-o", "worst.html"), "worst.html")
    assert (in_folder / "worst.html").read_text() == text
    # The page alone is what goes to standard output.
    result = _replay("-s", "linear", *where, "--best", "-n", "500", "-o", "-")
    assert result.stdout.startswith("<!doctype html>")
    assert names(result.stderr, "500 games")


def test_a_record_says_what_is_played(in_folder):
    save_result(bsbench.run("random", POND, games=300, seed=3), "run")
    result = _replay("run.json", "--game", "7")
    played = bsbench.replay("random", POND, seed=3, game=7)
    first, *_, last = result.output.splitlines()
    assert all(names(first, name) for name in ("random", "pond", "game 7", "seed 3"))
    assert names(last, f"{len(played.moves)} moves")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("-s linear --worst --best", ["--worst", "--best"]),
        ("-s linear --games 10", ["--games", "--worst", "--best"]),
        ("run.json --seed 1", ["--seed"]),
        ("-s linear -o game.html --odds=nan", ["nan"]),
        ("-s linear -o game.html --next=1001", ["1001"]),
    ],
)
def test_what_makes_no_sense_is_told(in_folder, arguments, named):
    assert_refused(_replay(*arguments.split()), *named)
    assert not list(in_folder.iterdir())


def test_a_strategy_that_is_not_known_is_told(run):
    from bsbench.runs.contestants import strategy_of

    with refused("'gone'"):
        strategy_of(dataclasses.replace(run, strategy="gone"))
