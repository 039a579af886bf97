"""Training by proximal policy optimisation with masks: MaskablePPO of sb3-contrib.

Source: J. Schulman and others, "Proximal Policy Optimization Algorithms", arXiv:1707.06347 (2017);
S. Huang and S. Ontañón, "A Closer Look at Invalid Action Masking in Policy Gradient Algorithms",
arXiv:2006.14171 (2020).

Training has *rounds*. A round begins with fresh games, and with random numbers that depend on the
seed and the round's number alone; after each, everything is saved. So a training that was
interrupted and continues from its file ends with the same weights as one that was not.

The layouts are those of seeds from 2^62 on, which nobody uses for measurements by accident.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import math
import os
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import bsbench
from bsbench.common.archives import open_archive, read_member
from bsbench.common.errors import BsbenchError, how_to_install, reason
from bsbench.common.files import file_name, write_file
from bsbench.own.trained import (
    DESCRIPTION,
    LARGEST,
    NETWORK,
    VERSION,
    WEIGHTS,
    Training,
    read_training,
)
from bsbench.play.arena import check_seed
from bsbench.rules.scenario import Scenario, find_scenario

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

    from bsbench.env.sb3 import BattleshipVecEnv

SUFFIX = ".zip"
"""Of the file of an agent."""

BOARDS = 128
_STEPS = 64
ROLLOUT = BOARDS * _STEPS
"""Shots between two updates of the network."""

_ROLLOUTS = 8
"""Rollouts of a round."""

_WIDTH = 128
_RATE = 1e-3
"""Learning rate at the beginning; it falls in proportion to the remaining steps."""

_LEAST_RATE = 0.02
"""Share of that rate, at the end."""

_REWARDS = {"miss": -0.1, "hit": 0.0, "sunk": 0.0, "win": 0.0}
"""Only misses cost, since every game has the same number of hits. A tenth, so that returns are of
the order of one, where optimisers work best."""

_GAMES = 100_000
"""More than a round has."""

_SETTINGS: dict[str, Any] = {
    "n_steps": _STEPS,
    "batch_size": 1024,
    "n_epochs": 4,
    # Below 1, so that a shot is judged by about the next twenty: with 1, the noise of all later
    # shots hides the effect of the shot itself.
    "gamma": 0.95,
    "gae_lambda": 0.95,
    "ent_coef": 0.01,
}

STEPS = ((25, 400_000), (36, 500_000), (64, 1_500_000), (144, 2_500_000))
"""Default steps of a training: pairs of the largest number of cells, and steps."""

_FIRST_SEED = 2**62

_STATE = "policy", "policy.optimizer"
"""What of a model is needed to continue; ``NAME.pth`` in the agent's file."""

_MOST_STEPS = 10**10

Progress = Callable[[int, int, float, int], None]
"""Receives steps done, steps in all, and of the games of this round that are over so far: the mean
number of shots, not a number without any, and how many they are."""


@dataclass(frozen=True)
class TrainingPlan:
    """What is trained, and how long.

    Attributes
    ----------
    scenario : Scenario
    steps : int
        Shots in all, a multiple of `ROLLOUT`.
    seed : int
    """

    scenario: Scenario
    steps: int
    seed: int


def default_steps(scenario: Scenario) -> int:
    """Return the default number of steps of a training."""
    cells = scenario.rules.cells
    return next((steps for most, steps in STEPS if cells <= most), STEPS[-1][1])


