from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsbench.common.errors import Fault
from bsbench.play.referee import Referee, count_moves
from bsbench.rules.board import HIT, MISS, SUNK, Feedback, Rules
from bsbench.rules.drawing import IllegalShotError
from bsbench.strategies.view import View
from tests.support import naive
from tests.support.helpers import draw_layouts, rules
from tests.support.refusals import refused


def _begin(board: Rules, codes) -> tuple[View, Referee]:
    view = View(board, len(codes))
    referee = Referee(view)
    referee.deal(np.arange(len(codes)), np.asarray(codes, np.int32))
    return view, referee


@given(drawn=rules(), seed=st.integers(0, 100))
def test_the_referee_agrees_with_the_twin(drawn, seed):
    _play_out(drawn, draw_layouts(drawn, 6, seed=seed), seed)


@pytest.mark.parametrize("feedback", Feedback, ids=str)
@pytest.mark.parametrize("fleet", [(2, 2), (1, 2, 1)], ids=str)
def test_of_equal_ships_it_names_those_that_are_told(feedback, fleet):
    drawn = Rules(2, 4, fleet, True, feedback)
    codes = [naive.encode(drawn, layout) for layout in naive.all_layouts(drawn)]
    _play_out(drawn, np.array(codes, np.int32), seed=1)


def _play_out(drawn: Rules, codes, seed: int) -> None:
    """Fire at all cells of each layout, in random order, and compare answers with the twin's."""
    lanes = len(codes)
    view, referee = _begin(drawn, codes)
    layouts = [naive.decode(drawn, code) for code in codes]
    orders = [naive.shuffled(naive.Stream(seed, lane), drawn.cells) for lane in range(lanes)]
    told = [naive.answers(drawn, *each) for each in zip(layouts, orders, strict=True)]
    hits = np.zeros(lanes, np.int64)
    for turn in range(drawn.cells):
        live = view.live.copy()
        over = referee.fire(np.array([order[turn] for order in orders]))
        for lane in np.flatnonzero(live):
            shown = view.cell[lane], view.outcome[lane], view.ship[lane], view.slot[lane]
            assert (view.shots[lane], *shown) == (turn + 1, *told[lane][turn])
            hits[lane] += view.outcome[lane] != MISS
            won = hits[lane] == drawn.ship_cells
            assert won == (lane in over) == (not view.live[lane])
    assert not view.live.any()


@pytest.mark.parametrize(
    ("cells", "named"), [([0, 4], ["4", "B1"]), ([0, 12], ["12", "3x4"]), ([0, -1], ["-1", "3x4"])]
)
def test_illegal_shots_are_refused(cells, named):
    board = Rules(3, 4, (2,), touching=True)
    codes = [naive.encode(board, [(0, 1)])] * 2
    _, referee = _begin(board, codes)
    referee.fire(np.array([5, 4]))
    with refused(*named, kind=IllegalShotError) as caught:
        referee.fire(np.array(cells))
    assert (caught.value.lane, caught.value.cell) == (1, cells[1])


def test_fleets_of_hundreds_of_ships():
    board = Rules(30, 30, (1,) * 300, touching=True, feedback=Feedback.SHIP)
    view, referee = _begin(board, [[2 * ship for ship in range(300)]])
    referee.fire(np.array([299]))
    assert (view.outcome[0], view.ship[0]) == (SUNK, 299)
    referee.fire(np.array([300]))
    assert view.outcome[0] == MISS


@pytest.mark.parametrize("cells", [4, 70])
def test_moves_of_games_known_in_advance_are_counted(cells):
    # The first order is row by row; only where it serves all games is it that of all.
    orders = np.array([range(cells), range(cells)[::-1]], np.uint16)
    ships = [{0}, {1, cells - 2}, {cells - 1}]
    boards = np.zeros((3, -(-cells // 64)), np.uint64)
    for board, laid in zip(boards, ships, strict=True):
        for cell in laid:
            board[cell // 64] |= np.uint64(1 << cell % 64)
    moves = np.zeros(3, np.uint8)
    for row, expected in ((0, [1, cells - 1, cells]), (1, [cells, cells - 1, 1])):
        count_moves(cells, boards, orders[[row]], moves)
        assert moves.tolist() == expected
    count_moves(cells, boards[:2], orders, moves[:2])
    assert moves[:2].tolist() == [1, cells - 1]


@pytest.mark.parametrize("answers", ["each", "joint"])
def test_turns_reveal_nothing_but_their_answer(answers):
    """Of joint answers not even the last shot of a turn: that is the referee's own."""
    rules = Rules(3, 3, (2, 1), touching=True, feedback="ship", shots=3, answers=answers)
    view = View(rules, 2)
    referee = Referee(view)
    referee.deal(np.arange(2), np.array([[0, 16], [0, 16]], np.int32))
    # A miss, and the ship of two cells; in the other lane the other one first.
    referee.fire(np.array([[4, 1, 0], [8, 3, -1]]))
    assert view.shots.tolist() == [3, 2]
    assert view.turns.tolist() == [1, 1]
    assert view.cells.tolist() == [[4, 1, 0], [8, 3, -1]]
    # Where each shot is answered, these are what there is.
    assert view.hits.tolist() == ([[], []] if answers == "each" else [[2, 0], [0, 1]])
    told = [each.tolist() for each in (view.outcomes, view.ships, view.slots)]
    if answers == "each":
        outcomes = [[MISS, HIT, SUNK], [SUNK, MISS, 0]]
        assert told == [outcomes, [[-1, 0, 0], [1, -1, -1]], [[-1, -1, 0], [16, -1, -1]]]
    else:
        assert told == [[[0] * 3] * 2, [[-1] * 3] * 2, [[-1] * 3] * 2]
    # What a turn leaves of the one before.
    referee.fire(np.array([[5, -1, -1], [4, 5, 2]]))
    assert view.cells.tolist() == [[5, -1, -1], [4, 5, 2]]
    assert not view.hits.any()
    assert (view.ships == -1).all()
    assert (view.slots == -1).all()


@pytest.mark.parametrize(
    ("turn", "kind", "named"),
    [
        ([9, 0, -1], IllegalShotError, ["9", "3x3"]),
        ([0, -2, -1], IllegalShotError, ["-2", "3x3"]),
        ([0, 4, -1], IllegalShotError, ["B2", "before"]),
        ([0, 0, -1], IllegalShotError, ["A1", "twice"]),
        ([-1, 0, 1], Fault, ["without a shot", "1 to 2"]),
        ([0, 1, 2], Fault, ["3 shots", "2 at most"]),
    ],
)
def test_illegal_turns_are_refused_before_any_shot(turn, kind, named):
    view = View(Rules(3, 3, (2, 1), touching=True, feedback="ship", shots=3), 2)
    referee = Referee(view)
    referee.deal(np.arange(2), np.array([[0, 16], [0, 16]], np.int32))
    referee.fire(np.array([[3, 6, -1], [4, -1, -1]]))
    view.live[0] = False
    view.allowed[1] = 2
    # Those of a game that is over are not read.
    over = [3, 99, 3]
    with refused(*named, kind=kind) as caught:
        referee.fire(np.array([over, turn]))
    assert caught.value.lane == 1
    assert (view.shots.tolist(), view.turns.tolist()) == ([2, 1], [1, 1])
    referee.fire(np.array([over, [8, 0, -1]]))
    assert view.outcomes[1].tolist()[:2] == [SUNK, HIT]
