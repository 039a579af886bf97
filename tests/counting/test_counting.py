"""Exact counts: against lists of all layouts, known values, and each other."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bsbench.cli import main
from bsbench.counting import posterior as counting
from bsbench.counting.evidence import Evidence
from bsbench.counting.frontier import OutOfReach
from bsbench.counting.posterior import Allowance, compute_posterior, find_posterior
from bsbench.counting.stored import PLACE, key_of
from bsbench.rules.board import MISS, NOTHING, Feedback, Rules
from bsbench.rules.position import Answer
from bsbench.rules.scenario import find_scenario
from bsbench.runs.heat import ships_by_cell
from tests.counting.stored import SCENARIOS, make_entry
from tests.support import naive
from tests.support.helpers import assert_chi_square, draw_layouts, rules
from tests.support.refusals import refused

METHODS = ["joins", "frontier"]
EACH_METHOD = pytest.mark.parametrize(
    "method", ["joins", pytest.param("frontier", marks=pytest.mark.ci)]
)


@st.composite
def positions(draw):
    """Rules of a small board, and answers to some shots on one of its layouts."""
    drawn = draw(rules(max_side=5, max_ships=3))
    bound = math.prod(len(drawn.slots(length)) for length in drawn.fleet)
    assume(bound <= 4000)
    layouts = list(naive.all_layouts(drawn))
    layout = layouts[draw(st.integers(0, len(layouts) - 1))]
    shots = draw(st.permutations(range(drawn.cells)))[: draw(st.integers(0, drawn.cells))]
    told = naive.answers(drawn, layout, shots)
    while sum(answer[1] != MISS for answer in told[:-1]) == drawn.ship_cells:
        # Nobody shoots after the end.
        told.pop()
    if draw(st.booleans()):
        # Not where a ship has sunk, only that it has.
        told = [(*answer[:3], NOTHING) for answer in told]
    return drawn, told


@EACH_METHOD
@settings(max_examples=150)
@given(position=positions())
def test_layouts_left_are_counted_as_listed(method, position):
    drawn, told = position
    found = _find(drawn, told, method)
    left = naive.layouts_left(drawn, told)
    assert (found.method, found.layouts) == (method, len(left))
    assert found.ships.tolist() == naive.ships_on_cells(drawn, left)
    look = {frozenset(zip(drawn.fleet, layout, strict=True)) for layout in left}
    assert found.unlabelled == len(look)


def _find(drawn, told, method=None):
    with pytest.MonkeyPatch.context() as patch:
        if method == "frontier":
            patch.setattr(counting, "within_joins", lambda evidence: False)
        return find_posterior(Evidence(drawn, (Answer(*answer) for answer in told)))


@pytest.mark.ci
@pytest.mark.parametrize(
    ("scenario", "method", "layouts", "unlabelled"),
    [
        ("classic", "joins", 30_093_975_536, 15_046_987_768),
        ("gym-10x10", "joins", 3_851_502_784, 1_925_751_392),
        pytest.param(
            *("harbour", "frontier", 171_282_191_444_864, 21_410_273_930_608),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *("sea-battle", "frontier", 534_397_241_903_552_640, 1_855_545_978_831_780),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_known_numbers_of_layouts(scenario, method, layouts, unlabelled):
    rules = find_scenario(scenario).rules
    found = compute_posterior(Evidence(rules))
    assert (found.method, found.layouts, found.unlabelled) == (method, layouts, unlabelled)
    assert found.cells.sum() == layouts * rules.ship_cells
    _assert_symmetric(found)


@pytest.mark.ci
@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(name, marks=() if name == "gym-10x10" else pytest.mark.slow)
        for name in SCENARIOS
    ],
)
def test_what_is_kept_of_empty_boards_is_what_is_computed(scenario):
    rules = find_scenario(scenario).rules
    entries = json.loads(PLACE.read_text())
    assert entries[key_of(rules)] == make_entry(rules)
    assert len(entries) == len(SCENARIOS)


def test_empty_boards_are_looked_up(monkeypatch):
    rules = find_scenario("gym-10x10").rules
    computed = compute_posterior(Evidence(rules))
    monkeypatch.setattr(counting, "compute_posterior", None)
    found = find_posterior(Evidence(rules))
    assert (found.layouts, found.unlabelled, found.method) == (
        *(computed.layouts, computed.unlabelled, computed.method),
    )
    assert (found.slots == computed.slots).all()


def labellings(rules: Rules) -> int:
    """Return how many layouts look alike: ships of equal length change places."""
    return math.prod(math.factorial(rules.fleet.count(length)) for length in set(rules.fleet))


def _assert_symmetric(found):
    """Check that a square board looks the same from all sides, turned and mirrored."""
    board = found.cells.reshape(found.rules.rows, found.rules.cols)
    for turned in (board[::-1], board[:, ::-1], board.T):
        assert (turned == board).all()


@pytest.mark.ci
@pytest.mark.parametrize(
    "rules",
    [
        # Longer than high, and the other way round: frontiers turn the board.
        Rules(3, 9, (4, 2, 2, 1), touching=False),
        Rules(9, 3, (4, 2, 2, 1), touching=False),
        Rules(1, 12, (3, 2, 1), touching=False),
        Rules(12, 1, (3, 2, 1), touching=True),
        # More slots than loops are unrolled for.
        Rules(12, 11, (4, 3, 2), touching=False),
    ],
)
def test_both_methods_count_empty_boards_alike(rules):
    joins, frontier = (_find(rules, [], method) for method in METHODS)
    assert (joins.method, frontier.method) == ("joins", "frontier")
    assert joins.layouts == frontier.layouts
    assert joins.slots.tolist() == frontier.slots.tolist()


@EACH_METHOD
@settings(max_examples=60)
@given(position=positions())
def test_samples_agree_with_all_answers(method, position):
    drawn, told = position
    samples = _find(drawn, told, method).sample(20, seed=1)
    left = naive.layouts_left(drawn, told)
    assert {naive.decode(drawn, codes) for codes in samples} <= set(left)


@EACH_METHOD
@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (Rules(4, 4, (3, 2, 2), touching=False), []),
        (Rules(4, 5, (2, 2, 1), touching=True), [(7, 1, -1, -1), (0, 0, -1, -1)]),
        (
            Rules(5, 4, (3, 2, 2), touching=True, feedback=Feedback.SUNK),
            [(5, 1, -1, -1), (9, 2, 2, -1), (10, 1, -1, -1)],
        ),
    ],
)
def test_samples_are_uniform(method, rules, told):
    left = naive.layouts_left(rules, told)
    samples = _find(rules, told, method).sample(100 * len(left), seed=3)
    drawn = Counter(naive.decode(rules, codes) for codes in samples)
    assert_chi_square([drawn[layout] for layout in left], [100] * len(left))


@EACH_METHOD
def test_a_sample_depends_on_its_number_and_the_seed_alone(method):
    found = _find(Rules(6, 6, (3, 2, 2, 1), touching=False), [], method)
    many = found.sample(1000, seed=4)
    assert many.dtype == np.int32
    assert (found.sample(10, seed=4) == many[:10]).all()
    assert (found.sample(10, seed=5) != many[:10]).any()
    assert found.sample(0).shape == (0, 4)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("scenario", "feedback", "shots"),
    [
        *(("classic", "hit", 30), ("classic", "sunk", 35), ("classic", "ship", 20)),
        *(("gym-10x10", "sunk", 20), ("harbour", "hit", 35), ("harbour", "sunk", 30)),
    ],
)
def test_both_methods_count_positions_alike(scenario, feedback, shots):
    scenario = find_scenario(scenario).override(feedback=feedback)
    drawn = naive.decode(scenario.rules, draw_layouts(scenario.rules, 1, seed=11)[0])
    order = np.random.default_rng(shots).permutation(scenario.rules.cells)
    told = naive.answers(scenario.rules, drawn, order[:shots].tolist())
    joins, frontier = (_find(scenario.rules, told, method) for method in METHODS)
    assert (joins.method, frontier.method) == ("joins", "frontier")
    assert joins.layouts == frontier.layouts
    assert joins.slots.tolist() == frontier.slots.tolist()
    # Exact samples lie where the counts say, within 4.5 standard errors of 100 or so cells.
    for found in (joins, frontier):
        shares = ships_by_cell(scenario.rules, found.sample(4000, seed=1)) / 4000
        exact = found.probabilities
        assert (np.abs(shares - exact) <= 4.5 * np.sqrt(exact * (1 - exact) / 4000)).all()


def test_layouts_that_are_too_many_are_refused():
    with refused("2^64", kind=OutOfReach):
        find_posterior(Evidence(Rules(12, 12, (3,) * 12, touching=True)))
    with refused("30x30", kind=OutOfReach):
        find_posterior(Evidence(Rules(30, 30, (5,) * 6, touching=True)))


@pytest.mark.ci
def test_frontiers_take_no_more_memory_than_allowed(monkeypatch):
    monkeypatch.setattr("bsbench.counting.unsettled.MOST_BYTES", 1 << 20)
    with refused("1 MB", kind=OutOfReach):
        _find(Rules(10, 10, (5, 4, 3, 2, 2), touching=True), [], "frontier")


def _run(*arguments: str):
    return CliRunner(env={"COLUMNS": "200"}).invoke(main, arguments, prog_name="bsbench")


@pytest.mark.ci
@pytest.mark.parametrize(("fleet", "method"), [((3, 2), "joins"), ((1,) * 12, "frontier")])
def test_counting_ends_when_its_steps_are_used_up(fleet, method):
    evidence = Evidence(Rules(7, 7, fleet, touching=True))
    allowance = Allowance(1e9)
    assert compute_posterior(evidence, allowance=allowance).method == method
    used = 1e9 - allowance.left
    assert used > 0
    again = Allowance(used)
    compute_posterior(evidence, allowance=again)
    assert again.left == 0, "they are the same each time"
    with refused("steps", kind=OutOfReach):
        compute_posterior(evidence, allowance=Allowance(used - 1))
