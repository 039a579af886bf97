from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsbench.kernels.boards import lane_of_boards
from bsbench.kernels.plans import ShotPlan, empty_plan, lay_down, waiting_cells
from bsbench.play.planned import PlanReferee
from bsbench.play.referee import IllegalShotError, Referee, count_moves
from bsbench.rules.board import HIT, MISS, SUNK, Feedback, Rules
from bsbench.strategies.view import View
from tests import naive
from tests.helpers import draw_layouts, rules


def _begin(board: Rules, codes) -> tuple[View, Referee]:
    view = View(board, len(codes))
    referee = Referee(view)
    referee.deal(np.arange(len(codes)), np.asarray(codes, np.int32))
    return view, referee


@pytest.mark.parametrize("feedback", Feedback)
def test_a_small_game_by_hand(feedback):
    # Ship 0 is A (2 cells, down), ship 1 is B (1 cell):
    #   A . B
    #   A . .
    board = Rules(2, 3, (2, 1), touching=True, feedback=feedback)
    view, referee = _begin(board, [naive.encode(board, [(0, 3), (2,)])])
    tells_sunk, tells_ship = feedback >= Feedback.SUNK, feedback >= Feedback.SHIP
    sunk = SUNK if tells_sunk else HIT
    expected = [
        # cell, outcome, ship, slot code, won
        (1, MISS, -1, -1, False),
        (0, HIT, 0 if tells_ship else -1, -1, False),
        (2, sunk, 1 if tells_sunk else -1, 4 if tells_sunk else -1, False),
        (5, MISS, -1, -1, False),
        (3, sunk, 0 if tells_sunk else -1, 1 if tells_sunk else -1, True),
    ]
    for number, (cell, outcome, ship, slot, won) in enumerate(expected, start=1):
        over = referee.fire(np.array([cell]))
        told = (view.shots[0], view.cell[0], view.outcome[0], view.ship[0], view.slot[0])
        assert told == (number, cell, outcome, ship, slot)
        assert over.tolist() == ([0] if won else [])
        assert view.live[0] == (not won)


@given(drawn=rules(), seed=st.integers(0, 100))
def test_the_referee_agrees_with_the_twin(drawn, seed):
    lanes = 6
    codes = draw_layouts(drawn, lanes, seed=seed)
    view, referee = _begin(drawn, codes)
    layouts = [naive.decode(drawn, code) for code in codes]
    orders = [naive.shuffled(naive.Stream(seed, lane), drawn.cells) for lane in range(lanes)]
    hits: list[set[int]] = [set() for _ in range(lanes)]
    for turn in range(drawn.cells):
        live = view.live.copy()
        over = referee.fire(np.array([order[turn] for order in orders]))
        for lane in np.flatnonzero(live):
            cell, ships = orders[lane][turn], layouts[lane]
            hit = next((ship for ship, cells in enumerate(ships) if cell in cells), None)
            assert (view.shots[lane], view.cell[lane]) == (turn + 1, cell)
            if hit is None:
                expected = (MISS, -1, -1)
            else:
                hits[lane].add(cell)
                sunk = hits[lane].issuperset(ships[hit]) and drawn.feedback >= Feedback.SUNK
                told = sunk or drawn.feedback >= Feedback.SHIP
                expected = (
                    SUNK if sunk else HIT,
                    hit if told else -1,
                    codes[lane][hit] if sunk else -1,
                )
            assert (view.outcome[lane], view.ship[lane], view.slot[lane]) == expected
            won = len(hits[lane]) == drawn.ship_cells
            assert won == (lane in over) == (not view.live[lane])
    assert not view.live.any()


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([0, 4], "it was shot before"),
        ([0, 12], "the board is 3x4"),
        ([0, -1], "the board is 3x4"),
    ],
)
def test_illegal_shots_are_refused(cells, reason):
    board = Rules(3, 4, (2,), touching=True)
    codes = [naive.encode(board, [(0, 1)])] * 2
    _, referee = _begin(board, codes)
    referee.fire(np.array([5, 4]))
    with pytest.raises(IllegalShotError, match=reason) as caught:
        referee.fire(np.array(cells))
    assert (caught.value.lane, caught.value.cell) == (1, cells[1])


