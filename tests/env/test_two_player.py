"""Battleship for two: as PettingZoo wants it, and the same games as runs."""

from __future__ import annotations

import copy
import importlib.util
import sys
import warnings
from functools import partial

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="needs bsbench[gym]")

from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, seed_test

import bsbench
from bsbench.env import BattleshipVectorEnv, StrategyAgent, two_player
from bsbench.rules.board import slots_left
from bsbench.rules.scenario import Scenario
from tests.support import ROOT, naive
from tests.support.refusals import refused

AGENTS = ["player_0", "player_1"]

KINDS = [
    {},
    {"placement": "actions", "scenario": "harbour"},
    {"last_turn": True, "laws": ["edge", "uniform"], "scenario": "gym-6x6"},
    {"placement": "actions", "max_cycles": 9, "scenario": "gym-5x7"},
]


def tiny(fleet=(2, 1), touching=False, rows=3, cols=3, feedback="sunk") -> Scenario:
    """Return a scenario whose layouts can be counted by hand."""
    return Scenario(board=(rows, cols), fleet=fleet, touching=touching, feedback=feedback)


def after(env, actions, **reset):
    """Return an environment that has begun a game, and in which these actions were played."""
    env.reset(**{"seed": 0, **reset})
    for action in actions:
        env.step(action)
    return env


def legal(env) -> list[int]:
    """Return the legal actions of the agent whose turn it is."""
    return np.flatnonzero(env.last()[0]["action_mask"]).tolist()


def ships(env, agent: str) -> list[list[int]]:
    """Return the cells of each of an agent's ships, as it sees them."""
    shown = env.observe(agent)["observation"]
    count = shown.shape[2] // 2 - 4
    return [np.flatnonzero(shown[..., 8 + ship]).tolist() for ship in range(count)]


# --- as PettingZoo wants it ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "options"),
    [*((two_player.env, options) for options in KINDS), (two_player.raw_env, KINDS[3])],
    ids=["law", "actions", "last_turn", "max_cycles", "raw"],
)
def test_pettingzoo_finds_no_fault(make, options, capsys):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(make(**options), num_cycles=300)
    # It says so of every dictionary, but for those of games on a list of its own.
    assert {str(each.message).partition(".")[0] for each in caught} == {
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium",
    }
    seed_test(lambda: make(**options))


def test_turns_of_the_placement_phase_count_for_max_cycles():
    env = two_player.raw_env(scenario="gym-5x5", placement="actions", max_cycles=3)
    env.reset(seed=0)
    for turns in range(6):
        assert not any(env.truncations.values()), turns
        env.step(legal(env)[0])
    assert env.truncations == dict.fromkeys(AGENTS, True)
    assert env.terminations == dict.fromkeys(AGENTS, False)
    assert env.rewards == dict.fromkeys(AGENTS, 0)
    assert legal(env) == []


def test_an_illegal_action_ends_the_game_in_env_alone(capsys):
    env = after(two_player.env(scenario="gym-5x5"), [3, 4])
    env.step(3)
    assert env.terminations == dict.fromkeys(AGENTS, True)
    assert env.rewards == {"player_0": -1, "player_1": 0}

    raw = after(two_player.raw_env(scenario="gym-5x5"), [3, 4])
    before = raw.observe("player_0")
    with refused("3", "A4"):
        raw.step(3)
    assert raw.agent_selection == "player_0"
    assert data_equivalence(raw.observe("player_0"), before)
    raw.step(5)
    assert raw.agent_selection == "player_1"


def test_what_is_no_cell_is_refused():
    raw = after(two_player.raw_env(scenario="gym-5x5"), [])
    for action in (25, -1, 10**30, 2.0, True, None, "3"):
        with refused():
            raw.step(action)
    assert legal(raw) == list(range(25))


def test_steps_without_a_game_are_refused():
    raw = two_player.raw_env(scenario="gym-5x5", max_cycles=1)
    with refused("'game'"):
        raw.reset(options={"gaem": 3})
    with refused("reset"):
        raw.step(0)
    after(raw, [0, 0, None, None])
    assert raw.agents == []
    with refused("reset"):
        raw.step(0)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"placement": "law:edge"}, ["law", "actions"]),
        ({"laws": ["edge"]}, ["player_1"]),
        ({"max_cycles": 0}, ["max_cycles"]),
        ({"render_mode": "film"}, ["'film'"]),
    ],
)
def test_wrong_arguments_are_refused(options, named):
    with refused(*named):
        two_player.env(**options)


