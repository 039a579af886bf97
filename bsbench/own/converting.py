"""Agents of bsbench's own formats as ONNX: see `bsbench.own.trained`.

A network is a list of steps, each a dictionary: ``op``, ``of`` (the numbers of the steps that it
takes from) and settings; its arrays are named by the number of the step. Shapes are those of one
game, to which ONNX adds an axis in front.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, TensorProto, helper, numpy_helper

from bsbench.common.errors import BsbenchError
from bsbench.own.observation import LOGITS, SCORES, Observing
from bsbench.own.trained import VALUES, Training
from bsbench.rules.scenario import Scenario, look_up_scenario

OPSET, _IR = 20, 9
"""Versions of ONNX's operators, and of its files, that go together."""

_Array = npt.NDArray[Any]

_SIMPLE = {
    "relu": "Relu",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "elu": "Elu",
    "gelu": "Gelu",
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "Div",
}
"""Operators of ONNX without settings."""


def add_facts(model: ModelProto, scenario: Scenario, obs: str, source: str) -> None:
    """Add what bsbench reads from a policy's metadata.

    Parameters
    ----------
    model : ModelProto
    scenario : Scenario
        On which it was trained.
    obs : str
        The format of its observations.
    source : str
        Where it comes from, in a line.
    """
    facts = {"obs": obs, "needs": str(scenario.rules.feedback), "source": source}
    # The name of a file says nothing elsewhere.
    if not scenario.name.endswith(".toml") and look_up_scenario(scenario.name) == scenario:
        facts["scenario"] = scenario.name
    for key, value in facts.items():
        model.metadata_props.add(key=key, value=value)


def model_of(training: Training, called: str) -> ModelProto:
    """Return an agent as ONNX.

    Raises
    ------
    BsbenchError
        If its steps make no network.
    """
    observing = Observing(training.scenario.rules, training.obs, mask=True)
    graph = _Graph(training.arrays)
    try:
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["games", *field.shape])
            for name, field in observing.fields.items()
            if any(step.get("field") == name for step in training.steps)
        ]
        graph.inputs = [each.name for each in inputs]
        for step in training.steps:
            graph.add(step)
        name = SCORES if training.scores == VALUES else LOGITS
        graph.node("Identity", [graph.last], name)
        cells = training.scenario.rules.cells
        output = helper.make_tensor_value_info(name, TensorProto.FLOAT, ["games", cells])
        made = helper.make_graph(graph.nodes, "agent", inputs, [output], graph.constants)
    except Exception as error:
        # The steps may be a stranger's.
        raise BsbenchError(
            f"the trained agent {called} can't be used: step {graph.count} of its network is "
            f"damaged ({type(error).__name__}: {str(error)[:100]})"
        ) from None
    model = helper.make_model(
        made,
        ir_version=_IR,
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="bsbench",
    )
    add_facts(model, training.scenario, training.obs, training.source)
    return model