def make_plan(
    scenario: str | Path | Scenario, steps: int | None = None, seed: int | None = None
) -> TrainingPlan:
    """Return a plan, checked.

    Raises
    ------
    BsbenchError
        If there is no such scenario, or a number is out of range.
    """
    if not isinstance(scenario, Scenario):
        scenario = find_scenario(str(scenario))
    steps = default_steps(scenario) if steps is None else steps
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= _MOST_STEPS:
        raise BsbenchError(f"steps is a whole number from 1 to {_MOST_STEPS:,}, not {steps!r}")
    return TrainingPlan(
        scenario, -(-steps // ROLLOUT) * ROLLOUT, check_seed(0 if seed is None else seed)
    )


def free_path(output: str | Path | None, scenario: Scenario) -> Path:
    """Return where a new agent is saved: nothing that is there is overwritten.

    Parameters
    ----------
    output : str or Path, optional
        A path, with or without ``.zip``. Default: ``agents/ppo-SCENARIO.zip``. If it exists, the
        next free number is appended to the name.

    Raises
    ------
    BsbenchError
        If it ends in another suffix, or its folder can't be made.
    """
    if output is not None and not str(output).strip():
        raise BsbenchError("the output path is empty: give a file name")
    path = Path(output) if output is not None else Path("agents", file_name(f"ppo-{scenario.name}"))
    if output is not None and path.suffix not in ("", SUFFIX):
        raise BsbenchError(f"an agent is saved as {SUFFIX}: end {str(output)!r} in {SUFFIX}")
    path = path.with_name(path.name.removesuffix(SUFFIX))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BsbenchError(f"can't make the folder {path.parent}: {reason(error)}") from None
    later = (f"{path.name}-{number}" for number in itertools.count(2))
    found = (path.with_name(f"{name}{SUFFIX}") for name in itertools.chain([path.name], later))
    return next(each for each in found if not os.path.exists(each))


def resumed_plan(
    path: str | Path, steps: int | None = None, seed: int | None = None
) -> tuple[TrainingPlan, int]:
    """Return the plan of a training to continue, and the steps that are done.

    Parameters
    ----------
    path : str or Path
        The agent's file.
    steps : int, optional
        In all, in place of those planned.
    seed : int, optional
        Must be that of the training.

    Raises
    ------
    BsbenchError
        If there is no agent there, or no steps remain.
    """
    training = read_training(path)
    if not {f"{part}.pth" for part in _STATE} <= training.members:
        raise BsbenchError(
            f"the training in {path} can't continue: the file holds only what is needed to play"
        )
    record = record_of(training, path)
    if seed not in (None, record["seed"]):
        raise BsbenchError(
            f"the training in {path} has seed {record['seed']}, not {seed}: leave the seed out"
        )
    plan = make_plan(
        training.scenario, record["planned"] if steps is None else steps, record["seed"]
    )
    done = record["steps"]
    if done >= plan.steps:
        raise BsbenchError(
            f"the training in {path} is over, after {done:,} steps: give more steps to continue"
        )
    return plan, done


def train(
    plan: TrainingPlan, path: str | Path, done: int = 0, progress: Progress | None = None
) -> None:
    """Train an agent, saving it after each round.

    Parameters
    ----------
    plan : TrainingPlan
    path : str or Path
        Its file, which is replaced after each round; it is never half-written.
    done : int
        Steps that the agent in the file was trained for; 0 for a new training.
    progress : callable, optional

    Raises
    ------
    BsbenchError
        If Stable-Baselines3 is not installed, or the file can't be written or read.
    KeyboardInterrupt
        If interrupted: the file has the state after the last whole round.
    """
    try:
        from sb3_contrib import MaskablePPO
        from torch.nn import ReLU

        from bsbench.env.sb3 import BattleshipVecEnv
    except ImportError as error:
        raise BsbenchError(
            "training needs Stable-Baselines3 with sb3-contrib, and torch, which are not installed "
            f"({error}): {how_to_install('rl')}"
        ) from None
    boards = BattleshipVecEnv(BOARDS, plan.scenario, rewards=_REWARDS)
    with _one_thread():
        model = MaskablePPO(
            "MlpPolicy",
            boards,
            learning_rate=_RATE,
            policy_kwargs={"net_arch": [_WIDTH] * 2, "activation_fn": ReLU},
            seed=_round_seed(plan.seed, -1) % 2**31,
            stats_window_size=_GAMES,
            device="cpu",
            **_SETTINGS,
        )
        model.lr_schedule = lambda _: _rate(model.num_timesteps / plan.steps)
        record: dict[str, Any] = {"seconds": 0.0, "history": []}
        if done:
            record = record_of(read_training(path), path)
            _restore(model, path)
            model.num_timesteps = done
        else:
            _save(model, plan, record, Path(path))
        while model.num_timesteps < plan.steps:
            _play_round(model, plan, boards, record, progress)
            _save(model, plan, record, Path(path))


def record_of(training: Training, path: str | Path) -> dict[str, Any]:
    """Return what a description says of its training; it may be a stranger's.

    ``history`` has an entry for each round: steps done in all, mean shots of the round's games, how
    many these are, and their standard deviation. (Older files have the first two.)

    Raises
    ------
    BsbenchError
        If that is not what `_save` writes.
    """
    record = training.description.get("training")
    if isinstance(record, dict):
        numbers = [record.get(key) for key in ("steps", "planned", "seed")]
        history = record.get("history")
        if (
            all(type(number) is int and 0 <= number < _FIRST_SEED for number in numbers)
            and type(record.get("seconds")) in (int, float)
            and isinstance(history, list)
            and all(isinstance(entry, list) and len(entry) in (2, 4) for entry in history)
            and all(type(value) in (int, float) for entry in history for value in entry)
        ):
            return record
    raise BsbenchError(
        f"{path} holds no training that bsbench can read: {DESCRIPTION} does not say how it went"
    )


def _restore(model: MaskablePPO, path: str | Path) -> None:
    """Give a model the weights and the state of the optimiser that a file holds.

    The file may be a stranger's, so nothing but tensors is loaded, whatever the defaults of torch
    and Stable-Baselines3 are. What else Stable-Baselines3 saves is not needed, and not read.
    """
    import torch

    try:
        with open_archive(path, LARGEST) as archive:
            state = {
                name: torch.load(
                    io.BytesIO(read_member(archive, f"{name}.pth", LARGEST)),
                    map_location="cpu",
                    weights_only=True,
                )
                for name in _STATE
            }
        model.set_parameters(state, device="cpu")
    except Exception as error:
        # torch raises errors of many kinds for what it did not write itself.
        why = str(error).partition("\n")[0][:200]
        raise BsbenchError(
            f"the training in {path} can't continue, its weights can't be loaded: {why}"
        ) from None


def _play_round(
    model: MaskablePPO,
    plan: TrainingPlan,
    boards: BattleshipVecEnv,
    record: dict[str, Any],
    progress: Progress | None,
) -> None:
    """Train for a round, and note how it went."""
    from stable_baselines3.common.callbacks import BaseCallback

    def shots() -> list[int]:
        return [episode["l"] for episode in model.ep_info_buffer or ()]

    class Reporter(BaseCallback):  # type: ignore[misc]
        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            if progress is not None:
                mean = float(np.mean(shots())) if shots() else math.nan
                progress(self.num_timesteps, plan.steps, mean, len(shots()))

    begun = time.process_time()
    number, rest = divmod(model.num_timesteps, _ROLLOUTS * ROLLOUT)
    steps = min(_ROLLOUTS * ROLLOUT - rest, plan.steps - model.num_timesteps)
    seed = _round_seed(plan.seed, number)
    model.set_random_seed(seed % 2**31)
    boards.seed(_FIRST_SEED + seed)
    if model.ep_info_buffer is not None:
        model.ep_info_buffer.clear()
    # Stable-Baselines3 resets the boards where there is no last observation.
    model._last_obs = None
    model.learn(steps, Reporter(), log_interval=None, reset_num_timesteps=False)
    record["seconds"] += time.process_time() - begun
    if played := shots():
        mean, sd = round(float(np.mean(played)), 3), round(float(np.std(played)), 3)
        record["history"].append([model.num_timesteps, mean, len(played), sd])


def _round_seed(seed: int, number: int) -> int:
    """Return a number below 2^61 that follows from the seed and the number of the round."""
    digest = hashlib.blake2b(f"bsbench rl {seed} {number}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 3


def _rate(share: float) -> float:
    """Return the rate of learning when a share of all steps is done."""
    return _RATE * max(1 - share, _LEAST_RATE)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch use one thread: for networks this small, more threads would be slower."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _save(model: MaskablePPO, plan: TrainingPlan, record: dict[str, Any], path: Path) -> None:
    """Write the agent's file."""
    record |= {
        "algorithm": "MaskablePPO",
        "steps": model.num_timesteps,
        "planned": plan.steps,
        "seed": plan.seed,
        "boards": BOARDS,
        "rate": _RATE,
        **_SETTINGS,
        "bsbench": bsbench.__version__,
        "libraries": {
            name: version(name) for name in ("torch", "stable-baselines3", "sb3-contrib")
        },
    }
    description = {
        "version": VERSION,
        "scenario": plan.scenario.to_dict(),
        "training": record,
    }
    archive = io.BytesIO()
    # The schedule holds the model, and the buffer the games of a round.
    model.save(archive, exclude=["lr_schedule", "ep_info_buffer"])
    network = io.BytesIO()
    np.savez(network, **_weights(model))
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr(DESCRIPTION, json.dumps(description, indent=1))
        file.writestr(NETWORK, network.getvalue())
    write_file(path, lambda file: file.write(archive.getvalue()))


def _weights(model: MaskablePPO) -> dict[str, Any]:
    """Return the weights of the network that chooses actions, by `WEIGHTS`."""
    hidden = model.policy.mlp_extractor.policy_net
    layers = hidden[0], hidden[2], model.policy.action_net
    # torch keeps a row for each output, kernels one for each input.
    arrays = [array.detach().numpy() for layer in layers for array in (layer.weight.T, layer.bias)]
    return dict(zip(WEIGHTS, arrays, strict=True))
