"""The kernels that weigh slots, against loops over slots."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bsbench.kernels import choosing, density
from bsbench.kernels.numbers import LANES, empty_numbers, lane_of_words
from bsbench.kernels.random import start_streams
from bsbench.play.referee import Referee
from bsbench.roster import find_strategy
from bsbench.rules.board import TOUCHING, Feedback, Rules
from bsbench.strategies.view import View
from tests.support import naive
from tests.support.helpers import as_words, draw_layouts, rules
from tests.support.naive.density import Record
from tests.support.naive.play import answer

# A bound that makes `scales` choose each type.
TYPES = {np.uint16: 1, np.int32: 1 << 16, np.int64: 1 << 31, np.float64: 1 << 63}
# Each has kernels of its own.
EACH_TYPE = pytest.mark.parametrize(
    "dtype",
    [
        np.uint16,
        np.int64,
        *(pytest.param(each, marks=pytest.mark.ci) for each in (np.int32, np.float64)),
    ],
)

fleets = st.lists(st.integers(1, 9), min_size=1, max_size=5)


def _board(rows: int, cols: int, fleet, touching: bool | str = True) -> Rules:
    """Return rules for a fleet cut to what the board can hold, touching or not."""
    lengths = [min(length, max(rows, cols)) for length in fleet]
    while len(lengths) > 1 and sum(2 * length + 2 for length in lengths) > rows * cols:
        lengths.pop()
    return Rules(rows, cols, tuple(lengths), touching)


def _slots(board: Rules):
    """Yield every slot of every length that the fleet has, and whether it runs down."""
    for length in sorted(set(board.fleet)):
        for slot in naive.slots(board.rows, board.cols, length):
            yield slot, length > 1 and slot[1] - slot[0] == board.cols


def test_scores_get_the_smallest_type_that_holds_them():
    board = Rules(3, 4, (3, 1), touching=True)
    for largest, dtype in [
        (65_535, np.uint16),
        (65_536, np.int32),
        (2**31 - 1, np.int32),
        (2**31, np.int64),
        (2**63 - 1, np.int64),
        (2**63, np.float64),
    ]:
        scales = density.scales(board, False, largest)
        parts = (scales.factor, scales.times, scales.longer, scales.score)
        assert {part.dtype for part in parts} == {np.dtype(dtype)}


@given(st.integers(1, 9), st.integers(1, 9), fleets, st.booleans(), st.integers(0, 1000))
@settings(max_examples=40)
@EACH_TYPE
def test_weights_of_slots_agree_with_a_loop_over_slots(dtype, rows, cols, fleet, full, seed):
    board = _board(rows, cols, fleet)
    generator = np.random.default_rng(seed)
    scales = density.scales(board, full, TYPES[dtype])
    assert scales.score.dtype == dtype
    lengths = np.array(sorted(set(board.fleet)))
    # Without ``full``, the factors down columns are those along rows.
    shape = (len(scales.factor), board.rows, board.cols, LANES)
    if dtype is np.float64:
        factor = generator.random(shape)
        scales.times[lengths - 1] = generator.random((len(lengths), LANES))
    else:
        # Large factors, too: whole numbers wrap, and sums of them all the same come out right.
        low = -9 if np.iinfo(dtype).min < 0 else 0
        factor = generator.integers(low, 10, shape).astype(dtype)
        scales.times[lengths - 1] = generator.integers(0, 4, (len(lengths), LANES))
    scales.factor[:, : board.rows, : board.cols] = factor
    factor = factor.reshape(-1, board.cells, LANES)
    struck = generator.random((board.cells, LANES)) < 0.1
    known = density.no_evidence(board, LANES, True, False)
    known.struck[0] = as_words(struck)
    for scratch in (scales.score, scales.longer):
        scratch.fill(77)

    expected = np.zeros((board.cells, LANES), dtype)
    for slot, down in _slots(board):
        product = factor[int(down and full), list(slot)].prod(axis=0, dtype=dtype)
        weight = scales.times[len(slot) - 1] * product
        if full:
            step = board.cols if down else 1
            line = board.rows if down else board.cols
            place = slot[0] // board.cols if down else slot[0] % board.cols
            if place > 0:
                weight = np.where(struck[slot[0] - step], 0, weight)
            if place + len(slot) < line:
                weight = np.where(struck[slot[-1] + step], 0, weight)
        expected[list(slot)] += weight
    density.weigh_slots(known, 0, scales)
    if dtype is np.float64:
        np.testing.assert_allclose(scales.score, expected, rtol=1e-12, atol=1e-12)
    else:
        assert (scales.score == expected).all()


@given(
    st.integers(1, 9),
    st.integers(1, 9),
    fleets,
    st.sampled_from([*TOUCHING]),
    st.sampled_from([1, 5, 1000]),
    st.sampled_from([0.02, 0.3]),
    st.integers(0, 1000),
)
@settings(max_examples=40)
@EACH_TYPE
def test_slots_with_hits_weigh_more(dtype, rows, cols, fleet, touching, hit_weight, hits, seed):
    if dtype is np.float64:
        # Longer products would be rounded.
        hit_weight = min(hit_weight, 5)
    board = _board(rows, cols, fleet, touching)
    full = touching is not True
    generator = np.random.default_rng(seed)
    scales = density.scales(board, full, TYPES[dtype])
    dry = generator.random((board.cells, LANES)) < 0.85
    struck = dry & (generator.random((board.cells, LANES)) < hits)
    known = density.no_evidence(board, LANES, True, False)
    known.dry[0], known.struck[0] = as_words(dry), as_words(struck)
    lengths = np.array(sorted(set(board.fleet)))
    scales.times[lengths - 1] = generator.integers(0, 4, (len(lengths), LANES))

    expected = np.zeros((board.cells, LANES), dtype)
    for slot, _ in _slots(board):
        cells = list(slot)
        possible = dry[cells].all(axis=0)
        if full:
            possible &= ~struck[list(naive.excluded(board, slot).difference(slot))].any(axis=0)
        weight = np.full((len(slot), LANES), hit_weight, dtype)
        weight = np.where(struck[cells], weight, 1).prod(axis=0, dtype=dtype)
        expected[cells] += np.where(possible, weight * scales.times[len(slot) - 1], 0)
    density.set_factors(known, 0, scales, hit_weight)
    density.weigh_slots(known, 0, scales)
    assert (scales.score == expected).all()


# What is known


def _told(board: Rules) -> Rules:
    return Rules(board.rows, board.cols, board.fleet, board.touching, Feedback.SUNK)


@given(rules(max_side=7), st.booleans(), st.sampled_from(["ignore", "sunk"]), st.integers(0, 1000))
@settings(max_examples=40)
def test_what_is_known_agrees_with_a_plain_record(board, sinking_blocks, no_touch, seed):
    board = _told(board)
    lanes, followed = 70, [0, 1, 63, 64, 69]
    generator = np.random.default_rng(seed)
    codes = draw_layouts(board, lanes, seed=seed)
    orders = np.array([generator.permutation(board.cells) for _ in range(lanes)])
    view = View(board, lanes)
    referee = Referee(view)
    known = density.no_evidence(board, lanes, sinking_blocks, no_touch == "sunk")

    def learn():
        density.learn(view.cell, view.outcome, view.ship, view.slot, known)

    def compare(lane: int, record: Record) -> None:
        blocked = record.misses | (record.sunk if sinking_blocks else set())
        planes = (known.unshot, known.dry, known.struck)
        sets = (record.unshot, set(range(board.cells)) - blocked, record.open_hits)
        for plane, cells in zip(planes, sets, strict=True):
            assert set(np.flatnonzero(lane_of_words(plane, lane)).tolist()) == cells
        lengths = [board.fleet[ship] for ship in record.afloat]
        assert known.afloat[:, lane // LANES, lane % LANES].tolist() == [
            lengths.count(length) for length in range(1, max(board.fleet) + 1)
        ]

    # Two games in each lane: what was known of the first one is forgotten.
    for _ in range(2):
        everyone = np.arange(lanes)
        referee.deal(everyone, codes)
        density.forget(everyone, known)
        records = {lane: Record(board, no_touch) for lane in followed}
        learn()
        for shot in range(board.cells):
            playing = [lane for lane in followed if view.live[lane]]
            referee.fire(np.ascontiguousarray(orders[:, shot]))
            learn()
            for lane, record in records.items():
                if lane in playing:
                    ships = naive.decode(board, codes[lane])
                    shots = orders[lane, : shot + 1].tolist()
                    record.note(shots[-1], answer(board, ships, shots))
                # A game that is over is shown again, and nothing comes of it.
                compare(lane, record)
        assert not view.live.any()
        orders = orders[:, ::-1]


def test_fresh_games_begin_in_the_lanes_dealt_only():
    board = Rules(3, 3, (2, 1), touching=True, feedback=Feedback.SUNK)
    known = density.no_evidence(board, 66, True, False)
    for part in (known.unshot, known.dry, known.struck, known.afloat):
        part.fill(0)
    density.forget(np.array([1, 65]), known)
    for lane in range(66):
        fresh = lane in (1, 65)
        assert lane_of_words(known.unshot, lane).tolist() == [fresh] * 9
        assert lane_of_words(known.dry, lane).tolist() == [fresh] * 9
        assert known.afloat[:, lane // LANES, lane % LANES].tolist() == [fresh, fresh]


# Choosing


def _scores(cells: int, values: int, seed: int):
    """Return small scores, which tie often, open cells and wanted lanes, at random."""
    generator = np.random.default_rng(seed)
    score = empty_numbers(cells, dtype=np.uint16)
    score[:] = generator.integers(0, values, score.shape)
    is_open = generator.random(score.shape) < generator.random(LANES)
    return score, is_open, generator.random(LANES) < 0.7


@given(st.integers(1, 30) | st.just(300), st.integers(2, 6), st.integers(0, 10_000))
def test_the_first_greatest_score_is_chosen(cells, values, seed):
    score, is_open, wanted = _scores(cells, values, seed)
    best = choosing.empty_cells(3 * LANES, cells)
    best.fill(77)
    stuck = choosing.first_greatest(score, as_words(is_open), as_words(wanted), 1, best)
    assert (best[[0, 2]] == 77).all()
    for lane in range(LANES):
        candidates = [c for c in range(cells) if is_open[c, lane] and score[c, lane] > 0]
        if candidates:
            assert best[1, lane] == max(candidates, key=lambda c: score[c, lane])
    without = np.flatnonzero(wanted & ~((score > 0) & is_open).any(axis=0))
    assert stuck == (LANES + without[0] if len(without) else -1)


@given(st.integers(1, 30) | st.just(300), st.integers(2, 6), st.integers(0, 10_000))
def test_a_lane_draws_once_among_the_greatest_scores(cells, values, seed):
    score, is_open, wanted = _scores(cells, values, seed)
    # No wanted lane is stuck, but for those of the test below.
    wanted &= ((score > 0) & is_open).any(axis=0)
    best = np.full((3, LANES), -7, np.int64)
    states = empty_numbers(3, dtype=np.uint64)
    start_streams(np.uint64(seed), np.arange(3 * LANES), np.arange(3 * LANES), states)
    before = states.copy()
    words = as_words(is_open), as_words(wanted)
    assert choosing.random_greatest(score, *words, 1, states, best) == -1
    assert (best[[0, 2]] == -7).all()
    assert (states[[0, 2]] == before[[0, 2]]).all()
    for lane in range(LANES):
        if not wanted[lane]:
            assert states[1, lane] == before[1, lane]
            continue
        stream = naive.Stream(seed, LANES + lane)
        assert int(before[1, lane]) == stream.state
        candidates = [c for c in range(cells) if is_open[c, lane]]
        greatest = max(score[c, lane] for c in candidates)
        tied = [c for c in candidates if score[c, lane] == greatest]
        assert best[1, lane] == tied[stream.draw(len(tied))]
        assert int(states[1, lane]) == stream.state


@pytest.mark.parametrize("lane", [0, 40, 63])
def test_a_lane_without_a_score_is_reported(lane):
    score = empty_numbers(2, dtype=np.uint16)
    score.fill(1)
    is_open = np.ones((2, LANES))
    # One closed cell, and a score of 0 in the open one.
    score[0, lane] = 0
    is_open[1, lane] = 0
    everyone, others = np.ones(LANES), np.arange(LANES) != lane
    states, best = np.ones((2, LANES), np.uint64), np.zeros((2, LANES), np.int64)
    open_words = as_words(is_open)
    for wanted, stuck in ((everyone, LANES + lane), (others, -1)):
        word = as_words(wanted)
        assert choosing.first_greatest(score, open_words, word, 1, best) == stuck
        assert choosing.random_greatest(score, open_words, word, 1, states, best) == stuck


# What strategies say of a game


@pytest.mark.parametrize("touching", [True, False])
def test_insight_of_datagenetics_agrees_with_the_twin(touching):
    board = Rules(7, 6, (4, 3, 2), touching, Feedback.SUNK)
    lanes, followed = 66, (0, 63, 65)
    codes = draw_layouts(board, lanes, seed=2)
    strategy = find_strategy("datagenetics")()
    view = View(board, lanes)
    referee = Referee(view)
    strategy.begin(board, lanes, 0)
    referee.deal(np.arange(lanes), codes)
    strategy.deal(np.arange(lanes), np.arange(lanes))
    records = {lane: Record(board, "sunk") for lane in followed}
    shots: dict[int, list[int]] = {lane: [] for lane in followed}
    sunk = 0
    while view.live.any():
        cells = strategy.shoot(view).copy()
        for lane in [lane for lane in followed if view.live[lane]]:
            record, insight = records[lane], strategy.insight(lane)
            scores = np.zeros(board.cells, np.int64)
            for ship in record.afloat:
                for slot in record.slots(ship):
                    if not (record.misses | record.sunk).intersection(slot):
                        scores[list(slot)] += 5 ** len(record.open_hits.intersection(slot))
            closed = [cell not in record.candidates() for cell in range(board.cells)]
            assert insight.closed is not None
            assert insight.scores is not None
            assert insight.closed.tolist() == closed
            assert insight.scores.tolist() == np.where(closed, -1, scores).tolist()
            assert insight.waiting == []
            assert cells[lane] == insight.scores.argmax()
            shots[lane].append(int(cells[lane]))
            reply = answer(board, naive.decode(board, codes[lane]), shots[lane])
            record.note(int(cells[lane]), reply)
            sunk += reply.sunk
        referee.fire(cells)
    assert sunk == 3 * len(followed)
