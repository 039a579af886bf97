"""Who wins a match, from two histograms."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest

from bsbench.stats import share_interval, versus

FIRST, SECOND = [3, 3, 4, 7, 9], [2, 4, 4, 4, 9, 9, 12]
"""Move counts of two sides."""


def shots(ours: int, theirs: int, begins: bool, last_turn: bool) -> float:
    """Play a game shot by shot; return 1, 1/2 or 0 for the first-named."""
    fired = {True: 0, False: 0}
    needed = {True: ours, False: theirs}
    turn = begins
    while True:
        fired[turn] += 1
        mine, other = (fired[side] == needed[side] for side in (True, False))
        over = mine or other
        if over and last_turn and turn == begins:
            fired[not turn] += 1
            mine, other = (fired[side] == needed[side] for side in (True, False))
        if over:
            return 0.5 if mine and other else float(mine)
        turn = not turn


def counted(moves: list[int]) -> np.ndarray:
    return np.bincount(moves).astype(np.int64)


@pytest.mark.parametrize("last_turn", [False, True])
@pytest.mark.parametrize("begins", [True, False])
def test_outcomes_are_those_of_all_pairs_of_games(begins, last_turn):
    found = versus(counted(FIRST), counted(SECOND)).outcomes(begins, last_turn)
    ends = [shots(ours, theirs, begins, last_turn) for ours in FIRST for theirs in SECOND]
    assert found == tuple(Fraction(ends.count(each), len(ends)) for each in (1, 0.5, 0))


def test_who_begins_alternates():
    found = versus(counted(FIRST), counted(SECOND))
    whole, halves = found.outcomes(), [found.outcomes(each) for each in (True, False)]
    assert whole == tuple(sum(each) / 2 for each in zip(*halves, strict=True))
    assert found.score == whole.won == found.outcomes(last_turn=True).won + found.same / 2
    assert versus(counted(SECOND), counted(FIRST)).score == 1 - found.score


def test_the_error_is_that_of_samples():
    rng = np.random.default_rng(4)
    law = rng.integers(1, 20, size=(2, 15))
    true = [each / each.sum() for each in law]
    score = versus(*law.astype(np.int64), exact=(True, True))
    assert score.error == 0
    assert score.interval == (float(score.score), float(score.score))
    found = [
        versus(rng.multinomial(300, true[0]), rng.multinomial(500, true[1])) for _ in range(2_000)
    ]
    shares = np.array([float(each.score) for each in found])
    assert abs(shares.mean() - float(score.score)) < 4 * shares.std() / math.sqrt(2_000)
    # The relative error of a standard deviation is 1 / sqrt(2 n).
    mean_error = np.mean([each.error for each in found])
    assert abs(mean_error / shares.std() - 1) < 4 / math.sqrt(4_000)
    low, high = np.array([each.interval for each in found]).T
    covered = np.mean((low <= float(score.score)) & (float(score.score) <= high))
    assert abs(covered - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 2_000)


def test_each_side_adds_its_error_unless_it_is_exact():
    def beaten(one: int, other: int) -> float:
        return (one < other) + (one == other) / 2

    def error(values: list[float]) -> float:
        return statistics.stdev(values) / math.sqrt(len(values))

    one, other = counted(FIRST), counted(SECOND)
    ours = error([statistics.mean(beaten(each, m) for m in SECOND) for each in FIRST])
    theirs = error([statistics.mean(beaten(m, each) for m in FIRST) for each in SECOND])
    assert versus(one, other).error == pytest.approx(math.hypot(ours, theirs))
    assert versus(one, other, (True, False)).error == pytest.approx(theirs)
    assert versus(one, other, (False, True)).error == pytest.approx(ours)
    assert versus(one, other, (True, False)).games == len(SECOND)


def test_games_that_all_end_alike_leave_an_interval():
    quick, slow = counted([3] * 40), counted([5] * 60)
    assert versus(quick, slow).score == 1
    assert versus(quick, slow).interval == share_interval(1, 40)
    assert all(map(math.isnan, versus(counted([3]), counted([3, 4])).interval))
