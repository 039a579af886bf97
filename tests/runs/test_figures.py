"""Means of a million games against exact and independently published figures.

A mean agrees with a figure when they differ by at most
4 sqrt(SE^2 + SE_figure^2) + half of the figure's last printed digit. The exact ones are
n (N + 1) / (n + 1) for `random`, and for `linear` sums over counts of layouts within the
first k cells; the others were measured with independent C programs, in at least 100,000
games: their standard error is taken from the spread of our own games.

The quick tests play an eighth of the games; the slow ones play all. The records, which are of
a million games, are checked by the quick tests, too.
"""

from __future__ import annotations

import math

import pytest

import bsbench
from bsbench.rules.scenario import find_scenario
from bsbench.runs.records import load_result
from bsbench.stats import paired_difference
from tests.support import ROOT

GAMES = 1_000_000

FEWER_GAMES = 200_000
"""Of strategies that take longer; their records of a million games are checked as well."""


QUICK = 8
"""How many times fewer games the quick tests play."""


@pytest.fixture(params=[QUICK, pytest.param(1, marks=pytest.mark.slow)], ids=["quick", "all"])
def fewer(request) -> int:
    return request.param


def _assert_agrees(result, figure: str, figure_games: float) -> None:
    stats = result.stats
    error = stats.sd * math.sqrt(1 / stats.games + 1 / figure_games)
    half_digit = 0.5 * 10 ** -len(figure.partition(".")[2])
    assert abs(stats.mean - float(figure)) <= 4 * error + half_digit, (stats, figure)


EXACT = [
    ("random", "classic", "95.3889"),
    ("random", "harbour", "96.4091"),
    ("linear", "classic", "88.7342"),
    ("linear", "harbour", "95.4976"),
]

ON_CLASSIC = [
    ("hunt-target", {}, "66.14", 100_000),
    ("hunt-target-parity", {}, "61.17", 100_000),
    ("hard-ai", {}, "47.8", 100_000),
    ("hard-ai", {"block_sunk": True}, "46.5", 100_000),
    ("bob", {}, "61.9", 100_000),
    ("over9000", {"edge_weight": 1, "noise": 0}, "44.13", 100_000),
    ("datagenetics", {}, "44.30", 2_000_000),
    ("lattice", {}, "43.92", 2_000_000),
]

ON_HARBOUR = [
    ("smart", "uniform", "68.7"),
    ("prob", "uniform", "61.0"),
    ("linear", "sequential:longest", "94.8"),
    ("smart", "sequential:longest", "67.2"),
    ("prob", "sequential:longest", "59.2"),
]


@pytest.mark.parametrize(("strategy", "scenario", "figure"), EXACT)
def test_exact_means(strategy, scenario, figure, fewer):
    _assert_agrees(bsbench.run(strategy, scenario, games=GAMES // fewer, seed=1), figure, math.inf)


@pytest.mark.parametrize(("strategy", "parameters", "figure", "figure_games"), ON_CLASSIC)
def test_means_of_independent_programs_on_classic(
    strategy, parameters, figure, figure_games, fewer
):
    games = FEWER_GAMES // fewer
    result = bsbench.run(
        bsbench.make_strategy(strategy, parameters), "classic", games=games, seed=1
    )
    _assert_agrees(result, figure, figure_games)


# Rough figures of an independent program: tenths of a move, from perhaps 10,000 games. What
# ships that are still afloat tell besides those sunk is worth much to hard-ai alone.
@pytest.mark.parametrize(
    ("strategy", "parameters", "figures"),
    [
        ("over9000", {"edge_weight": 1, "noise": 0}, ("44.2", "38.7", "38.65")),
        ("datagenetics", {}, ("44.6", "39.05", "39.0")),
        ("hard-ai", {}, ("50.7", "43.0", "42.1")),
    ],
)
def test_knowing_that_ships_do_not_touch_is_worth_six_moves(strategy, parameters, figures, fewer):
    moves = {}
    apart = find_scenario("classic").override(touching=False)
    for no_touch, figure in zip(("ignore", "sunk", "full"), figures, strict=True):
        result = bsbench.run(
            bsbench.make_strategy(strategy, parameters | {"no_touch": no_touch}),
            apart,
            games=FEWER_GAMES // 4 // fewer,
            seed=1,
            keep_moves=True,
        )
        _assert_agrees(result, figure, 10_000)
        moves[no_touch] = result.moves
    pairs = [("sunk", "ignore")] + [("full", "sunk")] * (strategy == "hard-ai")
    for knowing, less in pairs:
        difference = paired_difference(moves[knowing], moves[less])
        assert difference.mean < 0
        assert difference.significant


@pytest.mark.parametrize(("strategy", "placement", "figure"), ON_HARBOUR)
def test_means_of_independent_programs_on_harbour(strategy, placement, figure, fewer):
    games = GAMES // fewer
    result = bsbench.run(strategy, "harbour", placement=placement, games=games, seed=1)
    _assert_agrees(result, figure, 100_000)


RECORDED = [
    *((scenario, strategy, figure, math.inf) for strategy, scenario, figure in EXACT),
    *(
        ("classic", strategy, figure, games)
        for strategy, parameters, figure, games in ON_CLASSIC
        if not parameters
    ),
    *(
        ("harbour", strategy, figure, 100_000)
        for strategy, placement, figure in ON_HARBOUR
        if placement == "uniform"
    ),
]


def _recorded(scenario: str, strategy: str):
    return load_result(ROOT / "results" / scenario / f"{strategy}.json")


@pytest.mark.parametrize(("scenario", "strategy", "figure", "figure_games"), RECORDED)
def test_means_of_records(scenario, strategy, figure, figure_games):
    result = _recorded(scenario, strategy)
    assert (result.label, result.scenario) == (strategy, find_scenario(scenario))
    assert result.games == GAMES
    _assert_agrees(result, figure, figure_games)


def test_datagenetics_is_as_good_as_its_best_published_mean():
    # 44.37 of another program, told what sank, in 20,000 games.
    assert _recorded("classic", "datagenetics").stats.mean <= 44.37


@pytest.mark.slow
def test_the_length_alone_is_told_as_in_the_best_published_mean():
    text = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    stats = bsbench.run("datagenetics", "classic", feedback="length", games=GAMES).stats
    assert f"`datagenetics` needs {stats.mean_text}:" in text
    # 44.37 ± 0.12 in 20,000 games of another program.
    assert abs(stats.mean - 44.37) < math.hypot(stats.half_width, 0.12)


def test_random_has_the_same_mean_under_any_placement_law(fewer):
    games = GAMES // fewer
    result = bsbench.run("random", "harbour", placement="sequential", games=games, seed=2)
    _assert_agrees(result, "96.4091", math.inf)
