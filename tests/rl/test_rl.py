"""Agents that learn: their files as strategies; and training, where torch is installed."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from bsbench import run
from bsbench.cli import main
from bsbench.own.trained import WEIGHTS, read_training
from bsbench.play.game import play_game
from bsbench.play.samplers import make_sampler
from bsbench.rl.training import ROLLOUT, STEPS, free_path, make_plan
from bsbench.roster import find_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.stats import interval_text
from bsbench.studies.check.study import check_strategy
from tests.support import ROOT, naive
from tests.support.helpers import draw_layouts, shots_fired
from tests.support.refusals import assert_refused, assert_sentence, names, refused

WIDTH = 12


def random_weights(rules: Rules, seed: int = 3) -> dict[str, np.ndarray]:
    """Weights of a network that learned nothing."""
    rng = np.random.default_rng(seed)
    sizes = 3 * rules.cells + len(rules.fleet), WIDTH, WIDTH, rules.cells
    weights = {}
    for name, inputs, outputs in zip(WEIGHTS[::2], sizes[:-1], sizes[1:], strict=True):
        weights[name] = rng.normal(size=(inputs, outputs)).astype(np.float32)
        weights[f"{name}_bias"] = rng.normal(size=outputs).astype(np.float32)
    return weights


def write_agent(path, scenario: str | Scenario, version: int = 1, **changes) -> str:
    """Write an agent's file, without what only those who train need."""
    if isinstance(scenario, str):
        scenario = find_scenario(scenario)
    with zipfile.ZipFile(path, "w") as archive:
        description = {"version": version, "scenario": scenario.to_dict()}
        archive.writestr("bsbench.json", json.dumps(description))
        with archive.open("network.npz", "w") as file:
            np.savez(file, **random_weights(scenario.rules) | changes)
    return str(path)


@pytest.mark.parametrize("scenario", ["gym-5x6", "gym-8x8"])
def test_plays_shot_by_shot_what_its_twin_plays(tmp_path, scenario):
    strategy = find_strategy(write_agent(tmp_path / "agent.zip", scenario))()
    rules = find_scenario(scenario).rules
    weights = {name: array.tolist() for name, array in random_weights(rules).items()}
    codes = draw_layouts(rules, 12, seed=4)
    layouts = [naive.decode(rules, layout) for layout in codes.tolist()]
    assert shots_fired(rules, strategy, codes) == [
        naive.play(naive.network, rules, layout, 0, 0, weights=weights) for layout in layouts
    ]


def test_keeps_to_the_contract(tmp_path):
    path = write_agent(tmp_path / "my agent.zip", "gym-5x5")
    report = check_strategy(path)
    assert report.passed, str(report)
    assert report.strategy == "my-agent"
    # On no other board; told which ship was hit, too, which it does not need.
    assert report.scenarios == ("gym-5x5", "gym-5x5+ship")


def test_one_for_a_board_of_its_own_is_checked_there(in_folder):
    board = find_scenario("gym-5x5").override(fleet=(2, 2))
    write_agent(in_folder / "agent.zip", board)
    with refused("'scenario'"):
        check_strategy("agent.zip")
    assert check_strategy("agent.zip", board).passed


