from __future__ import annotations

import dataclasses
import math
import re
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bsbench.stats import (
    Difference,
    Race,
    bootstrap,
    chi_square_tail,
    decimals_of,
    dominance,
    exact_dot,
    goodness_of_fit,
    interval_texts,
    intervals,
    joint_histogram,
    means,
    percentile_interval,
    quantile,
    quantile_interval,
    quantile_ranks,
    quantiles,
    race,
    share_interval,
    summarize,
)
from bsbench.stats.paired import enough_differ


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
    assert (summary.median_low, summary.median_high) == (None, None)


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


@pytest.mark.parametrize(
    ("half_widths", "decimals"),
    [
        ([0.016, 0.0094], 3),  # Not 4, as the second one has by itself.
        ([0.54, 0.0094], 3),  # Not 2, with which the second one would be 0.01.
        ([0.5, 0.0004, math.nan, 0.0], 4),
        ([12.0, 30.0], 0),
        ([0.0, math.nan], None),
    ],
)
def test_figures_of_a_column_have_as_many_decimals(half_widths, decimals):
    assert decimals_of(half_widths) == decimals
    texts = interval_texts([42] * len(half_widths), half_widths)
    written = [text.partition(" ± ")[0].partition(".")[2] for text in texts]
    assert {len(each) for each in written} == {2 if decimals is None else decimals}
    positive = [text for text, width in zip(texts, half_widths, strict=True) if width > 0]
    assert all(re.search("± .*[1-9]", text) for text in positive)


@pytest.mark.parametrize("cells", [100, 62_500])
@pytest.mark.parametrize("games", [10**9, 10**15, 10**18])
def test_figures_of_very_many_games_are_those_of_exact_fractions(cells, games):
    # 250 x 250 cells are the largest board: 10^15 games there have squares of 4 * 10^24.
    counts = np.zeros(cells + 1, np.int64)
    played = np.random.default_rng(games % 97).choice(np.arange(1, cells + 1), 50, replace=False)
    counts[played] = np.random.default_rng(1).multinomial(games, np.full(50, 1 / 50))
    numbers = {int(moves): int(counts[moves]) for moves in played}
    mean = Fraction(sum(moves * number for moves, number in numbers.items()), games)
    spread = sum(number * (moves - mean) ** 2 for moves, number in numbers.items())
    sd = math.sqrt(spread / (games - 1))

    summary = summarize(counts)
    assert summary.games == games
    assert summary.mean == float(mean)
    assert summary.sd == pytest.approx(sd, rel=1e-15)
    assert summary.half_width == pytest.approx(1.959963984540054 * sd / math.sqrt(games), rel=1e-15)
    upto = {moves: int(counts[: moves + 1].sum()) for moves in numbers}
    for found, share in ((summary.low, 5), (summary.median, 50), (summary.high, 95)):
        assert found == min(moves for moves in numbers if 100 * upto[moves] >= share * games)
    assert means(np.array([counts, counts])) == pytest.approx(float(mean), rel=1e-15)
    # What two machines played, put together.
    halves = counts // 2, counts - counts // 2
    assert summarize(halves[0] + halves[1]) == summary
    assert dominance(counts, counts).played == "same"
    assert exact_dot(counts, counts) == sum(number**2 for number in numbers.values())


def test_a_quantile_of_very_many_games_is_exact_to_a_game():
    # 5 % of these are 5 * 10^16 games: one game less, and the quantile is another.
    counts = np.zeros(101, np.int64)
    for few, quantile_of_few in ((5 * 10**16, 20), (5 * 10**16 - 1, 30)):
        counts[[20, 30]] = few, 10**18 - few
        assert quantile(counts, 0.05) == quantile_of_few


def _twin_ranks(games: int, share: Fraction) -> tuple[int, int] | None:
    """Return the ranks between which a quantile lies with 95 %, 2.5 % at most on either side."""
    chance = [math.comb(games, b) * share**b * (1 - share) ** (games - b) for b in range(games + 1)]
    tail = Fraction(25, 1000)
    low = max((rank for rank in range(1, games + 1) if sum(chance[:rank]) <= tail), default=None)
    high = min((rank for rank in range(1, games + 1) if sum(chance[rank:]) <= tail), default=None)
    return None if low is None or high is None else (low, high)


