"""The yardstick of the benchmarks plays the same games as bsbench."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import reference
from bsbench.roster import make_variant
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import find_scenario
from tests.support import naive
from tests.support.helpers import assert_chi_square, draw_layouts, move_counts

SEED = 4


@pytest.mark.parametrize("variant", reference.PLAYERS)
@pytest.mark.parametrize(
    "scenario",
    ["gym-6x9", pytest.param("harbour", marks=pytest.mark.slow)],
)
def test_agrees_move_count_by_move_count(variant, scenario):
    known = find_scenario(scenario).rules
    rules = Rules(known.rows, known.cols, known.fleet, known.touching, Feedback.SHIP)
    codes = draw_layouts(rules, 400, seed=SEED)
    expected = move_counts(rules, make_variant(variant), codes, seed=SEED)
    found = reference.play(variant, reference.board_of(rules), codes, SEED)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("touching", [False, True])
def test_its_layouts_are_uniform(touching):
    rules = Rules(4, 5, (3, 2), touching)
    layouts = [tuple(naive.encode(rules, layout)) for layout in naive.all_layouts(rules)]
    drawn = reference.draw_layouts(reference.board_of(rules), SEED, 0, 40 * len(layouts))
    found, counts = np.unique(drawn, axis=0, return_counts=True)
    assert set(map(tuple, found.tolist())) == set(layouts)
    assert_chi_square(counts, np.full(len(layouts), 40))
