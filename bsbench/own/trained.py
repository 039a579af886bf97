"""Trained agents as strategies: a file is all that is needed.

The file is a zip archive with two members that hold all that play needs: neither Stable-Baselines3
nor torch has to be there, and no code of the file is run:

``bsbench.json``
    ``version`` (of this description), ``scenario`` (the keys of a scenario file), and how it was
    trained: see `bsbench.rl.training`. From version 2 on, ``agent`` says what was exported (see
    `bsbench.env.exporting`), and ``network`` which steps score the cells: see
    `bsbench.own.feedforward`.
``network.npz``
    The weights, arrays of float32.

``bsbench rl train`` writes version 1, an archive of Stable-Baselines3 with these members. Its
network is always the same: it is shown what ``obs="flat"`` shows, has two hidden layers of
rectified units, and is described by its weights alone, `WEIGHTS`.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.archives import open_archive, read_arrays, read_member
from bsbench.common.errors import BsbenchError, reason
from bsbench.common.reading import parse_json
from bsbench.kernels.networks import choose_best
from bsbench.own.feedforward import FeedForward
from bsbench.own.notebook import Notebook
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario, look_up_scenario, scenario_from_dict
from bsbench.strategies.base import Cells, Insight, Strategy
from bsbench.strategies.view import View

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

LOGITS, VALUES = "logits", "values"
"""What scores are: logarithms of probabilities, but for a constant; or what is expected of an
action."""

Weights = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Training:
    """A trained agent, as its file has it.

    Attributes
    ----------
    scenario : Scenario
        What it was trained on.
    weights : dict of str to ndarray of float32
        All arrays of ``network.npz``.
    network : FeedForward
        What scores the cells.
    description : dict
        All of ``bsbench.json``.
    members : frozenset of str
        Names of all members of the file.
    """

    scenario: Scenario
    weights: Weights
    network: FeedForward
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


def read_training(path: str | Path) -> Training:
    """Return the agent in a file.

    Raises
    ------
    BsbenchError
        If there is none that this version can read.
    """
    try:
        with open_archive(path, LARGEST) as archive:
            return _training(archive)
    except KeyError:
        raise BsbenchError(_lacking(path)) from None
    except OSError as error:
        raise BsbenchError(f"can't read the trained agent {path}: {reason(error)}") from None
    except (BsbenchError, ValueError) as error:
        raise BsbenchError(f"the trained agent {path} can't be used: {error}") from None


def _lacking(path: str | Path) -> str:
    """Return what to do with an archive that has no agent."""
    try:
        with open_archive(path, LARGEST) as archive:
            foreign = {"data", "policy.pth"} <= set(archive.namelist())
    except (OSError, ValueError):
        foreign = False
    if foreign:
        return (
            f"{path} is a model of Stable-Baselines3. bsbench does not load it, since loading runs "
            "code from the file. If you trust it, load it in Python and export it: "
            f"bsbench.env.export(PPO.load({str(path)!r}), 'mine.zip', scenario='gym-8x8'); see "
            '"Measure your own agent" in docs/gymnasium.md'
        )
    return (
        f"{path} is not a trained agent of bsbench: it lacks {DESCRIPTION} or {NETWORK}, "
        "which `bsbench rl train` and bsbench.env.export put there"
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
        network, arrays = _usual_network(arrays, scenario.rules)
    elif not isinstance(description.get("network"), dict):
        raise ValueError(f"its {DESCRIPTION} describes no network")
    else:
        network = FeedForward(scenario.rules, description["network"], arrays)
    return Training(scenario, arrays, network, description, frozenset(archive.namelist()))


def _usual_network(
    arrays: dict[str, npt.NDArray[Any]], rules: Rules
) -> tuple[FeedForward, Weights]:
    """Return the network of ``bsbench rl train`` with such weights, and the weights, checked."""
    bias = arrays.get("first_bias")
    width = len(bias) if bias is not None and bias.ndim == 1 else 0
    inputs = 3 * rules.cells + len(rules.fleet)
    shapes = (inputs, width), (width,), (width, width), (width,), (width, rules.cells)
    for name, shape in zip(WEIGHTS, (*shapes, (rules.cells,)), strict=True):
        if name not in arrays or width < 1 or arrays[name].shape != shape:
            raise BsbenchError(
                f"its weights {name!r} are missing, or don't fit a {rules.board} board"
            )
        # Numbers too large for float32 become infinite.
        with np.errstate(over="ignore"):
            arrays[name] = np.ascontiguousarray(arrays[name], np.float32)
        if not np.isfinite(arrays[name]).all():
            raise BsbenchError(f"its weights {name!r} are not all numbers within float32")
    steps: list[dict[str, Any]] = [{"op": "input", "field": "observation"}]
    named = {}
    for name in WEIGHTS[::2]:
        if len(steps) > 1:
            steps.append({"op": "relu", "of": [len(steps) - 1]})
        named[f"{len(steps)}.weights"] = arrays[name]
        named[f"{len(steps)}.bias"] = arrays[f"{name}_bias"]
        steps.append({"op": "linear", "of": [len(steps) - 1]})
    # The first layer has always been added cell by cell, not plane by plane.
    of_planes = np.arange(3 * rules.cells).reshape(3, -1).T.ravel()
    named["1.order"] = np.append(of_planes, np.arange(3 * rules.cells, inputs))
    return FeedForward(rules, {"obs": "flat", "mask": False, "steps": steps}, named), arrays


def trained_strategy(path: str | Path) -> type[Strategy]:
    """Return the agent in a file as a strategy, named like the file.

    Raises
    ------
    BsbenchError
        For the reasons that `read_training` has.
    """
    training = read_training(path)
    scenario, rules = training.scenario, training.scenario.rules
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", Path(path).stem).strip("-.") or "trained"
    known = None if scenario.name.endswith(".toml") else look_up_scenario(scenario.name)
    body = {
        "__doc__": f"A network trained on {scenario.name}.",
        "training": training,
        "name": name,
        "needs": scenario.rules.feedback,
        "home": scenario.name if known == scenario else None,
        "source": training.source,
        "limits": f"it was trained on a {rules.board} board with the fleet {rules.fleet_text}; "
        f"choose the scenario {scenario.name}, or train another",
    }
    return type("Trained", (TrainedStrategy,), body)


class TrainedStrategy(Strategy):
    """The cell that a network gives the highest score.

    Subclasses are made by `trained_strategy`, one for each file.
    """

    training: ClassVar[Training]

    def fits(self, rules: Rules) -> bool:
        """Return whether board and fleet are those of the training."""
        trained = self.training.scenario.rules
        return (rules.rows, rules.cols, rules.fleet) == (trained.rows, trained.cols, trained.fleet)

    @property
    def shares(self) -> bool:
        """True: shots depend on nothing but what earlier ones did, and a network takes its time."""
        return True

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for what is known in each lane."""
        super().begin(rules, lanes, seed)
        self._notebook = Notebook(rules, lanes)
        self._cells = np.zeros(lanes, np.int64)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known."""
        self._notebook.begin(lanes)

    def shoot(self, view: View) -> Cells:
        """Fire at the open cell with the highest score."""
        self._notebook.note(view)
        games = np.flatnonzero(view.asked)
        if len(games):
            choose_best(games, self._notebook.known.open, self._scores(games), self._cells)
        return self._cells

    def _scores(self, games: Cells) -> npt.NDArray[np.float32]:
        return self.training.network.scores(self._notebook.known.of(games))

    def insight(self, lane: int) -> Insight:
        """Return the probability that the network gave each cell when it was trained.

        Where its scores are values, return by how much each is above the least.
        """
        closed = ~self._notebook.is_open(lane)
        if closed.all():
            return Insight(closed=closed)
        scores = self._scores(np.array([lane]))[0].astype(np.float64)
        if self.training.scores == VALUES:
            shown = scores - scores[~closed].min()
        else:
            weights = np.exp(scores - scores[~closed].max())
            shown = weights / weights[~closed].sum()
        return Insight(closed=closed, scores=np.where(closed, -1.0, shown))
