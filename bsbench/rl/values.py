"""Training of the networks of ``lattice-net``: ``python -m bsbench.rl.values``.

`label` plays games, and makes rollouts in some positions: `lattice2` plays on from each of a
few cells, on the same layouts, drawn from all that agree with the answers so far. The mean shots
are the *labels*. `fit` fits networks to them: it needs neither torch nor a graphics card.

Without networks, games are played by `lattice2`, and its eight best cells are compared.
With networks of a round before, games are played by these, and only cells that they
expect to be at most `_FAR` shots worse than the best one are compared, four at most.
So the next networks learn from the positions that they will meet, and from close decisions.

The layouts are those of seeds from 2^62 on, which nobody uses for measurements by accident.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, FrontEnd, serving
from bsbench.common.files import make_folder, write_bytes
from bsbench.common.settings import read_count
from bsbench.kernels.advantages import (
    CELLS,
    FEW,
    PARTS,
    Networks,
    Position,
    add_gradients,
    compare_all,
    frames,
    no_networks,
    room_for,
    step_adam,
)
from bsbench.kernels.random import stream_key
from bsbench.layouts import Sampler
from bsbench.play.arena import check_seed
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import find_scenario
from bsbench.strategies._ranking import AFLOAT, RankingPlayer, named_arrays, read_networks
from bsbench.strategies.base import Cells
from bsbench.strategies.lattice2 import Lattice2
from bsbench.strategies.mcts import Mcts
from bsbench.strategies.view import View

FIRST_SEED = 2**62

BLOCK = 512
"""Games in a file of labels."""

_SHARE = 0.25
"""Share of decisions that are labelled; half of it with four ships afloat."""

_FAR = 0.2
"""Cells that networks expect to be so many shots worse than the best are not compared."""

_CLOSE = 4
"""Cells that are compared if networks choose them."""

WIDTH = 64
"""Units of the first hidden layer, by default."""

_SECOND_WIDTH = 16
_BATCH = 256
_SPREAD = 0.02
"""Variance of labels that networks can't explain, even if these had no error."""


class Labels(NamedTuple):
    """Positions, and the shots that rollouts need from some cells.

    Attributes
    ----------
    known : Position
        Of n positions.
    cells, ranks, parts : ndarray of uint8, shape (n, 8)
        As `bsbench.kernels.advantages.compare` takes them.
    counts : ndarray of uint8, shape (n,)
        How many cells were compared.
    shots : ndarray of float32, shape (n, 8)
        Mean shots from each cell to the end.
    weights : ndarray of float32, shape (n,)
        From 0 to 1: the lower the error of a difference of shots, the higher.
    """

    known: Position
    cells: npt.NDArray[np.uint8]
    ranks: npt.NDArray[np.uint8]
    parts: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.uint8]
    shots: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]


def _no_labels(positions: int) -> Labels:
    cells, ranks, parts = np.zeros((3, positions, FEW), np.uint8)
    dry, struck = np.zeros((2, positions, 2), np.uint64)
    return Labels(
        Position(dry, struck, np.zeros((positions, 5), np.uint8)),
        *(cells, ranks, parts, np.zeros(positions, np.uint8)),
        np.zeros((positions, FEW), np.float32),
        np.zeros(positions, np.float32),
    )


def _arrays(labels: Labels) -> list[npt.NDArray[np.generic]]:
    return [*labels.known, *labels[1:]]


_NAMES = [*Position._fields, *Labels._fields[1:]]


def _of_arrays(arrays: Sequence[npt.NDArray[np.generic]]) -> Labels:
    return Labels(Position(*arrays[:3]), *arrays[3:])  # type: ignore[arg-type]


