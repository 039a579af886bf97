"""Running differences against numpy, and confidence sequences against what they promise."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import bsbench
from bsbench.stats import (
    Difference,
    PairedSums,
    UnitSums,
    log_capital,
    paired_difference,
    sequence_interval,
    standard_error,
)
from bsbench.stats import paired as module
from tests.support.refusals import refused

REACH = 83
"""Moves by which strategies differ at most on `classic`: of 100 cells, 17 belong to ships."""

LIMIT = math.log(20)

LAWS = {
    "1 in 10,000 is large": {-1: 0.0083, 83: 0.0001},
    "1 in 60 is large": {-1: 59 / 60, 59: 1 / 60},
    "one side is rare": {-1: 83 / 84, 83: 1 / 84},
    "both sides are rare": {-83: 1e-4, 83: 1e-4},
    "rare and against the rest": {1: 0.5, -83: 0.5 / 83},
    "only the ends": {-83: 0.5, 83: 0.5},
    "nearly constant": {-1: 1e-4, 1: 1e-4},
    "heavy": {-1: 0.5, **{2**k: 0.5 / 6 / 2**k for k in range(1, 7)}},
    "near an end": {-83: 0.999, 83: 0.001},
    "1 in 5,000 is large": {40: 1 / 5_000},
    "1 in 1,000 beside small ones": {-1: 0.5, 83: 0.001},
}
"""Laws of differences: probabilities of values, the rest of them for 0."""


def law_of(chances: dict[int, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return values in ascending order, and their probabilities."""
    chances = {0: 0.0, **chances}
    chances[0] += 1 - sum(chances.values())
    values = sorted(chances)
    return np.array(values, float), np.maximum([chances[value] for value in values], 0)


def drawn(chances: np.ndarray, looks: list[int], runs: int, seed: int = 0):
    """Yield the histograms of many runs at each look: the games of each begin with the last's."""
    random = np.random.default_rng(seed)
    counts = np.zeros((runs, len(chances)), np.int64)
    for before, look in itertools.pairwise([0, *looks]):
        counts += random.multinomial(look - before, chances, size=runs)
        yield look, counts


def share_that_miss(
    values: np.ndarray, chances: np.ndarray, looks: list[int], runs: int
) -> np.floating:
    """Return in how many of many runs the sequence ever leaves out the true mean."""
    mean = values @ chances
    misses = np.zeros(runs, bool)
    for _, counts in drawn(chances, looks, runs):
        misses |= log_capital(values, counts, mean, REACH) >= LIMIT
    return misses.mean()


def most_that_miss(runs: int) -> float:
    """Return 5 % and 4 standard errors."""
    return 0.05 + 4 * math.sqrt(0.05 * 0.95 / runs)


LOOKS = [2**k for k in range(5, 18)]


@pytest.mark.parametrize("unit", [1, 7, 300])
def test_a_running_difference_is_that_of_all_games_at_once(monkeypatch, unit):
    monkeypatch.setattr(module, "_AT_ONCE", 100)
    draws = np.random.default_rng(unit)
    first, second = draws.integers(17, 101, (2, 30 * unit)).astype(np.uint8)
    running = PairedSums.empty(REACH, unit, keep_totals=True)
    for begin, end in ((0, 4), (4, 5), (5, 30)):
        part = slice(begin * unit, end * unit)
        running = running.and_then(first[part], second[part])
    assert running.difference == paired_difference(first, second, unit)
    means = (first.astype(int) - second).reshape(30, unit).mean(axis=1)
    half_width = 1.959963984540054 * means.std(ddof=1) / math.sqrt(30)
    assert running.difference.mean == pytest.approx(means.mean(), rel=1e-12)
    assert running.difference.half_width == pytest.approx(half_width, rel=1e-12)
    values, counts = np.unique(means, return_counts=True)
    assert sequence_interval(*running.unit_means(), REACH) == pytest.approx(
        sequence_interval(values, counts, REACH), rel=1e-9
    )


@pytest.mark.parametrize("unit", [1, 3, 7, 40])
def test_sums_may_be_cut_anywhere(monkeypatch, unit):
    monkeypatch.setattr(module, "_AT_ONCE", 10)
    draws = np.random.default_rng(unit)
    first, second = draws.integers(17, 101, (2, 100)).astype(np.uint8)
    for _ in range(30):
        running, cuts = PairedSums.empty(REACH, unit), sorted(draws.integers(0, 101, 5).tolist())
        for begin, end in itertools.pairwise([0, *cuts, 100]):
            running = running.and_then(first[begin:end], second[begin:end])
        whole = PairedSums.empty(REACH, unit).and_then(first, second)
        assert running.learners == whole.learners
        assert (running.counts == whole.counts).all()
        if unit > 1:
            assert UnitSums.from_dict(running.learners.to_dict()) == running.learners


