"""Policies in ONNX as strategies: what they play, what is refused; and agents of old formats."""
# ruff: noqa: E402

from __future__ import annotations

import json
import os
import runpy
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs bsbench[agents]")
pytest.importorskip("onnxruntime", reason="needs bsbench[agents]")

from onnx import TensorProto, helper, numpy_helper

from bsbench import run
from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.kernels.known import Known
from bsbench.own.loading import adapt, load_strategy
from bsbench.own.observation import Observing
from bsbench.own.policies import policy_class
from bsbench.own.thinker import Limits
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
FLOAT = TensorProto.FLOAT


def weights_of(names, seed: int = 3) -> dict[str, np.ndarray]:
    """Whole numbers, so that every sum is exact, and few, so that cells tie."""
    rng = np.random.default_rng(seed)
    fields = {**Observing(RULES, "flat").fields, **Observing(RULES, "planes", mask=True).fields}
    fields |= Observing(RULES, "sunk").fields
    return {name: rng.integers(-2, 3, (int(np.prod(fields[name].shape)), 25)) for name in names}


def save(path, nodes, inputs, outputs, constants=(), facts=(), games="games", opset=17) -> str:
    """Write a file in ONNX; inputs and outputs are triples of name, type and shape."""
    ends = [
        [
            helper.make_tensor_value_info(name, kind, shape if shape is None else [games, *shape])
            for name, kind, shape in each
        ]
        for each in (inputs, outputs)
    ]
    constants = [
        numpy_helper.from_array(np.asarray(a), name) for name, a in dict(constants).items()
    ]
    graph = helper.make_graph(nodes, "agent", *ends, constants)
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, ir_version=8, opset_imports=opsets, producer_name="me")
    for key, value in dict(facts).items():
        model.metadata_props.add(key=key, value=value)
    Path(path).write_bytes(model.SerializeToString())
    return str(path)


def save_linear(
    path, names, kind=FLOAT, output="scores", games="games", shapes=None, **facts
) -> str:
    """Write a policy whose scores are a sum over all numbers that it is shown."""
    weights = weights_of(names)
    fields = {**Observing(RULES, "flat").fields, **Observing(RULES, "planes", mask=True).fields}
    fields |= Observing(RULES, "sunk").fields
    nodes, parts = [], []
    for name in names:
        nodes += [
            helper.make_node("Cast", [name], [f"{name} float"], to=FLOAT),
            helper.make_node("Flatten", [f"{name} float"], [f"{name} flat"]),
            helper.make_node("MatMul", [f"{name} flat", f"{name} weights"], [f"{name} part"]),
        ]
        parts.append(f"{name} part")
    nodes.append(helper.make_node("Sum", parts, [output]))
    inputs = [(name, kind, (shapes or {}).get(name, fields[name].shape)) for name in names]
    constants = {f"{name} weights": w.astype(np.float32) for name, w in weights.items()}
    return save(path, nodes, inputs, [(output, FLOAT, (25,))], constants, facts, games)


def here(path) -> type:
    """Return the policy in a file as a strategy that plays in this process, which is quick."""
    return adapt(policy_class(str(path), "mine.onnx"), called="mine.onnx")


def twin(names, obs: str) -> type:
    """An agent in Python that chooses as `save_linear` says."""
    weights = weights_of(names)

    class Twin:
        deterministic = True
        mask = True

        def select_action(self, shown):
            scores = sum(shown[name].ravel().astype(int) @ weights[name] for name in names)
            is_open = shown["action_mask"] != 0
            return next(
                cell
                for cell in range(25)
                if is_open[cell] and scores[cell] == scores[is_open].max()
            )

    Twin.obs = obs
    return Twin


# --- what a policy plays -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("obs", "names", "kind"),
    [
        ("flat", ["observation"], FLOAT),
        ("flat", ["observation", "action_mask"], TensorProto.INT8),
        ("planes", ["planes"], TensorProto.DOUBLE),
        ("planes", ["planes", "move_count", "remaining_ships"], TensorProto.INT32),
        ("sunk", ["attack_board"], TensorProto.INT64),
        ("sunk", ["attack_board", "action_mask"], TensorProto.UINT8),
        ("seed", ["attack_board", "move_count"], FLOAT),
    ],
)
def test_a_policy_plays_what_its_twin_plays(tmp_path, obs, names, kind):
    facts = {"obs": obs} if obs == "seed" else {}
    path = save_linear(tmp_path / "mine.onnx", names, kind, **facts)
    played = run(here(path), SCENARIO, games=300, keep_moves=True)
    wanted = run(twin(names, obs), SCENARIO, games=300, keep_moves=True)
    assert (played.moves == wanted.moves).all()
    assert played.label == "mine"


