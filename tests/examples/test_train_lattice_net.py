"""Networks that compare cells: their labels, their training, and `lattice-net`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bsbench.kernels.advantages import PARTS, frames, room_for
from bsbench.play.lockstep import Block
from bsbench.roster import make_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.strategies import lattice_net
from bsbench.strategies._ranking import read_networks
from examples import train_lattice_net as values
from tests.support.helpers import draw_layouts, move_counts
from tests.support.refusals import names, refused

# The kernels of `lattice-net`, of its labels and of its base, are compiled for these tests alone:
# that takes 20 seconds.
pytestmark = pytest.mark.slow

GAMES = Block(512, 4)


@pytest.fixture(scope="module")
def labels():
    return values.label(GAMES, 5, 16, None)


def same(one, other) -> bool:
    return all(map(np.array_equal, values._arrays(one), values._arrays(other)))


def test_labels_are_means_of_rollouts_from_some_cells(labels):
    rows, counts = np.arange(values.FEW), labels.counts[:, np.newaxis]
    assert len(counts) > 10
    assert ((labels.counts >= 2) & (labels.counts <= 8)).all()
    assert (labels.shots[rows < counts] >= 1).all()
    assert (labels.shots[rows >= counts] == 0).all()
    # The base's cell comes first, and all cells are open.
    assert (labels.ranks[:, 0] == 0).all()
    assert (labels.parts[:, 0] == PARTS - 1).all()
    for position in range(len(counts)):
        cells = labels.cells[position, : labels.counts[position]].astype(np.uint64)
        assert len(set(cells.tolist())) == len(cells)
        dry, struck = labels.known.dry[position], labels.known.struck[position]
        unshot = (dry & ~struck)[cells // 64] >> cells % 64 & np.uint64(1)
        assert unshot.all()
    # Where all layouts that agree were played, labels have no error.
    assert labels.weights.max() == 1
    assert 0 < labels.weights.min() < 0.1


def test_labels_depend_on_the_seed_and_the_games_alone(labels):
    assert same(labels, values.label(GAMES, 5, 16, None))
    assert not same(labels, values.label(GAMES, 6, 16, None))


def test_gradients_are_those_of_the_error(labels):
    fresh = values.fresh_networks(values.WIDTH, np.random.default_rng(1))
    batch, room, seen = np.arange(8), room_for(fresh), frames()
    scratch = tuple(np.zeros(size, np.float32) for size in (values.FEW, values.WIDTH, 16))

    def error_of(networks):
        sums = values.blank_networks()
        turned = np.ascontiguousarray(networks.second.swapaxes(1, 2))
        error = values.add_gradients(batch, labels, seen, networks, turned, sums, room, scratch)
        return error, sums

    _, sums = error_of(fresh)
    for name in fresh._fields:
        flat = np.abs(getattr(sums, name)).reshape(-1)
        largest, step = int(flat.argmax()), 1e-3
        moved = []
        for sign in (1, -1):
            weights = getattr(fresh, name).copy()
            weights.reshape(-1)[largest] += sign * step
            moved.append(error_of(fresh._replace(**{name: weights}))[0])
        # The error is the sum of squares; the gradient, that of half of it.
        slope = (moved[0] - moved[1]) / (2 * step)
        exact = 2 * getattr(sums, name).reshape(-1)[largest]
        assert slope == pytest.approx(exact, rel=0.03), name


def test_labels_and_networks_are_files(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(values, "BLOCK", 2)
    folder, file = tmp_path / "labels", tmp_path / "networks.npz"
    ask = ["label", "--seed", "5", "--layouts", "16", "-o", str(folder), "-n"]
    values.main([*ask, "2"])
    first = folder / "00000.npz"
    was = first.stat().st_mtime_ns
    # More games continue the folder.
    values.main([*ask, "4"])
    assert first.stat().st_mtime_ns == was
    assert sorted(path.name for path in folder.iterdir()) == ["00000.npz", "00001.npz"]
    values.main(["fit", str(folder), "--check", str(folder), "--epochs", "1", "-o", str(file)])
    assert names(capsys.readouterr().out, "epoch 1")
    assert read_networks(file).first.shape == values.blank_networks().first.shape
    for wrong in (file, tmp_path / "empty"):
        with refused(str(wrong)):
            values.main(["fit", str(wrong), "-o", str(file)])
    with refused(str(first)):
        values.main([*ask, "2", "--networks", str(first)])


def test_where_all_cells_seem_equal_the_base_chooses(monkeypatch):
    rules, strategy = values.classic(), make_strategy("lattice-net")
    codes = draw_layouts(rules, 60, seed=3)
    base = move_counts(rules, make_strategy("lattice2"), codes)
    assert (move_counts(rules, strategy, codes) != base).any()
    monkeypatch.setattr(lattice_net, "_shipped", lambda path: values.blank_networks())
    assert (move_counts(rules, strategy, codes) == base).all()


@pytest.mark.parametrize(
    "board",
    [
        Rules(10, 10, (2, 3, 3, 4, 5), touching=False, feedback=Feedback.SUNK),
        Rules(10, 10, (3, 3, 3, 4, 5), touching=True, feedback=Feedback.SUNK),
    ],
)
def test_under_other_rules_lattice_net_plays_as_lattice2(board):
    codes = draw_layouts(board, 40, seed=3)
    own, base = (
        move_counts(board, make_strategy(name), codes) for name in ("lattice-net", "lattice2")
    )
    assert (own == base).all()


def test_lattice_net_uses_what_sank_and_not_which_ship_was_hit():
    rules = values.classic()
    codes = draw_layouts(rules, 40, seed=3)
    told = replace(rules, feedback=Feedback.SHIP)
    moves = [move_counts(board, make_strategy("lattice-net"), codes) for board in (rules, told)]
    assert (moves[0] == moves[1]).all()
