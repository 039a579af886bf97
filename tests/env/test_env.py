"""The Gymnasium environments: one board, and many in lockstep."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs bsbench[gym]")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from benchmarks import seed_env  # noqa: E402
from bsbench.env import ID, BattleshipEnv, BattleshipVectorEnv  # noqa: E402
from bsbench.own.observation import FORMATS  # noqa: E402
from bsbench.play.game import layout_of  # noqa: E402
from bsbench.play.samplers import make_sampler  # noqa: E402
from bsbench.rules.scenario import find_scenario  # noqa: E402
from tests.support.envs import LAYOUT, agree, small  # noqa: E402
from tests.support.refusals import refused  # noqa: E402

# --- as Gymnasium wants it ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "obs"), list(zip([(5, 5), (5, 12), (9, 8), (10, 10)], FORMATS, strict=True))
)
@pytest.mark.parametrize("mask", [False, True])
def test_gymnasium_finds_no_fault_and_warns_of_nothing(size, obs, mask, capsys):
    # Warnings are errors here. Rendering is checked in every mode.
    check_env(gymnasium.make(ID, board_size=size, obs=obs, mask=mask).unwrapped)


def test_is_found_by_its_name_even_where_nothing_is_imported():
    code = (
        "import gymnasium\n"
        f"print(gymnasium.make('bsbench.env:{ID}', board_size=(6, 7)).action_space)"
    )
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed.strip() == "Discrete(42)"


def test_many_boards_are_made_by_gymnasium():
    ours = gymnasium.make_vec(ID, num_envs=3, scenario="gym-6x6")
    assert isinstance(ours.unwrapped, BattleshipVectorEnv)
    assert ours.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    theirs = gymnasium.make_vec(ID, num_envs=3, vectorization_mode="sync", scenario="gym-6x6")
    assert isinstance(theirs.unwrapped, SyncVectorEnv)
    agree(ours.reset(seed=1), theirs.reset(seed=1))
    actions = np.array([0, 17, 35])
    agree(ours.step(actions), theirs.step(actions))


# --- games --------------------------------------------------------------------------------------


def hits_of_a_game(env, options=None, seed=None) -> set[int]:
    env.reset(seed=seed, options=options)
    hits = set()
    for cell in range(env.action_space.n):
        _, reward, over, _, _ = env.step(cell)
        hits |= {cell} if reward > 0 else set()
        if over:
            return hits
    raise AssertionError("the game did not end")


def test_resets_play_the_games_of_a_run_one_after_the_other():
    scenario = find_scenario("gym-8x8")
    sampler = make_sampler(scenario.rules, scenario.placement)

    def game(number: int, seed: int = 5) -> set[int]:
        return {cell for ship in layout_of(scenario.rules, sampler, seed, number) for cell in ship}

    env = BattleshipEnv("gym-8x8")
    # More than are drawn ahead.
    for number in range(40):
        assert hits_of_a_game(env, seed=5 if number == 0 else None) == game(number)
    assert hits_of_a_game(env, {"game": 700}) == game(700)
    assert hits_of_a_game(env) == game(701)
    other = [[0, 1, 2], [16, 17, 18], [32, 33]]
    assert hits_of_a_game(env, {"layout": other}) == {cell for ship in other for cell in ship}
    assert hits_of_a_game(env) == game(702)
    assert hits_of_a_game(env, {"game": 3}, seed=6) == game(3, seed=6)


def test_without_a_seed_games_follow_from_chance_and_differ():
    seeds = set()
    for _ in range(3):
        env = BattleshipEnv("gym-5x5")
        first, again = env.reset()[1], env.reset()[1]
        assert (first["game"], again["game"]) == (0, 1)
        assert first["seed"] == again["seed"]
        seeds.add(first["seed"])
    assert len(seeds) == 3


@pytest.mark.parametrize("size", [(5, 5), (6, 11), (10, 10)])
def test_plays_as_the_environment_of_the_seed_does(size):
    ours, theirs = BattleshipEnv(board_size=size, obs="seed"), seed_env.SeedEnv(size)
    assert ours.action_space == theirs.action_space
    rng = np.random.default_rng(3)
    rules = ours.scenario.rules
    sampler = make_sampler(rules, ours.scenario.placement)
    for game in range(4):
        observation, _ = ours.reset(seed=9 if game == 0 else None)
        assert observation in theirs.observation_space
        theirs.reset()
        ships = [
            seed_env.Ship(f"{index}", len(cells), [divmod(cell, size[1]) for cell in cells])
            for index, cells in enumerate(layout_of(rules, sampler, 9, game))
        ]
        there = np.zeros(size, np.int32)
        for index, ship in enumerate(ships, start=1):
            there[tuple(np.transpose(ship.coords))] = index
        theirs.state.ship_board = there
        # The longest first, as the seed lays them.
        by_length = sorted(ships, key=lambda ship: -ship.size)
        theirs.state.ships = {ship.name: ship for ship in by_length}
        over = False
        while not over:
            action = int(rng.integers(-1, rules.cells + 1))
            ours_now, theirs_now = ours.step(action), theirs.step(action)
            agree(ours_now[:3], theirs_now[:3])
            over = ours_now[2]
        assert ours_now[1] == 100


def test_each_event_is_paid_and_told():
    env = small()
    steps = [  # action, reward, outcome, ship, shots, invalid actions
        (24, -1, 0, -1, 1, 0),
        (24, -50, -1, -1, 1, 1),
        (25, -50, -1, -1, 1, 2),
        (-1, -50, -1, -1, 1, 3),
        (2**70, -50, -1, -1, 1, 4),
        (0, 5, 1, -1, 2, 4),
        (2, 5, 1, -1, 3, 4),
        (np.int64(1), 10, 2, 0, 4, 4),
        (np.array(14), 5, 1, -1, 5, 4),
        (19, 100, 2, 1, 6, 4),
    ]
    keys = ("outcome", "ship", "shots", "invalid_actions")
    board = np.zeros(25, np.int8)
    _, first = env.reset()
    for action, reward, *told in steps:
        before = board.copy()
        observation, paid, terminated, truncated, info = env.step(action)
        board = observation["attack_board"].ravel()
        assert paid == reward
        assert [info[key] for key in keys] == told
        assert info.keys() == first.keys()
        assert np.array_equal(info["action_mask"], board == 0)
        assert np.array_equal(env.action_masks(), board == 0)
        assert (reward != -50) == (np.count_nonzero(board != before) > 0)
        assert (terminated, truncated) == (reward == 100, False)
    with refused("reset"):
        env.step(3)


def test_every_format_shows_the_same_board():
    shots = [24, 0, 2, 1, 14]
    shown = {}
    for obs in FORMATS:
        env = small(obs=obs, mask=True)
        for cell in shots:
            observation = env.step(cell)[0]
        assert observation in env.observation_space
        shown[obs] = {name: array.tolist() for name, array in observation.items()}
        # What is shown can be read again, but for what the seed's format does not tell.
        if obs != "seed":
            for array, known in zip(env.observing.read(observation), env._known, strict=True):
                assert array.dtype == known.dtype
                assert np.array_equal(array, known)
    board = np.array([[3, 3, 3, 0, 0], [0] * 5, [0, 0, 0, 0, 2], [0] * 5, [0, 0, 0, 0, 1]])
    planes = [(board == mark).astype(int).tolist() for mark in range(4)]
    mask = {"action_mask": [int(cell not in shots) for cell in range(25)]}
    both = {"move_count": [5], **mask}
    afloat = {"remaining_ships": [0, 2], **both}
    assert shown == {
        "sunk": {"attack_board": board.tolist(), **afloat},
        "seed": {
            "attack_board": np.minimum(board, 2).tolist(),
            "remaining_ships": [2, 0, 0, 0, 0],
            **both,
        },
        "planes": {"planes": planes, **afloat},
        "flat": {"observation": [*np.ravel(planes[1:]).tolist(), 0, 1], **mask},
    }


@pytest.mark.parametrize(
    ("arguments", "rewards", "ends"),
    [
        ({"invalid_action": "terminate"}, [-1, -50], (True, False)),
        ({"max_episode_steps": 3}, [-1, -50, -50], (False, True)),
        ({"rewards": "shots"}, [-1] * 250, (False, True)),
        ({"rewards": {"invalid": 0, "miss": 2.5}}, [2.5] + [0] * 249, (False, True)),
        ({"rewards": "misses", "max_episode_steps": 10**9}, [-1] * 250, (False, True)),
    ],
)
def test_an_episode_of_nothing_but_invalid_actions_ends(arguments, rewards, ends):
    env = small(**arguments)
    for place, reward in enumerate(rewards, start=1):
        _, paid, *over, info = env.step(24)
        assert paid == reward
        assert tuple(over) == (ends if place == len(rewards) else (False, False))
    assert (info["shots"], info["invalid_actions"]) == (1, len(rewards) - 1)


def test_invalid_actions_can_be_errors_that_change_nothing():
    env = small(invalid_action="raise")
    env.step(24)
    for action, *named in ((24, "24", "E5"), (25, "25", "5x5", "0 to 24"), (-1, "-1")):
        with refused(*named):
            env.step(action)
    observation, *_, info = env.step(23)
    assert (observation["move_count"], info["invalid_actions"]) == (2, 0)

    boards = BattleshipVectorEnv(2, "gym-5x5", invalid_action="raise")
    boards.reset(seed=0)
    boards.step(np.array([3, 4]))
    with refused("action 4", "board 1"):
        boards.step(np.array([5, 4]))
    assert boards.step(np.array([5, 3]))[0]["move_count"].tolist() == [[2], [2]]


def test_layouts_are_given_as_cells_names_lines_and_files(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("0 0 3 E  2 4 2 S  # the same\n")
    named = {"cruiser": [2, 1, 0], "destroyer": [(3, 4), (2, 4)]}
    for layouts in ([LAYOUT], [named], ["0 0 3 E  2 4 2 S"], path, f"file:{path}"):
        env = BattleshipEnv("gym-5x5", layouts=layouts)
        assert hits_of_a_game(env, seed=1) == {0, 1, 2, 14, 19}
    other = [[20, 21, 22], [4, 9]]
    env = BattleshipEnv("gym-5x5", layouts=[LAYOUT, other])
    found = [min(hits_of_a_game(env, seed=seed)) for seed in range(20)]
    assert set(found) == {0, 4}


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"scenario": 7}, ["scenario"]),
        ({"scenario": "classic", "board_size": (5, 5)}, ["scenario", "board_size"]),
        ({"board_size": 5}, ["5"]),
        ({"board_size": (5.0, 5)}, ["(5.0, 5)"]),
        ({"mask": "yes"}, ["mask", "'yes'"]),
        ({"invalid_action": "ignore"}, ["invalid_action", "'ignore'"]),
        ({"obs": "plane"}, ["'plane'", "'planes'"]),
        ({"rewards": "seeds"}, ["'seeds'", "'seed'"]),
        ({"rewards": {"hit": float("nan")}}, ["'hit'", "nan"]),
        ({"rewards": 3}, ["seed", "shots", "misses"]),
        ({"max_episode_steps": 0}, ["max_episode_steps", "0"]),
        ({"max_episode_steps": 2.5}, ["max_episode_steps", "2.5"]),
        ({"render_mode": "rgb"}, ["render_mode", "'rgb'", "rgb_array"]),
        ({"layouts": []}, ["layouts"]),
        ({"layouts": [[[0, 1, 2], [1, 6]]]}, ["'0 1 2 S'", "'0 0 3 E'"]),
        ({"layouts": [[[0, 1, 2], [10, 16]]]}, ["10", "16"]),
        ({"layouts": [[[0, 1, 2], [24, 25]]]}, ["5x5"]),
        ({"layouts": [[[0, 1, 2, 3], [10, 11]]]}, ["0", "3"]),
        ({"layouts": [7]}, ["7"]),
        ({"layouts": [[[0, 1, 2], []]]}, ["cells"]),
    ],
    ids=str,
)
def test_bad_arguments_are_refused_in_a_sentence(arguments, named):
    sized = arguments.keys() & {"scenario", "board_size"}
    for make in (BattleshipEnv, lambda **given: BattleshipVectorEnv(2, **given)):
        with refused(*named):
            make(**({} if sized else {"scenario": "gym-5x5"}) | arguments)


@pytest.mark.parametrize(
    ("options", "seed", "named"),
    [
        ({"layot": LAYOUT}, None, ["'layot'", "'layout'"]),
        ({"layout": LAYOUT, "game": 3}, None, ["game", "layout"]),
        ({"game": -1}, None, ["-1"]),
        (None, 2**63, ["seed"]),
        (None, 1.5, ["seed"]),
    ],
)
def test_bad_resets_are_refused_and_change_nothing(options, seed, named):
    for env, action in (
        (small(), 0),
        (BattleshipVectorEnv(1, "gym-5x5", layouts=[LAYOUT]), np.array([0])),
    ):
        env.reset(seed=4)
        with refused(*named):
            env.reset(seed=seed, options=options)
        assert env.step(action)[1] == 5
        _, info = env.reset()
        assert (info["seed"], info["game"]) == (4, 1)


@pytest.mark.parametrize("action", [1.0, None, "A1", np.array([1, 2]), np.float64(3), True])
def test_actions_that_are_no_numbers_of_cells_are_errors(action):
    env = small()
    with refused("action"):
        env.step(action)
    assert env.step(3)[4]["invalid_actions"] == 0


def test_there_is_no_step_before_the_first_reset():
    boards = BattleshipVectorEnv(2)
    boards.reset(options={"reset_mask": np.array([True, False])})
    for env, action in ((BattleshipEnv(), 0), (boards, np.zeros(2, np.int64))):
        with refused("reset()"):
            env.step(action)


def test_bad_batches_are_refused():
    for number in (0, 2.5, True):
        with refused(str(number)):
            BattleshipVectorEnv(number)
    with refused("autoreset_mode", "'never'"):
        BattleshipVectorEnv(2, autoreset_mode="never")
    boards = BattleshipVectorEnv(2, "gym-5x5", autoreset_mode="Disabled")
    boards.reset(seed=0)
    for actions in (0, [0, 1, 2], [0.0, 1.0], None):
        with refused("(2,)"):
            boards.step(actions)
    assert boards.step([0, 1])[0]["move_count"].tolist() == [[1], [1]]
    for seed in ([1], "ab c", 1.5, [1, -1]):
        with refused("seed"):
            boards.reset(seed=seed)
    for mask in ([True, False], np.array([1, 0]), np.array([False, False]), np.array([True])):
        with refused("reset_mask"):
            boards.reset(options={"reset_mask": mask})


# --- rendering ----------------------------------------------------------------------------------

BOARD = """\
after 5 shots
   1  2  3  4  5
