from __future__ import annotations

import math
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import bsbench
from bsbench.cli import main
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.layout import layout_text
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.runs.exact import QUICK, UnknownLaw, exact_law, find_law, weights_within
from bsbench.runs.records import load_result
from bsbench.stats import goodness_of_fit
from bsbench.strategies.base import FixedOrder
from tests.support import ROOT, naive
from tests.support.helpers import rules
from tests.support.refusals import assert_refused, refused

RECORDS = ROOT / "results"


def _mean(law) -> float:
    return float(law @ np.arange(len(law)))


def _layouts_within(rules: Rules, weight_of=lambda layout: 1) -> list:
    """Return what the layouts within the first m cells weigh, for every m, by listing all."""
    within = [0] * (rules.cells + 1)
    for layout in naive.all_layouts(rules):
        weight = weight_of(layout)
        for cells in range(1 + max(map(max, layout)), rules.cells + 1):
            within[cells] += weight
    return within


def _labellings(rules: Rules) -> int:
    """Return how many layouts of the labelled fleet look alike."""
    return math.prod(math.factorial(rules.fleet.count(length)) for length in set(rules.fleet))


@settings(max_examples=150)
@given(rules(max_side=4, max_ships=3))
def test_layouts_are_counted_as_listed(rules):
    labelled = [count * _labellings(rules) for count in weights_within(rules).tolist()]
    assert labelled == _layouts_within(rules)


@settings(max_examples=80)
@given(rules(max_side=4, max_ships=3), st.sampled_from(["3", "2.5", "0.5", "0.125", "7.654321"]))
def test_layouts_on_the_border_weigh_more(rules, factor):
    law = find_law(
        "linear",
        Scenario(name="small", rules=rules).override(placement=Placement("edge", f"{factor}")),
    )
    exact = Fraction(factor)
    within = _layouts_within(
        rules, lambda layout: exact ** sum(naive.on_border(rules, ship) for ship in layout)
    )
    expected = [float((b - a) / within[-1]) for a, b in zip([0, *within], within, strict=False)]
    assert law.tolist() == pytest.approx(expected, rel=1e-12, abs=0)


def test_where_64_bits_do_not_suffice_floats_do():
    pond = Rules(5, 4, (3, 2, 2, 1), touching=False)
    factor = Fraction(999_999_937, 999_999_929)
    floats = weights_within(pond, factor)
    assert floats.dtype == np.float64
    exact = _layouts_within(
        pond, lambda layout: factor ** sum(naive.on_border(pond, ship) for ship in layout)
    )
    assert (floats / floats[-1]).tolist() == pytest.approx(
        [float(weight / exact[-1]) for weight in exact], rel=1e-12
    )


@pytest.mark.parametrize(
    ("scenario", "layouts", "mean"),
    [
        # 30,093,975,536 with the two ships of length 3 distinguishable.
        ("classic", 30_093_975_536 // 2, 88.7342),
        # The harbour's is the count that the sampler's acceptance agrees with, too.
        pytest.param("harbour", 21_410_273_930_608, 95.4976, marks=pytest.mark.slow),
        ("sea-battle", 1_855_545_978_831_780, 96.2388),
    ],
)
def test_all_layouts_of_the_large_boards_are_counted(scenario, layouts, mean):
    scenario = find_scenario(scenario)
    assert weights_within(scenario.rules)[-1] == layouts
    assert _mean(find_law("linear", scenario)) == pytest.approx(mean, abs=5e-5)


@pytest.mark.parametrize("scenario", ["classic", "harbour", "sea-battle"])
@pytest.mark.parametrize("strategy", ["random", "linear"])
def test_records_follow_the_laws(scenario, strategy):
    result = load_result(RECORDS / scenario / f"{strategy}.json")
    law = exact_law(result.strategy, result.scenario)
    assert law.sum() == pytest.approx(1, abs=1e-13)
    fit = goodness_of_fit(result.counts, law)
    assert fit.freedom >= 35
    # 4 standard errors, one-sided.
    assert fit.p > 3.2e-5, fit.text
    # And the laws of other games don't fit.
    other = "linear" if strategy == "random" else "random"
    assert goodness_of_fit(result.counts, exact_law(other, result.scenario)).p < 1e-9


@pytest.mark.parametrize("placement", ["edge", "edge:0.2"])
def test_linear_follows_the_law_on_the_border(placement):
    result = bsbench.run("linear", "classic", placement=placement, games=300_000, seed=5)
    assert goodness_of_fit(result.counts, exact_law(result.strategy, result.scenario)).p > 3.2e-5
    plain = exact_law("linear", find_scenario("classic"))
    assert goodness_of_fit(result.counts, plain).p < 1e-9


class Backwards(FixedOrder):
    """An order of its own for all games."""

    name = "backwards"
    source = "the tests"

    def orders(self, games):
        return np.random.default_rng(self.rules.cells).permutation(self.rules.cells)[np.newaxis]


@settings(max_examples=40)
@given(rules(max_side=4, max_ships=3), st.sampled_from(["uniform", "each", "file"]))
def test_the_law_of_an_order_is_that_of_all_layouts(drawn, placement):
    order = np.random.default_rng(drawn.cells).permutation(drawn.cells).tolist()
    layouts = list(naive.all_layouts(drawn))[:: 5 if placement == "file" else 1]
    moves = [1 + max(order.index(cell) for ship in layout for cell in ship) for layout in layouts]
    option = None
    with tempfile.TemporaryDirectory() as folder:
        if placement == "file":
            option = f"{folder}/layouts.txt"
            lines = [layout_text(naive.encode(drawn, layout), drawn) for layout in layouts]
            Path(option).write_text("\n".join(lines), encoding="utf-8")
        scenario = Scenario(name="small", rules=drawn, placement=Placement(placement, option))
        law = find_law(Backwards(), scenario)
    expected = np.bincount(moves, minlength=drawn.cells + 1) / len(layouts)
    assert law.tolist() == pytest.approx(expected.tolist(), rel=1e-12, abs=0)


@pytest.mark.slow
def test_the_law_of_an_order_on_classic_is_that_of_linear_if_it_is_the_same(monkeypatch):
    classic = find_scenario("classic")
    in_turn = lambda own, games: np.arange(own.rules.cells)[np.newaxis]  # noqa: E731
    monkeypatch.setattr(Backwards, "orders", in_turn)
    assert find_law(Backwards(), classic).tolist() == pytest.approx(find_law("linear", classic))


def _run(*arguments: str):
    return CliRunner().invoke(main, ["run", *arguments, "--exact"], prog_name="bsbench")


def test_laws_are_printed_where_each_layout_can_not_be_played(in_folder):
    result = _run("random", "linear", "--scenario", "classic")
    assert result.exit_code == 0, result.output
    assert [line.split() for line in result.stdout.splitlines()[2:4]] == [
        ["linear", "classic", "88.7342", "10.42", "91", "68", "100", "17", "100"],
        ["random", "classic", "95.3889", "4.81", "97", "86", "100", "17", "100"],
    ]
    assert not list(in_folder.iterdir())


def test_the_law_of_random_holds_for_any_placement():
    small = ["--board", "4x4", "--fleet", "3,2", "--placement", "sequential", "--export-csv", "-"]
    result = _run("random", "-q", *small)
    header, *rows = [line.split(",") for line in result.stdout.splitlines()]
    assert header == ["label", "scenario", "moves", "probability"]
    expected = {t: math.comb(t - 1, 4) / math.comb(16, 5) for t in range(5, 17)}
    assert {int(row[2]): float(row[3]) for row in rows} == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "option", [["-o", "x.json"], ["--export-games", "x.csv"], ["--export-json", "-"]], ids=str
)
def test_a_law_is_no_record(in_folder, option):
    assert_refused(_run("random", "--scenario", "classic", *option), "--export-csv")
    assert not list(in_folder.iterdir())