def test_is_compared_with_others_on_its_home(in_folder):
    write_agent(in_folder / "agent.zip", "gym-6x9")
    arguments = ["compare", "agent.zip", "random", "-n", "300", "--export-csv", "-", "-q"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert [row[rows[0].index("label")] for row in rows[1:]] == ["agent", "random"]
    assert {row[rows[0].index("scenario")] for row in rows[1:]} == {"gym-6x9"}


def test_the_only_board_that_it_knows_is_the_default(in_folder):
    """Though `prob` has a home, too."""
    write_agent(in_folder / "agent.zip", "gym-5x5")
    done = CliRunner().invoke(main, ["compare", "agent.zip", "prob", "-n", "50"])
    assert done.exit_code == 0, done.output
    assert names(done.output, "gym-5x5")
    beside = CliRunner().invoke(main, ["compare", "agent.zip", "prob", "linear", "-n", "50"])
    (note,) = (line for line in beside.output.splitlines() if names(line, "home"))
    assert names(note, "agent")
    assert not names(note, "prob")


def test_tells_how_likely_it_shoots_where(tmp_path):
    scenario = find_scenario("gym-5x5")
    strategy = find_strategy(write_agent(tmp_path / "agent.zip", "gym-5x5"))()
    sampler = make_sampler(scenario.rules, scenario.placement)
    shot = []
    for move in play_game(strategy, scenario.rules, sampler, 1, 0, insight=True):
        scores = np.array(move.scores)
        assert (scores >= 0).tolist() == [cell not in shot for cell in range(25)]
        assert scores[scores >= 0].sum() == pytest.approx(1)
        assert scores.argmax() == move.cell
        shot.append(move.cell)
    assert len(set(shot)) == len(shot) > 5


def test_other_boards_are_refused(in_folder):
    path = write_agent(in_folder / "agent.zip", "gym-5x5")
    with refused("'agent'", "gym-5x5"):
        run(path, "gym-8x8", games=10)
    with refused("'agent'", "'sunk'"):
        run(path, find_scenario("gym-5x5").override(feedback=Feedback.HIT), games=10)


@pytest.mark.parametrize(
    ("break_it", "named"),
    [
        (lambda path: path.unlink(), []),
        (lambda path: path.write_text("nothing"), ["zip"]),
        (lambda path: zipfile.ZipFile(path, "w").close(), []),
        (lambda path: write_agent(path, "gym-5x5", version=3), ["version"]),
        (
            lambda path: write_agent(path, "gym-5x5", first=np.zeros((5, 12), np.float32)),
            ["'first'", "5x5"],
        ),
        (
            lambda path: write_agent(path, "gym-5x5", third_bias=np.full(25, np.nan)),
            ["'third_bias'"],
        ),
        (lambda path: write_agent(path, "gym-5x5", second=np.array([{}], object)), ["array"]),
        (lambda path: path.write_bytes(path.read_bytes()[:-40]), ["zip"]),
    ],
)
def test_what_is_no_agent_is_told(in_folder, break_it, named):
    path = in_folder / "agent.zip"
    write_agent(path, "gym-5x5")
    break_it(path)
    with refused("agent.zip", *named):
        find_strategy("agent.zip")


# --- training -------------------------------------------------------------------------------


def invoke(*arguments: str):
    """Run the command; return exit code and what it told."""
    done = CliRunner().invoke(main, ["rl", "train", *arguments])
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--scenario", "gym-4x4"], "there is no gym-4x4: sides go from 5 to 12"),
        (["--steps", "0"], "steps is a whole number from 1 to"),
        (["--seed", "-1"], "a seed is a whole number from 0"),
        (["--resume", "a.zip", "--scenario", "gym-5x5"], "leave out --scenario and --output"),
        (["--resume", "a.zip"], "can't read the trained agent a.zip: No such file"),
        (["--output", " "], "the output path is empty"),
        (["--output", "x.txt"], "an agent is saved as .zip: end 'x.txt' in .zip"),
        (["--scenario", ""], "--scenario is empty"),
    ],
)
def test_bad_input_is_told_in_a_sentence(in_folder, arguments, problem):
    code, told = invoke(*arguments)
    assert (code, told.count("\n")) == (2, 1)
    assert problem in told
    assert not list(in_folder.iterdir())


def test_what_only_plays_is_not_trained_on(in_folder):
    write_agent(in_folder / "slim.zip", "gym-5x5")
    code, told = invoke("--resume", "slim.zip")
    assert code == 2
    assert (
        "the training in slim.zip can't continue: the file holds only what is needed to play"
        in told
    )


TRAINING = {"steps": ROLLOUT, "planned": 9 * ROLLOUT, "seed": 8, "seconds": 1.0, "history": []}