@pytest.mark.parametrize(
    "change",
    [
        {"learners": 5},  # more units than games
        {"rest_games": 1},
        {"totals": [0, 20, 0, -2]},
        {"totals": [6, -2, 14, 8], "squares": [20, 40, 60, 20]},
        {"rest_games": 2, "rest": [0, -1, 2, 1]},
        {"totals": [100, 12, 0, 8], "squares": [3, 40, 40, 40]},  # too large for their squares
    ],
)
def test_sums_of_learners_that_contradict_themselves_are_refused(change):
    sums = {
        "games_per_learner": 5,
        "learners": 4,
        "totals": [6, 12, 0, 8],
        "squares": [20, 36, 0, 20],  # four units of 3 wins each
        "rest_games": 0,
        "rest": [0, 0, 0, 0],
    }
    UnitSums.from_dict(sums)
    UnitSums.from_dict(sums | {"games_per_learner": 2, "learners": 10})
    with refused("learners"):
        UnitSums.from_dict(sums | change)


@pytest.mark.parametrize("unit", [1, 3, 7])
def test_sums_of_parts_add_up(unit):
    draws = np.random.default_rng(unit)
    first, second = draws.integers(17, 101, (2, 100)).astype(np.uint8)
    nothing = PairedSums.empty(REACH, unit, keep_totals=True)
    whole = nothing.and_then(first, second)
    for cut in range(0, 101, unit):
        parts = (slice(None, cut), slice(cut, None))
        one, other = (nothing.and_then(first[part], second[part]) for part in parts)
        assert (one + other).learners == whole.learners
        assert ((one + other).counts == whole.counts).all()


@pytest.mark.parametrize("games", [60, 99, 100, 7])
def test_figures_with_a_unit_cut_short_are_those_of_a_ratio_of_sums(games):
    draws = np.random.default_rng(games)
    first, second = draws.integers(17, 40, (2, games)).astype(np.uint8)
    sums = PairedSums.of(first, second, 10)
    difference = first.astype(int) - second
    begins = np.arange(0, games, 10)
    sizes = np.diff(begins, append=games)
    for place, values in enumerate((difference, difference < 0, difference == 0, difference > 0)):
        totals = np.add.reduceat(values.astype(int), begins)
        expected = standard_error(totals, sizes)
        assert sums.learners.error(place) == pytest.approx(expected, rel=1e-12, nan_ok=True)
    assert sums.race.games == games
    equal = PairedSums.of(first, first, 10)
    again = PairedSums.of_equals(equal.most, games, 10)
    assert (again.learners, again.outcomes) == (equal.learners, equal.outcomes)


def test_what_is_left_of_a_unit_has_no_place_among_the_means():
    running = PairedSums.empty(REACH, 4, keep_totals=True)
    running = running.and_then(np.array([9, 9, 9, 9, 50, 50]), np.array([8, 8, 8, 8, 1, 1]))
    assert [each.tolist() for each in running.unit_means()] == [[1], [1]]


def test_without_games_nothing_is_known():
    for unit in (1, 5):
        sums = PairedSums.empty(REACH, unit, keep_totals=True)
        assert sequence_interval(*sums.unit_means(), REACH) == (-REACH, REACH)


def test_equal_games_leave_room_for_what_they_may_have_missed():
    games = np.arange(4_096, dtype=np.uint16)
    running = PairedSums.empty(REACH).and_then(games, games)
    low, high = sequence_interval(*running.unit_means(), REACH)
    assert low == -high
    assert running.difference == Difference(0, pytest.approx(high), normal=0)
    # A difference of 83 moves in one game of n has a mean of 83 / n. That none is among 4,096
    # has a probability of 5 % if n is 4,096 / 3; twice that pays for all other bets.
    assert 3 * 83 / 4_096 < high < 6.5 * 83 / 4_096


