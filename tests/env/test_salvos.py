"""The Gymnasium environments where a turn has several shots, or one answer for all of them."""

from __future__ import annotations

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs bsbench[gym]")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from bsbench import find_scenario  # noqa: E402
from bsbench.env import ID, BattleshipEnv, BattleshipVectorEnv, LLMAgent, StrategyAgent, obs_to_text  # noqa: E402
from bsbench.own.observation import JOINT  # noqa: E402
from tests.support import envs  # noqa: E402
from tests.support.envs import LAYOUT, agree, cells, name_of, small  # noqa: E402
from tests.support.refusals import refused  # noqa: E402

pytestmark = pytest.mark.ci


def told(info) -> dict:
    return {name: np.asarray(value).tolist() for name, value in info.items()}


def about_turn(outcome: int, ship: int, shots: int, turns: int, fired: list[int]) -> dict:
    """Return what the info tells of a turn of game 0, whatever is answered."""
    told = {"outcome": outcome, "ship": ship, "shots": shots, "turns": turns, "cells": fired}
    return told | {"invalid_actions": 0, "seed": 0, "game": 0, "allowed": 3}


# --- as Gymnasium wants it ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "obs"),
    [(envs.EACH, "planes"), (envs.EACH, "flat"), (envs.JOINTLY, JOINT), (envs.SINGLE, JOINT)],
    ids=name_of,
)
@pytest.mark.parametrize("mask", [False, True])
def test_gymnasium_finds_no_fault_and_warns_of_nothing(scenario, obs, mask, capsys):
    env = gymnasium.make(ID, scenario=scenario, obs=obs, mask=mask).unwrapped
    assert env.action_space == gymnasium.spaces.MultiBinary(scenario.rules.cells)
    check_env(env)


# --- turns --------------------------------------------------------------------------------------

TURNS = [  # cells, reward by table "seed", then what the info tells
    ((24, 23), -2, [0, -1, 2, 1, [23, 24, -1]], [0, 0, -1], [-1] * 3, [-1] * 3, [0, 0]),
    ((0, 14, 3), 9, [1, -1, 5, 2, [0, 3, 14]], [1, 0, 1], [-1] * 3, [-1] * 3, [1, 1]),
    ((1, 2), 15, [2, 0, 7, 3, [1, 2, -1]], [1, 2, -1], [-1, 0, -1], [-1, 0, -1], [2, 0]),
    # The shot after the last hit is not fired.
    ((19, 20, 4), 99, [2, 1, 9, 4, [4, 19, -1]], [0, 2, -1], [-1, 1, -1], [-1, 29, -1], [0, 1]),
]


@pytest.mark.parametrize("feedback", ["hit", "sunk", "ship"])
def test_each_shot_of_a_turn_is_paid_and_told(feedback):
    env = small(envs.EACH.override(feedback=feedback))
    board = np.zeros(25, int)
    for place, (turn, reward, about, outcomes, ships, slots, hits) in enumerate(TURNS):
        outcome, ship, shots, number, fired = about
        if feedback == "hit":
            # No ship is said to sink, nor paid for it.
            outcomes, ships, slots = [min(each, 1) for each in outcomes], [-1] * 3, [-1] * 3
            outcome, ship, reward = min(outcome, 1), -1, reward - 5 * (place == 2)
        if feedback == "ship":
            ships = [[0, -1, 1], [0, 0, -1]][place - 1] if place in (1, 2) else ships
            ship = 0 if place == 1 else ship
        observation, paid, over, truncated, info = env.step(cells(*turn))
        assert (paid, over, truncated) == (reward, place == 3, False)
        assert told(info) == {
            **about_turn(outcome, ship, shots, number, fired),
            "hits": hits if feedback == "ship" else [-1, -1],
            **{"outcomes": outcomes, "ships": ships, "slots": slots},
            "action_mask": (observation["attack_board"].ravel() == 0).astype(int).tolist(),
        }
        for cell, came in zip(fired, outcomes, strict=True):
            if cell >= 0:
                board[cell] = 2 if came else 1
        if feedback != "hit":
            board[[0, 1, 2]] = 3 if place >= 2 else board[[0, 1, 2]]
            board[[14, 19]] = 3 if place >= 3 else board[[14, 19]]
        assert observation["attack_board"].ravel().tolist() == board.tolist()
        assert observation["move_count"] == shots
    with refused("reset"):
        env.step(cells(7))


def test_joint_answers_tell_only_how_many_shots_hit_each_ship():
    env = small(envs.JOINTLY, mask=True, render_mode="ansi")
    turn, hits = np.zeros(25, int), np.zeros((25, 2), int)
    for place, (shots, reward, about, *_, struck) in enumerate(TURNS):
        outcome, ship, count, number, fired = about
        observation, paid, over, _, info = env.step(cells(*shots))
        assert (paid, over) == (reward, place == 3)
        turn[[cell for cell in fired if cell >= 0]] = number
        hits[place] = struck
        afloat = [3 * (place < 2), 2 * (place < 3)]
        mask = (turn == 0).astype(int).tolist()
        assert told(observation) == {
            "turn": turn.reshape(5, 5).tolist(),
            "hits": hits.tolist(),
            "remaining_ships": afloat,
            "move_count": [count],
            "action_mask": mask,
        }
        about = about_turn(outcome, 0 if place == 1 else ship, count, number, fired)
        assert told(info) == {**about, "hits": struck, "action_mask": mask}
        assert f"turn {number}: " in env.render()
        # What each shot did is not noted anywhere.
        assert not env._arena.known.board.any()
        shown = env.observing.read_turns(observation)
        assert all(np.array_equal(*pair) for pair in zip(shown, env._known, strict=True))