def write_training(path, training) -> None:
    """Write an agent's file with what training needs, or something else in its place."""
    write_agent(path, "gym-5x5")
    scenario = find_scenario("gym-5x5").to_dict()
    with zipfile.ZipFile(path) as archive:
        network = archive.read("network.npz")
    description = {"version": 1, "scenario": scenario, "training": training}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bsbench.json", json.dumps(description))
        archive.writestr("network.npz", network)
        for name in ("policy.pth", "policy.optimizer.pth"):
            archive.writestr(name, b"cos\nsystem\n(S'touch RAN'\ntR.")


@pytest.mark.parametrize(
    "training",
    [
        *(None, [], {}, "x", {**TRAINING, "steps": "x"}, {**TRAINING, "steps": True}),
        *({**TRAINING, key: None} for key in TRAINING),
        *({**TRAINING, "seed": -1}, {**TRAINING, "planned": 1.5}, {**TRAINING, "history": [1]}),
        *({**TRAINING, "history": [entry]} for entry in ([1, 2, 3], [1, "x"])),
    ],
)
def test_a_strangers_account_of_a_training_is_checked(in_folder, training):
    write_training(in_folder / "mine.zip", training)
    code, told = invoke("--resume", "mine.zip")
    assert code == 2
    assert_sentence(told.removeprefix("Error: ").rstrip("\n"), "mine.zip", "bsbench.json")


def test_its_learning_curve_is_shown(in_folder):
    history = [[65_536, 20.5], [131_072, 16.25, 4000, 4.0]]
    write_training("mine.zip", {**TRAINING, "history": history, "algorithm": "MaskablePPO"})
    arguments = ["rl", "curve", "mine.zip", "-o", "curve.svg", "--export-csv", "curve.csv"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    rows = [line.split() for line in done.output.splitlines()]
    assert ["mine", "65,536", "20.50"] in rows
    assert ["mine", "131,072", "4,000", "16.25", "±", "0.12"] in rows
    assert Path("curve.csv").read_text().splitlines() == [
        "agent,scenario,seed,steps,mean_shots,games,sd",
        "mine,gym-5x5,8,65536,20.5,,",
        "mine,gym-5x5,8,131072,16.25,4000.0,4.0",
    ]
    assert names(Path("curve.svg").read_text(), "gym-5x5")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "agent"),
        (["slim.zip"], "slim.zip"),
        (["mine.zip"], "mine.zip"),
        (["mine.zip", "-o", "mine.txt"], "mine.txt"),
        (["none.zip"], "none.zip"),
    ],
)
def test_what_has_no_curve_is_told(in_folder, arguments, named):
    write_agent("slim.zip", "gym-5x5")
    write_training("mine.zip", TRAINING)
    assert_refused(CliRunner().invoke(main, ["rl", "curve", *arguments]), named)


def test_off_a_terminal_lines_tell_how_far_it_is(monkeypatch, capsys):
    from bsbench.cli import rl
    from bsbench.present import progress

    lines = []

    @contextmanager
    def at_once(line, file):
        lines.append(line)
        yield

    monkeypatch.setattr(progress, "log_lines", at_once)
    clock = iter([10.0, 30.0])
    monkeypatch.setattr(rl.time, "monotonic", lambda: next(clock))
    with rl._progress("gym-5x5", quiet=False) as show:
        assert names(lines[0](), "gym-5x5")
        show(8_192, 40_960, float("nan"), 0)
        # The mean of no games is not shown.
        assert re.findall(r"[\d,]*\d", lines[0]().partition(":")[2]) == ["8,192", "40,960"]
        show(16_384, 40_960, 21.52, 703)
    assert all(
        names(lines[0](), name)
        for name in ("gym-5x5", "16,384 of 40,960 steps", "21.5", "703", "60 s")
    )
    with rl._progress("gym-5x5", quiet=True) as show:
        assert show is None


