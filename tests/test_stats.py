from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsbench.stats import quantile, summarize


def _twin_quantile(moves: list[int], percent: int) -> int:
    """Return the smallest value that at least so many percent do not exceed."""
    return next(m for m in range(101) if 100 * sum(x <= m for x in moves) >= percent * len(moves))


@given(st.lists(st.integers(1, 100), min_size=2, max_size=60))
def test_summary_agrees_with_the_twin(moves):
    summary = summarize(np.bincount(moves, minlength=101))
    assert summary.games == len(moves)
    assert summary.mean == pytest.approx(statistics.fmean(moves), rel=1e-14)
    assert summary.sd == pytest.approx(statistics.stdev(moves), rel=1e-12, abs=1e-12)
    assert summary.half_width == pytest.approx(
        1.959963984540054 * statistics.stdev(moves) / math.sqrt(len(moves)), abs=1e-12
    )
    assert (summary.best, summary.worst) == (min(moves), max(moves))
    assert [summary.low, summary.median, summary.high] == [
        _twin_quantile(moves, percent) for percent in (5, 50, 95)
    ]


def test_a_single_game_has_no_spread():
    summary = summarize(np.bincount([42], minlength=101))
    assert (summary.mean, summary.median, summary.low, summary.high) == (42, 42, 42, 42)
    assert math.isnan(summary.sd)
    assert math.isnan(summary.half_width)


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ([42], "42.00"),
        ([42, 42], "42.00 ± 0"),
        ([40, 41, 42, 43], "41.5 ± 1.3"),
        ([10, 90] * 2, "50 ± 45"),
        ([60, 61] * 5_000, "60.5000 ± 0.0098"),
    ],
)
def test_the_mean_is_written_to_the_digits_of_its_interval(moves, text):
    assert summarize(np.bincount(moves, minlength=101)).mean_text == text


def test_quantiles_of_even_shares():
    counts = np.bincount([10] * 5 + [20] * 5)
    assert [quantile(counts, share) for share in (0.0, 0.1, 0.5, 0.51, 1.0)] == [10, 10, 10, 20, 20]


def test_a_billion_games_do_not_round():
    counts = np.zeros(101, np.int64)
    counts[[60, 61]] = 500_000_000, 500_000_001
    summary = summarize(counts)
    assert summary.mean == (60 * 500_000_000 + 61 * 500_000_001) / 1_000_000_001
    assert summary.sd == pytest.approx(0.5, rel=1e-9)
    assert summary.median == 61


def test_intervals_cover_the_exact_mean_of_random():
    # 2 ship cells among 6: mean n (N + 1) / (n + 1) = 14 / 3 exactly. 4 standard errors of
    # the share of 1,000 intervals that cover it.
    import bsbench
    from bsbench.rules import Rules
    from bsbench.scenario import Scenario

    scenario = Scenario("tiny", Rules(2, 3, (2,), touching=True))
    moves = bsbench.run("random", scenario, games=1_000 * 200, seed=1, keep_moves=True).moves
    covered = 0
    for part in moves.reshape(1_000, 200):
        summary = summarize(np.bincount(part))
        covered += abs(summary.mean - 14 / 3) <= summary.half_width
    assert abs(covered - 950) <= 4 * math.sqrt(1_000 * 0.95 * 0.05)