def test_without_pettingzoo_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with refused("PettingZoo", "pip install 'bsbench[gym]'"):
        importlib.reload(two_player)


# --- which games these are ----------------------------------------------------------------------


def test_games_of_a_seed_follow_each_other():
    def numbers(env, **reset):
        env.reset(**reset)
        return env.infos["player_0"]["seed"], env.infos["player_0"]["game"]

    env = two_player.env(scenario="gym-5x5")
    given = [{"seed": 3}, {}, {"options": {"game": 7}}, {}, {"seed": 5}]
    assert [numbers(env, **each) for each in given] == [(3, 0), (3, 1), (3, 7), (3, 8), (5, 0)]
    drawn = {numbers(two_player.env(scenario="gym-5x5"))[0] for _ in range(2)}
    assert len(drawn) == 2


@pytest.fixture(scope="module")
def example():
    path = ROOT / "examples" / "two_player.py"
    spec = importlib.util.spec_from_file_location("two_player_example", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcomes(own: list[int], other: list[int], last_turn: bool) -> list[int]:
    """Return what player_0 is paid in each game, by the move counts of both on each layout."""
    paid = []
    for game, moves in enumerate(own):
        theirs = other[game ^ 1]
        if moves != theirs:
            paid.append(1 if moves < theirs else -1)
        else:
            paid.append(0 if last_turn else (1, -1)[game % 2])
    return paid


@pytest.mark.parametrize(
    ("players", "feedback", "laws", "last_turn", "again"),
    [
        (("prob", "hunt-target"), "sunk", ["uniform", "uniform"], False, True),
        (("random", "random"), "hit", ["uniform", "uniform"], True, False),
        (("hunt-target", "prob"), "ship", ["edge", "uniform"], True, True),
        (("random", "linear"), "sunk", ["edge", "uniform"], False, False),
    ],
    ids=["sunk", "hit", "ship", "plain"],
)
def test_who_wins_follows_from_the_move_counts_of_runs(
    example, players, feedback, laws, last_turn, again
):
    games, seed = 40, 6
    scenario = tiny((3, 2), rows=5, cols=5, feedback=feedback).override(again=again)
    moves = [
        bsbench.run(
            player, scenario, games=games, seed=seed, placement=law, keep_moves=True
        ).moves.tolist()
        # A side shoots at the fleet of the other.
        for player, law in zip(players, reversed(laws), strict=True)
    ]
    expected = outcomes(*moves, last_turn)
    # Ties, in which it matters who begins, are among them.
    assert any(count == moves[1][game ^ 1] for game, count in enumerate(moves[0]))
    assert len(set(expected)) == 2 + last_turn
    paid = example.play(*players, scenario, games, seed, laws=laws, last_turn=last_turn)
    assert paid == expected


# --- the end ------------------------------------------------------------------------------------

# A ship of 2 on 2x2. Both sides lay it along the first row.
LAID = [0, 0]


def test_a_hit_gives_another_shot():
    scenario = tiny([2], rows=2, cols=2).override(again=True)
    env = two_player.env(scenario=scenario, placement="actions", last_turn=True)
    env.reset(options={"game": 0})
    acted = []
    # The first side misses, the other one hits twice: the round is over.
    for action in [*LAID, 2, 0, 1]:
        acted.append(env.agent_selection)
        env.step(action)
    assert acted == ["player_0", "player_1", "player_0", "player_1", "player_1"]
    assert env.rewards == {"player_0": -1, "player_1": 1}
    # The first side hits twice: the other one still has its turn, and hits once.
    after(env, [*LAID, 0, 1, 0], options={"game": 0})
    assert env.agent_selection == "player_1"
    env.step(2)
    assert env.rewards == {"player_0": 1, "player_1": -1}


@pytest.mark.parametrize(
    ("game", "last_turn", "shots", "paid"),
    [
        # Both need two shots: the first to move wins, or nobody.
        (0, False, [0, 0, 1], (1, -1)),
        (1, False, [0, 0, 1], (-1, 1)),
        (0, True, [0, 0, 1, 1], (0, 0)),
        (1, True, [0, 0, 1, 1], (0, 0)),
        # The second side misses in its last turn.
        (0, True, [0, 0, 1, 2], (1, -1)),
        (1, True, [0, 0, 1, 2], (-1, 1)),
        # The first side misses once: the second wins in the same round.
        (0, False, [2, 0, 0, 1], (-1, 1)),
        (1, True, [2, 0, 0, 1], (1, -1)),
    ],
)
def test_games_end_with_the_last_hit_or_the_last_turn(game, last_turn, shots, paid):
    scenario = tiny([2], rows=2, cols=2)
    env = two_player.env(scenario=scenario, placement="actions", last_turn=last_turn)
    after(env, LAID + shots[:-1], options={"game": game})
    assert not any(env.terminations.values())
    assert env.rewards == dict.fromkeys(AGENTS, 0)
    env.step(shots[-1])
    assert env.terminations == dict.fromkeys(AGENTS, True)
    assert env.truncations == dict.fromkeys(AGENTS, False)
    assert env.rewards == dict(zip(AGENTS, paid, strict=True))
    received = {}
    for agent in env.agent_iter():
        observation, received[agent], *_ = env.last()
        assert not observation["action_mask"].any()
        env.step(None)
    assert received == dict(zip(AGENTS, paid, strict=True))


# --- what sides see -----------------------------------------------------------------------------

# Ships of 2 and 1 that may touch, on 2x3 cells; a letter is a ship.
#   player_0   a a b      player_1   . a b
#              . . .                 . a .


def test_observations_show_own_ships_and_all_shots():
    scenario = tiny((2, 1), touching=True, rows=2, cols=3)
    env = two_player.env(scenario=scenario, placement="actions")
    # In turn: ship a of both (0 along the row from 0; 3 down from 1), ship b of both (2).
    after(env, [0, 3, 4, 4])
    # player_0 hits b, player_1 misses, player_0 misses, player_1 hits a.
    for cell in (2, 3, 0, 1):
        env.step(cell)
    shown = {agent: env.observe(agent)["observation"] for agent in AGENTS}
    assert shown["player_0"].shape == (2, 3, 12)
    assert shown["player_0"].dtype == np.int8

    def drawn(agent):
        planes = np.moveaxis(shown[agent], -1, 0).reshape(12, 6)
        return ["".join(map(str, plane)) for plane in planes.tolist()]

    shots = {
        # open, miss, hit, sunk
        "player_0": ["010111", "100000", "000000", "001000"],
        "player_1": ["101011", "000100", "010000", "000000"],
    }
    fleets = {"player_0": ["110000", "001000"], "player_1": ["010010", "001000"]}
    afloat = {"player_0": ["111111", "000000"], "player_1": ["111111", "111111"]}
    for agent, other in (AGENTS, AGENTS[::-1]):
        assert drawn(agent) == shots[agent] + shots[other] + fleets[agent] + afloat[agent]
    assert legal(env) == [1, 3, 4, 5]
    assert not env.observe("player_1")["action_mask"].any()
    assert env.infos["player_0"] == {"outcome": 0, "ship": -1, "shots": 2, "seed": 0, "game": 0}
    assert env.infos["player_1"] == {"outcome": 1, "ship": -1, "shots": 2, "seed": 0, "game": 0}


def test_no_observation_depends_on_ships_of_the_other_side_that_are_not_hit():
    seen = []
    for theirs in ([0, 16], [2, 16], [5, 0]):
        env = two_player.env(scenario=tiny(), placement="actions")
        # player_0 lays along the first row and in the last cell, and misses.
        after(env, [0, theirs[0], 16, theirs[1], 6])
        assert not any(6 in ship for ship in ships(env, "player_1"))
        seen.append(env.observe("player_0"))
    assert data_equivalence(seen[0], seen[1])
    assert data_equivalence(seen[0], seen[2])


def test_arrays_are_not_changed_later():
    env = after(two_player.raw_env(scenario="gym-5x5"), [0, 0])
    shown = env.observe("player_0")
    kept = copy.deepcopy(shown)
    # A copy plays on by itself.
    other = copy.deepcopy(env)
    env.step(1)
    assert data_equivalence(shown, kept)
    assert data_equivalence(other.observe("player_0"), kept)
    other.step(1)
    assert data_equivalence(other.observe("player_0"), env.observe("player_0"))
    # Nor does writing to them change the game.
    for array in other.observe("player_0").values():
        array[:] = 1
    assert data_equivalence(other.observe("player_0"), env.observe("player_0"))


def test_both_boards_are_drawn_as_text(capsys):
    for mode in ("ansi", "html"):
        shown = after(two_player.env(scenario="gym-5x5", render_mode=mode), [3, 4, 7]).render()
        assert 0 <= shown.index("player_0, after 2") < shown.index("player_1, after 1")
    picture = after(two_player.env(scenario="gym-5x7", render_mode="rgb_array"), []).render()
    assert picture.shape == (5 * 32, 2 * 7 * 32, 3)
    # After each step, to those who look on.
    env = after(two_player.env(scenario="gym-5x5", render_mode="human"), [])
    assert env.render() is None
    capsys.readouterr()
    env.step(0)
    printed = capsys.readouterr().out
    assert printed.count("player_0, after 1 shot\n") == 1
    assert printed.count("player_1, after 0 shots\n") == 1


# --- laying ships -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fleet", "touching", "agent"),
    [
        ((2, 1), False, "player_0"),
        ((1, 1, 1, 1), False, "player_1"),
        ((3, 2), True, "player_0"),
        ((1, 3), False, "player_1"),
    ],
)
def test_all_layouts_and_no_others_can_be_laid(agent, fleet, touching):
    scenario = tiny(fleet, touching)
    layouts = {
        tuple(naive.encode(scenario.rules, layout)) for layout in naive.all_layouts(scenario.rules)
    }
    assert len(layouts) > 1
    env = two_player.raw_env(scenario=scenario, placement="actions")
    # The other side lays what comes first; the game whose number is 0 begins with player_0.
    game = {"game": AGENTS.index(agent)}
    found = set()
    front = [()]
    while front:
        laid = front.pop()
        after(env, [], options=game)
        for code in laid:
            env.step(code)
            env.step(legal(env)[0])
        if len(laid) == len(fleet):
            found.add(laid)
            cells = [sorted(ship) for ship in naive.decode(scenario.rules, laid)]
            assert ships(env, agent) == cells
            assert legal(env) == list(range(9))
            continue
        assert env.agent_selection == agent
        following = {layout[len(laid)] for layout in layouts if layout[: len(laid)] == laid}
        assert legal(env) == sorted(following)
        front += [(*laid, code) for code in following]
    assert found == layouts


