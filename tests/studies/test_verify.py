"""Records are checked by playing some of their blocks again."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.progress import Progress
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.layout import layout_texts
from bsbench.rules.scenario import Scenario
from bsbench.runs.records import load_result
from bsbench.runs.results import Result, save_result
from bsbench.runs.tally import BLOCK, Tally
from bsbench.studies.verify.study import blocks_in, verify
from tests.support.helpers import save_bare
from tests.support.refusals import assert_refused, assert_sentence, names, refused

POND = Scenario(name="pond", rules=Rules(6, 6, (3, 3, 2), touching=True, feedback=Feedback.SHIP))
FIRST = 5 * BLOCK - 300
GAMES = 700
"""Of two blocks: their numbers are 4 and 5."""


def _run(name: str = "linear", games: int = GAMES, first_game: int = FIRST, **options) -> Result:
    return bsbench.run(name, POND, games=games, first_game=first_game, seed=4, **options)


def _verify(*arguments: str):
    return CliRunner().invoke(main, ["verify", *arguments], prog_name="bsbench")


def _with(result: Result, moves: np.ndarray, keep: bool) -> Result:
    """Return a result that would be right, had its games had these move counts."""
    tally = Tally.of(result.first_game, moves, POND.rules.cells)
    return dataclasses.replace(result, tally=tally, kept_moves=moves if keep else None)


@pytest.fixture(scope="module")
def run() -> Result:
    return _run()


def _strategy(result: Result):
    return bsbench.make_strategy(result.strategy, result.parameters)


def test_blocks_have_all_games_of_a_record(run):
    assert blocks_in(run) == [range(FIRST, 5 * BLOCK), range(5 * BLOCK, FIRST + GAMES)]
    whole = dataclasses.replace(run, tally=dataclasses.replace(run.tally, first_game=3 * BLOCK))
    assert blocks_in(whole) == [range(3 * BLOCK, 3 * BLOCK + GAMES)]


@pytest.mark.parametrize("keep", [True, False])
def test_a_true_record_passes(run, keep, in_folder):
    save_result(dataclasses.replace(run, kept_moves=run.kept_moves if keep else None), "true")
    done = _verify("true.json")
    assert (done.exit_code, done.stderr) == (0, "")
    assert re.findall(r"true\.json|\d+ of \d+", done.stdout) == [
        *("true.json", "2 of 2", "700 of 700")
    ]
    one = _verify("true.json", "--blocks", "1")
    assert re.search("1 of 2 .*[34]00 of 700", one.stdout)
    assert _verify("true.json", "--all", "-q").output == ""


def test_shots_of_salvos_are_compared():
    scenario = POND.override(shots=3)
    result = bsbench.run("random", scenario, games=GAMES, first_game=FIRST, seed=4)
    assert verify(result, _strategy(result), blocks=2).problem == ""
    shots = result.tally.shots.copy()
    # Two games with a shot fewer, and two with one more.
    shots[[30, 31, 32, 33]] += (2, -2, -2, 2)
    wrong = dataclasses.replace(result, tally=dataclasses.replace(result.tally, shots=shots))
    assert "shots" in verify(wrong, _strategy(result), blocks=2).problem


def test_shots_of_games_before_a_block_do_not_count(in_folder):
    """Where games depend on those before them, these are played again, too."""
    layouts = make_sampler(POND.rules, POND.placement).draw(0, 0, 120)
    lines = layout_texts(layouts, POND.rules)
    Path("people.txt").write_text("\n".join(["[anna]", *lines[:60], "[ben]", *lines[60:]]))
    scenario = POND.override(shots=3, answers="joint", placement="file:people.txt:60")
    first = FIRST // 60 * 60
    result = bsbench.run("random", scenario, games=600, first_game=first, seed=4)
    assert all(games.start % 60 for games in blocks_in(result)[1:])
    for blocks in (1, 2, [1]):
        assert verify(result, _strategy(result), blocks=blocks).problem == ""


def test_a_block_in_the_middle_is_whole():
    games = 2 * BLOCK + 50
    result = _run(games=games, first_game=BLOCK - 20, keep_moves=False)
    shown: list[Progress] = []
    found = verify(result, _strategy(result), blocks=[1], progress=shown.append)
    assert found.blocks == (range(BLOCK, 2 * BLOCK),)
    assert (found.games, found.problem, shown[-1].done) == (BLOCK, "", BLOCK)


def test_learners_are_played_from_their_first_game_on():
    first = FIRST - FIRST % 70
    result = _run("over9000-adaptive,games_per_learner=70", first_game=first)
    assert 5 * BLOCK % 70
    found = verify(result, _strategy(result))
    assert (found.problem, len(found.blocks)) == ("", 2)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("block", [0, 1])
def test_the_block_and_the_first_wrong_game_are_named(run, keep, block, in_folder):
    moves = run.kept_moves.copy()
    game = (100, 650)[block]
    moves[game] += 1 if moves[game] < 36 else -1
    save_result(_with(run, moves, keep), "false")
    done = _verify("false.json")
    assert (done.exit_code, done.stdout) == (1, "")
    begin, end = (("5,242,580", "5,242,879"), ("5,242,880", "5,243,279"))[block]
    assert_sentence(done.stderr.strip(), "false.json", f"block {4 + block}", begin, end)
    first_wrong = rf"\b{FIRST + game}: {moves[game]} moves.*\b{run.kept_moves[game]}\b"
    assert bool(re.search(first_wrong, done.stderr)) == keep
    # The other block is as it should be.
    other = verify(load_result("false.json"), _strategy(run), blocks=[1 - block])
    assert other.problem == ""


def test_a_forged_histogram_and_forged_first_games_are_found(run, in_folder):
    # Same sums of moves and squares: without the games, nobody would know.
    counts = run.counts.copy()
    places = np.flatnonzero((counts > 3)[:-3] & (counts > 3)[1:-2] & (counts > 3)[2:-1])
    counts[places[0] : places[0] + 4] += np.array([1, -3, 3, -1])
    forged = dataclasses.replace(run.tally, counts=counts)
    path = save_result(dataclasses.replace(run, tally=forged, kept_moves=None), "forged")[0]
    done = _verify(str(path))
    assert (done.exit_code, "counts" in done.stderr) == (1, True)
    assert load_result(path).games == GAMES
    firsts = run.tally.firsts.copy()
    late = int(firsts.argmax())
    firsts[late] -= 1 if firsts[late] - 1 not in firsts else 2
    forged = dataclasses.replace(run.tally, firsts=firsts)
    path = save_result(dataclasses.replace(run, tally=forged, kept_moves=None), "forged-firsts")[0]
    done = _verify(str(path), "--all")
    assert (done.exit_code, "first games" in done.stderr) == (1, True)


OWN = """
class Mine:
    def shoot(self, view):
        return {}(view.open_cells)
