from __future__ import annotations

import numpy as np
import pytest

from bsbench.common.errors import StrategyError
from bsbench.roster import find_strategy, strategy_names
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.runs import heat
from tests.support import naive
from tests.support.helpers import draw_layouts, shots_fired
from tests.support.refusals import assert_sentence, refused

pytestmark = pytest.mark.ci

POND = Scenario(name="pond", rules=Rules(5, 6, (3, 2), touching=False, feedback=Feedback.SHIP))


def _counted(played: list[list[int]], cells: int) -> tuple[list[int], list[int]]:
    """Return games that shot each cell, and the sums of the numbers of those shots."""
    shot, numbers = [0] * cells, [0] * cells
    for fired in played:
        for number, cell in enumerate(fired, start=1):
            shot[cell] += 1
            numbers[cell] += number
    return shot, numbers


@pytest.mark.parametrize("name", strategy_names())
def test_shots_are_those_of_the_games(name):
    games = 60
    strategy = find_strategy(name)()
    counted = heat.shots(strategy, POND, games=games, seed=3)
    in_turn = min(strategy.games_per_learner, games)
    played = shots_fired(POND.rules, strategy, draw_layouts(POND.rules, games, seed=3), 3, in_turn)
    assert _counted(played, 30) == (counted.shot.tolist(), counted.numbers.tolist())
    assert (counted.label, counted.seed, counted.games) == (name, 3, games)


@pytest.mark.parametrize("name", ["linear", "random"])
def test_shots_are_those_of_the_plain_twin(name):
    layouts = [naive.decode(POND.rules, codes) for codes in draw_layouts(POND.rules, 40, seed=2)]
    played = [
        naive.play(naive.twin(name), POND.rules, layout, seed=2, game=game)
        for game, layout in enumerate(layouts)
    ]
    counted = heat.shots(name, POND, games=40, seed=2)
    assert _counted(played, 30) == (counted.shot.tolist(), counted.numbers.tolist())
    assert np.isnan(counted.mean_number[counted.shot == 0]).all()


def test_occupancy_is_that_of_the_layouts(monkeypatch):
    rules = POND.rules
    expected = [0] * rules.cells
    for codes in draw_layouts(rules, 50, seed=4):
        for ship in naive.decode(rules, codes):
            for cell in ship:
                expected[cell] += 1
    # However many are drawn at once.
    for at_once in (1_000, 7):
        monkeypatch.setattr(heat, "_AT_ONCE", at_once)
        counted = heat.occupancy(POND, games=50, seed=4)
        assert counted.ships.tolist() == expected
        assert counted.share.sum() == pytest.approx(rules.ship_cells)


def test_occupancy_follows_its_law():
    rules = Rules(4, 5, (3, 2), touching=False)
    layouts = list(naive.all_layouts(rules))
    weights = [
        np.prod([5 if naive.on_border(rules, ship) else 1 for ship in layout]) for layout in layouts
    ]
    exact = np.zeros(rules.cells)
    for layout, weight in zip(layouts, weights, strict=True):
        for ship in layout:
            exact[list(ship)] += weight
    exact /= sum(weights)
    games = 200_000
    scenario = Scenario(name="small", rules=rules).override(placement=Placement.parse("edge:5"))
    share = heat.occupancy(scenario, games=games, seed=1).share
    assert (np.abs(share - exact) <= 4 * np.sqrt(exact * (1 - exact) / games)).all()


def test_bad_requests_get_one_sentence():
    with refused("0 games"):
        heat.occupancy("classic", games=0)
    with refused("seed", "-1"):
        heat.shots("prob", seed=-1)
    with refused("'lattice'", "length"):
        heat.shots("lattice", "harbour")
    with refused("'nowhere'"):
        heat.occupancy("nowhere")


def test_home_and_default_scenario():
    assert heat.shots("prob", games=1).scenario == find_scenario("harbour")
    assert heat.occupancy(games=1).scenario == find_scenario("classic")


@pytest.mark.usefixtures("keen")
@pytest.mark.parametrize("cell", [100, 7])
def test_a_foul_is_told_as_in_a_run(monkeypatch, cell):
    monkeypatch.setattr(find_strategy("keen"), "shoot", lambda self, view: view.shots * 0 + cell)
    with pytest.raises(StrategyError) as caught:
        heat.shots("keen", "classic", games=1)
    assert (caught.value.game, caught.value.seed) == (0, 0)
    assert_sentence(caught.value.problem, f"cell {cell}")