@settings(max_examples=60)
@given(st.integers(1, 100), st.sampled_from(["0.5", "0.05", "0.95", "0.001", "0.37"]))
def test_the_ranks_of_a_quantile_are_those_of_exact_fractions(games, share):
    assert quantile_ranks(games, float(share)) == _twin_ranks(games, Fraction(share))


@pytest.mark.parametrize(
    ("games", "share", "ranks"),
    [
        # As tables of the sign test have them.
        (5, 0.5, None),
        (6, 0.5, (1, 6)),
        (100, 0.5, (40, 61)),
        (71, 0.05, None),
        (72, 0.05, (1, 9)),
        # As scipy.stats.binom has them.
        (10**9, 0.5, (499_969_010, 500_030_991)),
        (10**9, 1e-6, (938, 1_063)),
        (10**9, 0.95, (949_986_491, 950_013_509)),
        # 10^15 / 2 -+ 1.959963984540054 sqrt(10^15) / 2 ends in 248.37 and 751.63.
        (10**15, 0.5, (499_999_969_010_248, 500_000_030_989_753)),
    ],
)
def test_the_ranks_of_a_quantile(games, share, ranks):
    assert quantile_ranks(games, share) == ranks


@pytest.mark.parametrize("share", [0.5, 0.05, 0.95, 0.37])
def test_the_ranks_among_many_games_are_those_of_summed_probabilities(share, monkeypatch):
    # From 50,000 games on, the expansion is already right; it is used from millions on.
    games = [int(50_000 * 1.17**power) for power in range(40)]
    # Among so many numbers, each term decides of some rank.
    games += range(50_000, 80_000, 60)
    monkeypatch.setattr(intervals, "_LARGE_VARIANCE", math.inf)
    summed = [quantile_ranks.__wrapped__(number, share) for number in games]
    monkeypatch.setattr(intervals, "_LARGE_VARIANCE", 0)
    assert [quantile_ranks.__wrapped__(number, share) for number in games] == summed


def test_the_interval_of_a_quantile_costs_no_more_with_more_games(monkeypatch):
    entries = []
    summed = intervals._binomial

    def counted(games, share):
        first, chances = summed(games, share)
        entries.append(len(chances))
        return first, chances

    monkeypatch.setattr(intervals, "_binomial", counted)
    for power in range(19):
        for share in (0.5, 0.05, 1e-6, 1e-12):
            quantile_ranks.__wrapped__(10**power, share)
    assert max(entries) < 21_000


@given(st.lists(st.integers(1, 100), min_size=6, max_size=60))
def test_the_interval_of_a_quantile_ends_at_games_of_these_ranks(moves):
    low, high = quantile_ranks(len(moves), 0.5)
    expected = sorted(moves)[low - 1], sorted(moves)[high - 1]
    counts = np.bincount(moves)
    assert quantile_interval(counts, 0.5) == expected
    summary = summarize(counts)
    assert (summary.median_low, summary.median_high) == expected
    assert summary.median_low <= summary.median <= summary.median_high


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5])
def test_the_smallest_and_the_largest_have_no_interval(share):
    with pytest.raises(ValueError, match="a share between 0 and 1"):
        quantile_interval(np.bincount([1] * 100), share)


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=7, max_size=7), min_size=1, max_size=5),
    st.sampled_from([0.0, 0.05, 0.5, 0.95, 1.0]),
)
def test_means_and_quantiles_of_many_histograms_are_those_of_each(moves, share):
    counts = np.array([np.bincount(games, minlength=10) for games in moves])
    assert quantiles(counts, share).tolist() == [quantile(each, share) for each in counts]
    assert means(counts).tolist() == pytest.approx([statistics.fmean(games) for games in moves])