def test_shot_by_shot(tmp_path):
    """With one input that ties many cells: the first of them is shot."""
    strategy = here(save_linear(tmp_path / "mine.onnx", ["move_count"]))()
    sampler = make_sampler(RULES, SCENARIO.placement)
    weights = weights_of(["move_count"])["move_count"][0]
    order = [move.cell for move in play_game(strategy, RULES, sampler, 1, 0)]
    # Nothing has been shot at first, so that all scores are 0.
    rest = sorted(range(1, 25), key=lambda cell: (-weights[cell], cell))
    assert order == [0, *rest][: len(order)]
    assert len(order) > 10


@pytest.mark.parametrize("games", [1, 7])
def test_the_number_of_games_may_be_fixed(tmp_path, games):
    free = save_linear(tmp_path / "free.onnx", ["planes"])
    fixed = save_linear(tmp_path / "fixed.onnx", ["planes"], games=games)
    moves = [run(here(path), SCENARIO, games=100, keep_moves=True).moves for path in (free, fixed)]
    assert (moves[0] == moves[1]).all()


def test_sizes_may_be_left_open(tmp_path):
    """As of a network of convolutions alone, which plays on any board."""
    nodes = [
        helper.make_node("ReduceSum", ["planes", "axes"], ["sums"], keepdims=0),
        helper.make_node("Flatten", ["sums"], ["scores"]),
    ]
    arrays = [("planes", FLOAT, (4, "rows", "cols"))], [("scores", FLOAT, ("cells",))]
    path = save(tmp_path / "any.onnx", nodes, *arrays, {"axes": np.array([1])})
    for scenario in ("gym-5x5", "gym-8x8"):
        assert run(here(path), scenario, games=20).stats.mean > 10


def test_it_keeps_to_the_contract(tmp_path):
    path = save_linear(tmp_path / "my agent.onnx", ["observation"], scenario="gym-5x5")
    report = check_strategy(path)
    assert report.passed, str(report)
    assert report.strategy == "my-agent"
    strategy = find_strategy(path)
    assert (strategy.home, str(strategy.needs), strategy.source) == (
        "gym-5x5",
        "sunk",
        "ONNX, by me",
    )
    alone = find_strategy(save_linear(tmp_path / "other.onnx", ["observation"]))
    assert (alone.home, str(alone.needs)) == (None, "hit")


def test_the_example_writes_a_network(in_folder):
    runpy.run_path(str(ROOT / "examples" / "numpy_network.py"))
    strategy = find_strategy("own.onnx")
    assert (strategy.home, strategy.source) == ("gym-5x5", "random weights")
    assert run("own.onnx", games=50).scenario.name == "gym-5x5"


@pytest.mark.parametrize("output", ["logits", "scores"])
def test_it_shows_its_scores(tmp_path, output):
    path = save_linear(tmp_path / "mine.onnx", ["planes"], output=output)
    sampler = make_sampler(RULES, SCENARIO.placement)
    shot = []
    for move in play_game(here(path)(), RULES, sampler, 1, 0, insight=True):
        scores = np.array(move.scores)
        assert (scores >= 0).tolist() == [cell not in shot for cell in range(25)]
        assert scores.argmax() == move.cell
        if output == "logits":
            assert scores[scores >= 0].sum() == pytest.approx(1)
        else:
            assert scores[scores >= 0].min() == 0
        shot.append(move.cell)


# --- what is refused -----------------------------------------------------------------------------


def _node(op, more=(), **settings):
    """Return what writes a policy whose scores one operator makes of the board."""

    def write(path):
        nodes = [
            helper.make_node("Flatten", ["attack_board"], ["flat"]),
            helper.make_node(op, ["flat", *more], ["scores"], **settings),
        ]
        save(path, nodes, [("attack_board", FLOAT, (5, 5))], [("scores", FLOAT, (25,))])

    return write


def _linear(names=("attack_board",), **options):
    return lambda path: save_linear(path, list(names), **options)


