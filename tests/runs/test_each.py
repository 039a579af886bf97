"""Exact results: the law ``each``, and what is made of it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import cycle, islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bsbench
from bsbench.counting.evidence import Evidence
from bsbench.counting.posterior import find_posterior
from bsbench.layouts import each
from bsbench.play.samplers import make_sampler
from bsbench.roster import find_strategy, make_strategy, strategy_names
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario
from bsbench.runs.exact import check_exact
from bsbench.runs.pooling import merge
from bsbench.runs.records import load_result
from tests.support import ROOT, naive
from tests.support.fuzzing import ended
from tests.support.helpers import rules
from tests.support.naive.strategies import slowness
from tests.support.refusals import assert_names, assert_refused, refused

CHANCE = {
    "hard-ai",
    "hunt-line",
    "hunt-target",
    "hunt-target-parity",
    "over9000",
    "over9000-adaptive",
    "random",
    "smart-random",
}
"""Built-in strategies that move by chance as they are, or learn."""

WITHOUT = {"over9000": {"noise": 0.0}}
"""Parameters that take the chance out of them."""


def _scenario(rows, cols, fleet, touching, feedback) -> Scenario:
    drawn = Rules(rows, cols, fleet, touching, Feedback.parse(feedback))
    return Scenario(name="pond", rules=drawn, placement=Placement("each"))


@given(rules(max_side=4, max_ships=3), st.integers(0, 10_000), st.integers(1, 60))
def test_layouts_come_in_order(drawn, first, games):
    listed = [naive.encode(drawn, layout) for layout in naive.all_layouts(drawn)]
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(each, "_EVERY", 7)
        sampler = each.Each(drawn)
        assert sampler.layouts == len(listed)
        expected = islice(cycle(listed), first % len(listed), first % len(listed) + games)
        assert sampler.draw(0, first, games).tolist() == list(expected)
        assert sampler.draw(5, first, games).tolist() == sampler.draw(0, first, games).tolist()


def test_a_search_that_finds_nothing_for_long_ends(monkeypatch):
    # 25 of these ships fit at most, but only a search through all ways to lay them shows it.
    crowded = Rules(10, 10, (1,) * 30, touching=False)
    monkeypatch.setattr(each, "_MOST_TRIED", 1_000_000)
    with refused("board"):
        each.Each(crowded)


def test_each_layout_comes_once_on_a_larger_board():
    board = Rules(8, 8, (4, 3, 2), touching=False)
    sampler = make_sampler(board, Placement("each"))
    drawn = sampler.draw(0, 0, sampler.layouts)
    assert len(np.unique(drawn, axis=0)) == len(drawn) == each.count_layouts(board)
    assert all(naive.is_legal(board, naive.decode(board, codes)) for codes in drawn[::997])


@pytest.mark.parametrize("fleet", [(4, 3, 2), (3, 2, 2), (2, 2, 1, 1)], ids=str)
@pytest.mark.parametrize("touching", [True, False])
def test_there_are_as_many_as_are_counted(fleet, touching):
    board = Rules(6, 5, fleet, touching)
    assert each.count_layouts(board) == find_posterior(Evidence(board)).layouts


CASES = [
    ((3, 3), (2,), True, "hit"),
    ((3, 4), (3, 2), True, "sunk"),
    ((4, 4), (2, 2), False, "ship"),
    ((4, 4), (3, 2), False, "sunk"),
    ((4, 3), (2, 2), True, "ship"),
    ((5, 4), (3, 1), True, "hit"),
    ((5, 5), (2, 1, 1), False, "sunk"),
    ((5, 5), (3, 2), False, "hit"),
    ((4, 4), (2, 1, 1), False, "ship"),
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("name", sorted({*strategy_names()} - CHANCE) + sorted(WITHOUT))
def test_laws_are_those_of_twins_that_play_all_layouts(name, case):
    scenario = _scenario(*case[0], *case[1:])
    kind = find_strategy(name)
    if scenario.rules.feedback < kind.needs:
        scenario = scenario.override(feedback=kind.needs)
    parameters = WITHOUT.get(name, {})
    if not kind.configured(parameters).fits(scenario.rules):
        pytest.skip("it does not play on such a board")
    if kind.takes_long and scenario.rules.cells > 12:
        pytest.skip("it takes long")
    layouts = list(naive.all_layouts(scenario.rules))
    result = bsbench.run(make_strategy(name, parameters), scenario)
    assert result.exact
    assert result.games == len(layouts)
    # The slow ones play a part of the layouts, each with its own number.
    some = range(0, len(layouts), max(len(layouts) * slowness(name) // 400, 1))
    twin = naive.twin(name)
    played = {
        game: len(naive.play(twin, scenario.rules, layouts[game], 0, game, **parameters))
        for game in some
    }
    assert {game: int(result.moves[game]) for game in some} == played
    if len(some) == len(layouts):
        assert Counter(played.values()) == {
            moves: games for moves, games in enumerate(result.counts.tolist()) if games
        }
        assert result.mean_as_fraction == Fraction(sum(played.values()), len(layouts))


@pytest.mark.parametrize("name", strategy_names())
def test_chance_is_refused(name):
    scenario = _scenario(4, 4, (2, 2), True, "ship")
    strategy = make_strategy(name)
    if name in CHANCE:
        with refused(name):
            check_exact(strategy, scenario, None, 60)
    else:
        check_exact(strategy, scenario, None, 60)


def test_strategies_of_users_are_played_and_refused_likewise():
    examples = ROOT / "examples"
    scenario = _scenario(4, 4, (2, 2), True, "ship")
    result = bsbench.run(f"{examples / 'spiral_hunter.py'}:SpiralHunter", scenario)
    assert result.exact
    with refused("corner-shy"):
        bsbench.run(f"{examples / 'corner_shy.py'}:CornerShy", scenario)


def test_figures_are_those_of_the_law():
    result = bsbench.run("linear", _scenario(1, 4, (2,), True, "hit"))
    # 2, 3 or 4 moves.
    assert result.counts.tolist() == [0, 0, 1, 1, 1]
    stats = result.stats
    assert (stats.mean, stats.half_width, stats.sd) == (3, 0, pytest.approx((2 / 3) ** 0.5))
    assert (stats.median, stats.median_low, stats.median_high) == (3, 3, 3)
    assert result.mean_as_fraction == 3
    assert stats.mean_text == "3.0000"


def test_a_part_has_no_interval_and_parts_add_up():
    scenario = _scenario(4, 4, (3, 2), True, "sunk")
    whole = bsbench.run("prob", scenario)
    first = bsbench.run("prob", scenario, games=100)
    assert not first.exact
    assert np.isnan(first.stats.half_width)
    rest = bsbench.run("prob", scenario, first_game=100, games=whole.games - 100)
    merged = merge([first, rest])
    assert merged.exact
    assert merged.counts.tolist() == whole.counts.tolist()


SMALL = ("--board", "4x4", "--fleet", "3,2", "--scenario", "classic")


def test_run_prints_no_interval(in_folder):
    result = ended("run", "prob", *SMALL, "--exact", codes=(0,))
    assert "±" not in result.output
    record = load_result(next(in_folder.glob("results/*.json")))
    assert record.exact
    mean = record.mean_as_fraction
    assert_names(result.output, "exact", f"{record.games:,} layouts")
    assert f"mean {mean}" in result.output
    assert f"{float(mean):.4f}" in result.output
    written = record.to_dict()
    assert (written["exact"], written["summary"]["half_width"]) == (str(mean), 0)


def test_all_leaves_out_chance():
    result = ended("compare", "all", *SMALL, "--exact", codes=(0,))
    assert_names(result.stderr, ", ".join(sorted(CHANCE)))
    assert "lattice" in result.stdout


def test_differences_are_exact():
    scenario = _scenario(4, 4, (3, 2), True, "ship")
    compared = bsbench.compare(["lattice", "prob"], scenario)
    assert compared.exact
    first, second = compared.results
    mean = second.mean_as_fraction - first.mean_as_fraction
    assert compared.differences[1].mean == pytest.approx(float(mean), abs=1e-12)
    assert compared.differences[1].half_width == 0
    assert compared.rows[1]["chance"] == 0


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--games", "10"], "--games"),
        (["--placement", "edge"], "edge:3"),
        (["--scenario", "classic"], "30,093,975,536"),
    ],
)
def test_what_is_not_exact_is_refused(options, named):
    small = () if "--scenario" in options else SMALL
    assert_refused(ended("run", "prob", *small, "--exact", "--no-save", *options), named)