@given(
    drawn=rules(),
    seed=st.integers(0, 200),
    around=st.sampled_from(["", "E", "SE", "NESW"]),
    in_front=st.booleans(),
    once=st.booleans(),
    eliminate=st.booleans(),
)
def test_firing_down_a_plan_is_firing_at_its_open_cells_and_heeding_hits(
    drawn, seed, around, in_front, once, eliminate
):
    # Plans with cells that stand there twice or are closed.
    generator = np.random.default_rng(seed)
    lanes, listed = 9, drawn.cells
    every = np.arange(lanes)
    codes = draw_layouts(drawn, lanes, seed=seed)
    view, referee = _begin(drawn, codes)
    other, other_referee = _begin(drawn, codes)
    plan = empty_plan(
        drawn, lanes, listed, around, in_front=in_front, once=once, eliminate=eliminate
    )
    lay_down(plan, every, listed)
    plan.cells[:, plan.front : plan.front + listed] = generator.integers(
        0, drawn.cells, (lanes, listed)
    )
    closed = generator.random((lanes, drawn.cells)) < 0.2
    for lane, cell in np.argwhere(closed):
        plan.open[lane, cell // 64] &= ~np.uint64(1 << int(cell) % 64)
    waiting = [plan.cells[lane, plan.front : plan.front + listed].tolist() for lane in every]
    pushed: list[set[int]] = [set() for _ in every]
    while view.live.any():
        live = np.flatnonzero(view.live).tolist()
        stuck = [lane for lane in live if closed[lane, waiting[lane]].all()]
        if stuck:
            with pytest.raises(IllegalShotError, match="its plan has no open cell") as caught:
                referee.fire_down(plan)
            assert caught.value.lane == stuck[0]
            return
        won = referee.fire_down(plan).tolist()
        for lane in live:
            while waiting[lane] and other.live[lane]:
                cell = waiting[lane].pop(0)
                if closed[lane, cell]:
                    continue
                closed[lane, cell] = True
                _fire_alone(other, other_referee, lane, cell)
                if other.outcome[lane] == MISS:
                    continue
                row, col = divmod(cell, drawn.cols)
                if eliminate and not drawn.touching:
                    for beside in drawn.neighbours(cell):
                        if beside // drawn.cols != row and beside % drawn.cols != col:
                            closed[lane, beside] = True
                for direction in around:
                    down, right = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}[direction]
                    if not (0 <= row + down < drawn.rows and 0 <= col + right < drawn.cols):
                        continue
                    beside = cell + down * drawn.cols + right
                    if not closed[lane, beside] and not (once and beside in pushed[lane]):
                        waiting[lane].insert(0 if in_front else len(waiting[lane]), beside)
                    pushed[lane].add(beside)
        assert won == [lane for lane in live if not other.live[lane]]
        for name in ("live", "shots", "cell", "outcome", "ship", "slot"):
            assert np.array_equal(getattr(view, name), getattr(other, name)), name
        is_open = [lane_of_boards(plan.open, lane, drawn.cells) for lane in range(lanes)]
        assert np.array_equal(is_open, ~closed)
        for lane in np.flatnonzero(view.live).tolist():
            # One cell more, as those who hunt lay it down.
            still = np.flatnonzero(~closed[lane])
            waiting[lane] = [int(generator.choice(still))] if len(still) else []
            plan.cells[lane, plan.front] = (waiting[lane] or [0])[0]
            plan.begin[lane], plan.end[lane] = plan.front, plan.front + len(waiting[lane])