def _external(path):
    """Weights that stand in another file."""
    save_linear(path, ["attack_board"])
    model = onnx.load(path)
    weights = model.graph.initializer[0]
    beside = path.with_name("beside.bin")
    beside.write_bytes(weights.raw_data)
    weights.ClearField("raw_data")
    weights.data_location = TensorProto.EXTERNAL
    weights.external_data.add(key="location", value=beside.name)
    path.write_bytes(model.SerializeToString())


def _hidden_external(path):
    """The same, in the branch of a condition."""
    _external(path)
    model = onnx.load(path, load_external_data=False)
    weights = model.graph.initializer.pop()
    branch = helper.make_graph(
        [helper.make_node("Identity", [weights.name], ["weights"])],
        "branch",
        [],
        [helper.make_tensor_value_info("weights", FLOAT, [25, 25])],
        [weights],
    )
    chosen = helper.make_node("If", ["yes"], ["chosen"], then_branch=branch, else_branch=branch)
    model.graph.node.insert(0, chosen)
    model.graph.initializer.append(numpy_helper.from_array(np.array(True), "yes"))
    model.graph.node[3].input[1] = "chosen"
    path.write_bytes(model.SerializeToString())


def _two_outputs(path):
    nodes = [helper.make_node("Flatten", ["attack_board"], [name]) for name in ("a", "b")]
    save(path, nodes, [("attack_board", FLOAT, (5, 5))], [(n, FLOAT, (25,)) for n in "ab"])


def _cut(path):
    save_linear(path, ["attack_board"])
    path.write_bytes(path.read_bytes()[:-40])


def _huge(path):
    path.touch()
    os.truncate(path, 10**9)


def _no_text(path):
    save_linear(path, ["attack_board"])
    path.write_bytes(path.read_bytes().replace(b"Flatten", b"Flat\xff\xffn"))


@pytest.mark.parametrize(
    ("write", "named"),
    [
        (lambda path: None, ()),
        (_no_text, ("UTF-8",)),
        (lambda path: path.touch(), ()),
        (lambda path: path.write_text("nothing"), ("whole",)),
        (_cut, ("whole",)),
        (_huge, ("256 MB",)),
        (_node("Nothing"), ("Nothing",)),
        (_node("Nothing", domain="my.own"), ("'Nothing'", "'my.own'")),
        (_node("FusedGemm", domain="com.microsoft"), ("'com.microsoft'",)),
        (_node("RandomUniformLike"), ("random",)),
        (_external, ("another file",)),
        (_hidden_external, ("another file",)),
        (_two_outputs, ("2 outputs", "scores")),
        (_linear(shapes={"attack_board": None}), ("'attack_board'", "games")),
        (_linear(games=10**9), ("'attack_board'", "large")),
        (_linear(kind=TensorProto.STRING), ()),
        (_node("MatMul", more=["attack_board"]), ("onnxruntime",)),
        (_linear(scenario="nowhere"), ("'nowhere'",)),
        (_linear(scenario="own.toml"), ("'own.toml'",)),
        (_linear(obs="none"), ("'none'",)),
        (_linear(obs="flat"), ("'attack_board'", "observation")),
        (_linear(needs="all"), ("'all'",)),
    ],
)
def test_what_is_no_policy_is_told(in_folder, write, named):
    path = in_folder / "mine.onnx"
    Path("own.toml").write_text("nonsense")
    write(path)
    # As in a process of its own.
    with refused("mine.onnx", *named):
        policy_class(str(path), "mine.onnx")


def test_what_is_told_comes_from_the_other_process(in_folder):
    _cut(in_folder / "mine.onnx")
    with refused("mine.onnx", "whole"):
        find_strategy("mine.onnx")
    with refused("none.onnx"):
        find_strategy("none.onnx")


def test_inputs_of_other_names_are_refused(in_folder):
    nodes = [helper.make_node("Identity", ["x"], ["scores"])]
    save("mine.onnx", nodes, [("x", FLOAT, (25,))], [("scores", FLOAT, (25,))])
    with refused("mine.onnx", "'x'", "attack_board", "planes", "observation", "action_mask"):
        policy_class("mine.onnx", "mine.onnx")


@pytest.mark.parametrize("names", [["planes"], ["observation"], ["attack_board"]])
def test_other_boards_are_refused(in_folder, names):
    save_linear("mine.onnx", names)
    with refused("'mine'", names[0], "scores 25"):
        run("mine.onnx", "gym-8x8", games=10)


