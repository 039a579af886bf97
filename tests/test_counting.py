"""Exact counts: against lists of all layouts, known values, and each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bsbench.counting import posterior as counting
from bsbench.counting.evidence import Answer, Evidence
from bsbench.counting.posterior import find_posterior
from bsbench.rules.board import NOTHING, Rules
from bsbench.rules.scenario import find_scenario
from tests import naive
from tests.helpers import rules

METHODS = ["joins", "sweep"]


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
    if draw(st.booleans()):
        # Not where a ship has sunk, only that it has.
        told = [(*answer[:3], NOTHING) for answer in told]
    return drawn, told


@pytest.mark.parametrize("method", METHODS)
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
        if method == "sweep":
            patch.setattr(counting, "_count_by_joins", lambda evidence: None)
        return find_posterior(Evidence(drawn, (Answer(*answer) for answer in told)))


@pytest.mark.parametrize(
    ("scenario", "method", "layouts", "unlabelled"),
    [
        ("classic", "joins", 30_093_975_536, 15_046_987_768),
        ("gym-10x10", "joins", 3_851_502_784, 1_925_751_392),
        ("harbour", "sweep", 171_282_191_444_864, 21_410_273_930_608),
    ],
)
def test_known_numbers_of_layouts(scenario, method, layouts, unlabelled):
    rules = find_scenario(scenario).rules
    found = find_posterior(Evidence(rules))
    assert (found.method, found.layouts, found.unlabelled) == (method, layouts, unlabelled)
    assert found.cells.sum() == layouts * rules.ship_cells
    _assert_symmetric(found)


def _assert_symmetric(found):
    """Check that a square board looks the same from all sides, turned and mirrored."""
    board = found.cells.reshape(found.rules.rows, found.rules.cols)
    for turned in (board[::-1], board[:, ::-1], board.T):
        assert (turned == board).all()


@pytest.mark.parametrize(
    "rules",
    [
        # Longer than high, and the other way round: the sweep turns the board.
        Rules(3, 9, (4, 2, 2, 1), touching=False),
        Rules(9, 3, (4, 2, 2, 1), touching=False),
        Rules(1, 12, (3, 2, 1), touching=False),
        Rules(12, 1, (3, 2, 1), touching=True),
        # More slots than loops are unrolled for.
        Rules(12, 11, (4, 3, 2), touching=False),
    ],
)
def test_both_methods_count_alike(rules):
    joins, sweep = (_find(rules, [], method) for method in METHODS)
    assert (joins.method, sweep.method) == ("joins", "sweep")
    assert joins.layouts == sweep.layouts
    assert joins.slots.tolist() == sweep.slots.tolist()