def test_bad_placements_are_refused():
    # player_0 has laid its first ship on cells 0 and 1; its second has 1 cell.
    env = two_player.raw_env(scenario=tiny((2, 1)), placement="actions")
    after(env, [0, 0])
    before = env.observe("player_0")
    # Overlaps, touches (from the side, at a corner), leaves the board, is none, is no number.
    for code in (0, 2, 6, 8, 5, 17, 18, -1, 2.0, True):
        with refused():
            env.step(code)
    assert data_equivalence(env.observe("player_0"), before)
    # Cells 6 to 8, and 2 touches.
    assert legal(env) == [12, 14, 16]
    env.step(12)
    assert ships(env, "player_0") == [[0, 1], [6]]


def test_a_side_without_room_is_named_if_the_search_gave_up_before(monkeypatch):
    scenario = tiny((1, 1, 1, 1))
    env = after(two_player.raw_env(scenario=scenario, placement="actions"), [])
    # Only corners leave room for four ships.
    assert legal(env) == [0, 4, 12, 16]
    monkeypatch.setattr(two_player, "slots_left", partial(slots_left, effort=0))
    env.reset(seed=0)
    assert legal(env) == list(range(0, 18, 2))
    env.step(8)
    with refused("player_0"):
        env.step(0)


# --- strategies as agents -----------------------------------------------------------------------