A  ■  ■  ■  ·  ·
B  ·  ·  ·  ·  ·
C  ·  ·  ·  ·  ✕
D  ·  ·  ·  ·  ·
E  ·  ·  ·  ·  ○
afloat 2; sunk 3"""


def rendered(mode: str):
    env = small(render_mode=mode)
    for cell in (24, 0, 2, 1, 14):
        env.step(cell)
    return env.render()


def test_boards_are_rendered_as_text_html_and_pictures(capsys):
    assert rendered("ansi") == BOARD
    assert capsys.readouterr().out == ""
    # A human sees it after each step, too.
    assert rendered("human") is None
    assert capsys.readouterr().out.endswith(f"{BOARD}\n{BOARD}\n")
    with pytest.warns(UserWarning, match="render_mode"):
        assert small().render() is None
    boards = BattleshipVectorEnv(2, "gym-5x5", layouts=[LAYOUT], render_mode="ansi")
    boards.reset(seed=0)
    boards.step([0, 24])
    assert [text.count("✕") for text in boards.render()] == [1, 0]
    page = rendered("html")
    assert page.startswith("<div")
    assert page.count("<td") == 25
    picture = rendered("rgb_array")
    assert picture.dtype == np.uint8
    assert picture.shape == (160, 160, 3)
    # What is drawn in a cell depends on what is known of it, and on nothing else.
    tiles = picture.reshape(5, 32, 5, 32, 3).swapaxes(1, 2).reshape(25, -1)
    found = [tiles[cell].tobytes() for cell in range(25)]
    assert found[0] == found[1] == found[2]
    assert len({found[cell] for cell in (0, 14, 24, 6)}) == len(set(found)) == 4