def failing(*nodes, constants=(), sizes=("rows", "cols")):
    """Write a policy that fails: when it plays, if sizes are open, else when it is read."""
    flat = helper.make_node("Flatten", ["attack_board"], ["flat"])
    arrays = [("attack_board", FLOAT, sizes)], [("scores", FLOAT, ("cells",))]
    if "rows" not in sizes:
        arrays[1][0] = ("scores", FLOAT, (25,))
    return save("mine.onnx", [flat, *nodes], *arrays, constants)


def _loop():
    """A loop that never ends."""
    value = helper.make_tensor_value_info
    yes = helper.make_node("Identity", ["go"], ["goes"])
    body = helper.make_graph(
        [yes, helper.make_node("Identity", ["before"], ["after"])],
        "body",
        [
            value("i", TensorProto.INT64, []),
            value("go", TensorProto.BOOL, []),
            value("before", FLOAT, None),
        ],
        [value("goes", TensorProto.BOOL, []), value("after", FLOAT, None)],
    )
    return helper.make_node("Loop", ["", "yes", "flat"], ["scores"], body=body)


def test_what_fails_when_it_plays_is_told(in_folder):
    root = helper.make_node("Log", ["minus"], ["scores"])
    failing(
        helper.make_node("Sub", ["flat", "one"], ["minus"]), root, constants={"one": np.float32(1)}
    )
    with refused("NaN", kind=StrategyError, lines=2):
        run("mine.onnx", SCENARIO, games=10)
    failing(helper.make_node("Concat", ["flat", "flat"], ["scores"], axis=1))
    with refused("scores", "50", "25", kind=StrategyError, lines=2):
        run("mine.onnx", SCENARIO, games=10)


def test_no_time_without_end(in_folder):
    yes = {"yes": np.array(True)}
    failing(_loop(), constants=yes)
    with refused("1 s", kind=StrategyError, lines=2):
        run("mine.onnx", SCENARIO, games=10, timeout=1)
    failing(_loop(), constants=yes, sizes=(5, 5))
    with refused("mine.onnx", "2 s"):
        load_strategy("mine.onnx", Limits(longest_import=2))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux alone")
@pytest.mark.parametrize("sizes", [("rows", "cols"), (5, 5)])
def test_no_memory_without_end(in_folder, sizes):
    """Ten gigabytes."""
    wide = helper.make_node("Expand", ["flat", "shape"], ["wide"])
    mean = helper.make_node("ReduceMean", ["wide"], ["scores"], axes=[0], keepdims=0)
    failing(wide, mean, constants={"shape": np.array([100_000_000, 1, 25])}, sizes=sizes)
    kind, lines = (BsbenchError, 1) if 5 in sizes else (StrategyError, 2)
    with refused("memory", kind=kind, lines=lines):
        run("mine.onnx", SCENARIO, games=10)


def test_without_onnxruntime_a_sentence_says_what_to_install(in_folder, monkeypatch):
    save_linear("mine.onnx", ["planes"])
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with refused("mine.onnx", "pip install 'bsbench[agents]'"):
        policy_class("mine.onnx", "mine.onnx")


# --- agents of old formats -----------------------------------------------------------------------


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


def write_exported(path, net: Network, scenario=SCENARIO, **agent) -> str:
    """Write an agent's file as `bsbench.env.export` does."""
    with zipfile.ZipFile(path, "w") as archive:
        content = {"version": 2, "scenario": scenario.to_dict(), "agent": agent}
        archive.writestr("bsbench.json", json.dumps(content | {"network": net.description}))
        with archive.open("network.npz", "w") as file:
            np.savez(file, **net.arrays)
    return str(path)


def scores_of(path, known: Known, obs: str) -> np.ndarray:
    """Return what the network in a file makes of some boards."""
    policy = policy_class(str(path), "mine.zip")
    shown = Observing(RULES, obs, mask=True).show(known)
    return policy.session.run(None, {name: shown[name].astype("f4") for name in policy.types})[0]


