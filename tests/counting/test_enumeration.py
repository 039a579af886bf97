"""Each rule on boards up to 4x4, without chance: every layout, every order of up to three shots.

The twin lists all layouts, and says of each what the shots reveal there. Against it stand the
referee's answers, the layouts left, and how likely each cell is after these answers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations

import numpy as np
import pytest

from bsbench.counting.evidence import Evidence
from bsbench.counting.posterior import find_agreeing, find_posterior
from bsbench.play.referee import Referee
from bsbench.rules.board import TOUCHING, Feedback, Rules
from bsbench.rules.drawing import cell_name
from bsbench.rules.position import Answer, Position, ship_name
from bsbench.rules.scenario import Scenario
from bsbench.strategies.view import View
from tests.support import naive
from tests.support.naive.layouts import symmetries

pytestmark = pytest.mark.ci

# The quick boards have all that can be unclear: ships of one length, side by side, or of one cell.
QUICK = [(2, 3, (2, 1)), (1, 5, (2, 2))]
BOARDS = [(3, 3, (2, 2)), (3, 3, (3, 1)), (3, 4, (2, 2, 1)), (4, 4, (3, 2))]
MOST = 100
"""Layouts left of which it is listed how each shot parts them."""


@pytest.mark.parametrize(
    "board", [*QUICK, *(pytest.param(each, marks=pytest.mark.slow) for each in BOARDS)], ids=str
)
@pytest.mark.parametrize("touching", TOUCHING)
@pytest.mark.parametrize("feedback", Feedback, ids=str)
def test_all_layouts_and_all_orders(board, touching, feedback):
    rows, cols, fleet = board
    if rows * cols > 9 and touching is not True and feedback.reveals.cells:
        pytest.skip("examples of these are drawn elsewhere: here they would take an hour")
    rules = Rules(rows, cols, fleet, touching, feedback)
    layouts = list(naive.all_layouts(rules))
    view = View(rules, len(layouts))
    referee, lanes = Referee(view), np.arange(len(layouts))
    codes = np.array([naive.encode(rules, layout) for layout in layouts], np.int32)
    for shots in _orders(rules):
        told = [tuple(naive.answers(rules, layout, shots)) for layout in layouts]
        referee.deal(lanes, codes)
        for number, cell in enumerate(shots):
            live = np.flatnonzero(view.live)
            referee.fire(np.full(len(layouts), cell))
            shown = zip(view.cell, view.outcome, view.ship, view.slot, strict=True)
            for lane, answer in enumerate(shown):
                if lane in live:
                    assert answer == told[lane][number]
        agreeing = defaultdict(list)
        for layout, answers in zip(layouts, told, strict=True):
            agreeing[answers].append(layout)
        for answers, left in agreeing.items():
            _assert_counted(rules, answers, left)


def _orders(rules):
    """Yield all orders of up to three shots; on larger boards, the first one up to symmetry."""
    cells, turned = range(rules.cells), symmetries(rules)
    for number in (1, 2, 3):
        for shots in permutations(cells, number):
            if rules.cells < 9 or shots[0] == min(way[shots[0]] for way in turned):
                yield shots


def _assert_counted(rules, answers, left):
    """Compare the counts after some answers with the layouts that agree with them."""
    found = find_posterior(Evidence(rules, (Answer(*answer) for answer in answers)))
    assert found.layouts == len(left)
    assert found.ships.tolist() == naive.ships_on_cells(rules, left)
    assert found.unlabelled == _looks(rules, left)
    if not rules.feedback.reveals.cells and len(left) < MOST:
        # Where equal ships have no names, what an answer tells is all that parts the layouts.
        shots = [answer[0] for answer in answers]
        for cell in set(range(rules.cells)) - set(shots):
            parts = Counter(naive.answers(rules, layout, [*shots, cell])[-1] for layout in left)
            assert sorted(filter(None, found.outcomes(cell))) == sorted(parts.values())


def _looks(rules, left):
    """Return how many of some layouts look different."""
    return len({frozenset(zip(rules.fleet, layout, strict=True)) for layout in left})


@pytest.mark.parametrize("board", [(1, 5, (1, 1, 1)), (1, 6, (2, 1, 1))], ids=str)
@pytest.mark.parametrize("touching", TOUCHING)
def test_ships_that_the_text_does_not_tell_apart_count_by_all_their_names(board, touching):
    rules = Rules(*board, touching, "sunk")
    layouts = list(naive.all_layouts(rules))
    for shots in permutations(range(rules.cells), 3):
        if 2 * shots[0] > rules.cells:
            # The mirror image of others.
            continue
        # So many of the ships that sink have a letter; and the text may leave out the place.
        for letters, placed in ((0, True), (0, False), (1, True)):
            agreeing = defaultdict(list)
            for layout in layouts:
                agreeing[_written(rules, layout, shots, letters, placed)].append(layout)
            for text, left in agreeing.items():
                answers = Position.parse(text, Scenario(rules=rules)).answers
                found = find_agreeing(rules, answers)
                assert (found.layouts, found.unlabelled) == (len(left), _looks(rules, left)), text
                assert found.ships.tolist() == naive.ships_on_cells(rules, left), text
                drawn = [naive.decode(rules, codes) for codes in found.sample(9).tolist()]
                assert set(drawn) <= set(left), text


def _written(rules, layout, shots, letters, placed):
    """Return what shots at a layout reveal, up to its end."""
    told, left = [], {cell for ship in layout for cell in ship}
    for cell, outcome, ship, _ in naive.answers(rules, layout, shots):
        text = f"{cell_name(cell, rules.cols)}={('miss', 'hit', 'sunk')[outcome]}"
        if outcome == 2:
            name = ship_name(rules.fleet, ship)
            text += f":{name if letters > 0 else rules.fleet[ship]}"
            letters -= 1
            ends = (cell_name(layout[ship][end], rules.cols) for end in (0, -1))
            text += f"@{'-'.join(ends)}" if placed else ""
        told.append(text)
        left.discard(cell)
        if not left:
            break
    return " ".join(told)