def test_a_law_that_is_not_known_is_refused():
    assert_refused(_run("linear", "--placement", "sequential"), "linear", "sequential:longest")


@given(rules(max_side=8))
def test_random_needs_all_ship_cells_of_a_random_order(rules):
    law = find_law("random", Scenario(name="small", rules=rules))
    cells, ships = rules.cells, rules.ship_cells
    expected = [
        math.comb(t - 1, ships - 1) / math.comb(cells, ships) if t >= ships else 0
        for t in range(cells + 1)
    ]
    assert law.tolist() == pytest.approx(expected, rel=1e-12, abs=0)


def test_the_law_of_random_on_the_largest_board():
    law = find_law(
        "random", Scenario(name="sea", rules=Rules(250, 250, (100,) * 50, touching=True))
    )
    assert law.sum() == pytest.approx(1, abs=1e-10)
    # n (N + 1) / (n + 1) for n ship cells among N.
    assert _mean(law) == pytest.approx(5000 * 62501 / 5001, rel=1e-10)


def test_the_law_on_listed_layouts_counts_them(in_folder):
    # Last cells 8, 5 and 8 on 3x3 cells.
    (in_folder / "three.txt").write_text("0 2 3 S\n1 0 3 E\n2 0 3 E\n")
    pond = Scenario(
        name="pond",
        rules=Rules(3, 3, (3,), touching=True),
        placement=Placement("file", "three.txt"),
    )
    law = find_law("linear", pond)
    assert law.tolist() == pytest.approx([0] * 6 + [1 / 3, 0, 0, 2 / 3])
    (in_folder / "three.txt").unlink()
    assert exact_law("linear", pond) is None
    with refused("three.txt"):
        find_law("linear", pond)
    assert exact_law("random", pond) is not None


@pytest.mark.parametrize(
    ("strategy", "scenario", "effort", "named"),
    [
        ("prob", find_scenario("classic"), QUICK, ["prob"]),
        (
            "linear",
            find_scenario("classic").override(placement=Placement("sequential")),
            QUICK,
            ["linear", "sequential:longest"],
        ),
        ("linear", find_scenario("classic").override(placement="border"), QUICK, ["border"]),
        ("linear", find_scenario("harbour").override(board=(11, 10)), 1_000_000, ["linear"]),
        # A column's number takes 3 bits, of which 64 hold no more than 20.
        ("linear", Scenario(name="wide", rules=Rules(5, 40, (5, 4), True)), QUICK, ["linear"]),
    ],
)
def test_where_no_law_is_known_the_reason_is_told(strategy, scenario, effort, named):
    assert exact_law(strategy, scenario, effort) is None
    with refused(*named, kind=UnknownLaw):
        find_law(strategy, scenario, effort)


def test_what_a_shot_tells_does_not_matter_and_nobody_can_spoil_the_law():
    classic = find_scenario("classic")
    law = find_law("linear", classic)
    assert find_law("linear", classic.override(feedback=Feedback.HIT)) is law
    with pytest.raises(ValueError, match="read-only"):
        law[0] = 1