class _Teacher(Mcts):
    """Plays as its player, and labels some of its decisions."""

    def __init__(self, layouts: int, networks: Networks | None, seed: int, block: Block) -> None:
        super().__init__(base="lattice2", hunt_ships=0, target_ships=0)
        self.layouts, self.networks, self.block, self._label_seed = layouts, networks, block, seed
        # Random numbers of the block alone.
        self._chance = np.random.default_rng([seed, block.first_game])
        self.labels = _no_labels(BLOCK * CELLS)
        self.count = 0

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make the player; by default its networks choose the base's own cell everywhere."""
        super().begin(rules, lanes, seed)
        networks = self.networks or blank_networks()
        self._ranker = RankingPlayer(Lattice2().slot_player(rules), networks)
        self._ranker.begin(rules, lanes, seed)
        self._player = self._ranker

    def shoot(self, view: View) -> Cells:
        """Ask the player, and label what it decided in some lanes."""
        cells = super().shoot(view)
        afloat = self._ranker.evidence.afloat.sum(axis=0).reshape(-1)[: self.lanes]
        share = np.where(afloat == AFLOAT, _SHARE / 2, _SHARE) * (afloat <= AFLOAT)
        drawn = self._chance.random(self.lanes) < share
        for lane in np.flatnonzero(view.live & drawn).tolist():
            self._label(lane)
        return cells

    def _label(self, lane: int) -> None:
        known, few, count = self._ranker.compared(lane)
        order = np.arange(count)
        if self.networks is not None:
            # The base's own cell is always compared.
            order = np.argsort(few.values[:count], kind="stable")
            close = few.values[order] < few.values[:count].min() + _FAR
            order = order[close & (order > 0)][: _CLOSE - 1]
            order = np.concatenate(([0], order))
        if len(order) < 2 or (counted := self._counted(lane)) is None:
            return
        joins, layouts = counted
        if layouts <= self.layouts:
            ships = joins.all_layouts(layouts)
        else:
            name = f"labels {self._label_seed} {self.block.first_game + self._games[lane]}"
            key = self._key_of(lane, stream_key(name, 0))
            ships = joins.sample(key, layouts, self.layouts)
        shots = self._play(lane, few.cells[order], ships)
        labels, at, compared = self.labels, self.count, len(order)
        labels.known.dry[at], labels.known.struck[at] = known.dry, known.struck
        labels.known.afloat[at] = known.afloat
        for to, what in zip(labels[1:4], (few.cells, few.ranks, few.parts), strict=True):
            to[at, :compared] = what[order]
        labels.counts[at] = compared
        labels.shots[at, :compared] = shots.mean(axis=1)
        error = 0.0
        if layouts > self.layouts:
            error = float((shots[1:] - shots[0]).std(axis=1).mean()) ** 2 / self.layouts
        labels.weights[at] = _SPREAD / (_SPREAD + error)
        self.count += 1


def blank_networks(width: int = WIDTH) -> Networks:
    """Return networks that find all cells equally good, of so many units in the first layer."""
    return no_networks(width, _SECOND_WIDTH)


def fresh_networks(width: int, chance: np.random.Generator) -> Networks:
    """Return networks with random weights."""
    networks, second = blank_networks(width), _SECOND_WIDTH
    for weights, spread in (
        (networks.first, 0.03),
        (networks.second, (2 / width) ** 0.5),
        (networks.third, 0.2 / second**0.5),
    ):
        weights[:] = spread * chance.standard_normal(weights.shape)
    return networks


def label(
    games: Block, seed: int, layouts: int, networks: Networks | None, sampler: Sampler | None = None
) -> Labels:
    """Play a block of games, and return labels of some positions.

    Parameters
    ----------
    games : Block
        At most `BLOCK` games.
    seed : int
    layouts : int
        Rollouts from each cell; fewer where fewer layouts agree.
    networks : Networks, optional
        Of the round before.
    sampler : Sampler, optional
        Draws the layouts of `classic`.
    """
    rules = classic()
    sampler = sampler or make_sampler(rules, find_scenario("classic").placement)
    teacher = _Teacher(layouts, networks, seed, games)
    simulator = Simulator(
        *(rules, sampler, teacher, FIRST_SEED + seed, games.games, games.games), shared_bytes=0
    )
    for _ in simulator.play(iter([games])):
        pass
    return _of_arrays([array[: teacher.count] for array in _arrays(teacher.labels)])


