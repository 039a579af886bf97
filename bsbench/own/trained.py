"""Files of trained agents in bsbench's own formats.

The file is a zip archive. Two members hold all that play needs, and no code of the file is run:

``bsbench.json``
    ``version`` (of this description), ``scenario`` (the keys of a scenario file), and how it was
    trained: see `bsbench.rl.training`. In version 2, ``agent`` says what was exported, and
    ``network`` which steps score the cells: see `bsbench.own.converting`.
``network.npz``
    The weights, arrays of float32.

``bsbench rl train`` writes version 1, an archive of Stable-Baselines3 with these members. Its
network is always the same: it is shown what ``obs="flat"`` shows, has two hidden layers of
rectified units, and is described by its weights alone, `WEIGHTS`. Version 2 was written by
`bsbench.env.export` before it wrote ONNX. Both are played as ONNX: see `bsbench.own.policies`.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.archives import open_archive, read_arrays, read_member
from bsbench.common.errors import BsbenchError, reason
from bsbench.common.reading import parse_json
from bsbench.own.observation import FORMATS, LOGITS
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario, scenario_from_dict

DESCRIPTION, NETWORK = "bsbench.json", "network.npz"
VERSION, EXPORTED = 1, 2
"""Versions of the description: of a training, and of an export."""

LARGEST = 10**9
"""Bytes at most of an agent, which holds the state of its training, too."""

_LARGEST_NETWORK = 256 * 10**6
"""Bytes at most of a network, enough for a board of 250x250 cells."""

_LARGEST_DESCRIPTION = 16 * 10**6
"""Bytes at most of the description, which has a line for each round of the training."""

WEIGHTS = "first", "first_bias", "second", "second_bias", "third", "third_bias"
"""Names of the arrays of a network of ``bsbench rl train``, in the order in which they are used:
shapes (3 cells + ships, width), (width,), (width, width), (width,), (width, cells), (cells,)."""

VALUES = "values"
"""Scores that say what is expected of an action; others are `LOGITS`."""

_MOST_STEPS = 1_000

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Training:
    """A trained agent, as its file has it.

    Attributes
    ----------
    scenario : Scenario
        What it was trained on.
    obs : str
        The format of the observations that it is shown.
    steps : list of dict
        What scores the cells: see `bsbench.own.converting`.
    arrays : dict of str to ndarray
        Those of the steps.
    description : dict
        All of ``bsbench.json``.
    members : frozenset of str
        Names of all members of the file.
    """

    scenario: Scenario
    obs: str
    steps: list[dict[str, Any]]
    arrays: Arrays
    description: dict[str, Any]
    members: frozenset[str]

    @property
    def scores(self) -> str:
        """What its scores are: `LOGITS` or `VALUES`."""
        return VALUES if self._agent.get("scores") == VALUES else LOGITS

    @property
    def source(self) -> str:
        """Where it comes from, in a line; for an export, how it is played, too."""
        if not self._agent:
            return "trained by bsbench"
        # The file may be a stranger's.
        algorithm = re.sub(r"[^\w.-]", "", str(self._agent.get("algorithm")))[:40]
        masked = self._agent.get("masked") is True
        mask = "trained with masks" if masked else "trained without masks"
        return f"{algorithm} policy of Stable-Baselines3, {mask}; its best open cell is shot"

    @property
    def _agent(self) -> dict[str, Any]:
        agent = self.description.get("agent")
        return agent if isinstance(agent, dict) else {}


def read_training(path: str | Path, called: str = "") -> Training:
    """Return the agent in a file.

    Parameters
    ----------
    path : str or Path
    called : str
        What the file is called in a message: by default, its path.

    Raises
    ------
    BsbenchError
        If there is none that this version can read.
    """
    called = called or str(path)
    try:
        with open_archive(path, LARGEST) as archive:
            return _training(archive)
    except KeyError:
        raise BsbenchError(_lacking(path, called)) from None
    except OSError as error:
        raise BsbenchError(f"can't read the trained agent {called}: {reason(error)}") from None
    except (BsbenchError, ValueError) as error:
        raise BsbenchError(f"the trained agent {called} can't be used: {error}") from None


def _lacking(path: str | Path, called: str) -> str:
    """Return what to do with an archive that has no agent."""
    try:
        with open_archive(path, LARGEST) as archive:
            foreign = {"data", "policy.pth"} <= set(archive.namelist())
    except (OSError, ValueError):
        foreign = False
    if foreign:
        return (
            f"{called} is a model of Stable-Baselines3. bsbench does not load it, since loading "
            "runs code from the file. If you trust it, load it in Python and export it: "
            f"bsbench.env.export(PPO.load({called!r}), 'mine.onnx', scenario='gym-8x8'); see "
            '"Measure your own agent" in docs/gymnasium.md'
        )
    return (
        f"{called} is not a trained agent of bsbench: it lacks {DESCRIPTION} or {NETWORK}, "
        "which `bsbench rl train` puts there"
    )


def _training(archive: zipfile.ZipFile) -> Training:
    """Return the agent in an archive; the network is read after what says how large it is."""
    description = parse_json(read_member(archive, DESCRIPTION, _LARGEST_DESCRIPTION))
    version = description.get("version") if isinstance(description, dict) else None
    if version not in (VERSION, EXPORTED) or type(version) is not int:
        raise ValueError(
            "it was written by another version of bsbench: train or export the agent again"
        )
    if not isinstance(description.get("scenario"), dict):
        raise ValueError(f"its {DESCRIPTION} describes no scenario")
    scenario = scenario_from_dict(description["scenario"])
    packed = read_member(archive, NETWORK, _LARGEST_NETWORK)
    arrays = read_arrays(packed, _LARGEST_NETWORK)
    if version == VERSION:
        obs: Any = "flat"
        steps, arrays = _usual_network(arrays, scenario.rules)
    else:
        network = description.get("network")
        network = network if isinstance(network, dict) else {}
        obs, steps = network.get("obs"), network.get("steps", [])
        if (
            obs not in FORMATS
            or not isinstance(steps, list)
            or not 1 <= len(steps) <= _MOST_STEPS
            or not all(isinstance(step, dict) for step in steps)
        ):
            raise ValueError(
                f"its {DESCRIPTION} describes no network of 1 to {_MOST_STEPS:,} steps"
            )
    members = frozenset(archive.namelist())
    return Training(scenario, obs, steps, arrays, description, members)


def _usual_network(arrays: Arrays, rules: Rules) -> tuple[list[dict[str, Any]], Arrays]:
    """Return the steps of a network of ``bsbench rl train``, and their arrays."""
    bias = arrays.get("first_bias")
    width = len(bias) if bias is not None and bias.ndim == 1 else 0
    inputs = 3 * rules.cells + len(rules.fleet)
    shapes = (inputs, width), (width,), (width, width), (width,), (width, rules.cells)
    steps: list[dict[str, Any]] = [{"op": "input", "field": "observation"}]
    named = {}
    for place, shape in enumerate((*shapes, (rules.cells,))):
        name = WEIGHTS[place]
        if name not in arrays or width < 1 or arrays[name].shape != shape:
            raise BsbenchError(
                f"its weights {name!r} are missing, or don't fit a {rules.board} board"
            )
        if not np.isfinite(arrays[name]).all():
            raise BsbenchError(f"its weights {name!r} are not all numbers")
        if place in (2, 4):
            steps.append({"op": "relu", "of": [len(steps) - 1]})
        if place % 2 == 0:
            steps.append({"op": "linear", "of": [len(steps) - 1]})
        named[f"{len(steps) - 1}.{'bias' if place % 2 else 'weights'}"] = arrays[name]
    return steps, named
