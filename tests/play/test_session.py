"""A strategy at a board: whose fault an error is, and which game it names."""

from __future__ import annotations

import numpy as np
import pytest

from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.kernels.plans import empty_plan, lay_down
from bsbench.play.game import LANE, moves_of, play_game
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.session import Session
from bsbench.roster import find_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.strategies import Strategy
from bsbench.strategies.base import Planner
from tests.support.helpers import KnownLayouts, draw_layouts
from tests.support.refusals import assert_sentence, names

POND = Rules(5, 6, (3, 2), touching=False, feedback=Feedback.SHIP)


class Tires(Strategy):
    """The cells in order, but only so many in a game."""

    name = "tires"
    most = 2

    def shoot(self, view):
        if view.shots.max() == self.most:
            raise ZeroDivisionError("tired")
        return view.shots.copy()


class Absent(Tires):
    """Never begins."""

    name = "absent"

    def begin(self, rules, lanes, seed):
        raise KeyError("nobody")


def _session(strategy: Strategy, lanes: int) -> Session:
    session = Session(strategy, POND, lanes, seed=3)
    everyone = np.arange(lanes)
    session.deal(everyone, everyone + 7, draw_layouts(POND, lanes, seed=3))
    return session


@pytest.mark.parametrize("lanes", [1, 3])
def test_an_error_of_a_user_names_the_game_and_the_shots_before(lanes):
    session = _session(Tires(), lanes)
    session.step()
    session.step()
    with pytest.raises(StrategyError) as caught:
        session.step()
    error = caught.value
    assert (error.strategy, error.game, error.seed, error.shots) == ("tires", 7, 3, 2)
    assert_sentence(error.problem, "ZeroDivisionError", "tired")
    # In a batch, nobody knows which game it was.
    assert names(error.problem, "batch") == (lanes > 1)
    assert "test_session.py" in error.line


def test_an_illegal_shot_names_its_own_lane():
    session = _session(Tires(), 3)
    session.step()
    with pytest.raises(StrategyError) as caught:
        session.fire(np.array([1, 0, 1]))
    assert_sentence(caught.value.problem, "A1")
    assert (caught.value.game, caught.value.shots) == (8, 1)


def test_an_error_before_the_first_game_names_the_game_that_was_asked_for():
    sampler = KnownLayouts(POND, draw_layouts(POND, 6, seed=3))
    with pytest.raises(StrategyError) as caught:
        next(play_game(Absent(), POND, sampler, 3, 5))
    assert_sentence(caught.value.problem, "KeyError")
    assert (caught.value.game, caught.value.shots) == (5, 0)


@pytest.mark.parametrize("error", [ZeroDivisionError("defect"), BsbenchError("a bad file")])
def test_defects_of_bsbench_and_its_sentences_stay_as_they_are(monkeypatch, error):
    def broken(self, view):
        raise error

    smart = find_strategy("smart")
    monkeypatch.setattr(smart, "hunt", broken)
    with pytest.raises(type(error)) as caught:
        _session(smart(), 2).step()
    assert caught.value is error


def test_without_layouts_the_caller_answers_the_shots():
    session = Session(Tires(), POND, 2, seed=0)
    view = session.view
    session.deal(np.arange(2), np.array([4, 5]))
    assert session.choose().tolist() == [[0], [0]]
    view.shots[1], view.cell[1], view.ship[1], view.slot[1] = 1, 0, 1, 6
    assert session.choose().tolist() == [[0], [1]]
    session.deal(np.array([1]), np.array([6]))
    assert session.games.tolist() == [4, 6]
    assert view.live.all()
    assert (view.shots[1], view.cell[1], view.ship[1], view.slot[1]) == (0, -1, -1, -1)


@pytest.mark.parametrize("name", ["random", "smart", "prob"])
def test_an_observer_sees_the_shots_of_a_game_one_by_one(name):
    seen: list[tuple[int, int]] = []

    def observe(view, lanes):
        assert lanes.tolist() == [0]
        seen.append((int(view.cell[0]), int(view.shots[0])))

    layout = draw_layouts(POND, 1, seed=3)
    session = Session(find_strategy(name)(), POND, 1, 3, observer=observe)
    session.deal(LANE, LANE, layout)
    while session.view.live[0]:
        session.step()
    other = Session(find_strategy(name)(), POND, 1, 3)
    played = [move.cell for move in moves_of(other, 0, layout)]
    assert seen == [(cell, number) for number, cell in enumerate(played, start=1)]


class Hasty(Planner):
    """It plans the first games whole, and for the others a few cells."""

    name = "hasty"

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self.plan = empty_plan(rules, lanes, rules.cells)

    def deal(self, lanes, games):
        self.plan.cells[lanes, self.plan.front :] = np.arange(self.rules.cells)
        lay_down(self.plan, lanes, self.rules.cells)
        self.plan.end[lanes[games >= 12]] = self.plan.front + 4


class Strays(Hasty):
    """Beyond the board."""

    name = "strays"

    def deal(self, lanes, games):
        super().deal(lanes, games)
        self.plan.cells[lanes[games >= 12], self.plan.front] = self.rules.cells


@pytest.mark.parametrize(("strategy", "named"), [(Hasty(), ["plan"]), (Strays(), ["30", "5x6"])])
def test_a_plan_that_can_not_be_played_names_its_game(strategy, named):
    layouts = np.repeat(draw_layouts(POND, 1, seed=3), 20, axis=0)
    simulator = Simulator(POND, KnownLayouts(POND, layouts), strategy, 3, lanes=20)
    with pytest.raises(StrategyError) as caught:
        list(simulator.play(iter([Block(5, 15)])))
    assert_sentence(caught.value.problem, *named)
    assert caught.value.game == 12
