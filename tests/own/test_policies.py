"""Policies in ONNX as strategies: what they play, and what is refused."""
# ruff: noqa: E402

from __future__ import annotations

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
from bsbench.own.loading import adapt, load_strategy
from bsbench.own.observation import Observing
from bsbench.own.policies import policy_class
from bsbench.own.thinker import Limits
from bsbench.play.game import play_game
from bsbench.play.samplers import make_sampler
from bsbench.roster import find_strategy
from bsbench.rules.scenario import find_scenario
from bsbench.studies.check.study import check_strategy
from tests.support import ROOT
from tests.support.refusals import refused

SCENARIO = find_scenario("gym-5x5")
RULES = SCENARIO.rules
FLOAT = TensorProto.FLOAT


FIELDS = {**Observing(RULES, "flat").fields, **Observing(RULES, "planes", mask=True).fields}
FIELDS |= Observing(RULES, "sunk").fields


def weights_of(names) -> dict[str, np.ndarray]:
    """Whole numbers, so that every sum is exact, and few, so that cells tie."""
    rng = np.random.default_rng(3)
    return {name: rng.integers(-2, 3, (int(np.prod(FIELDS[name].shape)), 25)) for name in names}


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
    nodes, parts = [], []
    for name in names:
        nodes += [
            helper.make_node("Cast", [name], [f"{name} float"], to=FLOAT),
            helper.make_node("Flatten", [f"{name} float"], [f"{name} flat"]),
            helper.make_node("MatMul", [f"{name} flat", f"{name} weights"], [f"{name} part"]),
        ]
        parts.append(f"{name} part")
    nodes.append(helper.make_node("Sum", parts, [output]))
    inputs = [(name, kind, (shapes or {}).get(name, FIELDS[name].shape)) for name in names]
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
            return int(np.where(shown["action_mask"], scores, -(10**9)).argmax())

    Twin.obs = obs
    return Twin


# --- what a policy plays -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("obs", "names", "kind"),
    [
        ("flat", ["observation", "action_mask"], TensorProto.INT8),
        ("planes", ["planes"], TensorProto.DOUBLE),
        ("planes", ["planes", "move_count", "remaining_ships"], TensorProto.INT32),
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


def test_the_number_of_games_may_be_fixed(tmp_path):
    free = save_linear(tmp_path / "free.onnx", ["planes"])
    fixed = save_linear(tmp_path / "fixed.onnx", ["planes"], games=7)
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
    strategy = find_strategy(path)
    facts = report.strategy, strategy.home, str(strategy.needs), strategy.source
    assert facts == ("my-agent", "gym-5x5", "sunk", "ONNX, by me")
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


def _hidden_external(path):
    """Weights that stand in another file, in the branch of a condition."""
    save_linear(path, ["attack_board"])
    model = onnx.load(path)
    weights = model.graph.initializer.pop()
    path.with_name("beside.bin").write_bytes(weights.raw_data)
    weights.ClearField("raw_data")
    weights.data_location = TensorProto.EXTERNAL
    weights.external_data.add(key="location", value="beside.bin")
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


def _identity(path, named="x", outputs=("scores",)):
    """One input, as so many outputs."""
    nodes = [helper.make_node("Flatten", [named], [name]) for name in outputs]
    save(path, nodes, [(named, FLOAT, (5, 5))], [(name, FLOAT, (25,)) for name in outputs])


def _cut(path):
    save_linear(path, ["attack_board"])
    path.write_bytes(path.read_bytes()[:-40])


def _no_text(path):
    save_linear(path, ["attack_board"])
    path.write_bytes(path.read_bytes().replace(b"Flatten", b"Flat\xff\xffn"))


@pytest.mark.parametrize(
    ("write", "named"),
    [
        (_no_text, ("UTF-8",)),
        (lambda path: path.touch(), ()),
        (lambda path: path.touch() or os.truncate(path, 10**9), ("256 MB",)),
        (_node("Nothing", domain="my.own"), ("'Nothing'", "'my.own'")),
        (_node("RandomUniformLike"), ("random",)),
        (_hidden_external, ("another file",)),
        (lambda path: _identity(path, "attack_board", "ab"), ("2 outputs", "scores")),
        (_identity, ("'x'", "attack_board", "planes", "observation", "action_mask")),
        (_linear(shapes={"attack_board": None}), ("'attack_board'", "games")),
        (_linear(games=10**9), ("'attack_board'", "large")),
        (_node("MatMul", more=["attack_board"]), ("onnxruntime",)),
        (_linear(scenario="nowhere"), ("'nowhere'",)),
        (_linear(obs="none"), ("'none'",)),
        (_linear(needs="all"), ("'all'",)),
        (_linear(scenario="own.toml"), ("'own.toml'",)),
        (_linear(kind=TensorProto.STRING), ()),
        (_cut, ("whole",)),
        (_linear(obs="flat"), ("'attack_board'", "observation")),
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
    for name, *named in (("mine.onnx", "whole"), ("none.onnx",)):
        with refused(name, *named):
            find_strategy(name)


def test_other_boards_are_refused(in_folder):
    for name in ("planes", "observation"):
        save_linear("mine.onnx", [name])
        with refused("'mine'", name, "scores 25"):
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


def test_a_model_of_stable_baselines_is_not_loaded(in_folder):
    with zipfile.ZipFile("model.zip", "w") as archive:
        for name in ("data", "policy.pth", "_stable_baselines3_version"):
            archive.writestr(name, b"cos\nsystem\n(S'touch RAN'\ntR.")
    with refused("model.zip", "bsbench.env.export"):
        run("model.zip", "gym-5x5", games=10)
    assert [path.name for path in in_folder.iterdir()] == ["model.zip"]


def test_without_torch_a_sentence_says_what_to_install(in_folder, monkeypatch):
    pytest.importorskip("gymnasium", reason="needs bsbench[gym]")
    from bsbench.env import export

    monkeypatch.setitem(sys.modules, "stable_baselines3.common.policies", None)
    with refused("pip install 'bsbench[rl]'"):
        export(object(), "mine.onnx", "gym-5x5")
    assert not list(in_folder.iterdir())