def classic() -> Rules:
    """Return the rules that networks are trained for."""
    return find_scenario("classic").override(feedback=Feedback.SUNK).rules


def fit(
    labels: Labels, epochs: int, rate: float, shrink: float, seed: int, width: int = WIDTH
) -> Iterator[Networks]:
    """Fit networks to labels, and yield them after each epoch; the same object each time.

    Parameters
    ----------
    labels : Labels
    epochs : int
        How often all labels are shown.
    rate : float
        Learning rate at the beginning; it falls to 0.
    shrink : float
        Part of the learning rate by which weights, not biases, shrink at each step.
    seed : int
    width : int
        Units of the first hidden layer.
    """
    chance = np.random.default_rng(seed)
    networks = fresh_networks(width, chance)
    sums, means, squares = (blank_networks(width) for _ in range(3))
    scratch = tuple(np.zeros(size, np.float32) for size in (FEW, width, _SECOND_WIDTH))
    room, seen = room_for(networks), frames()
    positions, step = len(labels.counts), 0
    steps = epochs * -(-positions // _BATCH)
    for _ in range(epochs):
        order = chance.permutation(positions)
        for first in range(0, positions, _BATCH):
            batch = order[first : first + _BATCH]
            turned = np.ascontiguousarray(networks.second.swapaxes(1, 2))
            add_gradients(batch, labels, seen, networks, turned, sums, room, scratch)
            step += 1
            now = np.float32(rate * min(1, step / 200) * (1 - step / (steps + 1)))
            for name, *arrays in zip(Networks._fields, networks, sums, means, squares, strict=True):
                arrays[1] /= np.float32(len(batch))
                keep = np.float32(0 if name.endswith("bias") else shrink)
                step_adam(*(array.reshape(-1) for array in arrays), now, keep, step)
        yield networks


def values_of(labels: Labels, networks: Networks) -> npt.NDArray[np.float32]:
    """Return what networks expect of the cells that were compared, shape (n, 8)."""
    values = np.zeros(labels.shots.shape, np.float32)
    compare_all(*labels[:5], frames(), networks, room_for(networks), values)
    return values


def saved_shots(labels: Labels, networks: Networks) -> tuple[float, float]:
    """Return the shots that a choice saves, by labels that networks have not seen; and its error.

    It is the mean over positions of the labels' difference between the base's cell and the one
    that networks choose, each decision by itself.
    """
    values = values_of(labels, networks)
    values[np.arange(FEW) >= labels.counts[:, np.newaxis]] = np.inf
    rows = np.arange(len(values))
    saved = labels.shots[:, 0] - labels.shots[rows, values.argmin(axis=1)]
    return float(saved.mean()), float(saved.std() / len(saved) ** 0.5)


def read_labels(folder: Path) -> Labels:
    """Return all labels in a folder, or in one file.

    Raises
    ------
    BsbenchError
        If there are none, or they are damaged.
    """
    paths = [folder] if os.path.isfile(folder) else sorted(folder.glob("*.npz"))
    if not paths:
        raise BsbenchError(f"there are no labels in {folder}: make some with `label` first")
    return _joined([_read(path) for path in paths])


def _read(path: Path) -> Labels:
    arrays = named_arrays(path, _NAMES, "labels")
    labels, empty = _of_arrays(arrays), _arrays(_no_labels(len(arrays[0])))
    if (
        any(a.shape != b.shape or a.dtype != b.dtype for a, b in zip(arrays, empty, strict=True))
        or (labels.cells >= CELLS).any()
        or (labels.ranks >= FEW).any()
        or (labels.parts >= PARTS).any()
        or not ((labels.counts > 1) & (labels.counts <= FEW)).all()
    ):
        raise BsbenchError(f"the labels in {path} are damaged: delete the file, and label again")
    return labels


def _joined(parts: Sequence[Labels]) -> Labels:
    return _of_arrays([np.concatenate(each) for each in zip(*map(_arrays, parts), strict=True)])


def _write(path: Path, arrays: dict[str, Any]) -> None:
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    write_bytes(path, content.getvalue())


def _positive(text: str, what: str) -> int:
    number = read_count(text, what)
    if number < 1:
        raise BsbenchError(f"{number} {what} are too few: 1 at least")
    return number


def _label_all(asked: argparse.Namespace) -> None:
    networks = None if asked.networks is None else read_networks(Path(asked.networks))
    folder, games = Path(asked.output), _positive(asked.games, "games")
    seed, layouts = check_seed(read_count(asked.seed, "seed")), _positive(asked.layouts, "layouts")
    make_folder(folder)
    for first in range(0, games, BLOCK):
        path = folder / f"{first // BLOCK:05d}.npz"
        if os.path.exists(path):
            continue
        block = Block(first, min(BLOCK, games - first))
        found = label(block, seed, layouts, networks)
        _write(path, dict(zip(_NAMES, _arrays(found), strict=True)))
        print(f"{path}: {len(found.counts):,} positions", flush=True)


def _fit_all(asked: argparse.Namespace) -> None:
    labels = _joined([read_labels(Path(folder)) for folder in asked.labels])
    check = None if asked.check is None else read_labels(Path(asked.check))
    print(f"{len(labels.counts):,} positions")
    epochs, seed = _positive(asked.epochs, "epochs"), check_seed(read_count(asked.seed, "seed"))
    for epoch, networks in enumerate(
        fit(labels, epochs, asked.rate, asked.shrink, seed, _positive(asked.width, "units"))
    ):
        saved = "fitted"
        if check is not None:
            saved = "saves {:.5f} ± {:.5f} shots a decision".format(*saved_shots(check, networks))
        print(f"epoch {epoch + 1}: {saved}", flush=True)
    half = {name: array.astype(np.float16) for name, array in networks._asdict().items()}
    _write(Path(asked.output), half)


def main(arguments: Sequence[str] | None = None) -> None:
    """Label positions by rollouts, or fit networks to labels."""
    parser = argparse.ArgumentParser("python -m bsbench.rl.values", description=main.__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser(
        "label", help="label positions; a folder that exists is continued"
    )
    command.add_argument("-n", "--games", default="512", help="default: %(default)s")
    command.add_argument("--seed", default="0", help="default: %(default)s")
    command.add_argument("--layouts", default="512", help="rollouts from each cell (%(default)s)")
    command.add_argument("--networks", metavar="FILE", help="of the round before")
    command.add_argument("-o", "--output", metavar="FOLDER", required=True)
    command.set_defaults(run=_label_all)
    command = commands.add_parser("fit", help="fit networks to labels")
    command.add_argument("labels", nargs="+", metavar="FOLDER")
    command.add_argument("--check", metavar="FOLDER", help="labels to measure networks with")
    command.add_argument("--epochs", default="10", help="default: %(default)s")
    command.add_argument("--width", default=str(WIDTH), help="units (default: %(default)s)")
    command.add_argument("--rate", type=float, default=2e-3, help="default: %(default)s")
    command.add_argument("--shrink", type=float, default=1.0, help="default: %(default)s")
    command.add_argument("--seed", default="0", help="default: %(default)s")
    command.add_argument("-o", "--output", metavar="FILE.npz", required=True)
    command.set_defaults(run=_fit_all)
    asked = parser.parse_args(arguments)
    asked.run(asked)


if __name__ == "__main__":
    try:
        with serving(FrontEnd.COMMAND_LINE):
            main()
    except BsbenchError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