@pytest.mark.parametrize("mean", [-2.5, 0, 1])
def test_the_capital_stays_1_on_average(mean):
    values = np.array([-3.0, 0, 2, 3])
    base = np.array([0.1, 0.4, 0.2, 0.3])
    # The law between the base and the end beyond the mean that has this mean.
    end = np.eye(4)[0 if mean < values @ base else 3]
    share = (mean - values @ base) / (values @ (end - base))
    chances = base + share * (end - base)
    assert values @ chances == pytest.approx(mean)
    for games in (1, 2, 5):
        average = 0.0
        for each in itertools.product(range(4), repeat=games):
            counts = np.bincount(each, minlength=4)
            average += math.exp(log_capital(values, counts, mean, 3)) * np.prod(chances[[*each]])
        assert average == pytest.approx(1, rel=1e-12)


def difference_of(values: np.ndarray, counts: np.ndarray, unit: int = 1) -> Difference:
    """Return the difference of games with these differences, those of learners in a row."""
    differences = np.repeat(values.astype(int), counts)
    moves = np.full(len(differences), 100)
    return paired_difference(np.repeat(moves + differences, unit), np.repeat(moves, unit), unit, 83)


def test_few_differing_games_have_an_interval_from_the_range():
    for values, counts, from_range in (
        ([0], [4_096], True),
        ([0, 40], [4_095, 1], True),
        ([-1, 0], [200, 9_800], True),
        ([-1, 83], [984, 16], True),
        ([-1, 83], [9_840, 160], False),
        ([-8, 0, 8], [20, 12, 20], False),
        ([-3, 0, 3], [260, 479, 260], False),
        ([-3, 0, 3], [260, 480, 260], True),
        ([-1, 0, 1], [3_000, 4_000, 3_000], True),
        ([-1, 0, 1], [300_000, 400_000, 300_000], False),
    ):
        found = difference_of(np.array(values), np.array(counts))
        assert found.from_range == from_range, (values, counts)
        each = np.repeat(values, counts)
        normal = 1.959963984540054 * each.std(ddof=1) / math.sqrt(len(each))
        if from_range:
            low, high = sequence_interval(np.array(values, float), np.array(counts), REACH)
            reach = max(found.mean - low, high - found.mean)
            assert found.half_width == pytest.approx(max(reach, normal), rel=1e-9)
            assert found.half_width > 1.5 * normal
        else:
            assert found.half_width == pytest.approx(normal, rel=1e-12)
        assert -found == Difference(-found.mean, found.half_width, found.normal)


def test_equal_games_of_a_learner_count_as_one():
    values, counts = np.array([0, 40]), np.array([4_000, 2])
    alone, learners = (difference_of(values, counts, unit) for unit in (1, 7))
    assert learners.from_range
    assert learners.mean == alone.mean
    assert learners.half_width == pytest.approx(alone.half_width, rel=1e-6)


def test_learners_whose_games_differ_have_at_least_that_interval():
    """The capital of learners is at least that of parts of their games (Jensen's inequality)."""
    draws = np.random.default_rng(1)
    differences = (draws.random(7_000) < 0.003) * draws.integers(-40, 80, 7_000)
    moves = np.full(7_000, 90)
    found = paired_difference(moves + differences, moves, 7, 130)
    assert found.from_range
    means, counts = np.unique(differences.reshape(-1, 7).mean(axis=1), return_counts=True)
    low, high = sequence_interval(means, counts, 130)
    assert found.half_width >= max(found.mean - low, high - found.mean) - 1e-6


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("games", [1, 10, 1_000, 10**6])
def test_the_interval_holds_what_is_not_excluded(law, games):
    values, chances = law_of(LAWS[law])
    ((_, counts),) = drawn(chances, [games], 1)
    low, high = sequence_interval(values, counts[0], REACH)
    assert -REACH <= low <= values @ counts[0] / games <= high <= REACH
    grid = np.linspace(-REACH, REACH, 999)[1:-1]
    close = np.concatenate((low + (high - low) * np.linspace(-1, 2, 301), grid))
    for mean in close[abs(close) < REACH]:
        excluded = log_capital(values, counts[0], mean, REACH) >= LIMIT
        at_an_end = min(abs(mean - low), abs(mean - high)) < 1e-7
        assert at_an_end or excluded == (not low <= mean <= high), mean


def test_all_games_at_an_end_of_the_range():
    low, high = sequence_interval(np.array([-83.0]), np.array([1_000]), REACH)
    assert low == -83 < high < -81.9


def test_exchanging_the_two_exchanges_the_ends():
    first, second = np.random.default_rng(3).integers(17, 101, (2, 5_000))
    one, other = (
        PairedSums.empty(REACH).and_then(*pair) for pair in ((first, second), (second, first))
    )
    low, high = sequence_interval(*one.unit_means(), REACH)
    assert sequence_interval(*other.unit_means(), REACH) == (-high, -low)