def wanted_of(steps, arrays, known: Known, obs: str) -> list:
    """Return what the twin makes of them."""
    tables = {name: naive.table(a.shape, a.ravel().tolist()) for name, a in arrays.items()}
    shown = Observing(RULES, obs, mask=True).show(known)
    wanted = []
    for game in range(len(known.open)):
        own = {name: naive.table(a.shape[1:], a[game].ravel()) for name, a in shown.items()}
        wanted.append(naive.feedforward(steps, tables, own)[-1].flat())
    return wanted


def test_each_step_makes_what_its_twin_makes(tmp_path):
    net, known = all_steps(), some_boards(RULES, 6)
    found = scores_of(write_exported(tmp_path / "mine.zip", net), known, "sunk")
    wanted = wanted_of(net.description["steps"], net.arrays, known, "sunk")
    for game in range(6):
        assert found[game] == pytest.approx(wanted[game], rel=1e-4, abs=1e-4)
    assert found.std(axis=0).min() > 1e-3


@pytest.mark.parametrize(
    "change",
    [
        lambda net, steps, arrays: net.update(obs="x"),
        lambda net, steps, arrays: net.update(steps={}),
        lambda net, steps, arrays: net.update(steps=steps * 999),
        lambda net, steps, arrays: steps.append(3),
        lambda net, steps, arrays: steps.append({"op": "x"}),
        lambda net, steps, arrays: steps.append({"op": []}),
        lambda net, steps, arrays: steps.append({"op": "relu"}),
        lambda net, steps, arrays: steps.append({"op": "relu", "of": [0, 1]}),
        lambda net, steps, arrays: steps.append({"op": "relu", "of": [3]}),
        lambda net, steps, arrays: steps.append({"op": "relu", "of": [-1]}),
        lambda net, steps, arrays: steps.append({"op": "relu", "of": [0]}),
        lambda net, steps, arrays: steps[0].update(field="attack_board"),
        lambda net, steps, arrays: steps[0].update(field=["planes"]),
        lambda net, steps, arrays: steps[1].update(stride=[0, 1]),
        lambda net, steps, arrays: steps[1].update(stride=[1.5, 1]),
        lambda net, steps, arrays: steps[1].update(padding=[10**12, 0]),
        lambda net, steps, arrays: steps[1].update(dilation=[9, 9]),
        lambda net, steps, arrays: steps[2].update(shape=[26]),
        lambda net, steps, arrays: arrays.pop("1.bias"),
        lambda net, steps, arrays: arrays.update({"1.bias": np.ones(2)}),
        lambda net, steps, arrays: arrays.update({"1.bias": np.array([np.nan])}),
        lambda net, steps, arrays: arrays.update({"1.bias": np.array([1e99])}),
        lambda net, steps, arrays: steps.append({"op": "leaky_relu", "of": [2]}),
    ],
)
def test_what_is_wrong_in_an_old_file_is_told(tmp_path, change):
    net = Network()
    board = net.add("input", field="planes")
    conv = {"stride": [1, 1], "padding": [1, 1], "dilation": [1, 1]}
    net.add("conv2d", board, shapes={"weights": (3, 3, 4, 1), "bias": (1,)}, **conv)
    net.add("reshape", 1, shape=[25])
    path = write_exported(tmp_path / "mine.zip", net)
    assert policy_class(path, "mine.zip").network.fits(RULES)
    change(net.description, net.description["steps"], net.arrays)
    write_exported(path, net)
    with refused("mine.zip"):
        policy_class(path, "mine.zip")


def test_an_exported_network_is_a_strategy(tmp_path):
    agent = {"algorithm": "PP\x1b[1mO", "masked": False, "scores": "values"}
    path = write_exported(tmp_path / "mine.zip", all_steps(), **agent)
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


def test_an_exported_file_of_yesterday_is_played_today():
    """Convolutions, exported from MaskablePPO after 300,000 shots on 5x5."""
    training, known = read_training(GOLDEN), some_boards(RULES, 2)
    assert [step["op"] for step in training.steps].count("conv2d") == 2
    wanted = wanted_of(training.steps, training.arrays, known, "planes")
    found = scores_of(GOLDEN, known, "planes")
    for game in range(2):
        assert found[game] == pytest.approx(wanted[game], rel=1e-4, abs=1e-4)
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
        find_strategy(path)


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
    for use in (lambda: export(object(), "mine.onnx", "gym-5x5"), lambda: torch_agent(object())):
        with refused("pip install 'bsbench[rl]'"):
            use()
    assert not list(in_folder.iterdir())