def test_the_bootstrap_has_the_law_of_resampled_games():
    # The mean of n games drawn anew has the mean of the games, and their variance (with n) / n.
    moves = np.repeat([20, 30, 31, 47, 90], [3, 10, 20, 5, 2])
    counts = np.bincount(moves, minlength=101)
    values = bootstrap(counts, means, replicates=20_000, seed=3)
    error = moves.std() / math.sqrt(len(moves))
    assert abs(values.mean() - moves.mean()) <= 4 * error / math.sqrt(20_000)
    # The variance of a nearly normal variable is known to sqrt(2 / n) of itself.
    assert abs(values.var() / error**2 - 1) <= 4 * math.sqrt(2 / 20_000)
    low, high = percentile_interval(values)
    assert (low, high) == tuple(np.quantile(values, [0.025, 0.975]))


def test_resampled_games_are_games_that_were_played(monkeypatch):
    counts = np.bincount([20] * 7 + [30] * 2 + [47], minlength=101)
    drawn = bootstrap(counts, lambda drawn: drawn[:, None], replicates=500, seed=1)[:, 0]
    assert (drawn.sum(axis=1) == 10).all()
    assert not drawn[:, counts == 0].any()
    # Whatever is drawn at a time, and however many: the same.
    monkeypatch.setattr("bsbench.stats.intervals._ENTRIES_AT_ONCE", 7 * 101)
    again = bootstrap(counts, lambda drawn: drawn[:, None], replicates=203, seed=1)[:, 0]
    assert np.array_equal(again, drawn[:203])
    other = bootstrap(counts, lambda drawn: drawn[:, None], replicates=203, seed=2)[:, 0]
    assert not np.array_equal(again, other)


def test_the_bootstrap_keeps_pairs_together():
    first = np.array([20, 30, 40, 50])
    joint = joint_histogram(first, first + 1)
    assert joint.shape == (52, 52)
    assert {(a, b): joint[a, b] for a, b in zip(*np.nonzero(joint), strict=True)} == {
        (a, a + 1): 1 for a in first.tolist()
    }

    def difference(drawn):
        return means(drawn.sum(axis=2)) - means(drawn.sum(axis=1))

    assert bootstrap(joint, difference, replicates=50) == pytest.approx(np.full(50, -1.0))


def test_the_interval_of_a_share():
    # Wilson's own formula, solved as a quadratic equation: |p - share| = z sqrt(p (1 - p) / n).
    for wins, games in ((3, 10), (50, 200), (999_000, 1_000_000)):
        for p in share_interval(wins / games, games):
            assert abs(p - wins / games) == pytest.approx(
                1.959963984540054 * math.sqrt(p * (1 - p) / games), rel=1e-9
            )
    z2 = 1.959963984540054**2
    assert share_interval(0, 10) == (0, pytest.approx(z2 / (10 + z2)))
    assert share_interval(1, 10) == (pytest.approx(10 / (10 + z2)), 1)
    assert all(map(math.isnan, share_interval(0.5, math.nan)))


def test_a_race_counts_who_finishes_first():
    first = np.array([20, 30, 40, 50, 60], np.uint8)
    second = np.array([21, 30, 41, 49, 200], np.uint8)
    result = race(first, second)
    assert result == Race(wins=3, ties=1, losses=1, worth=(5, 5, 5))
    assert result.games == 5
    assert result.shares == (0.6, 0.2, 0.2)
    assert result.intervals == tuple(share_interval(share, 5) for share in (0.6, 0.2, 0.2))
    back = race(second, first)
    assert (back.wins, back.ties, back.losses) == (1, 1, 3)


def test_games_of_learners_are_worth_less_in_a_race():
    # Learners that always win or always lose are worth one game each, less one: the standard
    # error has learners - 1.
    first = np.repeat([20, 40, 20, 40], 10)
    second = np.full(40, 30)
    assert race(first, second, 10).worth == pytest.approx((3, 4, 3))
    assert race(first, second).worth == (40, 40, 40)
    # Where wins and losses alternate in each, there is nothing between learners.
    first = np.tile([20, 40], 20)
    assert race(first, second, 10).worth == (40, 4, 40)
    alone = race(first[:10], second[:10], 10)
    assert all(math.isnan(limit) for interval in alone.intervals for limit in interval)
    assert alone.shares == (0.5, 0, 0.5)


