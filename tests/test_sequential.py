"""Running differences against numpy, and confidence sequences against what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bsbench.stats import RunningDifference, paired_difference, sequence_width
from bsbench.stats import sequential as module


@pytest.mark.parametrize("unit", [1, 7, 300])
def test_a_running_difference_is_that_of_all_games_at_once(monkeypatch, unit):
    monkeypatch.setattr(module, "_AT_ONCE", 100)
    draws = np.random.default_rng(unit)
    first, second = draws.integers(17, 101, (2, 30 * unit)).astype(np.uint8)
    running = RunningDifference(unit)
    for begin, end in ((0, 4), (4, 5), (5, 30)):
        part = slice(begin * unit, end * unit)
        running.add(first[part], second[part])
    expected = paired_difference(first, second, unit)
    assert running.units == 30
    assert running.mean == pytest.approx(expected.mean, rel=1e-12)
    assert running.half_width == pytest.approx(expected.half_width, rel=1e-12)
    means = (first.astype(int) - second).reshape(30, unit).mean(axis=1)
    assert running.sd == pytest.approx(means.std(ddof=1), rel=1e-12)
    assert not running.same


def test_what_is_left_of_a_unit_does_not_count():
    running = RunningDifference(4)
    running.add(np.array([9, 9, 9, 9, 50, 50]), np.array([8, 8, 8, 8, 1, 1]))
    assert (running.units, running.mean) == (1, 1)
    assert math.isnan(running.sd)


def test_equal_games_are_the_same():
    running = RunningDifference(1)
    games = np.arange(100, dtype=np.uint16)
    running.add(games, games)
    assert running.same
    assert (running.mean, running.half_width, running.sequence_half_width(100)) == (0, 0, 0)
    # As many moves in all, but not in every game.
    running.add(games[:2], games[1::-1])
    assert (running.mean, running.same) == (0, False)


@pytest.mark.parametrize("look", [32, 4_096, 100_000])
def test_the_sequence_is_narrowest_where_it_should_be(look):
    def width(units: float, spread: float) -> float:
        """The formula of theorem 2.2, with spread = t r^2 at the time for which r is chosen."""
        best = look * math.log(look)
        square = spread / best * units
        root = math.sqrt(square + 1)
        return math.sqrt(2 * (square + 1) / (units * square) * math.log(root / 0.05))

    grid = np.linspace(1, 30, 29_001)
    best = look * math.log(look)
    chosen = grid[np.argmin([width(best, spread) for spread in grid])]
    assert chosen == pytest.approx(8.212, abs=2e-3)
    for units in (look, 3 * look, 1_000 * look):
        assert sequence_width(units, look) == pytest.approx(width(units, chosen), rel=1e-4)


def test_the_sequence_is_wider_than_an_interval_for_one_look():
    for units in (4_096, 10**5, 10**8):
        widths = sequence_width(units, 4_096) * math.sqrt(units)
        assert 3 < widths < 4.1


def _share_that_leave(paths: int, steps: int, growth: float) -> float:
    """Return how many sums of normal draws ever leave the sequence, looked at ever later."""
    draws = np.random.default_rng(5)
    sums, units, left = np.zeros(paths), 0, np.zeros(paths, bool)
    look = 1_000
    for step in range(steps):
        following = round(look * growth**step)
        sums += draws.normal(size=paths) * math.sqrt(following - units)
        units = following
        left |= np.abs(sums) > units * sequence_width(units, look)
    return float(left.mean())


def test_few_leave_the_sequence_however_often_it_is_looked_at():
    # 4 standard errors of 5 % of 20,000 paths are 0.6 %.
    seldom, often = (_share_that_leave(20_000, *looks) for looks in ((14, 2), (1_200, 1.01)))
    assert 0.004 < seldom < often <= 0.056
    assert often > 0.015
