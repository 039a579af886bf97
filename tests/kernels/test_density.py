"""The kernels that weigh slots, against what is known of games."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsbench.kernels import choosing, density
from bsbench.kernels.numbers import LANES, empty_numbers, lane_of_words
from bsbench.kernels.random import start_streams
from bsbench.play.referee import Referee
from bsbench.roster import find_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.strategies.view import View
from tests.support import naive
from tests.support.helpers import as_words, draw_layouts
from tests.support.naive.density import Record
from tests.support.naive.play import answer


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
