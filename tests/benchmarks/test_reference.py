"""The yardstick of the benchmarks plays the same games as bsbench."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import reference, reference_connect4
from bsbench.connect4.players import make_player
from bsbench.connect4.position import Position
from bsbench.roster import make_variant
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import find_scenario
from tests.support import naive
from tests.support.helpers import assert_chi_square, draw_layouts, move_counts

SEED = 4


@pytest.mark.parametrize("variant", reference.PLAYERS)
@pytest.mark.parametrize(
    "scenario",
    [
        "gym-6x9",
        pytest.param("classic", marks=pytest.mark.slow),
        pytest.param("harbour", marks=pytest.mark.slow),
    ],
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


@pytest.mark.parametrize("played", ["", "44455", "4444412232", "1234567123456"])
def test_its_bot_of_connect_4_searches_the_same_tree(played):
    position, depth = Position.parse(played), 5
    boards, scores = np.zeros((depth + 1, 42), np.int8), np.zeros(7, np.int64)
    for cell in range(42):
        row, column = divmod(cell, 7)
        bit = 7 * column + 5 - row
        if position.stones >> bit & 1:
            is_own = position.mover >> bit & 1
            boards[depth, cell] = reference_connect4.AI if is_own else reference_connect4.OPPONENT
    nodes = np.zeros(1, np.int64)
    reference_connect4.score_columns(boards, depth, scores, nodes)
    player = make_player("hard", {"depth": depth})
    player.begin(0)
    analysis = player.analyse(position)
    assert {column: scores[column] for column in position.open_columns} == analysis.scores
    assert nodes[0] == analysis.nodes


def test_large_boards_are_refused():
    with pytest.raises(ValueError, match="128 cells"):
        reference.board_of(Rules(12, 12, (3, 2), touching=True))
