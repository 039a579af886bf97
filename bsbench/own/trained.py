"""Agents trained by ``bsbench rl train``, as strategies: a file is all that is needed.

The file is an archive of Stable-Baselines3, ``NAME.zip``, with two more members. These hold
all that play needs: neither Stable-Baselines3 nor torch has to be there, and no code of the file is
run:

``bsbench.json``
    ``version`` (of this description, 1), ``scenario`` (the keys of a scenario file), and how it was
    trained: see `bsbench.rl.training`.
``network.npz``
    The weights, arrays of float32: see `bsbench.kernels.networks`.
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
from bsbench.kernels.networks import Network, choose_by_network
from bsbench.own.notebook import Notebook
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario, look_up_scenario, scenario_from_dict
from bsbench.strategies.base import Cells, Insight, Strategy
from bsbench.strategies.view import View

DESCRIPTION, NETWORK = "bsbench.json", "network.npz"
VERSION = 1

LARGEST = 10**9
"""Bytes at most of an agent, which holds the state of its training, too."""

_LARGEST_NETWORK = 256 * 10**6
"""Bytes at most of a network, enough for a board of 250x250 cells."""

_LARGEST_DESCRIPTION = 16 * 10**6
"""Bytes at most of the description, which has a line for each round of the training."""

WEIGHTS = Network._fields
"""Names of the arrays of a network, in the order in which they are used."""

Weights = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Training:
    """A trained agent, as its file has it.

    Attributes
    ----------
    scenario : Scenario
        What it was trained on.
    weights : dict of str to ndarray of float32
        See `WEIGHTS`.
    description : dict
        All of ``bsbench.json``.
    members : frozenset of str
        Names of all members of the file.
    """

    scenario: Scenario
    weights: Weights
    description: dict[str, Any]
    members: frozenset[str]


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
        raise BsbenchError(
            f"{path} is no trained agent of bsbench: it lacks {DESCRIPTION} or {NETWORK}, "
            "which `bsbench rl train` puts there"
        ) from None
    except OSError as error:
        raise BsbenchError(f"can't read the trained agent {path}: {reason(error)}") from None
    except (BsbenchError, ValueError) as error:
        raise BsbenchError(f"the trained agent {path} can't be used: {error}") from None


def _training(archive: zipfile.ZipFile) -> Training:
    """Return the agent in an archive; the network is read after what says how large it is."""
    description = parse_json(read_member(archive, DESCRIPTION, _LARGEST_DESCRIPTION))
    version = description.get("version") if isinstance(description, dict) else None
    if version != VERSION or type(version) is not int:
        raise ValueError("it was written by another version of bsbench: train the agent again")
    if not isinstance(description.get("scenario"), dict):
        raise ValueError(f"its {DESCRIPTION} describes no scenario")
    scenario = scenario_from_dict(description["scenario"])
    packed = read_member(archive, NETWORK, _LARGEST_NETWORK)
    weights = _fitting(read_arrays(packed, _LARGEST_NETWORK), scenario.rules)
    return Training(scenario, weights, description, frozenset(archive.namelist()))


def _fitting(arrays: dict[str, npt.NDArray[Any]], rules: Rules) -> Weights:
    """Return the weights, which must fit the board and each other: the kernel trusts them."""
    bias = arrays.get("first_bias")
    width = len(bias) if bias is not None and bias.ndim == 1 else 0
    inputs = 3 * rules.cells + len(rules.fleet)
    shapes = (inputs, width), (width,), (width, width), (width,), (width, rules.cells)
    weights = {}
    for name, shape in zip(WEIGHTS, (*shapes, (rules.cells,)), strict=True):
        if name not in arrays or width < 1 or arrays[name].shape != shape:
            raise BsbenchError(
                f"its weights {name!r} are missing, or don't fit a {rules.board} board"
            )
        # Numbers too large for float32 become infinite.
        with np.errstate(over="ignore"):
            weights[name] = np.ascontiguousarray(arrays[name], np.float32)
        if not np.isfinite(weights[name]).all():
            raise BsbenchError(f"its weights {name!r} are not all numbers within float32")
    return weights


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
        "source": "trained by bsbench",
        "limits": f"it was trained on a {rules.board} board with the fleet {rules.fleet_text}; "
        f"give --scenario {scenario.name}, or train another",
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
        self._network = Network(**self.training.weights)
        self._hidden = np.zeros((2, len(self._network.first_bias)), np.float32)
        self._score = np.zeros(rules.cells, np.float32)
        self._cells = np.zeros(lanes, np.int64)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known."""
        self._notebook.begin(lanes)

    def shoot(self, view: View) -> Cells:
        """Fire at the cell with the highest score."""
        self._notebook.note(view)
        self._choose(view.asked)
        return self._cells

    def _choose(self, asked: npt.NDArray[np.bool_]) -> None:
        board, remaining = self._notebook.board, self._notebook.known.remaining
        network = self._network
        choose_by_network(asked, board, remaining, network, self._hidden, self._score, self._cells)

    def insight(self, lane: int) -> Insight:
        """Return the probability of each cell that the network gave when it was trained."""
        closed = ~self._notebook.is_open(lane)
        if closed.all():
            return Insight(closed=closed)
        chosen = self._cells[lane]
        alone = np.zeros(self.lanes, np.bool_)
        alone[lane] = True
        self._choose(alone)
        self._cells[lane] = chosen
        weights = np.exp(self._score - self._score[~closed].max(), dtype=np.float64)
        return Insight(
            closed=closed, scores=np.where(closed, -1.0, weights / weights[~closed].sum())
        )
