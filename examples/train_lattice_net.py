"""Train the networks of ``lattice-net``: ``python examples/train_lattice_net.py --help``.

`label` plays games, and makes rollouts in some positions: `lattice2` plays on from each of a
few cells, on the same layouts, drawn from all that agree with the answers so far. The mean shots
are the *labels*. `fit` fits networks to them: it needs neither torch nor a graphics card.

Without networks, games are played by `lattice2`, and its eight best cells are compared.
With networks of a round before, games are played by these, and only cells that they
expect to be at most `_FAR` shots worse than the best one are compared, four at most.
So the next networks learn from the positions that they will meet, and from close decisions.

The layouts are those of seeds from 2^62 on, which nobody uses for measurements by accident.

The networks that come with bsbench were made by these commands, in this order; whoever
interrupts one repeats it::

    label -n 2048 --seed 1 --layouts 256 -o labels/first-1
    label -n 2048 --seed 2 --layouts 256 -o labels/first-2
    fit labels/first-* --width 32 --rate 0.001 --shrink 0.01 -o first.npz
    label -n 11776 --seed 11 --networks first.npz -o labels/second-11
    label -n 11776 --seed 12 --networks first.npz -o labels/second-12
    fit labels/first-* labels/second-* --width 32 --rate 0.001 --shrink 0.5 -o second.npz
    label -n 6656 --seed 21 --networks second.npz -o labels/third-21
    label -n 7168 --seed 22 --networks second.npz -o labels/third-22
    fit labels/first-* labels/second-* labels/third-* -o bsbench/strategies/lattice_net.npz
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.kernels._jit import kernel
from bsbench.kernels.advantages import (
    CELLS,
    FEW,
    NETWORKS,
    PARTS,
    ROWS,
    Networks,
    Position,
    compare,
    frames,
    network_of,
    room_for,
)
from bsbench.kernels.random import stream_key
from bsbench.layouts import Sampler
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import find_scenario
from bsbench.strategies._ranking import AFLOAT, RankingPlayer
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
    second = _SECOND_WIDTH
    sizes = (ROWS, width), (width,), (width, second), (second,), (second,)
    return Networks(*(np.zeros((NETWORKS, *size), np.float32) for size in sizes))


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


@kernel
def compare_all(known, cells, ranks, parts, counts, frames, networks, room, values):
    """Write the values of the cells of many positions; all arrays have one axis more, in front."""
    for index in range(len(counts)):
        compare(
            known.dry[index],
            known.struck[index],
            known.afloat[index],
            cells[index],
            ranks[index],
            parts[index],
            counts[index],
            frames,
            networks,
            room,
            values[index],
        )


@kernel
def add_gradients(batch, labels, frames, networks, turned, sums, room, scratch):
    """Add up the gradients of the weighted squared error over a batch of positions.

    Only differences between the cells of one position count: the means of the values and
    of the shots are subtracted first.

    Parameters
    ----------
    batch : ndarray of int64, shape (n,)
        Numbers of the positions.
    labels : tuple
        Of all positions: `Position`, cells, ranks, parts, counts, shots, weights.
    frames : Frames
    networks : Networks
    turned : ndarray of float32, shape (6, second width, width)
        ``networks.second`` with the last two axes swapped.
    sums : Networks
        What the gradients are added to.
    room : Room
        Overwritten.
    scratch : tuple of ndarray of float32, shapes (8,), (width,), (second width,)
        Overwritten.

    Returns
    -------
    float
        The sum of weighted squared errors.
    """
    known, cells, ranks, parts, counts, shots, weights = labels
    values, back_one, back_two = scratch
    error = 0.0
    for index in batch:
        dry, struck, afloat = known.dry[index], known.struck[index], known.afloat[index]
        count = counts[index]
        which = network_of(struck, afloat)
        some, rank, part = cells[index], ranks[index], parts[index]
        compare(dry, struck, afloat, some, rank, part, count, frames, networks, room, values)
        mean = np.float32(0)
        for at in range(count):
            values[at] -= shots[index, at]
            mean += values[at]
        mean /= np.float32(count)
        for at in range(count):
            difference = values[at] - mean
            error += weights[index] * difference * difference
            slope = weights[index] * difference
            one, two = room.one[at], room.two[at]
            for unit in range(len(one)):
                back_one[unit] = np.float32(0)
            for unit in range(len(two)):
                back_two[unit] = np.float32(0)
                if two[unit] > np.float32(0):
                    sums.third[which, unit] += slope * two[unit]
                    back = slope * networks.third[which, unit]
                    back_two[unit] = back
                    sums.second_bias[which, unit] += back
                    for before in range(len(one)):
                        back_one[before] += back * turned[which, unit, before]
            for before in range(len(one)):
                factor = one[before]
                if factor > np.float32(0):
                    sums.first_bias[which, before] += back_one[before]
                    for unit in range(len(two)):
                        sums.second[which, before, unit] += factor * back_two[unit]
                else:
                    back_one[before] = np.float32(0)
            for number in range(room.counts[at]):
                row = room.rows[at, number]
                for unit in range(len(one)):
                    sums.first[which, row, unit] += back_one[unit]
    return error


@kernel
def step_adam(weights, gradients, means, squares, rate, shrink, steps):
    """Make a step of Adam (D. Kingma and J. Ba, 2015) with decoupled weight decay.

    Parameters
    ----------
    weights, gradients, means, squares : ndarray of float32, shape (n,)
        Changed in place; ``gradients`` are cleared.
    rate, shrink : float32
        Learning rate, and the part of it by which weights shrink.
    steps : int
        Steps so far, this one included.
    """
    one = np.float32(1)
    keep_mean, keep_square, tiny = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
    mean_scale = np.float32(1 / (1 - 0.9**steps))
    square_scale = np.float32(1 / (1 - 0.999**steps))
    for index in range(len(weights)):
        gradient = gradients[index]
        gradients[index] = np.float32(0)
        means[index] = keep_mean * means[index] + (one - keep_mean) * gradient
        squares[index] = keep_square * squares[index] + (one - keep_square) * gradient * gradient
        size = np.sqrt(squares[index] * square_scale) + tiny
        weights[index] -= rate * (means[index] * mean_scale / size + shrink * weights[index])


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


def read_networks(path: Path) -> Networks:
    """Return the networks in a file of `fit`.

    Raises
    ------
    BsbenchError
        If there are none.
    """
    arrays = _arrays_in(path, Networks._fields, "networks")
    networks = Networks(*(np.ascontiguousarray(array, np.float32) for array in arrays))
    wanted = blank_networks(networks.first.shape[-1])
    if [array.shape for array in networks] != [array.shape for array in wanted]:
        raise BsbenchError(f"the networks in {path} are of another size than those of lattice-net")
    return networks


def read_labels(folder: Path) -> Labels:
    """Return all labels in a folder, or in one file.

    Raises
    ------
    BsbenchError
        If there are none, or they are damaged.
    """
    paths = [folder] if folder.is_file() else sorted(folder.glob("*.npz"))
    if not paths:
        raise BsbenchError(f"there are no labels in {folder}: make some with `label` first")
    return _joined([_read(path) for path in paths])


def _read(path: Path) -> Labels:
    arrays = _arrays_in(path, _NAMES, "labels")
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


def _arrays_in(path: Path, names: Iterable[str], what: str) -> list[npt.NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as found:
            return [found[name] for name in names]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise BsbenchError(f"there are no {what} in {path}: {error}") from None


def _joined(parts: Sequence[Labels]) -> Labels:
    return _of_arrays([np.concatenate(each) for each in zip(*map(_arrays, parts), strict=True)])


def _label_all(asked: argparse.Namespace) -> None:
    networks = None if asked.networks is None else read_networks(asked.networks)
    asked.output.mkdir(parents=True, exist_ok=True)
    for first in range(0, asked.games, BLOCK):
        path = asked.output / f"{first // BLOCK:05d}.npz"
        if path.exists():
            continue
        block = Block(first, min(BLOCK, asked.games - first))
        found = label(block, asked.seed, asked.layouts, networks)
        # Whole, or not there: a folder is continued.
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez_compressed(file, **dict(zip(_NAMES, _arrays(found), strict=True)))
        part.replace(path)
        print(f"{path}: {len(found.counts):,} positions", flush=True)


def _fit_all(asked: argparse.Namespace) -> None:
    labels = _joined([read_labels(folder) for folder in asked.labels])
    check = None if asked.check is None else read_labels(asked.check)
    print(f"{len(labels.counts):,} positions")
    for epoch, networks in enumerate(
        fit(labels, asked.epochs, asked.rate, asked.shrink, asked.seed, asked.width)
    ):
        saved = "fitted"
        if check is not None:
            saved = "saves {:.5f} ± {:.5f} shots a decision".format(*saved_shots(check, networks))
        print(f"epoch {epoch + 1}: {saved}", flush=True)
    half = {name: array.astype(np.float16) for name, array in networks._asdict().items()}
    np.savez_compressed(asked.output, **half)


def main(arguments: Sequence[str] | None = None) -> None:
    """Label positions by rollouts, or fit networks to labels."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser(
        "label", help="label positions; a folder that exists is continued"
    )
    command.add_argument("-n", "--games", type=int, default=512, help="default: %(default)s")
    command.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    command.add_argument(
        "--layouts", type=int, default=512, help="rollouts from each cell (%(default)s)"
    )
    command.add_argument("--networks", type=Path, metavar="FILE", help="of the round before")
    command.add_argument("-o", "--output", type=Path, metavar="FOLDER", required=True)
    command.set_defaults(run=_label_all)
    command = commands.add_parser("fit", help="fit networks to labels")
    command.add_argument("labels", type=Path, nargs="+", metavar="FOLDER")
    command.add_argument(
        "--check", type=Path, metavar="FOLDER", help="labels to measure networks with"
    )
    command.add_argument("--epochs", type=int, default=10, help="default: %(default)s")
    command.add_argument("--width", type=int, default=WIDTH, help="units (default: %(default)s)")
    command.add_argument("--rate", type=float, default=2e-3, help="default: %(default)s")
    command.add_argument("--shrink", type=float, default=1.0, help="default: %(default)s")
    command.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    command.add_argument("-o", "--output", type=Path, metavar="FILE.npz", required=True)
    command.set_defaults(run=_fit_all)
    asked = parser.parse_args(arguments)
    asked.run(asked)


if __name__ == "__main__":
    try:
        main()
    except BsbenchError as error:
        sys.exit(f"Error: {error}")
