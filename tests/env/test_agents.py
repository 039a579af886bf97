"""Agents are strategies, and strategies are agents."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest

import bsbench
from bsbench.own.loading import adapt
from bsbench.play.game import turns_of

# --- agents as strategies -----------------------------------------------------------------------


class First:
    """The first open cell, one game after the other."""

    def select_action(self, observation):
        return int(np.argmax(observation["attack_board"].ravel() == 0))


class Firsts:
    """The first open cell of each board."""

    obs, mask = "flat", True

    def select_actions(self, observations):
        return observations["action_mask"].argmax(axis=1)


class Chance:
    """Any open cell."""

    deterministic = False

    def reset(self, seed=None):
        self.rng = np.random.default_rng(seed)

    def select_action(self, observation):
        return self.rng.choice(np.flatnonzero(observation["attack_board"] == 0))


def test_agents_are_compared_beside_strategies_on_the_same_layouts():
    players = ["linear", *(adapt(agent)() for agent in (First, Firsts, Chance))]
    rows = bsbench.compare(players, "gym-6x6", games=60).to_frame().set_index("strategy")
    assert list(rows.index) == ["linear", "first", "firsts", "chance"]
    # Both play the games of linear, shot by shot.
    assert rows["ties"].tolist()[1:3] == [60, 60] != [rows.loc["chance", "ties"], 60]


@pytest.mark.parametrize("agent", [First, Firsts, Chance])
def test_agents_keep_to_the_contract(agent):
    report = bsbench.check_strategy(adapt(agent)(), "gym-5x5", games=8)
    assert report.passed, str(report)


def played(player: type, scenario: str = "gym-5x5", games: int = 6) -> list[int]:
    """Return the move counts of a class that only this process knows."""
    return bsbench.run(adapt(player)(), scenario, games=games, keep_moves=True).moves.tolist()


def test_resets_come_before_each_game_with_numbers_of_its_own():
    made, seeds = [], []

    class Mine:
        def __init__(self):
            made.append(self)

        def reset(self, seed):
            self.rng = random.Random(seed)
            seeds.append(seed)

        def select_action(self, observation):
            return self.rng.choice(np.flatnonzero(observation["attack_board"] == 0).tolist())

    first = played(Mine, games=60)
    assert len(set(first)) > 1
    assert len(set(seeds)) == 60
    assert all(0 <= seed < 2**32 for seed in seeds)
    assert len(made) < len(seeds)
    assert played(Mine, games=60) == first


@pytest.mark.parametrize("signature", ["self", "self, *, seed=None", "self, key"])
def test_reset_takes_a_seed_or_not(signature):
    told, space = [], {}
    seed = "seed" if "seed" in signature else "None"
    exec(f"def reset({signature}): told.append({seed})", {"told": told}, space)
    played(type("Mine", (First,), space))
    assert len(told) >= 6
    assert all((seed is None) == ("seed" not in signature) for seed in told)


def test_without_reset_each_game_has_an_object_of_its_own():
    class Mine(First):
        shots = 0

        def select_action(self, observation):
            assert observation["move_count"] == self.shots
            self.shots += 1
            return super().select_action(observation)

    assert played(Mine) == bsbench.run("linear", "gym-5x5", games=6, keep_moves=True).moves.tolist()


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, ["shoot(self, view)", "select_action"]),
        ({"select_action": print, "obs": "images"}, ["obs = 'images'", "mask = False"]),
    ],
)
def test_classes_that_are_no_agents_are_refused(body, named):
    with refused(*named):
        adapt(type("Mine", (), body))


@pytest.mark.parametrize(
    ("method", "answer", "named"),
    [
        ("select_action", 1.5, ["select_action", "1.5"]),
        ("select_action", 25, ["25", "5x5"]),
        ("select_actions", np.zeros(1), ["select_actions", "(1,)"]),
    ],
)
def test_what_agents_do_wrong_is_told(method, answer, named):
    mine = type("Mine", (), {method: lambda self, observation: answer})
    with pytest.raises(bsbench.StrategyError) as caught:
        played(mine)
    assert_sentence(caught.value.problem, *named)


# --- strategies as agents -----------------------------------------------------------------------

gymnasium = pytest.importorskip("gymnasium", reason="needs bsbench[gym]")

from bsbench.env import ID, BattleshipEnv, BattleshipVectorEnv, StrategyAgent  # noqa: E402
from tests.support import envs  # noqa: E402
from tests.support.refusals import assert_sentence, refused  # noqa: E402

pytestmark = pytest.mark.ci

GAMES = 5


class Hunter:
    """Beside the last hit if there is an open cell, else anywhere."""

    def reset(self, rules, rng):
        self.rng = rng

    def shoot(self, view):
        around = view.neighbours(view.wounded[-1]) if view.wounded else ()
        return self.rng.choice([cell for cell in around if view.is_open(cell)] or view.open_cells)


class Listener:
    """Its shots follow from all answers that it has heard, and from their order."""

    def salvo(self, view):
        heard = random.Random(zlib.crc32(repr((view.turns, view.sunk)).encode()))
        return heard.sample(view.open_cells, heard.randint(1, view.allowed))


@pytest.mark.parametrize(
    ("strategy", "scenario", "obs"),
    [
        ("random", "gym-6x6", "planes"),
        ("hunt-target", "gym-5x12", "flat"),
        ("prob", "harbour", "seed"),
        ("over9000-adaptive", "classic", "planes"),
        (adapt(Hunter)(), "gym-10x10", "sunk"),
        ("linear", envs.HARBOUR, "planes"),
        (adapt(Listener)(), envs.EACH, "sunk"),
        (adapt(Listener)(), envs.CLASSIC, "planes"),
        (adapt(Listener)(), envs.JOINTLY, "turns"),
        (adapt(Listener)(), envs.SINGLE, "turns"),
    ],
)
def test_a_strategy_plays_the_environment_as_it_does_a_run(strategy, scenario, obs):
    # Whether an order matters shows in one turn of many.
    games = 30 if getattr(strategy, "name", strategy) == "listener" else GAMES
    run = bsbench.run(strategy, scenario, games=games, seed=5, keep_moves=True)
    env = gymnasium.make(ID, scenario=scenario, obs=obs)
    agent = StrategyAgent(strategy, env)
    moves = []
    for game in range(games):
        seed = 5 if game == 0 else None
        observation, info = env.reset(seed=seed)
        agent.reset(seed=seed)
        over, turns = False, []
        while not over:
            action = agent.select_action(observation, info)
            turns.append([action] if np.ndim(action) == 0 else np.flatnonzero(action).tolist())
            observation, _, over, _, info = env.step(action)
        moves.append(info.get("turns", info["shots"]))
        assert info["invalid_actions"] == 0
        assert "turns" not in info or agent._session.view.turns[0] == len(turns) - 1
        shown = turns_of(bsbench.replay(strategy, scenario, seed=5, game=game).moves)
        # Of the last turn, not all has to be fired.
        assert turns[:-1] == [sorted(move.cell for move in turn) for turn in shown][:-1]
    assert moves == run.moves.tolist()
    assert agent.name == run.label


@pytest.mark.parametrize(
    ("mode", "scenario", "obs"),
    [
        ("NextStep", "gym-8x8", "sunk"),
        ("SameStep", "gym-8x8", "planes"),
        ("NextStep", "gym-8x8", "flat"),
        ("SameStep", envs.EACH.override(touching=True, feedback="told"), "sunk"),
        ("NextStep", envs.JOINTLY, "turns"),
    ],
)
def test_a_strategy_plays_many_boards_at_once(mode, scenario, obs):
    boards = BattleshipVectorEnv(6, scenario, obs=obs, mask=obs == "flat", autoreset_mode=mode)
    strategy = "datagenetics" if scenario == "gym-8x8" else "linear"
    agent = StrategyAgent(strategy, boards)
    observations, infos = boards.reset(seed=0)
    first = [0] * 6
    while not all(first):
        observations, _, over, _, infos = boards.step(agent.select_actions(observations, infos))
        ends = infos.get("final_info", infos)
        for board in np.flatnonzero(over):
            first[board] = first[board] or int(ends.get("turns", ends["shots"])[board])
        assert not infos["invalid_actions"].any()
    # They leave nothing to chance: board i plays game 0 of seed i.
    for seed, moves in enumerate(first):
        run = bsbench.run(strategy, scenario, games=1, seed=seed, keep_moves=True)
        assert [moves] == run.moves.tolist()


def test_a_strategy_of_a_user_that_breaks_down_is_named_with_its_game():
    class Tires:
        def shoot(self, view):
            return [0, 1][len(view.shots)]

    env = BattleshipEnv("gym-5x5")
    agent = StrategyAgent(adapt(Tires)(), env, seed=4)
    observation, _ = env.reset(seed=4)
    for _ in range(2):
        observation, *_ = env.step(agent.select_action(observation))
    with pytest.raises(bsbench.StrategyError) as caught:
        agent.select_action(observation)
    assert_sentence(caught.value.problem, "IndexError")
    assert (caught.value.game, caught.value.seed, caught.value.shots) == (0, 4, 2)


def test_strategies_that_cannot_play_are_refused():
    for strategy, env, *named in (
        ("datagenetics", BattleshipEnv("harbour"), "'datagenetics'", "length"),
        ("nobody", BattleshipEnv("harbour"), "'nobody'"),
        ("linear", gymnasium.make("CartPole-v1"), "CartPoleEnv"),
    ):
        with refused(*named):
            StrategyAgent(strategy, env)
    boards = BattleshipVectorEnv(2, "gym-5x5")
    with refused("2"):
        StrategyAgent("linear", boards).select_action(boards.reset(seed=0)[0])


def test_observations_that_do_not_follow_are_refused():
    env = BattleshipEnv("classic")
    agent = StrategyAgent("over9000", env)
    observation, info = env.reset(seed=0)
    action = agent.select_action(observation, info)
    with refused("sunk", "10x10"):
        agent.select_action({"attack_board": observation["attack_board"]})
    after, *_, later = env.step(action)
    with refused("'ship'", "info"):
        agent.select_action(after)
    following = agent.select_action(after, later)
    elsewhere = env.step((following + 1) % 100)[0]
    with refused("action"):
        agent.select_action(elsewhere, later)

    other = BattleshipEnv("gym-5x5", obs="seed")
    with refused("seed", "sunk"):
        StrategyAgent("linear", other).select_action(other.reset(seed=0)[0])