EVEN = {5: 1000}
LEADS = "a leads by up to 50 % of games (after 2 moves)"
DOMINANCE = [
    # So few games prove nothing; of different numbers of games, and boards of different sizes.
    ({5: 4}, {5: 2, 6: 2}, "first", (0.5, 0), (5, None), "not clear"),
    ({3: 1}, {12: 3}, "first", (1, 0), (3, None), "not clear"),
    ({5: 1, 6: 2}, {5: 2, 6: 4}, "same", (0, 0), (None, None), "same"),
    ({2: 500, 9: 500}, EVEN, "neither", (0.5, 0.5), (2, 5), "crossing"),
    ({4: 1000}, EVEN, "first", (1, 0), (4, None), "ahead"),
    ({2: 500, 9: 1, 5: 499}, EVEN, "neither", (0.5, 0.001), (2, 5), "mostly ahead"),
]
SAID = [
    "a leads by up to 50 % of games (after 5 moves): no more than random variation",
    "a leads by up to 100 % of games (after 3 moves): no more than random variation",
    "a and b have the same distribution",
    f"neither dominates: {LEADS} and b leads by up to 50 % of games (after 5 moves)",
    "a dominates b in these games: a leads by up to 100 % of games (after 4 moves)",
    f"a may dominate b: {LEADS} and b leads by up to 0.1 % of games (after 5 moves), the latter "
    "no more than random variation",
]
TURNED = {"first": "second", "ahead": "behind", "mostly ahead": "mostly behind"}


@pytest.mark.parametrize(
    ("one", "other", "played", "ahead", "at", "verdict", "said"),
    [(*case, said) for case, said in zip(DOMINANCE, SAID, strict=True)],
)
def test_dominance_in_the_games_that_were_played(one, other, played, ahead, at, verdict, said):
    first, second = (np.bincount([*each], [*each.values()]).astype(int) for each in (one, other))
    result, turned = dominance(first, second), dominance(second, first)
    assert (result.played, result.verdict) == (played, verdict)
    assert (turned.played, turned.verdict) == (
        TURNED.get(played, played),
        TURNED.get(verdict, verdict),
    )
    assert (result.first_ahead, result.second_ahead) == pytest.approx(ahead)
    assert (turned.second_ahead, turned.first_ahead) == pytest.approx(ahead)
    assert (result.first_at, result.second_at) == (turned.second_at, turned.first_at) == at
    assert result.sentence("a", "b") == said
    assert result.crossing == (verdict == "crossing")
    assert result.chance == pytest.approx(
        sum(math.sqrt(math.log(2 / 0.025) / 2 / each.sum()) for each in (first, second))
    )
    # Of learners, it is not known how much is random.
    learners = dominance(first, second, independent=False)
    assert learners.excluded == (False, False)
    assert learners.verdict == ("same" if verdict == "same" else "not tested")
    if verdict != "same":
        assert learners.sentence("a", "b").endswith("how much of it is random is not known")


def test_dominance_of_billions_does_not_overflow():
    many = np.array([0, 4 * 10**9, 1]), np.array([0, 4 * 10**9 - 1, 2])
    assert dominance(*many).played == "first"
    assert dominance(*many).first_ahead == pytest.approx(1 / (4 * 10**9 + 1), rel=1e-12)


@pytest.mark.parametrize(
    ("statistic", "freedom", "tail"),
    # Percentiles of printed tables; the last two as scipy.stats.chi2 has them.
    [
        (3.841459, 1, 0.05),
        (5.991465, 2, 0.05),
        (11.344867, 3, 0.01),
        (18.307038, 10, 0.05),
        (124.342113, 100, 0.05),
        (0, 7, 1),
        (1000, 100, 2.3060767380e-148),
        (700, 701, 0.5035552162),
    ],
)
def test_the_tail_of_chi_square(statistic, freedom, tail):
    assert chi_square_tail(statistic, freedom) == pytest.approx(tail, rel=1e-5, abs=0)


