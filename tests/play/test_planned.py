"""Games of planners played whole, by one kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsbench.common.errors import StrategyError
from bsbench.kernels._jit import kernel
from bsbench.kernels.bits import trailing_zeros
from bsbench.kernels.plans import empty_plan, lay_down
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.planned import plays_whole
from bsbench.roster import find_strategy
from bsbench.rules.board import Rules
from bsbench.strategies.base import Planner
from tests.support import naive
from tests.support.helpers import (
    KnownLayouts,
    as_words,
    draw_layouts,
    move_counts,
    rules,
    shots_fired,
)
from tests.support.refusals import assert_sentence


@kernel
def _first_open(squares, cells):
    for lane in range(len(cells)):
        for word in range(len(squares) - 1, -1, -1):
            bits = squares[word, lane % 64, lane // 64]
            if bits:
                cells[lane] = 64 * word + trailing_zeros(bits)


class Laid(Planner):
    """Plans that a test lays down, one for each game."""

    name = "laid"
    source = "the tests"
    orders: np.ndarray
    closed: np.ndarray
    options: dict

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self.plan = empty_plan(rules, lanes, self.orders.shape[1], **self.options)

    def deal(self, lanes, games):
        lay_down(self.plan, lanes, self.orders.shape[1])
        front = self.plan.front
        self.plan.cells[lanes, front : front + self.orders.shape[1]] = self.orders[games]
        self.plan.open[lanes] &= ~self.closed[games]


_STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}


def planned_shots(
    rules: Rules,
    ships: set[int],
    listed: Iterable[int],
    closed: Iterable[int],
    decide: Callable[[set[int]], int] | None,
    *,
    around: str,
    in_front: bool,
    once: bool,
    eliminate: bool,
) -> Iterator[int]:
    """Yield the shots of a game, until all ships are hit or the plan has no open cell.

    ``decide`` is given the open cells, where the plan is at its end.
    """
    waiting, is_open = list(listed), set(range(rules.cells)) - set(closed)
    pushed: set[int] = set()
    left = set(ships)
    while left:
        waiting = [cell for cell in waiting if cell in is_open]
        if not waiting:
            if decide is None or not is_open:
                return
            waiting = [decide(is_open)]
        cell = waiting.pop(0)
        is_open.remove(cell)
        yield cell
        if cell not in left:
            continue
        left.remove(cell)
        row, col = divmod(cell, rules.cols)
        if eliminate and not rules.touching:
            for other in rules.neighbours(cell):
                if other // rules.cols != row and other % rules.cols != col:
                    is_open.discard(other)
        for direction in around:
            down, right = _STEPS[direction]
            if 0 <= row + down < rules.rows and 0 <= col + right < rules.cols:
                beside = cell + down * rules.cols + right
                if beside in is_open and not (once and beside in pushed):
                    waiting.insert(0 if in_front else len(waiting), beside)
                pushed.add(beside)


@given(
    drawn=rules(max_side=13),
    seed=st.integers(0, 200),
    options=st.fixed_dictionaries(
        {
            "around": st.sampled_from(["", "E", "SE", "NESW"]),
            **dict.fromkeys(("in_front", "once", "eliminate"), st.booleans()),
        }
    ),
    goes_on=st.sampled_from(["sweeps", "decides", "ends"]),
)
def test_games_are_those_of_the_twin(drawn, seed, options, goes_on):
    # Plans of some cells, or all of them; some cells are closed, or stand in a plan twice.
    generator = np.random.default_rng(seed)
    games, decides = 9, goes_on == "decides"
    listed = 0 if decides else drawn.cells
    codes = draw_layouts(drawn, games, seed=seed)
    ships = [{cell for slot in naive.decode(drawn, code) for cell in slot} for code in codes]
    orders = np.array(
        [generator.choice(drawn.cells, listed, replace=seed % 3 == 0) for _ in range(games)]
    )
    shut = generator.random((games, 64 * -(-drawn.cells // 64))) < 0.2 * (not decides)
    for game, water in enumerate(ships):
        shut[game, [*water]] = False

    class Drawn(Laid):
        decide = staticmethod(_first_open) if decides else None

    Drawn.orders = orders.astype(np.int64).reshape(games, listed)
    Drawn.closed = as_words(shut.reshape(games, -1, 64))
    Drawn.options = {**options, "sweeps": goes_on == "sweeps"}
    if decides:
        Drawn.deal = Planner.deal
    decide = None if goes_on == "ends" else min
    expected = [
        [*planned_shots(drawn, *each, decide, **options)]
        for each in zip(ships, orders.tolist(), map(np.flatnonzero, shut), strict=True)
    ]
    assert plays_whole(Drawn())
    ends = [ships[game] <= set(shots) for game, shots in enumerate(expected)]
    if all(ends):
        assert move_counts(drawn, Drawn(), codes).tolist() == [len(shots) for shots in expected]
        assert shots_fired(drawn, Drawn(), codes) == expected
        return
    with pytest.raises(StrategyError) as caught:
        move_counts(drawn, Drawn(), codes)
    assert caught.value.game == ends.index(False)
    assert caught.value.shots == len(expected[ends.index(False)])


POND = Rules(5, 6, (3, 2), touching=False)


def test_more_games_than_lanes_are_those_shot_by_shot():
    class Aims(Laid):
        decide = staticmethod(_first_open)
        deal = Planner.deal
        orders, options = np.zeros((1, 0), np.int64), {"around": "NESW"}

    codes = draw_layouts(POND, 1_500, seed=4)
    shots = shots_fired(POND, Aims(), codes)
    assert move_counts(POND, Aims(), codes).tolist() == [len(each) for each in shots]


@kernel
def _always_seven(squares, cells):
    cells[:] = 7


@kernel
def _beyond(squares, cells):
    cells[:] = 30


@pytest.mark.parametrize(
    ("kernel_", "shots", "named"),
    [
        (_always_seven, 1, ["plan"]),
        pytest.param(_beyond, 0, ["30", "5x6"], marks=pytest.mark.slow),  # compiles all again
    ],
)
def test_a_decision_that_can_not_be_fired_names_game_and_shot(kernel_, shots, named):
    class Stuck(Laid):
        decide = staticmethod(kernel_)
        deal = Planner.deal
        orders, options = np.zeros((1, 0), np.int64), {}

    # No ship lies at cell 7.
    layouts = np.repeat([[0, 40]], 20, axis=0).astype(np.int32)
    simulator = Simulator(POND, KnownLayouts(POND, layouts), Stuck(), 3, lanes=20)
    with pytest.raises(StrategyError) as caught:
        list(simulator.play(iter([Block(5, 15)])))
    assert_sentence(caught.value.problem, *named)
    assert 5 <= caught.value.game < 20
    assert caught.value.shots == shots


def test_a_hunt_of_its_own_is_played_shot_by_shot():
    class Hunts(Laid):
        def hunt(self, view):
            pass

    assert plays_whole(Laid())
    assert not plays_whole(Hunts())
    assert not plays_whole(find_strategy("datagenetics")())
