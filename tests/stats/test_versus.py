"""Who wins a match, from two histograms."""

from __future__ import annotations

import itertools
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest

from bsbench.rules.scenario import find_scenario
from bsbench.runs.exact import find_law
from bsbench.runs.records import load_result
from bsbench.stats import versus, winning_means
from tests.support import ROOT
from tests.support.refusals import refused

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


@pytest.mark.parametrize("last_turn", [False, True])
def test_means_of_winners_are_those_of_all_games_of_two(last_turn):
    won = [[], []]
    for ours, theirs, begins in itertools.product(FIRST, SECOND, (0, 1)):
        if ours < theirs or (ours == theirs and begins == 0 and not last_turn):
            won[0].append(ours)
        elif theirs < ours or not last_turn:
            won[1].append(theirs)
    expected = tuple(Fraction(sum(moves), len(moves)) for moves in won)
    assert winning_means(counted(FIRST), counted(SECOND), last_turn) == expected
    assert winning_means(counted([3]), counted([4, 5]), last_turn) == (3, None)


def test_the_error_is_that_of_samples():
    rng = np.random.default_rng(4)
    law = rng.integers(1, 20, size=(2, 15))
    true = [each / each.sum() for each in law]
    score = versus(*law.astype(np.int64), worth=(math.inf, math.inf))
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
    assert versus(one, other, (math.inf, 7)).error == pytest.approx(theirs)
    assert versus(one, other, (5, math.inf)).error == pytest.approx(ours)
    # On the same layouts, luck may be opposed.
    assert versus(one, other, together=True).error == pytest.approx(ours + theirs)
    # Of 5 games that say as little as 2.
    assert versus(one, other, (2, math.inf)).error == pytest.approx(ours * math.sqrt(4 / 1))


def test_what_both_add_on_a_layout_is_added_first():
    one, other = np.array(FIRST), np.array([9, 7, 4, 4, 2])
    found = versus(counted(FIRST), counted(other.tolist()), moves=(one, other))
    added = [
        np.mean([(x < m) + (x == m) / 2 for m in other])
        + np.mean([(m < y) + (m == y) / 2 for m in one])
        for x, y in zip(one, other, strict=True)
    ]
    assert found.error == pytest.approx(statistics.stdev(added) / math.sqrt(5))
    assert found.error > versus(counted(FIRST), counted(other.tolist())).error


def test_games_that_all_end_alike_leave_an_interval():
    quick, slow = counted([3] * 40), counted([5] * 60)
    found = versus(quick, slow)
    assert found.score == 1
    # A share of which 40 games would all be of the other kind with a probability of 2.5 %.
    assert found.interval == (pytest.approx(0.025 ** (1 / 40)), 1)
    together = versus(quick, counted([5] * 40), moves=(np.full(40, 3), np.full(40, 5)))
    assert together.interval == (pytest.approx(0.025 ** (1 / 20)), 1)
    assert all(map(math.isnan, versus(counted([3]), counted([3, 4])).interval))


@pytest.mark.parametrize(
    ("moves", "named"),
    [(([3] * 39, [5] * 40), "39"), (([3] * 40, [6] * 40), "moves"), (([3] * 40,), "moves")],
)
def test_other_move_counts_are_refused(moves, named):
    with refused(named):
        versus(counted([3] * 40), counted([5] * 40), moves=moves)
    with refused("first"):
        versus(counted([3]), np.zeros(4, np.int64))


def test_players_that_hardly_differ_have_the_interval_of_each_by_itself():
    moves = np.random.default_rng(0).integers(20, 60, 5_000)
    other = moves.copy()
    other[0] += 1
    counts = np.bincount(moves), np.bincount(other)
    assert versus(*counts, moves=(moves, other)).interval == pytest.approx(
        versus(*counts).interval, abs=1e-9
    )


def laid_out(rows: int, cols: int, fleet: tuple[int, ...]) -> list[frozenset[int]]:
    """Return the cells of the ships of every layout."""
    slots = [
        [
            frozenset(row * cols + col + step * k for k in range(length))
            for step, down, across in ((1, 0, length - 1), (cols, length - 1, 0))
            for row in range(rows - down)
            for col in range(cols - across)
        ]
        for length in fleet
    ]
    cells = [frozenset().union(*each) for each in itertools.product(*slots)]
    return [each for each in cells if len(each) == sum(fleet)]


