"""Ranges of games put together are the run of all of them."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
from functools import cache

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import bsbench
from bsbench.cli import main
from bsbench.common.errors import StrategyError
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.placement import STREAM_VERSION
from bsbench.rules.scenario import Scenario
from bsbench.runs.cores import Run
from bsbench.runs.pooling import merge
from bsbench.runs.records import load_result, read_record
from bsbench.runs.results import Result, play_line, save_result
from bsbench.runs.tally import BLOCK
from tests.runs.test_tally import same
from tests.support.helpers import save_bare
from tests.support.refusals import assert_names, assert_refused, refused

POND = Scenario(name="pond", rules=Rules(6, 6, (3, 3, 2), touching=True, feedback=Feedback.SHIP))
LEARNER = "over9000-adaptive"
GAMES = 900
UNIT = {"linear": 1, "prob": 1, LEARNER: 30}


def _run(name: str, first_game: int, games: int, **options) -> Result:
    given = {"seed": 4, "threads": 1} | options
    variant = f"{name},games_per_learner=30" if name == LEARNER else name
    return bsbench.run(variant, POND, games=games, first_game=first_game, **given)


_played = cache(_run)


@settings(max_examples=30)
@given(
    name=st.sampled_from(list(UNIT)),
    # With the border of a block among the games, and far beyond 32 bits.
    offset=st.sampled_from([0, BLOCK - 300, 2**40 - 420]),
    cuts=st.lists(st.integers(1, GAMES // 30 - 1), max_size=4, unique=True),
    data=st.data(),
)
def test_a_run_in_pieces_is_the_run(name, offset, cuts, data):
    offset -= offset % UNIT[name]
    whole = _played(name, offset, GAMES)
    ends = [0, *(30 * cut for cut in sorted(cuts)), GAMES]
    parts = [_run(name, offset + a, b - a) for a, b in itertools.pairwise(ends)]
    parts = data.draw(st.permutations(parts))
    # Some of them are saved, and read again.
    parts = [
        read_record(json.loads(json.dumps(part.to_dict()))) if data.draw(st.booleans()) else part
        for part in parts
    ]
    # Some neighbours are merged first.
    if len(parts) > 2 and data.draw(st.booleans()):
        parts.sort(key=lambda part: part.first_game)
        parts[1:3] = [merge(parts[1:3])]
        parts.reverse()
    merged = merge(parts)
    assert same(merged.tally, whole.tally)
    assert (merged.moves == whole.moves).all()
    assert merged.stats == whole.stats
    assert merged.identity == whole.identity
    assert (merged.requested, merged.partial, merged.revisions) == (GAMES, False, whole.revisions)
    own = {"threads", "seconds", "machine", "versions", "date"}
    first, second = merged.to_dict(), whole.to_dict()
    assert all(first[key] == second[key] for key in first.keys() - own)


def test_games_far_out_are_those_of_their_numbers():
    run = _run("prob", 2**40 - 3, 6)
    for game, moves in enumerate(run.moves, 2**40 - 3):
        assert len(bsbench.replay("prob", POND, seed=4, game=game).moves) == moves
    last = _run("linear", 2**63 - 3, 3)
    assert read_record(last.to_dict()).tally.end == 2**63
    with refused("2^63 - 1"):
        _run("linear", 2**63 - 3, 4)


def test_the_end_of_a_learner_may_be_missing_at_the_end_alone():
    whole, first, second = _run(LEARNER, 0, 100), _run(LEARNER, 0, 60), _run(LEARNER, 60, 40)
    merged = merge([second, first])
    assert same(merged.tally, whole.tally)
    assert merged.stats == whole.stats
    with refused("30", "40"):
        _run(LEARNER, 40, 60)
    third = dataclasses.replace(_run(LEARNER, 120, 30), tally=_run(LEARNER, 120, 30).tally)
    cut = _run(LEARNER, 90, 25)
    moved = dataclasses.replace(third, tally=dataclasses.replace(third.tally, first_game=115))
    with refused("learner"):
        merge([cut, moved])


def test_where_and_how_long_it_was_played():
    first = _run("linear", 0, 10)
    parts = [
        dataclasses.replace(
            _run("linear", 10 * place, 10),
            play_seconds=float(place + 1),
            setup_seconds=(0.5, 2.0, 1.0)[place],
            threads=place + 1,
            machine={"processor": str(place), "cores": 2, "system": "Linux"},
            date=f"2026-01-0{day} 00:00:00+00:00",
            revisions=revisions,
        )
        for place, day, revisions in ((0, 2, ("b" * 16,)), (1, 3, ("a" * 16,)), (2, 1, ("b" * 16,)))
    ]
    merged = merge(parts)
    assert (merged.play_seconds, merged.setup_seconds, merged.threads) == (6, 2.0, 2)
    assert merged.machine["processor"] == "1"
    assert merged.revisions == ("b" * 16, "a" * 16)
    assert merged.games_per_second == 5
    assert read_record(merged.to_dict()).revisions == merged.revisions
    assert merge([first]) is first


def test_only_the_last_range_may_be_partial_or_have_a_fault():
    first, second = _run("linear", 0, 10), _run("linear", 10, 10)
    begun = dataclasses.replace(first, requested=100)
    # What was interrupted was played on elsewhere.
    assert not merge([begun, second]).partial
    merged = merge([first, dataclasses.replace(second, requested=15)])
    assert (merged.games, merged.requested, merged.partial) == (20, 25, True)
    assert read_record(merged.to_dict()).requested == 25
    fault = StrategyError("linear", 20, 4, 3, "ValueError", "own.py, line 1")
    merged = merge([first, dataclasses.replace(second, requested=15, fault=fault)])
    assert read_record(merged.to_dict()).fault.game == 20
    early = StrategyError("linear", 10, 4, 3, "ValueError", "own.py, line 1")
    failed = dataclasses.replace(first, requested=15, fault=early)
    with refused("game 10", "games 0 to 9"):
        merge([failed, second])


def test_a_half_width_is_not_one_of_the_whole():
    narrow = _run("linear", 0, 10_000, until=0.5)
    assert narrow.until == 0.5
    merged = merge([narrow, _run("linear", narrow.games, 100)])
    assert (merged.until, merged.requested) == (None, narrow.games + 100)


def test_moves_are_kept_where_all_are_and_not_too_many(monkeypatch):
    parts = [_run("linear", 30 * place, 30) for place in range(3)]
    bare = dataclasses.replace(parts[1], kept_moves=None)
    assert merge([parts[0], bare, parts[2]]).moves is None
    assert merge(parts, keep_moves=False).moves is None
    assert merge([_run("linear", 0, 1)], keep_moves=False).moves is None
    monkeypatch.setattr("bsbench.runs.pooling.MOST_KEPT", 70)
    assert merge(parts).moves is None
    assert len(merge(parts, keep_moves=True).moves) == 90
    assert len(merge(parts[:2]).moves) == 60
    monkeypatch.setattr("bsbench.runs.pooling.MOST_KEPT", 90)
    assert len(merge(parts).moves) == 90


def test_what_is_not_of_one_run_is_refused(tmp_path):
    first = _run("linear", 0, 10)
    assert first.strategy_sha256
    nearby = POND.override(feedback=Feedback.HIT)
    later = _run("linear", 10, 10)
    stream = dataclasses.replace(later, stream_version=1)
    unknown = dataclasses.replace(later, strategy_sha256="0" * 64)
    edge = _run("linear", 10, 10, placement="edge")
    for other, named in (
        (_run("prob", 10, 10), ["linear", "prob"]),
        (_run("linear", 10, 10, seed=5), ["seed", "4", "5"]),
        (dataclasses.replace(later, scenario=nearby), ["feedback", "ship", "hit"]),
        (edge, ["placement", "uniform", "edge:3"]),
        (stream, ["stream", f"{STREAM_VERSION}", "1"]),
        (unknown, ["hash", "0" * 64]),
    ):
        with refused("games 0 to 9", "games 10 to 19", *named):
            merge([first, other])
    noisy = [
        bsbench.run(f"over9000,noise={noise}", POND, games=5, first_game=begin)
        for noise, begin in ((0.5, 0), (0.25, 5))
    ]
    with refused("noise", "0.5", "0.25"):
        merge(noisy)
    # A hash that one lacks is unknown.
    assert merge([first, dataclasses.replace(later, strategy_sha256=None)]).strategy_sha256 is None
    with refused():
        merge([])
    bare = save_bare(first, tmp_path / "bare.json")
    with refused(str(bare)):
        merge([bare, later])


def test_overlaps_and_gaps_are_named():
    parts = {begin: _run("linear", begin, 10) for begin in (0, 5, 10, 30, 31, 60, 90, 2000)}
    with refused("games 5 to 9"):
        merge([parts[0], parts[5]])
    with refused("game 9"):
        merge([parts[0], _run("linear", 9, 3)])
    with refused("games 31 to 39"):
        merge([parts[0], parts[31], parts[30]])
    command = (
        "bsbench run --strategy linear --scenario classic --board 6x6 --fleet 3,3,2 --seed 4 "
        "--first-game 20 --games 10"
    )
    with refused("games 20 to 29", command):
        merge([parts[30], parts[10]])
    with refused("games 10 to 29", "games 40 to 59", "games 70 to 89"):
        merge([parts[begin] for begin in (0, 30, 60, 90, 2000)])


def test_the_line_that_plays_more_has_the_parameters():
    run = bsbench.run("over9000,noise=0.5,edge_weight=2", games=5)
    line = play_line(run, 5, 10)
    assert "--strategy over9000,edge_weight=2.0,noise=0.5 " in line
    assert line.endswith("--seed 0 --first-game 5 --games 10")
    own = dataclasses.replace(run, source="/somewhere/own.py:Mine", strategy="mine")
    assert "--strategy /somewhere/own.py:Mine," in play_line(own, 5, 10)


@pytest.mark.parametrize(
    ("law", "content", "changed"),
    [
        ("file", "0 0 2 E\n1 1 2 S\n", "0 0 2 E\n"),
        ("weights", "1 1 1\n0 2 0\n1 0 1\n", "1 1 1\n0 3 0\n1 0 1\n"),
    ],
)
def test_the_file_of_a_law_is_told_by_its_hash(in_folder, law, content, changed):
    small = Scenario(name="small", rules=Rules(3, 3, (2,), touching=True))
    listed = in_folder / "a.txt"
    listed.write_text(content)
    (in_folder / "b.txt").write_text(listed.read_text())

    def run(path: str, first_game: int) -> Result:
        named = f"{law}:{path}"
        return bsbench.run("linear", small, games=5, first_game=first_game, placement=named)

    first = run("a.txt", 0)
    record = first.to_dict()
    assert len(record["layouts_sha256"]) == 64
    assert read_record(record).layouts_sha256 == first.layouts_sha256
    # Wherever it lies.
    assert merge([first, run("b.txt", 5)]).games == 10
    listed.write_text(changed)
    with refused("hash", "layouts"):
        merge([first, run("a.txt", 5)])
    with refused("a.txt"):
        first.check_stream()


def test_a_run_goes_on_from_results_of_the_same_run_alone():
    first = _run("linear", 2**40, 10)

    def go_on(before: Result, name: str = "linear", seed: int = 4) -> Result:
        strategy = bsbench.make_strategy(name)
        playing = Run(strategy, POND, seed, 1, first_game=2**40, before=before)
        playing.play_to(25)
        return playing.result()

    longer, whole = go_on(first), _run("linear", 2**40, 25)
    assert same(longer.tally, whole.tally)
    assert (longer.moves == whole.moves).all()
    older = dataclasses.replace(first, revisions=("0" * 16,), strategy_sha256=None)
    assert go_on(older).revisions == ("0" * 16, *whole.revisions)
    assert go_on(older).strategy_sha256 is None
    for options in ({"name": "prob"}, {"seed": 5}):
        with refused("record", "run"):
            go_on(first, **options)
    changed = dataclasses.replace(first, strategy_sha256="0" * 64)
    with refused("hash", "0" * 64):
        go_on(changed)


# The command


def _merge(*arguments: str):
    return CliRunner().invoke(main, ["merge", *arguments], prog_name="bsbench")


def test_the_command_merges_files_and_folders(in_folder):
    for place in range(4):
        save_result(_run("prob", 25 * place, 25), f"parts/part-{place}")
    assert _merge("parts", "-o", "whole").exit_code == 0
    assert same(load_result("whole.json").tally, _run("prob", 0, 100).tally)
    assert sorted(os.listdir()) == ["parts", "whole.json"]
    assert bsbench.merge(["parts"]).games == 100
    before = (in_folder / "whole.json").read_bytes()
    again = _merge("parts/part-1.json", "parts/part-0.json", "-o", "whole.json")
    assert_refused(again, "whole.json", "--force")
    assert (in_folder / "whole.json").read_bytes() == before
    # A record may grow in place.
    save_result(_run("prob", 100, 25), "more")
    grown = _merge("whole.json", "more.json", "-o", "whole", "--force", "--no-keep-moves", "-q")
    assert (grown.exit_code, grown.output) == (0, "")
    assert (load_result("whole.json").games, load_result("whole.json").moves) == (125, None)


def test_what_can_not_be_merged_gets_one_sentence(in_folder):
    (in_folder / "empty").mkdir()
    save_result(_run("linear", 0, 10), "a")
    assert_refused(_merge("a.json", "-o", "empty"), "empty")
    assert not list((in_folder / "empty").iterdir())


def test_a_range_says_in_its_table_which_games_it_has(in_folder):
    save_result(_run("linear", 2**40, 10), "far")
    shown = CliRunner().invoke(main, ["show", "far.json"]).stdout
    assert_names(shown, "1,099,511,627,776", "1,099,511,627,785", "seed")