@pytest.mark.parametrize("law", LAWS)
def test_few_runs_ever_miss_the_mean(law):
    # `test_coverage.py` has ten times as many.
    assert share_that_miss(*law_of(LAWS[law]), LOOKS, 1_000) <= most_that_miss(1_000)


@pytest.mark.parametrize(
    ("law", "unit"),
    [("1 in 10,000 is large", 1), ("1 in 60 is large", 32), ("one side is rare", 7)],
)
def test_few_are_told_apart_by_rare_large_differences(law, unit):
    # A normal approximation tells 205 of 300 apart under the first law.
    values, chances = law_of(LAWS[law])
    random, runs, wrong = np.random.default_rng(4), 300, 0
    for _ in range(runs):
        running, played = PairedSums.empty(REACH, unit, keep_totals=True), 0
        for look in (4_096, 8_192, 16_384, 32_768, 65_536):
            units = (look - played) // unit
            # The extreme case of games that depend on each other: those of a learner are equal.
            moves = 50 + np.repeat(random.choice(values.astype(int), units, p=chances), unit)
            running = running.and_then(moves, np.full(len(moves), 50))
            played += units * unit
            low, high = sequence_interval(*running.unit_means(), REACH)
            if low > 0 or high < 0:
                wrong += 1
                break
    assert wrong <= runs * most_that_miss(runs)


def normal_width(units: int, first_look: int) -> float:
    """Return the half-width of a sequence that relies on a normal approximation, in sd.

    I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, "Time-uniform central limit
    theory and asymptotic confidence sequences", Annals of Statistics 52, 2024, theorem 2.2, for
    looks from the first on: a sequence that is narrow, but wrong for rare large differences.
    """
    spread = 8.212 * units / (first_look * math.log(first_look))
    return math.sqrt(2 * (spread + 1) / (units * spread) * math.log(math.sqrt(spread + 1) / 0.05))


def games_needed(values: np.ndarray, chances: np.ndarray, margin: float, runs: int):
    """Return the median games until it is clear, by the sequence and by the normal one.

    Also the share, by the sequence, that say that the first needs more moves.
    """
    ends, worse = np.zeros((2, runs)), np.zeros(runs, bool)
    for look, counts in drawn(chances, [4_096 * 2**k for k in range(14)], runs, seed=1):
        means = counts @ values / look
        reach = np.sqrt(counts @ values**2 / look - means**2) * normal_width(look, 4_096)
        at = (0.0, -margin, margin)
        capitals = [log_capital(values, counts, mean, REACH) >= LIMIT for mean in at]
        decided = (
            capitals[0] | (capitals[1] & capitals[2]),
            (abs(means) > reach) | (abs(means) + reach <= margin),
        )
        worse |= (ends[0] == 0) & capitals[0] & (means > 0)
        for end, now in zip(ends, decided, strict=True):
            end[(end == 0) & now] = look
    assert ends.all()
    return *np.median(ends, axis=1), worse.mean()


@pytest.fixture(scope="module")
def differences():
    """Return the law of the differences of two good strategies, of which one is better by 0.4."""
    moves = [
        bsbench.run(name, "classic", games=20_000, seed=3, keep_moves=True).moves.astype(int)
        for name in ("datagenetics", "lattice")
    ]
    values, counts = np.unique(moves[0] - moves[1], return_counts=True)
    return values.astype(float), counts / counts.sum()


def tilted(values: np.ndarray, chances: np.ndarray, mean: float) -> np.ndarray:
    """Return the law of another mean that is most like this one."""
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        weights = chances * np.exp(middle * values)
        weights /= weights.sum()
        low, high = (middle, high) if values @ weights < mean else (low, middle)
    return weights


@pytest.mark.parametrize("mean", [0.2, 0.5, 1])
def test_ordinary_differences_are_found_in_at_most_twice_the_games(differences, mean):
    values, chances = differences
    games, normal, found = games_needed(values, tilted(values, chances, mean), 0.05, 200)
    assert games <= 2 * normal
    assert games <= 65_536
    assert found >= 0.99


def test_equals_are_within_the_margin_in_at_most_twice_the_games(differences):
    values, chances = differences
    games, normal, found = games_needed(values, tilted(values, chances, 0), 0.05, 200)
    assert games <= 2 * normal
    assert found <= 0.05


def test_values_have_as_many_counts():
    with refused("values", "counts"):
        sequence_interval(np.array([-1.0, 2.0]), np.array([3]), 5.0)
