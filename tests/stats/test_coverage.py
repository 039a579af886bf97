"""How often 95 % intervals hold what they should, in simulated runs.

Ten thousand runs give the share of those that do to 0.0022. It must be 94 to 96 %; where move
counts being whole numbers makes an interval cautious, 94 % at least, and that is said. That
of playing until it is clear must hold it at all looks together, in 95 % at least.

Where only a part of large families of parameters is run, runs are a quarter: the share is known to
0.0044, and must be 95 % within four of these errors. Of intervals that hold what they should in
92 % only, as if they were a tenth too narrow, that finds 99 in 100.
What is drawn from is known exactly: laws, or the histogram of a million games, as if it
were a law.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import bsbench
from bsbench.rules.scenario import find_scenario
from bsbench.runs.exact import find_law
from bsbench.runs.records import load_result
from bsbench.runs.rounds import first_look, round_for
from bsbench.stats import (
    Difference,
    Learning,
    PairedSums,
    bootstrap,
    dominance,
    expected_score,
    goodness_of_fit,
    joint_histogram,
    means,
    paired_difference,
    percentile_interval,
    quantile,
    quantile_interval,
    quantile_ranks,
    race,
    rank_intervals,
    rate,
    score_of_pairs,
    summarize,
)
from bsbench.stats.intervals import NORMAL_95
from tests.runs.test_clear import Other
from tests.stats.test_sequential import LAWS as DIFFERENCES
from tests.stats.test_sequential import REACH, drawn, law_of, most_that_miss, share_that_miss
from tests.support import ROOT

RUNS = 10_000


@pytest.fixture(autouse=True)
def _fewer_runs(pytestconfig, monkeypatch):
    if not pytestconfig.option.all_cases:
        monkeypatch.setitem(globals(), "RUNS", 2_500)


RECORDS = ROOT / "results"


def _assert_covers(covered, least: float = 0.94, most: float = 0.96) -> None:
    assert len(covered) == RUNS
    print(f"covered: {np.mean(covered):.4f}")
    # What is more than a hundredth, of few runs.
    more = max(4 * math.sqrt(0.95 * 0.05 / RUNS) - 0.01, 0)
    assert least - more <= np.mean(covered) <= most + more, np.mean(covered)


def _holds(interval, value: float) -> bool:
    low, high = interval
    return low <= value <= high


def _law(name: str):
    """Return a law of move counts: skewed and wild, skewed, and nearly normal."""
    if name in ("linear", "random"):
        return find_law(name, find_scenario("classic"))
    counts = load_result(RECORDS / "harbour" / f"{name}.json").counts
    return counts / counts.sum()


LAWS = ["linear", "random", "prob"]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("games", [200, 5_000])
def test_the_interval_of_a_mean(law, games):
    law = _law(law)
    mean = law @ np.arange(len(law))
    drawn = np.random.default_rng(1).multinomial(games, law, size=RUNS)
    summaries = [summarize(counts) for counts in drawn]
    _assert_covers([abs(summary.mean - mean) <= summary.half_width for summary in summaries])


@pytest.mark.parametrize("share", [0.5, 0.05, 0.95])
@pytest.mark.parametrize("games", [5_000, 100_000])
def test_the_ranks_of_a_quantile_under_a_continuous_law(share, games):
    # On 0 to 1, evenly: the quantile is the share itself, and any continuous law is like it.
    low, high = quantile_ranks(games, share)
    # The game of rank l is not above the quantile where at least l games are not.
    not_above = np.random.default_rng(2).binomial(games, share, size=RUNS)
    _assert_covers((low <= not_above) & (not_above < high))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("share", [0.5, 0.05, 0.95])
def test_the_interval_of_a_quantile_of_move_counts_is_cautious(law, share):
    law = _law(law)
    exact = quantile(np.round(law * 1e15).astype(np.int64), share)
    drawn = np.random.default_rng(4).multinomial(1_000, law, size=RUNS)
    _assert_covers([_holds(quantile_interval(counts, share), exact) for counts in drawn], most=1)


@pytest.fixture(scope="module")
def pairs():
    """Move counts of two strategies in the same games: of these, runs are drawn anew."""
    return [
        bsbench.run(name, "harbour", games=200_000, seed=8, keep_moves=True).moves.astype(np.int64)
        for name in ("smart", "prob")
    ]


def _drawn_pairs(pairs, games: int):
    first, second = pairs
    random = np.random.default_rng(5)
    for _ in range(RUNS):
        chosen = random.integers(0, len(first), games)
        yield first[chosen], second[chosen]


def test_the_interval_of_a_paired_difference(pairs):
    exact = (pairs[0] - pairs[1]).mean()
    runs = (paired_difference(*drawn) for drawn in _drawn_pairs(pairs, 400))
    _assert_covers([abs(run.mean - exact) <= run.half_width for run in runs])


@cache
def _difference(values: tuple[float, ...], counts: tuple[int, ...]) -> Difference:
    by_difference = np.zeros(2 * REACH + 1, np.int64)
    by_difference[np.array(values, int) + REACH] = counts
    return PairedSums(by_difference).difference


@pytest.mark.parametrize("law", DIFFERENCES)
@pytest.mark.parametrize("games", [1_000, 10_000])
def test_the_interval_of_rare_and_skewed_differences(law, games):
    values, chances = law_of(DIFFERENCES[law])
    ((_, counts),) = drawn(chances, [games], RUNS)
    found = [_difference(tuple(values.tolist()), tuple(each)) for each in counts.tolist()]
    covered = [abs(each.mean - values @ chances) <= each.half_width for each in found]
    _assert_covers(covered, most=1.0)


TURNS = 16
"""The largest difference of two games of salvos with all their shots: 4 to 20 turns."""


@pytest.fixture(scope="module")
def turns():
    """Turns of `salvo` and of `over9000` in the same games: of these, runs are drawn anew."""
    comparison = bsbench.compare(
        ["salvo", "over9000"], shots=5, games=20_000, seed=2029, keep_moves=True
    )
    return [result.moves.astype(np.int64) for result in comparison.results]


@pytest.mark.slow
@pytest.mark.parametrize("games", [1_000, 2_000, 4_000])
@pytest.mark.parametrize(
    "law", ["played", "one side is rare", "rare and against the rest", "both sides are rare"]
)
def test_the_interval_of_a_difference_of_salvos(turns, law, games):
    """Where the range says little, the means say more: also of rare differences as in salvos."""
    first, second = turns
    random, runs = np.random.default_rng(18), 2_000
    if law == "played":
        exact = (first - second).mean()
    else:
        values, chances = law_of(DIFFERENCES[law])
        values = np.round(values * TURNS / 83).astype(np.int64)
        exact = values @ chances
    reach = find_scenario("classic").override(shots=5).rules.reach
    covered = []
    for _ in range(runs):
        chosen = random.integers(0, len(first), games)
        one, other = first[chosen], second[chosen]
        if law != "played":
            one = other + random.choice(values, games, p=chances / chances.sum())
        # By the law of differences, some games would have less than no turn.
        one_by_one = (summarize(np.bincount(TURNS + each)).half_width for each in (one, other))
        paired = PairedSums.of(one, other, reach=reach)
        unpaired = math.hypot(*one_by_one)
        found = paired.difference.narrowed(unpaired)
        assert found.half_width <= max(unpaired, paired.normal_half_width)
        covered.append(abs(found.mean - exact) <= found.half_width)
    print(f"covered: {np.mean(covered):.4f}")
    assert np.mean(covered) >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / runs)


@pytest.mark.parametrize(("games", "least", "most"), [(100, 0.75, 0.79), (1_000, 0.94, 1.0)])
def test_the_interval_of_a_rare_difference_beside_ordinary_ones(games, least, most):
    values, chances = law_of({-3: 0.26, 3: 0.26, 83: 0.007})
    ((_, counts),) = drawn(chances, [games], RUNS)
    found = [_difference(tuple(values.tolist()), tuple(each)) for each in counts.tolist()]
    covered = [abs(each.mean - values @ chances) <= each.half_width for each in found]
    _assert_covers(covered, least, most)


@pytest.mark.parametrize("law", [*DIFFERENCES, "ordinary"])
@pytest.mark.parametrize("until", [0.5, 0.05])
def test_the_interval_of_a_difference_where_playing_until_stops(law, until):
    laws = {**DIFFERENCES, "ordinary": {k: math.exp(-k * k / 128) / 20.1 for k in range(-40, 41)}}
    values, chances = law_of(laws[law])
    random, runs, covered = np.random.default_rng(16), 2_000, []
    chances = chances / chances.sum()
    for _ in range(runs):
        counts, games, end = np.zeros(len(values), np.int64), 0, first_look(1, 10**9)
        while end > games:
            counts += random.multinomial(end - games, chances)
            games = end
            found = _difference(tuple(values.tolist()), tuple(counts.tolist()))
            end = round_for(until, games, found.half_width, 1, 10**9)
        covered.append(abs(found.mean - values @ chances) <= found.half_width)
    error = math.sqrt(0.95 * 0.05 / runs)
    print(f"covered: {np.mean(covered):.4f}")
    assert np.mean(covered) >= 0.95 - 4 * error


@pytest.mark.parametrize("law", DIFFERENCES)
@pytest.mark.parametrize("first_look", [1, 4_096])
def test_the_sequence_under_rare_and_skewed_differences(law, first_look):
    looks = [first_look * 2**k for k in range(18)]
    _assert_seldom_missed(*law_of(DIFFERENCES[law]), looks)


@pytest.mark.parametrize("law", DIFFERENCES)
def test_the_sequence_after_every_game(law):
    _assert_seldom_missed(*law_of(DIFFERENCES[law]), list(range(1, 501)))


@pytest.mark.parametrize(
    ("first", "second"), [("smart", "prob"), ("random", Other()), ("linear", "random")]
)
def test_the_sequence_of_ordinary_strategies(first, second):
    moves = [
        bsbench.run(each, "classic", games=200_000, seed=8, keep_moves=True).moves.astype(np.int64)
        for each in (first, second)
    ]
    values, counts = np.unique(moves[0] - moves[1], return_counts=True)
    looks = [32 * 2**k for k in range(18)]
    _assert_seldom_missed(values.astype(float), counts / counts.sum(), looks)


def _assert_seldom_missed(values, chances, looks) -> None:
    missed = share_that_miss(values, chances, looks, RUNS)
    print(f"missed: {missed:.4f}")
    assert missed <= most_that_miss(RUNS)


def test_the_intervals_of_a_race(pairs):
    exact = race(*pairs).shares
    races = [race(*drawn).intervals for drawn in _drawn_pairs(pairs, 2_000)]
    for outcome in range(3):
        covered = [_holds(intervals[outcome], exact[outcome]) for intervals in races]
        _assert_covers(covered)


def test_the_bootstrap_of_a_mean():
    law = _law("prob")
    mean = law @ np.arange(len(law))
    drawn = np.random.default_rng(6).multinomial(300, law, size=RUNS)
    _assert_covers(
        [
            _holds(percentile_interval(bootstrap(counts, means, 1_000, seed)), mean)
            for seed, counts in enumerate(drawn)
        ]
    )


def test_the_bootstrap_of_a_paired_difference():
    # A small board, so that the joint histogram is small, too.
    first, second = (
        bsbench.run(name, "gym-5x5", games=100_000, seed=9, keep_moves=True).moves.astype(np.int64)
        for name in ("smart", "random")
    )
    exact = first.mean() - second.mean()
    random = np.random.default_rng(7)

    def difference(drawn):
        return means(drawn.sum(axis=2)) - means(drawn.sum(axis=1))

    covered = []
    for seed in range(RUNS):
        chosen = random.integers(0, len(first), 400)
        joint = joint_histogram(first[chosen], second[chosen])
        interval = percentile_interval(bootstrap(joint, difference, 1_000, seed))
        covered.append(_holds(interval, exact))
    _assert_covers(covered)


def _learners(random, learners: int, games: int):
    """Return move counts of learners that differ from each other, mean 45; the last left early."""
    own = np.repeat(random.integers(-5, 6, learners), games)
    moves = 40 + own + random.binomial(10, 0.5, learners * games)
    return moves[: -games // 3]


def test_the_interval_of_a_mean_of_learners():
    random = np.random.default_rng(10)
    covered, naively = [], []
    for _ in range(RUNS):
        moves = _learners(random, 150, 20)
        counts = np.bincount(moves)
        learners = summarize(counts, Learning.of(20, moves))
        covered.append(abs(learners.mean - 45) <= learners.half_width)
        naively.append(abs(learners.mean - 45) <= summarize(counts).half_width)
    _assert_covers(covered)
    # As if games were independent, it would hold it in half of the runs.
    assert np.mean(naively) < 0.7


def test_the_interval_of_a_difference_of_learners_and_of_their_race():
    random = np.random.default_rng(11)
    plain, learning = np.arange(40, 51), np.arange(-5, 6)
    # The law of a learner's move count: its own number, and a binomial one.
    chance = np.array([math.comb(10, k) / 1024 for k in range(11)])
    shares = np.zeros(3)
    for own in learning:
        for k, p in enumerate(chance):
            ahead = np.sign(40 + own + k - plain)
            shares += [p * np.mean(ahead == sign) / len(learning) for sign in (-1, 0, 1)]
    covered, outcomes = [], []
    for _ in range(RUNS):
        moves = _learners(random, 150, 20)
        others = random.choice(plain, len(moves))
        difference = paired_difference(moves, others, 20)
        covered.append(abs(difference.mean) <= difference.half_width)
        intervals = race(moves, others, 20).intervals
        outcomes.append([_holds(*each) for each in zip(intervals, shares, strict=True)])
    _assert_covers(covered)
    for outcome in np.array(outcomes).T:
        _assert_covers(outcome)


@pytest.mark.parametrize("law", LAWS)
def test_the_band_of_dominance_is_cautious(law):
    # Of two runs under the same law neither is excluded, but in 5 % of cases at most.
    law = _law(law)
    runs = np.random.default_rng(12).multinomial(1_000, law, size=(RUNS, 2))
    excluded = [any(dominance(first, second).excluded) for first, second in runs]
    assert np.mean(excluded) <= 0.05


@pytest.mark.parametrize("law", LAWS)
def test_goodness_of_fit_refuses_a_true_law_as_often_as_it_says(law):
    law = _law(law)
    drawn = np.random.default_rng(13).multinomial(1_000, law, size=RUNS)
    _assert_covers([goodness_of_fit(counts, law).p >= 0.05 for counts in drawn])


PAIR_LAWS = {
    "even": [0.1, 0.2, 0.4, 0.2, 0.1],
    "openings that decide": [0.02, 0.08, 0.8, 0.07, 0.03],
    "strong": [0.001, 0.002, 0.05, 0.047, 0.9],
}


@pytest.mark.parametrize("law", PAIR_LAWS)
@pytest.mark.parametrize(("pairs", "most"), [(50, 1.0), (500, 0.96)])
def test_the_interval_of_a_score_of_pairs(law, pairs, most):
    chances = np.array(PAIR_LAWS[law])
    share = chances @ np.arange(5) / 4
    drawn = np.random.default_rng(14).multinomial(pairs, chances, size=RUNS)
    scores = [score_of_pairs(each) for each in drawn]
    # It is cautious with few pairs, the more so the less they differ.
    _assert_covers([score.low <= share <= score.high for score in scores], most=most)


@pytest.mark.parametrize("openings", [50, 200])
def test_the_intervals_of_ratings(openings):
    # Openings that halve all pairs played from them make matches depend on each other.
    halved = 0.15
    elo = np.array([-200.0, -60.0, 0.0, 40.0, 220.0])
    random, covered, between = np.random.default_rng(15), [], []
    for _ in range(RUNS):
        points = np.zeros((5, 5, openings), np.int8)
        even = random.random(openings) < halved
        for second in range(5):
            for first in range(second):
                chance = (expected_score(elo[first] - elo[second]) - halved / 2) / (1 - halved)
                taken = np.where(even, 2, 4 * (random.random(openings) < chance))
                points[first, second], points[second, first] = taken, 4 - taken
        ratings = rate(points)
        covered.append(np.abs(ratings.elo - (elo - elo.mean())) <= ratings.half_widths)
        difference, reach = ratings.difference(4, 1)
        between.append(abs(difference - 280) <= reach)
    for player in np.array(covered).T:
        _assert_covers(player)
    _assert_covers(between)


@pytest.mark.parametrize("gap", [0.0, 0.2])
def test_intervals_of_ranks(gap):
    """They are cautious: each of the differences of a player may be the one that misleads."""
    random = np.random.default_rng(7)
    players, games = 4, 60
    truth = gap * np.arange(players) + 1e-9 * np.arange(players)
    covered, narrow = [], 0
    for _ in range(RUNS):
        # What a layout does to all makes no difference.
        moves = truth + random.normal(size=(games, players)) + random.normal(size=(games, 1))
        between = moves[:, :, None] - moves[:, None, :]
        error = between.std(axis=0, ddof=1) / np.sqrt(games)
        reach = NORMAL_95 * error
        low, high = rank_intervals(
            [
                [Difference(one, width) for one, width in zip(*row, strict=True)]
                for row in zip(between.mean(axis=0), reach, strict=True)
            ]
        )
        rank = np.arange(1, players + 1)
        covered.append((low <= rank) & (rank <= high))
        narrow += np.count_nonzero(high - low < players - 1)
    for player in np.array(covered).T:
        _assert_covers(player, least=0.95, most=1.0)
    assert (narrow > 0.5 * RUNS) == (gap > 0)