def test_of_a_training_nothing_but_tensors_is_loaded(in_folder, monkeypatch):
    """Without torch, which a stand-in takes the place of."""
    from bsbench.rl.training import _restore

    def load(file, map_location, weights_only):
        assert weights_only is True
        assert map_location == "cpu"
        read.append(file.read())
        return {"a": len(read)}

    class Model:
        def set_parameters(self, state, device):
            self.state = state

    read, model = [], Model()
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(load=load))
    write_training("mine.zip", TRAINING)
    _restore(model, "mine.zip")
    assert model.state == {"policy": {"a": 1}, "policy.optimizer": {"a": 2}}
    assert len(read) == 2
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(load=lambda *_, **__: 1 / 0))
    with refused("mine.zip", "division by zero"):
        _restore(model, "mine.zip")


@pytest.mark.filterwarnings("default")
def test_pickles_of_a_stranger_run_nothing(in_folder, small):
    import torch

    class Evil:
        def __reduce__(self):
            return os.system, ("touch RAN",)

    for state in (b"cos\nsystem\n(S'touch RAN'\ntR.", None):
        write_training("mine.zip", TRAINING)
        if state is None:
            file = io.BytesIO()
            torch.save({"evil": Evil()}, file)
            state = file.getvalue()
        with zipfile.ZipFile("mine.zip") as archive:
            kept = {name: archive.read(name) for name in archive.namelist()}
        evil = ("policy.pth", "policy.optimizer.pth", "pytorch_variables.pth", "data")
        with zipfile.ZipFile("mine.zip", "w") as archive:
            for name, content in {**kept, **dict.fromkeys(evil, state)}.items():
                archive.writestr(name, content)
        code, told = invoke("--resume", "mine.zip")
        assert code == 2
        assert_sentence(told.removeprefix("Error: ").rstrip("\n"), "mine.zip")
        assert not Path("RAN").exists()


