"""Alarms sound for what no honest strategy reaches, and for nothing that comes with bsbench."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.samplers import make_sampler
from bsbench.roster import strategy_names
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.runs.alarms import (
    BEST,
    OpeningShots,
    alarms_of,
    best_mean,
    chance_of_hits,
    least_mean,
    likeliest_cell,
)
from bsbench.runs.records import load_results
from bsbench.strategies._posterior import CountingStrategy
from tests.support import ROOT, SUPPORT
from tests.support.helpers import quick_strategy

RESULTS = ROOT / "results"
CHEAT = f"{SUPPORT / 'bad_strategies' / 'kernels.py'}:Knows"


def _counts(rules: Rules, moves) -> np.ndarray:
    return np.bincount(moves, minlength=rules.cells + 1)


@pytest.mark.parametrize(
    "places",
    [
        ("classic", "harbour", "gym-6x6"),
        pytest.param(tuple(f"gym-{side}x{side}" for side in range(5, 13)), marks=pytest.mark.slow),
    ],
    ids=["usual", "gym"],
)
@pytest.mark.parametrize("name", strategy_names())
def test_no_built_in_strategy_raises_an_alarm(name, places):
    for place in places:
        strategy = quick_strategy(name)
        scenario = find_scenario(place)
        scenario = scenario.override(feedback=max(scenario.rules.feedback, strategy.needs))
        if not strategy.fits(scenario.rules):
            continue
        if isinstance(strategy, CountingStrategy) and scenario.rules.cells > 100:
            # The first games take long there.
            continue
        games = 256
        first = OpeningShots()
        simulator = Simulator(
            *(scenario.rules, make_sampler(scenario.rules, scenario.placement), strategy),
            *(7, games, games),
            observer=first,
        )
        ((_, moves),) = simulator.play(iter([Block(0, games)]))
        assert first.shots == games
        assert alarms_of(scenario, _counts(scenario.rules, moves), first) == ()


@pytest.mark.ci
def test_no_record_of_ours_raises_an_alarm():
    results = load_results(
        [
            RESULTS / name
            for name in ("classic", "harbour", "sea-battle", "edge", "laws", "parameters")
        ]
    )
    assert len(results) > 20
    assert [result.label for result in results if result.alarms] == []


def test_the_best_means_are_about_what_is_there():
    # The best of our own records is neither below the best known, nor much above it.
    for name in ("classic", "harbour", "sea-battle"):
        records = load_results([RESULTS / name])
        found = [each for each in records if each.scenario.placement == Placement()]
        for feedback in Feedback:
            means = [r.stats.mean for r in found if r.scenario.rules.feedback == feedback]
            scenario = find_scenario(name).override(feedback=feedback)
            best = best_mean(scenario)
            assert best in BEST[name]
            if means:
                assert best - 0.1 < min(means) < 1.07 * best


def test_the_best_mean_is_that_of_the_rules_and_the_law():
    scenario = find_scenario("classic")
    assert best_mean(scenario) == BEST["classic"][-1]
    assert best_mean(scenario.override(placement=Placement.parse("sequential"))) is None
    assert best_mean(scenario.override(board=(10, 11))) is None


def test_the_likeliest_cell():
    # The exact value of the centre of classic is 0.2135994.
    share = likeliest_cell(find_scenario("classic"))
    assert 0.2136 < share < 0.2136 + 10 * math.sqrt(0.2136 * 0.7864 / 65_536)
    one = Scenario(name="one", rules=Rules(1, 3, (1, 1), touching=False))
    assert likeliest_cell(one) == 1.0
    assert likeliest_cell(find_scenario("classic").override(board=(21, 20))) is None


def test_the_likeliest_cell_of_listed_layouts_is_exact(in_folder):
    Path("two.txt").write_text("0 0 3 E\n1 0 3 S\n0 1 3 S\n")
    scenario = Scenario(
        name="two",
        rules=Rules(4, 4, (3,), touching=True),
        placement=Placement.parse("file:two.txt"),
    )
    assert likeliest_cell(scenario) == 2 / 3
    # Where layouts are few, games may be equal.
    Path("two.txt").write_text("0 0 3 E\n")
    assert alarms_of(scenario, _counts(scenario.rules, [3] * 100)) == ()


def test_the_chance_of_hits_is_a_bound():
    for shots, p in ((30, 0.2), (200, 0.05), (5, 0.7)):
        for hits in range(shots + 1):
            tail = sum(
                math.comb(shots, k) * p**k * (1 - p) ** (shots - k) for k in range(hits, shots + 1)
            )
            assert chance_of_hits(hits, shots, p) >= tail - 1e-12
    assert chance_of_hits(30, 30, 0.2) == pytest.approx(0.2**30)


def test_no_strategy_is_below_the_least_mean():
    # A ship of 2 in a row of 3: the middle cell first, and the mean is 2.5; the bound is 2.
    assert least_mean(Rules(1, 3, (2,), touching=True), 1.0) == 2
    # One cell of four: the mean is 2.5 whatever is done, and the bound is exact.
    assert least_mean(Rules(2, 2, (1,), touching=True), 0.25) == 2.5
    assert least_mean(find_scenario("classic").rules, 0.2136) == pytest.approx(18.864)


LOWEST = BEST["classic"][-1]


@pytest.mark.parametrize(
    ("moves", "first", "words"),
    [
        ([17] * 20, None, ["all 20 games took 17 moves", "the mean of 17.00 moves is below 18.7"]),
        ([17] * 19, None, []),
        ([30, 32, 35, 31] * 10, None, [f"more than a tenth below {LOWEST:.2f}, the lowest mean"]),
        ([41, 45, 38, 50] * 10, None, []),
        ([60] * 20, None, ["all 20 games took 60 moves, although their layouts differ"]),
        ([100] * 1000, None, []),
        ([41, 45, 38, 50] * 25, OpeningShots(100, 60), ["60 of 100 first shots hit, but no cell"]),
        ([41, 45, 38, 50] * 25, OpeningShots(100, 21), []),
        ([41, 45, 38, 50] * 25, OpeningShots(100, 38), []),
        ([], OpeningShots(), []),
    ],
)
def test_alarms(moves, first, words):
    scenario = find_scenario("classic")
    found = alarms_of(scenario, _counts(scenario.rules, np.array(moves, int)), first)
    assert len(found) == len(words)
    for sentence, word in zip(found, words, strict=True):
        assert word in sentence


def test_run_and_compare_say_it_beneath_the_table(in_folder):
    def bs(*words):
        return CliRunner().invoke(main, [*words, "-n", "200", "--scenario", "classic"])

    sentence = "alarm: mine: 200 of 200 first shots hit"
    assert sentence in (shown := bs("run", "-s", CHEAT)).stdout
    assert sentence not in shown.stderr
    # A record has move counts only.
    (record,) = in_folder.glob("results/*.json")
    again = CliRunner().invoke(main, ["show", str(record)]).stdout
    assert sentence not in again
    assert "alarm: mine: all 200 games took 17 moves" in again
    quiet = bs("compare", "random", CHEAT, "-q")
    assert (quiet.stdout, sentence in quiet.stderr) == ("", True)
    assert "alarm: random" not in quiet.stderr


def test_first_shots_are_counted_whatever_the_threads():
    results = [bsbench.run(CHEAT, "classic", games=3000, threads=threads) for threads in (1, 2)]
    assert [(r.first_shots.shots, r.first_shots.hits) for r in results] == [(3000, 3000)] * 2
    assert bsbench.run("random", games=10).first_shots is None


def test_whole_turns_hide_how_long_games_are():
    """In turns of half the board, nearly all games have two; in those of one shot, none is like."""
    scenario = Scenario(shots=50)
    found = bsbench.run("random", scenario, games=200)
    assert np.flatnonzero(found.counts).tolist() == [2]
    assert found.alarms == ()
    single = Scenario(answers="joint")
    assert "all 200 games took 60 turns" in alarms_of(single, _counts(single.rules, [60] * 200))[0]


def test_first_shots_of_games_before_a_fault_count_once(tmp_path):
    (tmp_path / "late.py").write_text(
        "class Late:\n"
        "    def reset(self, rules, rng):\n"
        "        self.fails = rng.random() < 0.002\n"
        "    def shoot(self, view):\n"
        "        return -1 if self.fails else view.open_cells[0]\n"
    )
    with pytest.raises(bsbench.StrategyError) as caught:
        bsbench.run(f"{tmp_path / 'late.py'}:Late", "classic", games=3_000)
    result = caught.value.result
    assert 0 < result.first_shots.shots <= result.games
