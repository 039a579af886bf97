"""Scores of pairs and ratings of tournaments, where they are known exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bsbench.stats import Score, elo_difference, expected_score, rate, score_of_pairs
from tests.support.refusals import refused


@pytest.mark.parametrize(
    ("wins", "draws", "losses", "elo"),
    [
        (10, 0, 1, 400.0),
        (1, 0, 10, -400.0),
        (50, 100, 50, 0.0),
        (0, 7, 0, 0.0),
        (10, 0, 0, math.inf),
        (0, 0, 3, -math.inf),
        # 3 of 4 points: 400 log10 3
        (2, 2, 0, 190.848501887865),
    ],
)
def test_elo_of_wins_draws_and_losses(wins, draws, losses, elo):
    score = (wins + draws / 2) / (wins + draws + losses)
    assert elo_difference(score) == pytest.approx(elo)
    if math.isfinite(elo):
        assert expected_score(elo) == pytest.approx(score)


@pytest.mark.parametrize(("won", "lost"), [(1, 0), (0, 9), (5, 5), (37, 3), (5000, 0)])
def test_where_pairs_are_won_or_lost_the_interval_is_that_of_agresti_and_coull(won, lost):
    pairs = np.array([lost, 0, 0, 0, won])
    z = 1.959963984540054
    number = won + lost + z**2
    middle = (won + z**2 / 2) / number
    reach = z * math.sqrt(middle * (1 - middle) / number)
    score = score_of_pairs(pairs)
    assert score.share == won / (won + lost)
    assert score.low == pytest.approx(max(middle - reach, 0))
    assert score.high == pytest.approx(min(middle + reach, 1))
    assert score.low <= score.share <= score.high


def test_pairs_that_depend_on_the_opening_tell_more_than_games():
    # Each opening is won by the side it favours: half of the points, and nothing left to chance.
    even = score_of_pairs(np.array([0, 0, 500, 0, 0]))
    assert even.share == 0.5
    assert even.high - even.low < 0.01
    # The same games, but each pair won or lost by one of the two.
    split = score_of_pairs(np.array([250, 0, 0, 0, 250]))
    assert split.share == 0.5
    assert split.high - split.low == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(500), rel=0.01)


def _tournament(counts) -> np.ndarray:
    """Return points by opening, in any order, of matches of i against j with i < j."""
    players = 1 + max(place for _, place in counts)
    rng = np.random.default_rng(8)
    openings = sum(next(iter(counts.values())))
    points = np.zeros((players, players, openings), np.int8)
    for (first, second), some in counts.items():
        taken = rng.permutation(np.repeat(np.arange(5), some))
        points[first, second], points[second, first] = taken, 4 - taken
    return points


@pytest.mark.parametrize("some", [[1, 3, 10, 30, 50], [0, 0, 0, 0, 40], [0, 0, 25, 0, 0]])
def test_ratings_of_two_are_their_score_with_half_a_pair_for_each(some):
    some = np.array(some)
    ratings = rate(_tournament({(0, 1): some}))
    points = some @ np.arange(5) / 4
    corrected = elo_difference((points + 0.5) / (some.sum() + 1))
    difference, reach = ratings.difference(0, 1)
    assert difference == pytest.approx(corrected, abs=1e-4)
    assert ratings.elo == pytest.approx([corrected / 2, -corrected / 2], abs=1e-4)
    # Each is half of the difference from the mean.
    assert 2 * ratings.half_widths == pytest.approx([reach, reach])


def test_ratings_and_errors_follow_from_their_definition():
    # Players of unlike strength, so that no term is small; pairs of all five kinds.
    rng = np.random.default_rng(5)
    laws = {
        (0, 1): [0.05, 0.1, 0.2, 0.3, 0.35],
        (0, 2): [0.02, 0.03, 0.05, 0.2, 0.7],
        (1, 2): [0.1, 0.2, 0.1, 0.3, 0.3],
    }
    openings = 12
    points = _tournament({pair: rng.multinomial(openings, law) for pair, law in laws.items()})
    ratings = rate(points)
    scores = points / 4

    def unit(first, second):
        """Return how the likelihood's derivative changes with a point for the first."""
        return np.eye(3)[first] - np.eye(3)[second]

    expected = {(i, j): expected_score(ratings.elo[i] - ratings.elo[j]) for i, j in laws}
    information = sum(
        openings * p * (1 - p) * np.outer(unit(*pair), unit(*pair)) for pair, p in expected.items()
    )
    inverse = np.linalg.pinv(information)
    slope, added = np.zeros(3), np.zeros((3, 3))
    by_opening = np.zeros((openings, 3))
    for pair, p in expected.items():
        leverage = openings * p * (1 - p) * unit(*pair) @ inverse @ unit(*pair)
        total = scores[pair].sum() + leverage / 2
        mean = total / (openings + leverage)
        slope += (total - (openings + leverage) * p) * unit(*pair)
        by_opening += (scores[pair] - mean)[:, None] * unit(*pair)
        chance = leverage / 2 * ((1 - mean) ** 2 + mean**2)
        added += chance * np.outer(unit(*pair), unit(*pair))
    assert slope == pytest.approx(np.zeros(3), abs=1e-6)
    spread = openings / (openings - 1) * by_opening.T @ by_opening + added
    # An Elo point is 1 / 400 of the decimal logarithm of the odds.
    scale = 400 / math.log(10)
    assert ratings.covariance == pytest.approx(scale**2 * inverse @ spread @ inverse, rel=1e-5)
    assert ratings.elo.sum() == pytest.approx(0, abs=1e-6)


def test_what_is_no_count_of_pairs_is_refused():
    for pairs in ([3, 4, 5], [0, 0, 0, 0, 0]):
        with refused("pairs"):
            score_of_pairs(np.array(pairs))


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Score(0.5, 0.4, 0.6), "+0 (-70 to +70)"),
        (Score(1.0, 0.99, 1.0), "at least +798"),
        (Score(0.0, 0.0, 0.01), "at most -798"),
        (Score(0.9, 0.8, 1.0), "+382 (+241 to +∞)"),
    ],
)
def test_elo_in_words(score, text):
    assert score.text == text