def test_goodness_of_fit_puts_rare_move_counts_together():
    # Of 100 games 1, 3, 3, 43, 47, 3 expected; classes 1 + 3 + 3, 43, 47 + 3.
    law = np.array([0, 0.01, 0.03, 0.03, 0.43, 0.47, 0.03])
    counts = np.array([0, 0, 5, 0, 50, 42, 3])
    fit = goodness_of_fit(counts, law)
    assert fit.freedom == 2
    assert fit.statistic == pytest.approx(4 / 7 + 49 / 43 + 25 / 50)
    assert fit.p == pytest.approx(math.exp(-fit.statistic / 2))
    assert fit.text == "chi-square 2.2 on 2 df, p = 0.33"


def test_goodness_of_fit_of_what_cannot_be():
    law = np.array([0, 0.5, 0.5, 0])
    assert goodness_of_fit(np.array([0, 50, 50, 0]), law).p == 1
    impossible = goodness_of_fit(np.array([0, 50, 50, 1]), law)
    assert (impossible.statistic, impossible.p) == (math.inf, 0)
    assert impossible.text == "it excludes move counts that occurred"
    few = goodness_of_fit(np.array([0, 3, 4, 0]), law)
    assert math.isnan(few.p)
    assert few.text == "too few games for chi-square"
    far = goodness_of_fit(np.array([0, 1000, 10, 0]), law)
    assert far.text.endswith("p < 0.0001")


def test_the_summary_of_learners_claims_no_interval_of_the_median():
    import bsbench

    learners = bsbench.run("over9000-adaptive,games_per_learner=10", games=50)
    assert (learners.stats.median_low, learners.stats.median_high) == (None, None)
    assert learners.to_dict()["summary"]["median_low"] is None
    row = learners.to_frame().iloc[0]
    assert math.isnan(row["median_low"])
    plain = bsbench.run("linear", games=50)
    assert plain.to_frame()["median_low"][0] == plain.stats.median_low
    assert plain.to_dict()["summary"]["median_high"] == plain.stats.median_high
    assert set(dataclasses.asdict(plain.stats)) == set(plain.to_dict()["summary"])


def test_the_narrower_interval_of_a_difference():
    wide = Difference(1.0, 5.0, normal=0.5)
    assert wide.narrowed(2.0) == Difference(1.0, 2.0)
    # Luck that is opposed makes that of the differences the wider one.
    assert wide.narrowed(0.3) == Difference(1.0, 0.5)
    assert wide.narrowed(6.0) == wide.narrowed(math.nan) == wide
    assert Difference(1.0, 5.0).narrowed(2.0) == Difference(1.0, 5.0)


def _twin_enough_differ(differences: list[int], reach: int) -> bool:
    """Return what `enough_differ` does, game by game and in fractions."""
    games = len(differences)
    if games < 1000:
        middle = sorted(differences)[(games + 1) // 2 - 1]
        away = sorted(abs(each - middle) for each in differences)
        if 30 * away[(games + 1) // 2 - 1] > reach:
            return True
    mean = Fraction(sum(differences), games)
    away = [abs(each - mean) for each in [*differences, -reach, reach]]
    return sum(each**2 for each in away) ** 3 >= 25 * sum(each**3 for each in away) ** 2


@pytest.mark.parametrize(
    ("reach", "differences"),
    [
        # So many games at the end of the range, two more of which are counted, and a few behind.
        *((9, [9] * k + [0] * (3000 - k)) for k in (21, 22, 23, 24, 25)),
        *((9, [-9] * k + [4] * (3000 - k)) for k in range(20, 50, 4)),
        *((9, [2] * k + [-3] * (3000 - k)) for k in range(5, 50, 5)),
        # Half of few games differ by more than a 30th of what is possible, or by just that.
        *((60, [at - d] * 10 + [at] * 11 + [at + d] * 19) for d in (1, 2, 3) for at in (0, 50)),
        *((60, [0] * (half - 1) + [4] * half + [60] * 2) for half in (10, 400, 499, 500)),
        (60, [0] * 499 + [4] * 499 + [60] * 2),
    ],
)
def test_enough_games_differ(reach, differences):
    counts = np.bincount(np.array(differences) + reach, minlength=2 * reach + 1)
    found = enough_differ(np.arange(-reach, reach + 1), counts, -reach, reach)
    assert found == _twin_enough_differ(differences, reach)