BOARDS = {"1x9": (1, 9, (3,)), "4x4": (4, 4, (3, 2)), "5x5": (5, 5, (3, 2))}


def opposed(board: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the moves of `linear`, and from the last cell on, on every layout."""
    rows, cols, fleet = BOARDS[board]
    ships = laid_out(rows, cols, fleet)
    one = np.array([max(each) + 1 for each in ships])
    return one, np.array([rows * cols - min(each) for each in ships])


def true_score(one, other, chances) -> float:
    """Return the score on two independent layouts, given the chances of all."""
    beats = (one[:, None] < other) + (one[:, None] == other) / 2
    return float(chances @ beats @ chances)


def favouring(one, other, score: float) -> np.ndarray:
    """Return a law of layouts by which the first has a score: most where it needs fewer moves."""
    low, high = 0.0, 50.0
    for _ in range(60):
        slope = (low + high) / 2
        chances = np.exp(slope * (other - one - (other - one).max()))
        chances /= chances.sum()
        low, high = (slope, high) if true_score(one, other, chances) < score else (low, slope)
    return chances


def assert_holds(drawn, score: float, unit: int = 1) -> list[float]:
    """Check the share of runs whose interval holds the score; return their widths."""
    runs = [versus(*map(np.bincount, moves), moves=moves, unit=unit) for moves in drawn]
    covered = np.mean([low <= score <= high for low, high in (each.interval for each in runs)])
    print(f"covered: {covered:.4f}")
    assert covered >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / len(runs))
    return [high - low for low, high in (each.interval for each in runs)]


RUNS = 2_000


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("score", [0.5, 0.9, 0.999])
def test_the_interval_holds_where_luck_is_opposed(board, score):
    one, other = opposed(board)
    even = np.full(len(one), 1 / len(one))
    chances = even if score == 0.5 else favouring(one, other, score)
    truth = true_score(one, other, chances)
    assert truth == pytest.approx(score, abs=1e-6)
    random = np.random.default_rng(20)
    chosen = random.choice(len(one), (RUNS, 400), p=chances)
    assert_holds(((one[each], other[each]) for each in chosen), truth)


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
def test_the_interval_holds_against_people(board):
    """Each person hides in a part of the board, in ten games."""
    one, other = opposed(board)
    by_start = np.argsort(one, kind="stable")
    people = np.array_split(by_start, 5)
    chances = np.zeros(len(one))
    for each in people:
        chances[each] += 1 / len(people) / len(each)
    random = np.random.default_rng(21)

    def drawn():
        for _ in range(RUNS):
            whose = random.integers(0, len(people), 60)
            yield np.concatenate([random.choice(people[each], 10) for each in whose])

    games = ((one[each], other[each]) for each in drawn())
    assert_holds(games, true_score(one, other, chances), unit=10)


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
def test_the_interval_holds_of_learners(board):
    """A learner begins with a number of moves too many, and needs one fewer in each game."""
    one, other = opposed(board)
    begun, games = np.arange(8), 5
    late = np.maximum(begun[:, None] - np.arange(games), 0)
    beats = [
        (one[:, None] + more < other) + (one[:, None] + more == other) / 2 for more in late.ravel()
    ]
    random = np.random.default_rng(22)
    drawn = (
        (one[each] + late[random.integers(0, len(begun), 80)].ravel(), other[each])
        for each in random.integers(0, len(one), (RUNS, 80 * games))
    )
    assert_holds(drawn, float(np.mean(beats)), unit=games)


@pytest.mark.slow
@pytest.mark.parametrize("games", [2_000, 20_000])
def test_the_interval_holds_of_a_player_who_hardly_ever_loses(games):
    """`prob` against `random`: who loses is known from the rare games of both."""
    counts = load_result(ROOT / "results/classic/prob.json").counts
    best = counts / counts.sum()
    random_law = find_law("random", find_scenario("classic"))
    cells = np.arange(len(random_law))
    best = np.pad(best, (0, len(cells) - len(best)))
    beats = (cells[:, None] < cells) + (cells[:, None] == cells) / 2
    score = float(best @ beats @ random_law)
    assert 0.9995 < score < 0.9999
    random = np.random.default_rng(23)
    for together in (False, True):
        runs = [
            versus(*random.multinomial(games, [best, random_law]), together=together)
            for _ in range(RUNS)
        ]
        covered = np.mean([each.interval[0] <= score <= each.interval[1] for each in runs])
        assert covered >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / RUNS)
