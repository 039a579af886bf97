"""Networks that score cells, without torch: what each step makes, and what is refused."""

from __future__ import annotations

import json
import sys
import zipfile

import numpy as np
import pytest

from bsbench import run
from bsbench.kernels.known import Known
from bsbench.own.feedforward import FeedForward
from bsbench.own.observation import Observing
from bsbench.own.trained import read_training
from bsbench.play.game import play_game
from bsbench.play.samplers import make_sampler
from bsbench.roster import find_strategy
from bsbench.rules.board import Rules
from bsbench.rules.scenario import find_scenario
from bsbench.studies.check.study import check_strategy
from tests.support import ROOT, naive
from tests.support.refusals import refused

SCENARIO = find_scenario("gym-5x5")
RULES = SCENARIO.rules


class Network:
    """A description that grows step by step, with random weights."""

    def __init__(self, obs: str = "planes", mask: bool = False) -> None:
        self.description: dict = {"obs": obs, "mask": mask, "steps": []}
        self.arrays: dict[str, np.ndarray] = {}
        self._rng = np.random.default_rng(5)

    def add(self, op: str, *of: int, shapes: dict | None = None, **settings) -> int:
        steps = self.description["steps"]
        for name, shape in (shapes or {}).items():
            array = 0.3 * self._rng.normal(size=shape) + (2 if op == "divide" else 0)
            self.arrays[f"{len(steps)}.{name}"] = array.astype(np.float32)
        steps.append({"op": op, **({"of": list(of)} if of else {}), **settings})
        return len(steps) - 1

    def linear(self, of: int, inputs: int, units: int) -> int:
        return self.add("linear", of, shapes={"weights": (inputs, units), "bias": (units,)})

    def made(self, rules: Rules = RULES) -> FeedForward:
        return FeedForward(rules, self.description, self.arrays)


def some_boards(rules: Rules, games: int, seed: int = 1) -> Known:
    """Boards that no game need ever reach."""
    rng = np.random.default_rng(seed)
    board = rng.integers(0, 4, (games, rules.rows, rules.cols)).astype(np.int8)
    afloat = rng.integers(0, 2, (games, len(rules.fleet)))
    is_open = (board.reshape(games, -1) == 0).astype(np.int8)
    shots = rules.cells - is_open.sum(axis=1, keepdims=True, dtype=np.int32)
    return Known(board, (afloat * rules.fleet).astype(np.int32), shots, is_open)


def all_steps() -> Network:
    """A network in which every step occurs."""
    net = Network(obs="sunk", mask=True)
    board, ships = (net.add("input", field=field) for field in ("attack_board", "remaining_ships"))
    mask, shots = (net.add("input", field=field) for field in ("action_mask", "move_count"))
    marks = net.add("permute", net.add("one_hot", board, classes=4), axes=[2, 0, 1])
    where = net.add("constant", shapes={"with": (1, 5, 5)})
    filled = net.add("broadcast", net.add("reshape", shots, shape=[1, 1, 1]), shape=[1, 5, 5])
    planes = net.add("join", marks, where, filled, axis=0)
    window = {"stride": [2, 1], "padding": [1, 2], "dilation": [1, 2]}
    conv = net.add("conv2d", planes, shapes={"weights": (3, 3, 6, 4), "bias": (4,)}, **window)
    bent = net.add("elu", net.add("multiply", conv, shapes={"with": (4, 1, 1)}))
    pool = {"size": [2, 3], "stride": [1, 2], "padding": [1, 1]}
    pools = [net.add(op, bent, **pool) for op in ("max_pool", "mean_pool")]
    both = net.add("subtract", *pools)
    normed = net.add("layer_norm", both, shapes={"weights": (4, 3), "bias": (4, 3)}, epsilon=1e-5)
    means = net.add("mean", net.add("silu", normed), axes=[2, 1])
    part = net.add(
        "slice", net.add("reshape", bent, shape=[60]), axis=0, start=3, stop=40, stride=5
    )
    scaled = net.add("divide", ships, shapes={"with": (2,)})
    features = net.add("join", means, part, net.add("tanh", scaled), axis=0)
    hidden = net.linear(net.add("gelu", features), 14, 9)
    hidden = net.linear(net.add("leaky_relu", hidden, slope=0.1), 9, 25)
    scores = net.add("add", net.add("sigmoid", hidden), net.add("relu", hidden))
    net.add("multiply", scores, net.add("add", mask, shapes={"with": (25,)}))
    return net