def test_without_torch_it_is_told_how_to_get_it(in_folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    code, told = invoke("--output", "mine.zip")
    assert code == 2
    assert_sentence(told.removeprefix("Error: ").rstrip("\n"), "pip install 'bsbench[rl]'")
    assert not list(in_folder.iterdir())


def test_names_are_free(in_folder):
    scenario = find_scenario("gym-5x5")
    assert str(free_path(None, scenario)) == "agents/ppo-gym-5x5.zip"
    (in_folder / "mine.zip").touch()
    (in_folder / "mine-2.zip").touch()
    for given in ("mine", "mine.zip"):
        assert str(free_path(given, scenario)) == "mine-3.zip"


def test_plans():
    assert make_plan("gym-5x5").steps >= STEPS[0][1]
    assert make_plan("gym-5x5", steps=1).steps == ROLLOUT
    assert make_plan("classic").steps >= STEPS[-1][1]


@pytest.fixture
def small(monkeypatch):
    """Let rounds be small; skip without what training needs."""
    pytest.importorskip("torch", reason="needs bsbench[rl]")
    pytest.importorskip("sb3_contrib", reason="needs bsbench[rl]")
    from bsbench.rl import training

    monkeypatch.setattr(training, "_ROLLOUTS", 1)
    return training


# What torch and Stable-Baselines3 warn of is theirs.
@pytest.mark.filterwarnings("default")
def test_a_training_that_goes_on_ends_as_one_that_was_never_interrupted(in_folder, small):
    from sb3_contrib import MaskablePPO

    plan = small.make_plan("gym-5x5", steps=3 * ROLLOUT, seed=8)
    told = []
    small.train(plan, "whole.zip", progress=lambda *now: told.append(now))
    assert [steps for steps, *_ in told] == [ROLLOUT, 2 * ROLLOUT, 3 * ROLLOUT]

    def interrupt(steps, *_):
        if steps == 2 * ROLLOUT:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small.train(plan, "parts.zip", progress=interrupt)
    resumed, done = small.resumed_plan("parts.zip")
    assert (resumed, done) == (plan, ROLLOUT)
    small.train(resumed, "parts.zip", done)
    whole, parts = read_training("whole.zip"), read_training("parts.zip")
    assert len(whole.arrays) == len(WEIGHTS)
    for name in whole.arrays:
        assert (whole.arrays[name] == parts.arrays[name]).all(), name
    histories = [each.description["training"]["history"] for each in (whole, parts)]
    assert histories[0] == histories[1]
    with refused("whole.zip", "24,576 steps"):
        small.resumed_plan("whole.zip")
    with refused("whole.zip", "8", "9"):
        small.resumed_plan("whole.zip", seed=9)
    # It learned something, and what plays without torch is what was trained with it.
    assert histories[0][-1][1] < histories[0][0][1] < 22.5
    model = MaskablePPO.load("whole.zip", device="cpu")
    strategy = find_strategy("whole.zip")()
    scenario = plan.scenario
    sampler = make_sampler(scenario.rules, scenario.placement)
    from bsbench.env import BattleshipEnv

    env = BattleshipEnv(scenario, obs="flat")
    for game in range(5):
        observation, _ = env.reset(seed=3, options={"game": game})
        for move in play_game(strategy.copy(), scenario.rules, sampler, 3, game):
            mask = env.action_masks()
            action, _ = model.predict(observation, action_masks=mask, deterministic=True)
            assert int(action) == move.cell
            observation, *_ = env.step(action)


@pytest.mark.filterwarnings("default")
def test_the_command_trains(in_folder, small):
    code, told = invoke("--steps", "1", "--output", "mine")
    assert code == 0, told
    assert "bsbench compare mine.zip" in told
    assert read_training("mine.zip").description["training"]["steps"] == ROLLOUT
    assert [path.name for path in in_folder.iterdir()] == ["mine.zip"]
    before = (in_folder / "mine.zip").read_bytes()
    for more, problem in (
        ([], "is over, after 8,192 steps"),
        (["--steps", "0"], "steps is a whole number"),
    ):
        code, told = invoke("--resume", "mine.zip", *more)
        assert code == 2
        assert problem in told
    assert (in_folder / "mine.zip").read_bytes() == before


# --- what the documents tell ----------------------------------------------------------------

RESULTS = ROOT / "results" / "rl"
SCENARIOS = sorted(path.stem for path in RESULTS.glob("*.csv"))


def compared(scenario: str) -> pd.DataFrame:
    """Means that were measured, by label."""
    table = pd.read_csv(RESULTS / f"{scenario}.csv").set_index("label")
    assert (table["games"] == 100_000).all()
    return table


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_table_is_what_was_measured(scenario):
    guide = (RESULTS.parent.parent / "docs" / "learning.md").read_text(encoding="utf-8")
    table = compared(scenario)
    means = [interval_text(*row) for row in table[["mean", "half_width"]].to_numpy()]
    training = read_training(RESULTS / f"ppo-{scenario}.zip").description["training"]
    row = " | ".join([f"`{scenario}`", f"{training['steps']:,}", *means[1:], f"**{means[0]}**"])
    assert f"| {row} |" in guide
    head = " | ".join(f"`{label}`" for label in table.index[1:])
    assert f"| scenario | shots | {head} | trained |" in guide


def test_it_is_what_the_agents_play():
    assert {"gym-5x5", "gym-6x6", "gym-8x8"} <= set(SCENARIOS)
    for scenario in ("gym-5x5", "gym-8x8"):
        games = 1000
        stats = run(str(RESULTS / f"ppo-{scenario}.zip"), scenario, games=games, seed=9).stats
        row = compared(scenario).iloc[0]
        assert abs(stats.mean - row["mean"]) <= 4 * row["sd"] * (1 / games + 1 / 100_000) ** 0.5


def test_agents_are_as_good_as_was_asked():
    """What gym-battleship is for: small boards are learned in minutes."""
    for scenario, most in (
        ("gym-5x5", 12.0),
        ("gym-6x6", 16.5),
        ("gym-8x8", 32.1),
        ("gym-10x10", 58.0),
    ):
        table = compared(scenario)
        assert table["mean"].iloc[0] <= most
        assert table["mean"].iloc[0] < table.loc["hunt-target-parity", "mean"]
