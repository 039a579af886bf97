"""Decisions shared between games of the same history."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bsbench.common.errors import StrategyError
from bsbench.kernels import shared
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.referee import Referee
from bsbench.roster import find_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import find_scenario
from bsbench.strategies.base import Strategy
from bsbench.strategies.bob import Bob
from bsbench.strategies.view import View
from tests.support.helpers import KnownLayouts, draw_layouts, rules
from tests.support.refusals import assert_sentence

CLASSIC = find_scenario("classic").rules


class Sharing(Bob):
    """Decides once for all games of the same history."""

    shares = True


class Plain(Strategy):
    """Plain Python, without kernels: every cell in turn, but first those beside the last hit."""

    name = "plain"
    shares = True

    def __init__(self) -> None:
        self.asked = self.wanted = 0

    def copy(self):
        return self

    def shoot(self, view: View):
        self.asked += view.asked.sum()
        self.wanted += view.live.sum()
        cells = np.full(self.lanes, -1)
        fresh = view.shots == 0
        self.open = [
            list(range(self.rules.cells)) if fresh[lane] else self.open[lane]
            for lane in range(self.lanes)
        ]
        for lane in np.flatnonzero(view.live):
            rest, last = self.open[lane], view.cell[lane]
            if last >= 0:
                rest.remove(last)
                if view.outcome[lane] == 1:
                    rest.sort(key=lambda cell, last=last: (abs(cell - last) not in (1, 10), cell))
            if view.asked[lane]:
                cells[lane] = rest[0]
        return cells


class Tree:
    """The twin: decisions by history, and where the game in each lane stands."""

    def __init__(self, lanes: int, rows: int) -> None:
        self.most = rows // 2
        self.decided: dict[tuple, int | None] = {}
        self.history: list[tuple] = [()] * lanes
        self.new = [0] * lanes

    def begin(self, lane: int) -> None:
        self.history[lane], self.new[lane] = (), shared.NEW

    def asks(self, lane: int, last: tuple | None) -> bool:
        """Tell whether a lane asks, after a shot that did ``last`` (None before the first)."""
        if last is not None:
            self.history[lane] += (last,)
        history = self.history[lane]
        if self.new[lane] == 0:
            return True
        if history in self.decided:
            return False
        if len(self.decided) < self.most:
            self.decided[history] = None
            self.new[lane] -= 1
        else:
            self.new[lane] = 0
        return True

    def decide(self, lane: int, cell: int) -> None:
        """Take note of what a lane that asked was told."""
        if self.decided.get(self.history[lane], cell) is None:
            self.decided[self.history[lane]] = cell

    def known(self, lane: int) -> int | None:
        return self.decided[self.history[lane]]


def _moves(strategy, codes, lanes, **room):
    simulator = Simulator(CLASSIC, KnownLayouts(CLASSIC, codes), strategy, 0, lanes, **room)
    return np.concatenate([moves for _, moves in simulator.play(iter([Block(0, len(codes))]))])


@given(
    rules(max_side=6),
    st.sampled_from([1, 16, 100, 1000, 40_000]),
    st.integers(1, 90),
    st.integers(0, 1000),
)
@settings(max_examples=60)
def test_agrees_with_the_twin_shot_by_shot(board, size, lanes, seed):
    board = Rules(board.rows, board.cols, board.fleet, board.touching, Feedback(seed % 3))
    codes = draw_layouts(board, 3 * lanes, seed=seed)
    view, strategy = View(board, lanes), find_strategy("bob")()
    referee, decisions = Referee(view), shared.no_decisions(lanes, size)
    twin = Tree(lanes, len(decisions.entries))
    strategy.begin(board, lanes, seed)
    assert len(decisions.entries) * shared.BYTES_OF_ENTRY <= max(size, shared.BYTES_OF_ENTRY)

    def deal(fresh, first):
        referee.deal(fresh, codes[first : first + len(fresh)])
        strategy.deal(fresh, fresh)
        shared.begin_histories(fresh, decisions)
        for lane in fresh:
            twin.begin(lane)
        return first + len(fresh)

    # Lanes begin at different times: a few at first, the others and those that are over later.
    dealt = deal(np.arange(-(-lanes // 2)), 0)
    asked = np.zeros(lanes, np.bool_)
    step = 0
    while view.live.any():
        chosen = strategy.shoot(view).copy()
        told = (view.cell, view.outcome, view.ship, view.slot)
        shared.look_up(view.live, view.shots, *told, decisions, asked)
        live = np.flatnonzero(view.live)
        for lane in live:
            last = tuple(int(what[lane]) for what in told) if view.shots[lane] else None
            assert asked[lane] == twin.asks(lane, last)
        cells = np.where(asked, chosen, -7)
        shared.share(asked, cells, decisions)
        assert (cells[live] == chosen[live]).all()
        for lane in live:
            twin.decide(lane, int(chosen[lane]))
            assert asked[lane] or twin.known(lane) == chosen[lane]
        assert decisions.used[0] == len(twin.decided) <= len(decisions.entries) // 2
        referee.fire(cells)
        step += 1
        idle = np.flatnonzero(~view.live)[: len(codes) - dealt]
        if step % 3 == 0 and len(idle):
            dealt = deal(idle, dealt)


@pytest.mark.parametrize("lanes", [1, 70, 1100])
@pytest.mark.parametrize("size", [1, 5_000, 1 << 20])
def test_games_are_the_same_with_and_without(lanes, size):
    codes = draw_layouts(CLASSIC, 150 if lanes == 1 else 2_000)
    expected = _moves(Bob(), codes, 512)
    assert (_moves(Sharing(), codes, lanes, shared_bytes=size) == expected).all()


def test_a_strategy_in_plain_python_is_asked_less_often():
    codes = draw_layouts(CLASSIC, 600)
    sharing, alone = Plain(), Plain()
    alone.shares = False
    assert (_moves(sharing, codes, 64) == _moves(alone, codes, 64)).all()
    assert alone.asked == alone.wanted == sharing.wanted
    assert sharing.asked < 0.9 * sharing.wanted


def test_what_differs_in_any_of_112_bits_is_another_history():
    decisions = shared.no_decisions(1, 1 << 10)
    shared.begin_histories(np.zeros(1, np.int64), decisions)
    view, asked = View(CLASSIC, 1), np.zeros(1, np.bool_)
    view.live[:] = True
    told = (view.live, view.shots, view.cell, view.outcome, view.ship, view.slot, decisions, asked)
    root = [int(part) for part in decisions.history[0]]
    row = root[0] % len(decisions.entries)
    others = [(root[0] ^ 1 << bit, root[1]) for bit in range(64)]
    others += [(root[0], root[1] ^ 1 << bit) for bit in range(16, 64)]
    chosen = 45
    for high, low in others:
        decisions.entries[:] = 0
        decisions.entries[row] = high, (low & ~0xFFFF) | chosen
        decisions.used[0], decisions.new[0] = 1, 1
        shared.look_up(*told)
        assert asked[0]
        assert decisions.at[0] == row + 1
    decisions.entries[row] = root[0], (root[1] & ~0xFFFF) | chosen
    decisions.new[0] = 1
    shared.look_up(*told)
    assert not asked[0]
    cells = np.full(1, -7)
    shared.share(asked, cells, decisions)
    assert cells.tolist() == [chosen - 1]


@pytest.mark.parametrize("foul", [-1, 100, 65_535, 0])
def test_a_foul_is_told_as_without(foul):
    class Foul(Plain):
        def shoot(self, view):
            cells = super().shoot(view)
            cells[view.shots == 5] = foul
            return cells

    told = []
    for shares in (True, False):
        strategy = Foul()
        strategy.shares = shares
        with pytest.raises(StrategyError) as error:
            _moves(strategy, draw_layouts(CLASSIC, 100), 64)
        told.append(str(error.value))
    assert told[0] == told[1]
    assert_sentence(told[0], f"cell {foul}", "5 shots")


def test_a_strategy_that_shares_returns_a_cell_for_each_lane():
    class Short(Plain):
        def shoot(self, view):
            return super().shoot(view)[:-1]

    with pytest.raises(StrategyError) as caught:
        _moves(Short(), draw_layouts(CLASSIC, 100), 64)
    assert_sentence(caught.value.problem, "(63,)", "int64")