class _Graph:
    """The nodes of a network, as far as its steps are added; step 3 is called ``3``."""

    def __init__(self, arrays: Mapping[str, _Array]) -> None:
        self.inputs: list[str] = []
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.count = 0
        self._arrays = arrays
        # The number of axes of each step, for one game.
        self._axes: list[int] = []

    @property
    def last(self) -> str:
        """The name of the last step."""
        return str(self.count - 1)

    def node(self, op: str, of: list[str], name: str = "", **settings: Any) -> str:
        """Add a node; return the name of what it makes."""
        name = name or f"node {len(self.nodes)}"
        self.nodes.append(helper.make_node(op, of, [name], **settings))
        return name

    def constant(self, values: Any, dtype: Any = np.int64) -> str:
        """Add numbers; return their name."""
        name = f"constant {len(self.constants)}"
        array = np.ascontiguousarray(np.asarray(values), dtype)
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def array(self, name: str) -> _Array:
        """Return an array of the step that is added."""
        array = np.asarray(self._arrays[f"{self.count}.{name}"], np.float32)
        if not np.isfinite(array).all():
            raise ValueError(f"{name} are not all numbers within float32")
        return array

    def weights(self, name: str) -> str:
        """Add an array of the step; return its name."""
        return self.constant(self.array(name), np.float32)

    def add(self, step: Mapping[str, Any]) -> None:
        """Add the next step."""
        of = [int(each) for each in step.get("of", [])]
        axes = [self._axes[each] for each in of]
        given = [str(each) for each in of]
        last = str(self.count)
        self._axes.append(
            getattr(self, f"_step_{step['op']}", self._other)(step, given, axes, last)
        )
        self.count += 1

    # Each adds a step, and returns how many axes it makes.

    def _other(self, step: Any, given: Any, axes: Any, last: str) -> int:
        op = _SIMPLE[step["op"]]
        if f"{self.count}.with" in self._arrays:
            values = self.array("with")
            axes = [*axes, values.ndim]
            given = [*given, self.constant(values[None], np.float32)]
        deepest = max(axes)
        deep = [
            self.node("Unsqueeze", [each, self.constant(range(1, 1 + deepest - own))])
            if own < deepest
            else each
            for each, own in zip(given, axes, strict=True)
        ]
        self.node(op, deep, last)
        return int(deepest)

    def _step_input(self, step: Any, given: Any, axes: Any, last: str) -> int:
        self.node("Identity", [step["field"]], last)
        return {"planes": 3, "attack_board": 2}.get(step["field"], 1)

    def _step_constant(self, step: Any, given: Any, axes: Any, last: str) -> int:
        values = self.array("with")
        games = self.node("Shape", [self.inputs[0]], start=0, end=1)
        shape = self.node("Concat", [games, self.constant(values.shape)], axis=0)
        self.node("Expand", [self.constant(values[None], np.float32), shape], last)
        return values.ndim

    def _step_linear(self, step: Any, given: Any, axes: Any, last: str) -> int:
        product = self.node("MatMul", [*given, self.weights("weights")])
        self.node("Add", [product, self.weights("bias")], last)
        return int(axes[0])

    def _step_conv2d(self, step: Any, given: Any, axes: Any, last: str) -> int:
        weights = self.constant(self.array("weights").transpose(3, 2, 0, 1), np.float32)
        self.node(
            "Conv",
            [*given, weights, self.weights("bias")],
            last,
            strides=step["stride"],
            pads=[*step["padding"]] * 2,
            dilations=step["dilation"],
        )
        return 3

    def _pool(self, step: Any, given: Any, last: str, op: str, **more: int) -> int:
        pads = [*step["padding"]] * 2
        settings = {"kernel_shape": step["size"], "strides": step["stride"], "pads": pads}
        self.node(op, given, last, **settings, **more)
        return 3

    def _step_max_pool(self, step: Any, given: Any, axes: Any, last: str) -> int:
        return self._pool(step, given, last, "MaxPool")

    def _step_mean_pool(self, step: Any, given: Any, axes: Any, last: str) -> int:
        return self._pool(step, given, last, "AveragePool", count_include_pad=1)

    def _step_silu(self, step: Any, given: Any, axes: Any, last: str) -> int:
        self.node("Mul", [*given, self.node("Sigmoid", given)], last)
        return int(axes[0])

    def _step_leaky_relu(self, step: Any, given: Any, axes: Any, last: str) -> int:
        self.node("LeakyRelu", given, last, alpha=float(step["slope"]))
        return int(axes[0])

    def _step_layer_norm(self, step: Any, given: Any, axes: Any, last: str) -> int:
        names = [*given, self.weights("weights"), self.weights("bias")]
        settings = {"axis": -self.array("weights").ndim, "epsilon": float(step["epsilon"])}
        self.node("LayerNormalization", names, last, **settings)
        return int(axes[0])

    def _step_mean(self, step: Any, given: Any, axes: Any, last: str) -> int:
        over = self.constant([1 + axis for axis in step["axes"]])
        self.node("ReduceMean", [*given, over], last, keepdims=0)
        return int(axes[0]) - len(step["axes"])

    def _step_reshape(self, step: Any, given: Any, axes: Any, last: str) -> int:
        self.node("Reshape", [*given, self.constant([-1, *step["shape"]])], last)
        return len(step["shape"])

    def _step_broadcast(self, step: Any, given: Any, axes: Any, last: str) -> int:
        missing = len(step["shape"]) - axes[0]
        if missing:
            given = [self.node("Unsqueeze", [*given, self.constant(range(1, 1 + missing))])]
        self.node("Expand", [*given, self.constant([1, *step["shape"]])], last)
        return len(step["shape"])

    def _step_permute(self, step: Any, given: Any, axes: Any, last: str) -> int:
        self.node("Transpose", given, last, perm=[0, *(1 + axis for axis in step["axes"])])
        return int(axes[0])

    def _step_join(self, step: Any, given: Any, axes: Any, last: str) -> int:
        self.node("Concat", given, last, axis=1 + step["axis"])
        return int(axes[0])

    def _step_slice(self, step: Any, given: Any, axes: Any, last: str) -> int:
        where = step["start"], step["stop"], 1 + step["axis"], step["stride"]
        self.node("Slice", [*given, *(self.constant([each]) for each in where)], last)
        return int(axes[0])

    def _step_one_hot(self, step: Any, given: Any, axes: Any, last: str) -> int:
        deep = self.node("Unsqueeze", [*given, self.constant([-1])])
        classes = self.constant(range(min(step["classes"], 1_000)), np.float32)
        same = self.node("Equal", [deep, classes])
        self.node("Cast", [same], last, to=TensorProto.FLOAT)
        return int(axes[0]) + 1