def test_two_layouts_with_the_same_answers_are_told_apart_by_nothing():
    played = []
    for layout in ([[0, 1, 2], [23, 24]], [[22, 23, 24], [0, 1]]):
        env = BattleshipEnv(envs.JOINTLY, layouts=[layout], rewards="turns")
        env.reset(seed=0)
        # One hit on each ship.
        played.append(env.step(cells(0, 12, 24)))
    agree(*played)


@pytest.mark.parametrize(
    ("scenario", "action", "named"),
    [
        (envs.EACH, cells(), ["1 to 3", "0"]),
        (envs.JOINTLY, cells(5, 6, 7, 8), ["1 to 3", "4"]),
        (envs.JOINTLY, cells(5, 24), ["24", "E5", "before"]),
    ],
    ids=name_of,
)
def test_an_invalid_set_is_one_invalid_action(scenario, action, named):
    env = small(scenario, rewards="turns")
    before = env.step(cells(23, 24))
    observation, reward, *over, info = env.step(action)
    agree(observation, before[0])
    assert (reward, over) == (-1, [False, False])
    nothing = {name: [-1] * len(info[name]) for name in env._answers}
    changed = {"outcome": -1, "ship": -1, "invalid_actions": 1, **nothing}
    assert told(info) == {**told(before[4]), **changed}
    assert env.step(action)[4]["invalid_actions"] == 2
    assert env.step(cells(5))[4]["turns"] == 2

    env = small(scenario, invalid_action="terminate", rewards={"invalid": -7, "turn": -2})
    assert env.step(cells(23, 24))[1] == -4
    assert env.step(action)[1:4] == (-7, True, False)

    env = small(scenario, invalid_action="raise")
    env.step(cells(23, 24))
    with refused(*named):
        env.step(action)
    assert env.step(cells(5))[4]["invalid_actions"] == 0

    boards = BattleshipVectorEnv(2, scenario, invalid_action="raise", layouts=[LAYOUT])
    boards.reset(seed=0)
    boards.step(np.tile(cells(23, 24), (2, 1)))
    with refused("board 1", *named):
        boards.step(np.array([cells(5), action]))
    assert boards.step(np.array([cells(5), cells(6)]))[4]["turns"].tolist() == [2, 2]


@pytest.mark.parametrize(
    "action", [3, None, [1, 0], np.ones(25), cells(1) * 2, -cells(1), [[1], [0, 1]]]
)
def test_actions_that_are_no_sets_are_errors(action):
    env = small(envs.EACH)
    with refused("set of cells", "(25,)"):
        env.step(action)
    boards = BattleshipVectorEnv(2, envs.EACH)
    boards.reset(seed=0)
    with refused("sets of cells", "(2, 25)"):
        boards.step(action)
    assert env.step(cells(3).tolist())[4]["invalid_actions"] == 0
    assert env.step(cells(4).astype(bool))[4]["shots"] == 2


def test_a_board_that_begins_anew_ignores_its_action():
    boards = BattleshipVectorEnv(2, envs.EACH, layouts=[LAYOUT], invalid_action="raise")
    boards.reset(seed=0)
    turns = [cells(0, 1, 2), cells(14, 19)]
    for turn in turns:
        step = boards.step(np.array([turn, turn if turn is turns[0] else cells(5)]))
    assert step[2].tolist() == [True, False]
    step = boards.step(np.array([cells(*range(9)), cells(6)]))
    assert step[1].tolist() == [0, -1]
    assert step[4]["turns"].tolist() == [0, 3]
    with refused("board 1"):
        boards.step(np.array([cells(3), cells(6)]))


# --- strategies ---------------------------------------------------------------------------------


def test_answers_that_do_not_follow_are_refused():
    env = small(envs.EACH)
    agent = StrategyAgent("linear", env)
    observation, info = env.reset(seed=0)
    action = agent.select_action(observation, info)
    after, *_, later = env.step(action)
    with refused("info"):
        agent.select_action(after)
    following = agent.select_action(after, later)
    assert (following != action).any()
    with refused("action"):
        agent.select_action(after, later)


# --- refusals -----------------------------------------------------------------------------------


def test_what_fits_no_turns_is_refused():
    afloat = find_scenario("classic").override(shots="afloat")
    for scenario, arguments, *named in (
        (envs.JOINTLY, {"obs": "sunk"}, "sunk", "joint", "turns"),
        (envs.EACH, {"obs": "turns"}, "turns", "joint", "sunk"),
        (envs.EACH, {"rewards": {"turns": 1}}, "'turns'", "'turn'"),
        (afloat, {}, "afloat", "shots=5"),
    ):
        with refused(*named):
            BattleshipEnv(scenario, **arguments)


def test_what_plays_single_shots_refuses_salvos():
    for scenario in (envs.EACH, envs.JOINTLY):
        text = scenario.rules.turn_text
        with refused("'prob'", text, "linear"):
            StrategyAgent("prob", BattleshipEnv(scenario))
        with refused("language models", text):
            LLMAgent(lambda messages: "A1", scenario)
    with refused("joint"):
        obs_to_text(small(envs.JOINTLY).reset(seed=0)[0])
    pytest.importorskip("pettingzoo", reason="needs bsbench[gym]")
    from bsbench.env import two_player

    with refused("for two", envs.EACH.rules.turn_text):
        two_player.env(scenario=envs.EACH)