def test_strategies_lay_no_ships_but_shoot_after_it():
    env = two_player.env(scenario=tiny((2, 1)), placement="actions")
    agent = StrategyAgent("linear", env)
    after(env, [])
    with refused("ships"):
        agent.select_action(env.last()[0])
    after(env, [0, 0, 16, 16])
    for cell in range(3):
        assert agent.select_action(env.last()[0]) == cell
        env.step(cell)
        env.step(cell)


def test_what_is_no_observation_for_two_is_refused():
    env = after(two_player.env(scenario="gym-5x5"), [])
    other = after(two_player.env(scenario="gym-5x6"), [])
    for wrong in (other.last()[0], env.last()[0]["observation"], {}):
        with refused("5x5", "'observation'"):
            StrategyAgent("linear", env).select_action(wrong)


def test_agents_begin_with_the_game_they_are_given():
    env = two_player.env(scenario="gym-5x5")
    agent = StrategyAgent("random", env, seed=2)

    def first(game, **seed):
        after(env, [])
        agent.reset(game=game, **seed)
        return agent.select_action(env.last()[0])

    fresh = [first(None, seed=2), *(first(None) for _ in range(5))]
    assert len(set(fresh)) > 3
    assert [first(game) for game in (4, 1, 0)] == [fresh[game] for game in (4, 1, 0)]
    assert first(None) == fresh[1]
    boards = StrategyAgent("random", BattleshipVectorEnv(2, "gym-5x5"))
    for wrong, game, *named in ((boards, 3, "2", "3"), (agent, -1, "-1")):
        with refused(*named):
            wrong.reset(game=game)
