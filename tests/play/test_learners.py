"""Strategies that learn from game to game: how they are dealt, played, recorded and judged."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsbench.common.progress import Progress
from bsbench.play import lockstep
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.referee import Referee
from bsbench.roster import find_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs import running
from bsbench.runs.records import load_result, read_record
from bsbench.runs.results import Result, learning_record
from bsbench.stats import Learning, stage_ends, summarize
from bsbench.strategies import Strategy
from bsbench.strategies.view import View
from tests.support.helpers import KnownLayouts, draw_layouts, shots_fired
from tests.support.refusals import refused

POND = Scenario(name="pond", rules=Rules(6, 6, (3, 3, 2), touching=True, feedback=Feedback.SHIP))
GROWTH = 0.3
"""So much that what a learner remembers changes its shots soon."""


def _learner(games_per_learner: int, growth: float = GROWTH) -> Strategy:
    return find_strategy("over9000-adaptive")(growth=growth, games_per_learner=games_per_learner)


def _moves(games: int, games_per_learner: int, threads: int = 1):
    strategy = _learner(games_per_learner)
    run = running.run(strategy, POND, games=games, seed=4, threads=threads, keep_moves=True)
    assert run.games == games
    return run.moves


# Dealing


class Diary(Strategy):
    """Shoots every cell in turn, and writes down which games it is dealt, and where."""

    name = "diary"
    source = "this test"

    def __init__(self, games_per_learner: int) -> None:
        self.games_per_learner = games_per_learner
        self.dealt: dict[int, list[int]] = {}
        self.steps = 0

    def deal(self, lanes, games):
        for lane, game in zip(lanes.tolist(), games.tolist(), strict=True):
            self.dealt.setdefault(lane, []).append(game)

    def shoot(self, view):
        self.steps += 1
        return view.shots


@pytest.mark.parametrize("in_a_row", [2, 7, 64, 65, 200])
@pytest.mark.parametrize(("lanes", "block"), [(1, 1), (3, 2), (64, 3), (200, 40)])
def test_the_games_of_a_learner_are_dealt_in_order_to_one_lane(in_a_row, lanes, block):
    # The one ship of game n lies in cell n mod 9, so that a wrong layout shows in the moves.
    board, games = Rules(3, 3, (1,), touching=True), 5 * in_a_row + 3
    codes = [[2 * (game % 9)] for game in range(games)]
    diary, size = Diary(in_a_row), block * in_a_row
    simulator = Simulator(board, KnownLayouts(board, codes), diary, 0, lanes, size)
    blocks = (Block(first, min(size, games - first)) for first in range(0, games, size))
    played = list(simulator.play(blocks))
    assert [block.first_game for block, _ in played] == list(range(0, games, size))
    assert np.concatenate([moves for _, moves in played]).tolist() == [
        game % 9 + 1 for game in range(games)
    ]
    lane_of = {game: lane for lane, dealt in diary.dealt.items() for game in dealt}
    assert sorted(lane_of) == list(range(games))
    assert sum(map(len, diary.dealt.values())) == games
    for lane, dealt in diary.dealt.items():
        # One learner after the other, each from its first game on.
        learners = [game // in_a_row for game in dealt]
        assert dealt == sorted(dealt)
        assert all(lane_of[game] == lane for game in range(games) if game // in_a_row in learners)
    # With a lane for each learner, none of them waits for another.
    if lanes >= 64 and block >= 3:
        assert len(diary.dealt) == -(-games // in_a_row)


def test_blocks_hold_whole_learners_and_lanes_are_enough_for_a_share_of_them():
    for games in (1, 999, 1_000, 1_001, 100_000, 10**7):
        for threads in (1, 3):
            for in_a_row in (2, 7, 1_000, 5_000, 10**6):
                lanes, block = lockstep.lanes_and_block(POND.rules, games, threads, in_a_row)
                assert block % in_a_row == 0
                assert block >= in_a_row
                assert lanes >= 64
                learners = -(-games // in_a_row)
                assert lanes >= min(-(-learners // threads), 512)


def test_an_interrupt_keeps_whole_learners():
    def interrupt(now: Progress) -> None:
        if now.done >= 2_000:
            raise KeyboardInterrupt

    whole = _moves(20_000, 30)
    result = running.run(
        _learner(30), POND, games=20_000, seed=4, threads=2, keep_moves=True, progress=interrupt
    )
    assert result.partial
    assert 2_000 <= result.games < 20_000
    assert result.games % 30 == 0
    assert (result.moves == whole[: result.games]).all()
    assert learning_record(result.learning) == learning_record(Learning.of(30, result.moves))
    assert read_record(result.to_dict()).partial


# Playing


@pytest.mark.parametrize("game", [3, 4, 1, 0, 2])
def test_a_lane_dealt_a_game_that_does_not_follow_its_last_one_begins_afresh(game):
    # Lane 0 and 2 play games 0 and 1 of a learner, with the same layouts; then lane 0 is
    # dealt any game, and lane 2 the next one.
    board, lanes = POND.rules, 3
    first, second, third = draw_layouts(board, 3, seed=1)
    view, strategy = View(board, lanes), _learner(10)
    referee = Referee(view)
    strategy.begin(board, lanes, 0)
    strategy.deal(np.array([0, 2]), np.zeros(2, np.int64))
    referee.deal(np.array([0, 2]), np.array([first, first]))

    def play() -> list[list[int]]:
        shots: list[list[int]] = [[] for _ in range(lanes)]
        while view.live.any():
            cells = strategy.shoot(view)
            for lane in np.flatnonzero(view.live):
                shots[lane].append(int(cells[lane]))
            referee.fire(cells)
        return shots

    play()
    for lane, next_game in ((0, 1), (2, 1)):
        strategy.deal(np.array([lane]), np.array([next_game]))
        referee.deal(np.array([lane]), second[None])
    play()
    strategy.deal(np.array([0, 2]), np.array([game, 2]))
    referee.deal(np.array([0, 2]), np.array([third, third]))
    shots = play()
    fresh = shots_fired(board, _learner(1), [third])[0]
    # What they know shows in the shots.
    assert shots[2] != fresh
    assert shots[0] == (shots[2] if game == 2 else fresh)
    # Not even a lane that has not played has anything to add.
    assert not strategy._learners.hits[1].any()
    assert strategy._learners.hits.sum(axis=1).tolist() == [0 if game != 2 else 16, 0, 16]


# Statistics


@given(
    st.lists(st.integers(3, 100), min_size=1, max_size=60), st.integers(1, 12), st.integers(1, 5)
)
def test_learning_agrees_with_a_direct_computation(moves, in_a_row, cut):
    moves = np.array(moves, np.uint8)
    learners = [moves[first : first + in_a_row] for first in range(0, len(moves), in_a_row)]
    learning = Learning.of(in_a_row, moves)
    # The same, in two parts; the first holds whole learners.
    first, rest = moves[: cut * in_a_row], moves[cut * in_a_row :]
    parts = [Learning.of(in_a_row, first)] + [Learning.of(in_a_row, rest)] * bool(len(rest))
    for found in (learning, parts[0] + parts[1] if len(rest) else parts[0]):
        assert found.games == len(moves)
        assert found.games_per_learner == in_a_row
        assert found.learners == len(learners)
        complete = [int(games.sum()) for games in learners if len(games) == in_a_row]
        assert found.squares_of_totals == sum(total**2 for total in complete)
        assert found.rest == sum(moves.tolist()) - sum(complete)
        # No room for games that nobody played.
        assert found.moves.shape == found.squares.shape == (min(in_a_row, len(moves)),)
        counts, means, errors = found.curve()
        assert len(counts) == len(means) == len(errors) == max(map(len, learners))
        for nth in range(len(counts)):
            played = [int(games[nth]) for games in learners if len(games) > nth]
            assert counts[nth] == len(played)
            assert means[nth] == pytest.approx(np.mean(played), rel=1e-13)
            if len(played) == 1:
                assert math.isnan(errors[nth])
            else:
                expected = np.std(played, ddof=1) / math.sqrt(len(played))
                assert errors[nth] == pytest.approx(expected, rel=1e-9, abs=1e-9)

        stages = list(found.stage_curve())
        ends = [end for end in stage_ends(in_a_row) if end <= len(learners[0])]
        assert [stage[:2] for stage in stages] == list(
            zip([1, *(end + 1 for end in ends)], ends, strict=False)
        )
        for (first_game, end, stage_mean, error), sums in zip(stages, found.stages.T, strict=False):
            totals = [int(g[first_game - 1 : end].sum()) for g in learners if len(g) >= end]
            assert sums.tolist() == [sum(totals), sum(total**2 for total in totals)]
            played = np.array(totals) / (end - first_game + 1)
            assert stage_mean == pytest.approx(played.mean(), rel=1e-13)
            if len(played) == 1:
                assert math.isnan(error)
            else:
                expected = np.std(played, ddof=1) / math.sqrt(len(played))
                assert error == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert not found.stages[:, len(stages) :].any()

    mean = moves.mean()
    summary = summarize(np.bincount(moves, minlength=101), learning)
    assert summary.mean == pytest.approx(mean)
    if len(learners) == 1:
        assert math.isnan(summary.half_width)
        return
    excess = np.array([games.sum() - len(games) * mean for games in learners])
    error = np.sqrt(len(learners) / (len(learners) - 1) * (excess**2).sum()) / len(moves)
    assert summary.half_width == pytest.approx(1.959963984540054 * error, abs=1e-12)
    if len(moves) % in_a_row == 0:
        # Whole learners only: the usual interval of the means of learners.
        usual = np.std(moves.reshape(-1, in_a_row).mean(axis=1), ddof=1)
        assert error == pytest.approx(usual / math.sqrt(len(learners)), abs=1e-12)


def test_sums_of_long_careers_are_exact():
    # Squares of the moves of a learner's last stage, 50,000 games of 62,500 moves, are 10^19.
    moves = np.full(200_000, 62_500, np.uint16)
    learning = Learning.of(100_000, moves)
    learning = learning + learning
    assert learning.stages[1, -1] == 4 * (50_000 * 62_500) ** 2
    *_, (first, last, mean, error) = learning.stage_curve()
    assert (first, last, mean, error) == (50_001, 100_000, 62_500, 0)


def test_stages_end_after_1_2_5_10_20_50_games_and_so_on():
    assert stage_ends(2) == [1, 2]
    assert stage_ends(4) == [1, 2, 4]
    assert stage_ends(5) == [1, 2, 5]
    assert stage_ends(30) == [1, 2, 5, 10, 20, 30]
    assert stage_ends(1_000) == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]
    assert stage_ends(1_000_000)[-3:] == [200_000, 500_000, 1_000_000]


def test_a_curve_of_very_many_learners_is_exact():
    # Half of 2^29 learners need 20 moves in the first game, and half 62; in the second all 41.
    # Products of such sums don't fit into 64 bits.
    learners = 1 << 29
    moves = np.array([41 * learners] * 2)
    squares = np.array([(20**2 + 62**2) // 2 * learners, 41**2 * learners])
    stages = np.array([moves, squares])
    learning = Learning(2 * learners, 2, 61**2 * learners, 0, moves, squares, stages)
    counts, means, errors = learning.curve()
    assert counts.tolist() == [learners] * 2
    assert means.tolist() == [41, 41]
    assert errors.tolist() == [pytest.approx(21 / math.sqrt(learners - 1)), 0]


# Records


@pytest.fixture(scope="module")
def result() -> Result:
    return running.run(_learner(30), POND, games=1_000, seed=4, keep_moves=True)


def test_a_record_of_learners_begins_with_a_learner_and_agrees_with_its_moves(result):
    tally = dataclasses.replace(
        result.tally,
        first_game=15,
        firsts=np.where(result.tally.firsts < 0, -1, result.tally.firsts + 15),
    )
    moved = dataclasses.replace(result, tally=tally, kept_moves=None)
    with refused("first game", "learner"):
        read_record(moved.to_dict())
    squares = result.learning.squares_of_totals + 2
    learning = dataclasses.replace(result.learning, squares_of_totals=squares)
    tally = dataclasses.replace(result.tally, learning=learning)
    with refused("moves", "learning"):
        read_record(dataclasses.replace(result, tally=tally).to_dict())


def test_the_curve_is_a_frame_with_a_row_for_each_game_of_a_learner(result):
    frame = result.learning_curve()
    assert list(frame) == ["label", "game", "learners", "mean", "half_width"]
    assert set(frame["label"]) == {"over9000-adaptive growth=0.3 games_per_learner=30"}
    assert frame["game"].tolist() == list(range(1, 31))
    # 1,000 games are 33 learners' and 10 more.
    assert frame["learners"].tolist() == [34] * 10 + [33] * 20
    for nth, row in frame.iterrows():
        moves = result.moves[nth::30]
        assert row["mean"] == pytest.approx(moves.mean())
        error = np.std(moves, ddof=1) / math.sqrt(len(moves))
        assert row["half_width"] == pytest.approx(1.959963984540054 * error)
    alone = running.run(_learner(30), POND, games=7).learning_curve()
    assert alone["learners"].tolist() == [1] * 7
    assert alone["half_width"].isna().all()
    with refused("linear"):
        running.run("linear", POND, games=10).learning_curve()


@pytest.mark.parametrize(("games", "places"), [(3, 3), (29, 29), (30, 30), (31, 30), (75, 30)])
def test_records_hold_no_more_than_was_played(games, places):
    run = running.run(_learner(30), POND, games=games, seed=4)
    record = json.loads(json.dumps(run.to_dict()))
    learning = record["learning"]
    assert len(learning["moves"]) == len(learning["squares"]) == places
    loaded = read_record(record)
    assert loaded.to_dict() == run.to_dict()
    assert loaded.learning_curve().equals(run.learning_curve())
    # Nor may it hold more.
    for key in ("moves", "squares"):
        learning[key].append(0)
    with refused("moves"):
        read_record(record)


def test_stages_that_a_learner_left_early_are_bounded(result):
    # The third learner played 15 games, and so did not complete games 11 to 20.
    record = json.loads(json.dumps(running.run(_learner(30), POND, games=75, seed=4).to_dict()))
    learning = record["learning"]
    in_games = sum(learning["moves"][10:20])
    assert learning["stages"][0][4] < in_games
    read_record(record)
    for stages in learning["stages"]:
        stages[4] = in_games + 1
    learning["stages"][1][4] **= 2
    with refused("stages", "moves"):
        read_record(record)


def _all_in_first(record, key: str) -> list[int]:
    numbers = record["learning"][key]
    return [sum(numbers), *[0] * (len(numbers) - 1)]


def _move_stage(record, sums: int, stage: int, change: int) -> None:
    record["learning"]["stages"][sums][stage] += change


@pytest.mark.parametrize(
    ("change", "named"),
    [
        # What the types refuse: test_results.py.
        (lambda r: r["learning"].update(squares_of_totals=1), ["totals"]),
        (lambda r: r["learning"].update(rest=0), ["totals"]),
        (lambda r: r["learning"].update(rest=421), ["board", "fleet"]),
        (lambda r: r["learning"]["moves"].append(0), ["moves"]),
        (lambda r: r["learning"]["squares"].append(0), ["squares"]),
        (lambda r: r["learning"]["moves"].__setitem__(0, 1), ["moves"]),
        (lambda r: r["learning"]["squares"].__setitem__(0, 1), ["squares"]),
        # The squares of the first two games, so that only their total is right.
        (lambda r: r["learning"].update(squares=_all_in_first(r, "squares")), ["moves"]),
        (lambda r: r["learning"].update(moves=_all_in_first(r, "moves")), ["board"]),
        *((lambda r, s=s: r["learning"].update(stages=s), ["6"]) for s in ([], [[0] * 5] * 2)),
        (lambda r: r["learning"].update(stages=[[0] * 6] * 2), ["stages"]),
        (lambda r: r["learning"].update(stages=[[1] * 6, [0] * 6]), ["stages", "moves"]),
        (lambda r: r["learning"]["stages"].reverse(), ["stages", "moves"]),
        # One less in any stage; the fifth, games 11 to 20, and the last are complete, too: of
        # 1,000 games the last learner played 10.
        *((lambda r, i=i: _move_stage(r, 0, i, -1), ["stages", "moves"]) for i in range(5)),
        *((lambda r, i=i: _move_stage(r, 0, i, 1), ["stages", "moves"]) for i in range(6)),
        *(
            (lambda r, i=i: r["learning"]["stages"][1].__setitem__(i, 0), ["stages", "squares"])
            for i in range(6)
        ),
        (lambda r: _move_stage(r, 1, 5, 2**60), ["stages", "squares"]),
        (lambda r: r["learning"].update(games_per_learner=31), ["learners"]),
        (lambda r: r.pop("learning"), ["learners", "parameters"]),
        (
            lambda r: r["strategy"].update(
                parameters={"games_per_learner": 31}, label="over9000-adaptive"
            ),
            ["learners", "parameters"],
        ),
    ],
)
def test_damaged_records_of_learners_are_refused(result, tmp_path, change, named):
    record = json.loads(json.dumps(result.to_dict()))
    change(record)
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record))
    with refused("record.json", *named):
        load_result(path)