@given(
    drawn=rules(max_side=11),
    seed=st.integers(0, 200),
    around=st.sampled_from(["", "E", "SE", "NESW"]),
    in_front=st.booleans(),
    once=st.booleans(),
    eliminate=st.booleans(),
    row_by_row=st.booleans(),
    asks=st.booleans(),
)
def test_games_played_unwatched_are_those_of_the_referee(
    drawn, seed, around, in_front, once, eliminate, row_by_row, asks
):
    # Plans of all cells, or a few; some are closed, or have been pushed already.
    generator = np.random.default_rng(seed)
    lanes, cells = 9, drawn.cells
    every = np.arange(lanes)
    codes = draw_layouts(drawn, lanes, seed=seed)
    plan = empty_plan(
        drawn, lanes, cells, around, in_front=in_front, once=once, eliminate=eliminate
    )
    lay_down(plan, every, cells)
    order = np.tile(np.arange(cells), (lanes, 1))
    plan.cells[:, plan.front : plan.front + cells] = (
        order if row_by_row else generator.permuted(order, axis=1)
    )
    view, referee = _begin(drawn, codes)
    water = referee.state.content == referee.state.water
    for lane, cell in np.argwhere(water & (generator.random(water.shape) < 0.2)):
        plan.open[lane, cell // 64] &= ~np.uint64(1 << int(cell) % 64)
    plan.fresh[:] = generator.integers(2**64, size=plan.fresh.shape, dtype=np.uint64)
    if asks:
        plan.end[:] = plan.begin + generator.integers(0, cells, lanes)
    same = ShotPlan(*(np.copy(each) if isinstance(each, np.ndarray) else each for each in plan))
    other = View(drawn, lanes)
    alone = PlanReferee(other)
    alone.deal(every, codes)
    while view.live.any():
        try:
            won = referee.fire_down(plan).tolist()
        except IllegalShotError as error:
            with pytest.raises(IllegalShotError, match=f"^{error}$"):
                alone.fire_down(same)
            return
        assert alone.fire_down(same).tolist() == won
        assert other.live.tolist() == view.live.tolist()
        assert other.shots.tolist() == view.shots.tolist()
        for lane in np.flatnonzero(view.live).tolist():
            assert waiting_cells(plan, lane) == waiting_cells(same, lane) == []
            is_open = lane_of_boards(plan.open, lane, cells)
            assert (is_open == lane_of_boards(same.open, lane, cells)).all()
            for each in plan, same:
                each.begin[lane], each.end[lane] = plan.front, plan.front + is_open.any()
                each.cells[lane, plan.front] = np.argmax(is_open)


def _fire_alone(view: View, referee: Referee, lane: int, cell: int) -> None:
    live = view.live.copy()
    view.live[:] = False
    view.live[lane] = True
    referee.fire(np.full(view.lanes, cell))
    live[lane] = view.live[lane]
    view.live[:] = live


def _plan(cells: list[list[int]]) -> ShotPlan:
    board = Rules(3, 4, (2,), touching=True)
    plan = empty_plan(board, len(cells), len(cells[0]))
    lay_down(plan, np.arange(len(cells)), len(cells[0]))
    plan.cells[:, plan.front :] = cells
    return plan


def test_illegal_plans_are_refused():
    board = Rules(3, 4, (2,), touching=True)
    codes = [naive.encode(board, [(0, 1)])] * 2
    _, referee = _begin(board, codes)
    plan = _plan([[7, 8], [9, 10]])
    assert referee.fire_down(plan).tolist() == []
    plan.begin[0], plan.cells[0, plan.front] = plan.front, 6
    with pytest.raises(IllegalShotError, match="its plan has no open cell") as caught:
        referee.fire_down(plan)
    assert caught.value.lane == 1
    for cells, reason in ([12, 3], "the board is 3x4"), ([9, 3], "it was shot before"):
        _, referee = _begin(board, codes)
        referee.fire_down(_plan([[7, 8], [9, 10]]))
        with pytest.raises(IllegalShotError, match=reason) as caught:
            referee.fire_down(_plan([[3, 4], cells]))
        assert (caught.value.lane, caught.value.cell) == (1, cells[0])


def test_fresh_games_forget_the_old_ones():
    board = Rules(2, 2, (1,), touching=True, feedback=Feedback.SHIP)
    view, referee = _begin(board, [[0], [2]])
    assert referee.fire(np.array([0, 0])).tolist() == [0]
    referee.deal(np.array([0]), np.array([[6]], np.int32))
    assert (view.shots.tolist(), view.cell.tolist()) == ([0, 1], [-1, 0])
    assert referee.fire(np.array([0, 1])).tolist() == [1]
    assert referee.fire(np.array([3, 0])).tolist() == [0]
    assert view.shots.tolist() == [2, 2]


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
    # The ends of orders alone: 0 where the last hit comes before.
    count_moves(cells, boards, orders[[0, 1, 0], -2:], moves)
    assert moves.tolist() == [0, cells - 1, cells]