def test_each_step_makes_what_its_twin_makes():
    net, games = all_steps(), 6
    known = some_boards(RULES, games)
    found = net.made().scores(known)
    arrays = {name: naive.table(a.shape, a.ravel().tolist()) for name, a in net.arrays.items()}
    shown = Observing(RULES, "sunk", mask=True).show(known)
    for game in range(games):
        own = {name: naive.table(a.shape[1:], a[game].ravel()) for name, a in shown.items()}
        wanted = naive.feedforward(net.description["steps"], arrays, own)[-1].flat()
        assert found[game] == pytest.approx(wanted, rel=1e-4, abs=1e-4)
    assert found.std(axis=0).min() > 1e-3


def test_the_batch_makes_no_difference(monkeypatch):
    net, known = all_steps().made(), some_boards(RULES, 40)
    whole = net.scores(known)
    one_by_one = [net.scores(known.of([game]))[0] for game in range(40)]
    assert (whole == one_by_one).all()
    net._most = 7
    assert (net.scores(known) == whole).all()


BIG = 10**12


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda net, steps, arrays: net.update(obs="x"), ("observations",)),
        (lambda net, steps, arrays: net.update(mask=1), ("observations",)),
        (lambda net, steps, arrays: net.update(steps={}), ("1,000 steps",)),
        (lambda net, steps, arrays: net.update(steps=steps * 999), ("1,000 steps",)),
        (lambda net, steps, arrays: steps.append(3), ("step 3",)),
        (lambda net, steps, arrays: steps.append({"op": "x"}), ("step 3", "'x'")),
        (lambda net, steps, arrays: steps.append({"op": []}), ("step 3",)),
        (lambda net, steps, arrays: steps.append({"op": "relu"}), ("step 3",)),
        (lambda net, steps, arrays: steps.append({"op": "relu", "of": [0, 1]}), ("step 3",)),
        (lambda net, steps, arrays: steps.append({"op": "relu", "of": [3]}), ("step 3",)),
        (lambda net, steps, arrays: steps.append({"op": "relu", "of": [-1]}), ("step 3",)),
        (lambda net, steps, arrays: steps.append({"op": "relu", "of": [True]}), ("step 3",)),
        (lambda net, steps, arrays: steps.append({"op": "relu", "of": [0]}), ("5x5",)),
        (lambda net, steps, arrays: steps[0].update(field="attack_board"), ("step 0",)),
        (lambda net, steps, arrays: steps[0].update(field=["planes"]), ("step 0",)),
        (lambda net, steps, arrays: steps[1].update(stride=[0, 1]), ("step 1", "stride")),
        (lambda net, steps, arrays: steps[1].update(stride=[1]), ("step 1", "stride")),
        (lambda net, steps, arrays: steps[1].update(stride=[1.0, 1]), ("step 1", "stride")),
        (lambda net, steps, arrays: steps[1].update(padding=[-1, 0]), ("step 1", "padding")),
        (lambda net, steps, arrays: steps[1].update(padding=[BIG, 0]), ("step 1", "padding")),
        (lambda net, steps, arrays: steps[1].update(padding=[3, 3]), ("step 1",)),
        (lambda net, steps, arrays: steps[1].update(dilation=[9, 9]), ("step 1",)),
        (lambda net, steps, arrays: steps[1].update(of=[1]), ("step 1",)),
        (lambda net, steps, arrays: steps[2].update(shape=[26]), ("step 2", "shape")),
        (lambda net, steps, arrays: steps[2].update(shape=[]), ("step 2", "shape")),
        (lambda net, steps, arrays: steps[2].update(shape=[1] * 7), ("step 2", "shape")),
        (lambda net, steps, arrays: arrays.pop("1.bias"), ("step 1", "bias")),
        (lambda net, steps, arrays: arrays.update({"1.bias": np.ones(2)}), ("step 1", "bias")),
        (
            lambda net, steps, arrays: arrays.update({"1.bias": np.array([np.nan])}),
            ("step 1", "bias"),
        ),
        (
            lambda net, steps, arrays: arrays.update({"1.bias": np.array([1e99])}),
            ("step 1", "bias"),
        ),
        (
            lambda net, steps, arrays: arrays.update({"1.bias": np.array([True])}),
            ("step 1", "bias"),
        ),
        (
            lambda net, steps, arrays: steps.append(
                {"op": "broadcast", "of": [2], "shape": [BIG // 10**6, 25]}
            ),
            ("step 3",),
        ),
        (
            lambda net, steps, arrays: steps.append({"op": "broadcast", "of": [2], "shape": [24]}),
            ("step 3",),
        ),
        (
            lambda net, steps, arrays: steps.append({"op": "mean", "of": [2], "axes": [0, 0]}),
            ("step 3", "axes"),
        ),
        (
            lambda net, steps, arrays: steps.append({"op": "permute", "of": [1], "axes": [0, 1]}),
            ("step 3", "axes"),
        ),
        (
            lambda net, steps, arrays: steps.append({"op": "join", "of": [0, 2], "axis": 0}),
            ("step 3",),
        ),
        (
            lambda net, steps, arrays: steps.append(
                {"op": "slice", "of": [2], "axis": 0, "start": 25, "stop": 30, "stride": 1}
            ),
            ("step 3",),
        ),
        (
            lambda net, steps, arrays: steps.append({"op": "one_hot", "of": [2], "classes": 0}),
            ("step 3", "classes"),
        ),
        (
            lambda net, steps, arrays: steps.append({"op": "leaky_relu", "of": [2]}),
            ("step 3", "slope"),
        ),
        (
            lambda net, steps, arrays: (
                steps.insert(2, {"op": "linear", "of": [1]}),
                arrays.update(
                    {f"2.{k}": np.ones(n) for k, n in (("weights", (5, 5)), ("bias", 5))}
                ),
                arrays.update({"2.order": np.array([0, 1, 2, 3, 3])}),
            ),
            ("step 2", "order"),
        ),
    ],
)
def test_what_is_wrong_is_told(change, named):
    net = Network()
    board = net.add("input", field="planes")
    conv = {"stride": [1, 1], "padding": [1, 1], "dilation": [1, 1]}
    net.add("conv2d", board, shapes={"weights": (3, 3, 4, 1), "bias": (1,)}, **conv)
    net.add("reshape", 1, shape=[25])
    net.made()
    change(net.description, net.description["steps"], net.arrays)
    with refused(*named):
        net.made()