"""


def test_one_block_shows_that_a_record_says_too_little(run):
    strategy = _strategy(run)
    (first,) = np.unique(run.kept_moves[300:])[-1:]
    # It has a game of that length, which the record has later or not so often.
    firsts, counts = run.tally.firsts.copy(), run.counts.copy()
    assert firsts[run.kept_moves[0]] == FIRST
    firsts[run.kept_moves[0]] = FIRST + 650
    late = dataclasses.replace(run, tally=dataclasses.replace(run.tally, firsts=firsts))
    assert "first games" in verify(late, strategy, blocks=[0]).problem
    counts[first] = 0
    few = dataclasses.replace(run, tally=dataclasses.replace(run.tally, counts=counts))
    assert "counts" in verify(few, strategy, blocks=[1]).problem


def test_own_strategies_need_trust_and_their_source_counts(in_folder):
    own = Path("own.py")
    own.write_text("import beside\n" + OWN.format("min"))
    Path("beside.py").write_text("")
    result = bsbench.run("own.py:Mine", POND, games=40, seed=4)
    save_result(result, "own")
    assert json.loads(Path("own.json").read_text())["strategy"]["sha256"]
    assert_refused(_verify("own.json"), "--strategy", "--trust")
    assert _verify("own.json", "--trust").exit_code == 0
    assert _verify("own.json", "-s", "own.py:Mine").exit_code == 0
    # Another file that plays the same games is as good.
    Path("beside.py").write_text("# other\n")
    other = bsbench.run("own.py:Mine", POND, games=40, first_game=40, seed=4)
    assert other.strategy_sha256 != result.strategy_sha256
    done = _verify("own.json", "-s", "own.py:Mine")
    assert done.exit_code == 0
    assert names(done.stdout, "source")
    with refused("hash"):
        bsbench.merge([result, other])
    own.write_text(OWN.format("max"))
    done = _verify("own.json", "-s", "own.py:Mine")
    assert done.exit_code == 1
    assert re.search(r"\b0: \d+ moves", done.stderr)
    assert names(done.stderr, "source")
    # Python takes byte code of a file of the same size, written in the same second, as up to date.
    own.write_text(OWN.format("sum") + "# longer\n")
    done = _verify("own.json", "-s", "own.py:Mine")
    assert done.exit_code == 1
    assert "can't be played" in done.stderr


def test_what_can_not_be_verified_is_refused(run, in_folder):
    bare = save_bare(run, "bare.json")
    assert_refused(_verify(str(bare)), "--all")
    assert _verify(str(bare), "--all").exit_code == 0
    text = bare.read_text()
    bare.write_text(text.replace('"seed": 4', '"seed": 5'))
    assert text != bare.read_text()
    done = _verify(str(bare), "--all")
    assert (done.exit_code, "counts" in done.stderr) == (1, True)
    stream = dataclasses.replace(run, stream_version=1)
    save_result(stream, "stream")
    assert_refused(_verify("stream.json"), "1")
    small = Scenario(name="small", rules=Rules(3, 3, (2,), touching=True))
    Path("a.txt").write_text("0 0 2 E\n")
    save_result(bsbench.run("linear", small, games=5, placement="file:a.txt"), "listed")
    assert _verify("listed.json").exit_code == 0
    Path("a.txt").write_text("0 0 2 E\n1 1 2 E\n")
    done = _verify("listed.json")
    assert_refused(done, "a.txt")
    replayed = CliRunner().invoke(main, ["replay", "listed.json", "--game", "3"])
    assert (replayed.exit_code, replayed.stderr) == (2, done.stderr)
    assert _verify("none.json").exit_code == 2
    assert _verify("listed.json", "--blocks", "0").exit_code == 2
