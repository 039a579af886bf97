"""The last turn of salvos fired whole: its shots after the last hit count, and turns stay."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import bsbench
from bsbench import Scenario
from bsbench.env import BattleshipEnv
from bsbench.play.referee import Referee
from bsbench.present.replaying import replay
from bsbench.roster import make_strategy
from bsbench.rules.board import MISS, Rules
from bsbench.rules.scenario import scenario_options
from bsbench.runs.games import parts_of
from bsbench.strategies.view import View
from tests.support.naive import layouts
from tests.support.refusals import refused

EACH = Scenario("6x6", fleet=[3, 2], feedback="ship", shots=4, whole_turns=True, name="pond")
JOINT = EACH.override(answers="joint")


@pytest.mark.parametrize("answers", ["each", "joint"])
def test_on_all_layouts_every_turn_is_fired_whole(answers):
    rules = Rules(2, 3, (2, 1), True, "ship", 3, answers, whole_turns=True)
    turns = list(permutations(range(rules.cells), 3))
    for ships in layouts.all_layouts(rules):
        view = View(rules, len(turns))
        referee = Referee(view)
        codes = np.array([layouts.encode(rules, ships)] * len(turns), np.int32)
        referee.deal(np.arange(len(turns)), codes)
        on = {cell for ship in ships for cell in ship}
        ended = referee.fire(np.array(turns)).tolist()
        assert ended == [lane for lane, turn in enumerate(turns) if on <= {*turn}]
        assert view.shots.tolist() == [3] * len(turns)
        assert view.cells.tolist() == [[*turn] for turn in turns]
        hits = [[len({*turn} & {*ship}) for ship in ships] for turn in turns]
        if answers == "joint":
            assert view.hits.tolist() == hits
        else:
            missed = [[cell not in on for cell in turn] for turn in turns]
            assert (view.outcomes == MISS).tolist() == missed


@pytest.mark.parametrize("scenario", [EACH, JOINT], ids=["each", "joint"])
@pytest.mark.parametrize("player", ["linear", "random", "over9000", "salvo"])
def test_turns_stay_and_shots_after_the_last_hit_count(player, scenario):
    whole, once = (
        bsbench.run(player, scenario.override(whole_turns=whole), games=60, seed=3, keep_moves=True)
        for whole in (True, False)
    )
    assert whole.moves.tolist() == once.moves.tolist()
    (part,), (before,) = (
        parts_of(each, make_strategy(player), shots=True) for each in (whole, once)
    )
    most = np.minimum(4 * whole.moves.astype(int), 36)
    # The others leave out shots at cells that they know to be water.
    exactly = np.equal if player in ("linear", "random") else np.less_equal
    assert exactly(part.fired, most).all()
    assert (part.fired >= before.fired).all()
    assert (part.fired > before.fired).any()
    assert whole.shots.mean == part.fired.mean()
    for game in range(5):
        moves = replay(player, scenario, seed=3, game=game).moves
        fired = before.fired[game]
        assert len(moves) == part.fired[game]
        assert [move.cell for move in moves][:fired] == [
            move.cell
            for move in replay(
                player, scenario.override(whole_turns=False), seed=3, game=game
            ).moves
        ]
        assert all(move.outcome == MISS for move in moves[fired:])


@pytest.mark.ci
@pytest.mark.parametrize("scenario", [EACH, JOINT], ids=["each", "joint"])
def test_an_environment_pays_the_shot_that_wins_and_those_after_it(scenario):
    env = BattleshipEnv(scenario, rewards={"miss": -1, "hit": 5, "sunk": 5, "win": 100, "turn": 0})
    env.reset(seed=3)
    ships = replay("linear", scenario, seed=3).ships
    cells = sorted(cell for ship in ships for cell in ship)
    water = [cell for cell in range(35, -1, -1) if cell not in cells]

    def act(*turn):
        action = np.zeros(36, np.int8)
        action[list(turn)] = 1
        _, reward, over, _, info = env.step(action)
        return reward, over, info["shots"]

    assert act(*cells[:4]) == (20, False, 4)
    assert act(cells[4], *water[:3]) == (100 - 3, True, 8)


def test_the_rule_has_its_words_and_is_left_out_where_it_has_its_default():
    assert "--whole-turns" in scenario_options(EACH)
    assert "whole_turns" not in EACH.override(whole_turns=False).to_dict()
    for shots in (1, "afloat"):
        with refused("one shot", "whole_turns=True"):
            Scenario("6x6", fleet=[3], feedback="ship", shots=shots, whole_turns=True)
    with refused("whole_turns", "True", "'yes'"):
        EACH.override(whole_turns="yes")