def test_what_would_take_long_is_refused():
    net = Network()
    planes = net.add("input", field="planes")
    wide = net.add("broadcast", net.add("reshape", planes, shape=[1, 100]), shape=[40_000, 100])
    net.arrays["3.weights"] = np.ones((100, 1001), np.float32)
    net.arrays["3.bias"] = np.ones(1001, np.float32)
    net.add("linear", wide)
    net.add("mean", 3, axes=[0, 1])
    with refused("step 3"):
        net.made()
    net.arrays["3.weights"] = np.ones((100, 50), np.float32)
    net.arrays["3.bias"] = np.ones(50, np.float32)
    for _ in range(30):
        net.description["steps"].insert(3, {"op": "linear", "of": [2]})
    net.arrays |= {
        f"{3 + k}.{n}": net.arrays[f"3.{n}"] for k in range(31) for n in ("weights", "bias")
    }
    net.description["steps"][-1:] = [
        {"op": "slice", "of": [0], "axis": 0, "start": 0, "stop": 1, "stride": 1},
        {"op": "reshape", "of": [34], "shape": [25]},
    ]
    with refused("products"):
        net.made()


def test_what_would_take_much_memory_is_refused():
    """All steps are cheap, and none makes a large array."""
    net = Network()
    wide = net.add("broadcast", net.add("input", field="move_count"), shape=[4_000_000])
    for _ in range(25):
        net.add("relu", wide)
    net.add("slice", wide, axis=0, start=0, stop=25, stride=1)
    with refused("memory"):
        net.made()


# --- files ------------------------------------------------------------------------------------


def write_exported(path, net: Network, scenario=SCENARIO, **agent) -> str:
    """Write an agent's file as `bsbench.env.export` does."""
    with zipfile.ZipFile(path, "w") as archive:
        content = {"version": 2, "scenario": scenario.to_dict(), "agent": agent}
        archive.writestr("bsbench.json", json.dumps(content | {"network": net.description}))
        with archive.open("network.npz", "w") as file:
            np.savez(file, **net.arrays)
    return str(path)


def test_an_exported_network_is_a_strategy(tmp_path):
    agent = {"algorithm": "PP\x1b[1mO", "masked": False, "scores": "values"}
    path = write_exported(tmp_path / "mine.zip", all_steps(), **agent)
    assert check_strategy(path).passed
    strategy = find_strategy(path)
    assert strategy.source == (
        "PP1mO policy of Stable-Baselines3, trained without masks; its best open cell is shot"
    )
    assert strategy.home == "gym-5x5"
    sampler = make_sampler(RULES, SCENARIO.placement)
    for move in play_game(strategy(), RULES, sampler, 1, 0, insight=True):
        scores = np.array(move.scores)
        assert scores.argmax() == move.cell
        assert scores[scores >= 0].min() == 0


GOLDEN = ROOT / "tests" / "golden" / "exported-cnn.zip"
MOVES = [13, 17, 9, 12, 12, 10, 9, 11, 11, 10]


def test_an_exported_file_of_today_is_read_tomorrow():
    """Convolutions, exported from MaskablePPO after 300,000 shots on 5x5."""
    training = read_training(GOLDEN)
    steps, known = training.description["network"]["steps"], some_boards(RULES, 2)
    assert [step["op"] for step in steps].count("conv2d") == 2
    found = training.network.scores(known)
    arrays = {name: naive.table(a.shape, a.ravel()) for name, a in training.weights.items()}
    shown = Observing(RULES, "planes").show(known)
    for game in range(2):
        own = {name: naive.table(a.shape[1:], a[game].ravel()) for name, a in shown.items()}
        wanted = naive.feedforward(steps, arrays, own)[-1].flat()
        assert found[game] == pytest.approx(wanted, rel=1e-4, abs=1e-4)
    moves = run(str(GOLDEN), games=500, keep_moves=True).moves
    assert moves[:10].tolist() == MOVES
    assert moves.mean() < 13


@pytest.mark.parametrize(
    ("change", "is_bad"),
    [
        ({"network": None}, True),
        ({"network": {"steps": []}}, True),
        ({"agent": 5}, False),
        ({"agent": {"algorithm": {}}}, False),
    ],
)
def test_a_strangers_description_is_checked(tmp_path, change, is_bad):
    path = write_exported(tmp_path / "mine.zip", all_steps())
    with zipfile.ZipFile(path) as archive:
        packed = archive.read("network.npz")
        content = json.loads(archive.read("bsbench.json")) | change
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bsbench.json", json.dumps(content))
        archive.writestr("network.npz", packed)
    if not is_bad:
        assert run(path, games=20).stats.mean > 5
        return
    with refused("mine.zip", "network"):
        read_training(path)


def test_a_model_of_stable_baselines_is_not_loaded(in_folder):
    with zipfile.ZipFile("model.zip", "w") as archive:
        for name in ("data", "policy.pth", "_stable_baselines3_version"):
            archive.writestr(name, b"cos\nsystem\n(S'touch RAN'\ntR.")
    with refused("model.zip", "bsbench.env.export"):
        run("model.zip", "gym-5x5", games=10)
    assert [path.name for path in in_folder.iterdir()] == ["model.zip"]


def test_without_torch_a_sentence_says_what_to_install(in_folder, monkeypatch):
    pytest.importorskip("gymnasium", reason="needs bsbench[gym]")
    from bsbench.env import export, torch_agent

    monkeypatch.setitem(sys.modules, "stable_baselines3.common.policies", None)
    for use in (lambda: export(object(), "mine.zip", "gym-5x5"), lambda: torch_agent(object())):
        with refused("pip install 'bsbench[rl]'"):
            use()
    assert not list(in_folder.iterdir())
