"""What torch computes, as steps of `bsbench.own.feedforward`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Step = dict[str, Any]
_Array = npt.NDArray[Any]


class NotExported(Exception):
    """Something that torch computes has no step."""


class Steps:
    """The steps of a graph, as far as it was read.

    Parameters
    ----------
    fields : sequence of str
        Names of the arrays that the graph is given, in order.

    Attributes
    ----------
    steps : list of dict
    arrays : dict of str to ndarray
        See `bsbench.own.feedforward.FeedForward`.
    """

    def __init__(self, fields: Sequence[str]) -> None:
        self.steps: list[Step] = []
        self.arrays: dict[str, _Array] = {}
        # What each node of the graph is: the number of a step, an array, or a tuple of such.
        self._known: dict[str, Any] = {}
        self._fields = list(fields)

    def read(self, program: Any) -> None:
        """Read an exported program of torch; the last step makes what it returns.

        Raises
        ------
        NotExported
            If an operation has no step.
        """
        signature = program.graph_signature
        held = {
            **signature.inputs_to_parameters,
            **signature.inputs_to_buffers,
            **signature.inputs_to_lifted_tensor_constants,
        }
        tensors = {**program.state_dict, **program.constants}
        fields = iter(self._fields)
        for node in program.graph.nodes:
            if node.op == "placeholder":
                if node.name in held:
                    # Parameters that are shared, or not saved, stand in either place.
                    array = tensors[held[node.name]].detach().cpu().numpy()
                    self._known[node.name] = array
                else:
                    self._known[node.name] = self._add("input", field=next(fields))
            elif node.op == "call_function":
                self._known[node.name] = self._called(node)
            elif node.op == "output":
                result = self._known[node.args[0][0].name]
                if result != len(self.steps) - 1:
                    # Something was computed that is not used.
                    self._add("reshape", [result], shape=_shape(node.args[0][0]))

    def _add(self, op: str, of: Sequence[int] = (), **settings: Any) -> int:
        """Add a step; return its number. Settings that are arrays go to the arrays."""
        number = len(self.steps)
        step: Step = {"op": op} | ({"of": list(of)} if of else {})
        for name, value in settings.items():
            if isinstance(value, np.ndarray):
                self.arrays[f"{number}.{name.rstrip('_')}"] = np.ascontiguousarray(
                    value, np.float32
                )
            else:
                step[name] = list(value) if isinstance(value, tuple) else value
        self.steps.append(step)
        return number

    def _called(self, node: Any) -> Any:
        """Return what a call makes."""
        if getattr(node.target, "__name__", "") == "getitem":
            return self._known[node.args[0].name][node.args[1]]
        schema = getattr(node.target, "_schema", None)
        if schema is None:
            raise NotExported(str(node.target))
        name = schema.name.removeprefix("aten::")
        if name in _PASSED:
            return self._known[node.args[0].name] if node.args else None
        if name not in _CALLS:
            raise NotExported(name)
        given = {}
        for place, argument in enumerate(schema.arguments):
            value = node.args[place] if place < len(node.args) else None
            if place >= len(node.args):
                value = node.kwargs.get(argument.name, argument.default_value)
            given[argument.name] = value
        return _CALLS[name](self, node, given)

    # --- what arguments are -----------------------------------------------------------------

    def step(self, node: Any) -> int:
        """Return the number of the step that makes a node; a constant becomes a step."""
        known = self._known[node.name]
        if isinstance(known, np.ndarray):
            return self._add("constant", with_=known[0] if _leads(node, known) else known)
        if type(known) is not int:
            raise NotExported(str(node))
        return known

    def array(self, node: Any) -> _Array:
        """Return the array that a node is."""
        known = self._known[node.name]
        if not isinstance(known, np.ndarray):
            raise NotExported(f"{node}, which is computed and no weight")
        return known

    def either(self, value: Any) -> int | _Array:
        """Return the number of a step, or an array that all games share, from an operand."""
        if isinstance(value, int | float):
            return np.array(float(value))
        known: int | _Array = self._known[value.name]
        return known


def _leads(node: Any, array: _Array) -> bool:
    """Return whether a constant has an axis for games in front, of length 1."""
    return array.ndim > 0 and array.shape[0] == 1


def _shape(node: Any) -> tuple[int, ...]:
    """Return the shape of what a node makes for one game."""
    return tuple(int(side) for side in node.meta["val"].shape[1:])


def _axis(node: Any, axis: int) -> int:
    """Return which axis of one game is meant by one of a batch."""
    axis = axis % node.meta["val"].ndim
    if axis == 0:
        raise NotExported("something that mixes games of a batch")
    return axis - 1


def _two(value: Any) -> tuple[int, int]:
    pair = [value] * 2 if isinstance(value, int) else [*value]
    first, second = pair if len(pair) == 2 else pair * 2
    return int(first), int(second)


_Call = Callable[[Steps, Any, Mapping[str, Any]], Any]


def _conv2d(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    weights = to.array(given["weight"])
    if given["groups"] != 1:
        raise NotExported("convolutions in groups")
    dilation, padding = _two(given["dilation"]), given["padding"]
    if isinstance(padding, str):
        reach = [d * (n - 1) for d, n in zip(dilation, weights.shape[2:], strict=True)]
        if padding == "same" and any(each % 2 for each in reach):
            raise NotExported("convolutions that pad one side more than the other")
        padding = [each // 2 if padding == "same" else 0 for each in reach]
    return to._add(
        "conv2d",
        [to.step(given["input"])],
        weights=weights.transpose(2, 3, 1, 0),
        bias=np.zeros(len(weights)) if given["bias"] is None else to.array(given["bias"]),
        stride=_two(given["stride"]),
        padding=_two(padding),
        dilation=dilation,
    )


def _linear(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    weights = to.array(given["weight"])
    bias = np.zeros(len(weights)) if given["bias"] is None else to.array(given["bias"])
    return to._add("linear", [to.step(given["input"])], weights=weights.T, bias=bias)


def _matmul(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    weights = to.array(given["other"])
    if weights.ndim != 2:
        raise NotExported("matrix products with vectors")
    bias = np.zeros(weights.shape[1])
    return to._add("linear", [to.step(given["self"])], weights=weights, bias=bias)


def _batch_norm(to: Steps, node: Any, given: Mapping[str, Any]) -> tuple[int]:
    rest = (1,) * (len(_shape(given["input"])) - 1)
    mean, variance = to.array(given["running_mean"]), to.array(given["running_var"])
    scale = 1 / np.sqrt(variance.astype(np.float64) + given["eps"])
    if given["weight"] is not None:
        scale = scale * to.array(given["weight"])
    shift = -mean * scale
    if given["bias"] is not None:
        shift = shift + to.array(given["bias"])
    scaled = to._add("multiply", [to.step(given["input"])], with_=scale.reshape(-1, *rest))
    return (to._add("add", [scaled], with_=shift.reshape(-1, *rest)),)


def _layer_norm(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    shape = tuple(given["normalized_shape"])
    weights = np.ones(shape) if given["weight"] is None else to.array(given["weight"])
    bias = np.zeros(shape) if given["bias"] is None else to.array(given["bias"])
    of = [to.step(given["input"])]
    return to._add("layer_norm", of, weights=weights, bias=bias, epsilon=float(given["eps"]))


def _simple(op: str, argument: str = "self") -> _Call:
    """Return what adds a step without settings; others than the usual ones are refused."""

    def call(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
        usual = {"approximate": "none", "alpha": 1, "scale": 1, "input_scale": 1}
        if any(given[name] != value for name, value in usual.items() if name in given):
            raise NotExported(f"{op} with other settings than the usual ones")
        return to._add(op, [to.step(given[argument])])

    return call


def _leaky_relu(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    slope = float(given["negative_slope"])
    return to._add("leaky_relu", [to.step(given["self"])], slope=slope)


def _max_pool(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    if _two(given["dilation"]) != (1, 1) or given["ceil_mode"]:
        raise NotExported("max_pool2d with dilation or ceil_mode")
    return _pooled(to, given, "max_pool")


def _mean_pool(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    trimmed = _two(given["padding"]) != (0, 0) and not given["count_include_pad"]
    if given["ceil_mode"] or given["divisor_override"] or trimmed:
        raise NotExported("avg_pool2d with other settings than the usual ones")
    return _pooled(to, given, "mean_pool")


def _pooled(to: Steps, given: Mapping[str, Any], op: str) -> int:
    size = _two(given["kernel_size"])
    stride = _two(given["stride"]) if given["stride"] else size
    of = [to.step(given["self"])]
    return to._add(op, of, size=size, stride=stride, padding=_two(given["padding"]))


def _adaptive_pool(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    sides, left = _shape(given["self"])[1:], _two(given["output_size"])
    if any(side % new for side, new in zip(sides, left, strict=True)):
        raise NotExported("adaptive_avg_pool2d with windows of different sizes")
    size = sides[0] // left[0], sides[1] // left[1]
    return to._add("mean_pool", [to.step(given["self"])], size=size, stride=size, padding=(0, 0))


def _mean(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    axes = tuple(_axis(given["self"], axis) for axis in given["dim"] or ())
    if not axes:
        raise NotExported("means over a whole batch")
    made = to._add("mean", [to.step(given["self"])], axes=axes)
    return to._add("reshape", [made], shape=_shape(node)) if given["keepdim"] else made


def _sum(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    made = _mean(to, node, given)
    count = math.prod(_shape(given["self"])) / math.prod(_shape(node))
    return to._add("multiply", [made], with_=np.array(count))


def _reshape(to: Steps, node: Any, given: Mapping[str, Any]) -> Any:
    whole = given["self"].meta["val"].shape[:1] == node.meta["val"].shape[:1]
    known = to._known[given["self"].name]
    if isinstance(known, np.ndarray):
        return known.reshape(tuple(int(side) for side in node.meta["val"].shape))
    if not whole:
        raise NotExported("something that mixes games of a batch")
    return to._add("reshape", [to.step(given["self"])], shape=_shape(node))


def _expand(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    return to._add("broadcast", [to.step(given["self"])], shape=_shape(node))


def _permute(to: Steps, node: Any, given: Mapping[str, Any]) -> Any:
    known, count = to._known[given["self"].name], node.meta["val"].ndim
    order = list(range(count))
    if "dims" in given:
        order = [int(axis) % count for axis in given["dims"]]
    elif "dim0" in given:
        one, two = int(given["dim0"]) % count, int(given["dim1"]) % count
        order[one], order[two] = two, one
    else:
        order.reverse()
    if isinstance(known, np.ndarray):
        return known.transpose(order)
    if order[0] != 0:
        raise NotExported("something that mixes games of a batch")
    return to._add("permute", [to.step(given["self"])], axes=tuple(axis - 1 for axis in order[1:]))


def _cat(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    axis = _axis(node, given["dim"])
    return to._add("join", [to.step(each) for each in given["tensors"]], axis=axis)


def _slice(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    size = given["self"].meta["val"].shape[given["dim"]]
    start, stop, stride = slice(given["start"], given["end"], given["step"]).indices(int(size))
    if given["dim"] == 0 and (start, stop, stride) == (0, size, 1):
        return to.step(given["self"])
    part = {"start": start, "stop": stop, "stride": stride}
    return to._add(
        "slice", [to.step(given["self"])], axis=_axis(given["self"], given["dim"]), **part
    )


def _select(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    axis, source = _axis(given["self"], given["dim"]), given["self"]
    index = int(given["index"]) % _shape(source)[axis]
    part = {"start": index, "stop": index + 1, "stride": 1}
    made = to._add("slice", [to.step(source)], axis=axis, **part)
    return to._add("reshape", [made], shape=_shape(node))


def _one_hot(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    return to._add("one_hot", [to.step(given["self"])], classes=_shape(node)[-1])


def _embedding(to: Steps, node: Any, given: Mapping[str, Any]) -> int:
    weights = to.array(given["weight"])
    made = to._add("one_hot", [to.step(given["indices"])], classes=len(weights))
    return to._add("linear", [made], weights=weights, bias=np.zeros(weights.shape[1]))


def _arithmetic(op: str) -> _Call:
    def call(to: Steps, node: Any, given: Mapping[str, Any]) -> Any:
        if given.get("alpha", 1) != 1 or given.get("rounding_mode"):
            raise NotExported(f"{op} with other settings than the usual ones")
        one, two = to.either(given["self"]), to.either(given["other"])
        if isinstance(one, int) and isinstance(two, int):
            return to._add(op, [one, two])
        if isinstance(one, int):
            return to._add(op, [one], with_=_shared(two))
        if isinstance(two, int) and op in ("add", "multiply"):
            return to._add(op, [two], with_=_shared(one))
        if isinstance(two, int) and op == "subtract":
            negative = to._add("multiply", [two], with_=np.array(-1.0))
            return to._add("add", [negative], with_=_shared(one))
        raise NotExported(f"{op} of a constant by what is computed")

    return call


def _shared(array: int | _Array) -> _Array:
    """Return an array that all games share, without an axis for them."""
    found = np.asarray(array)
    return found[0] if found.ndim > 1 and found.shape[0] == 1 else found


def _rsub(to: Steps, node: Any, given: Mapping[str, Any]) -> Any:
    swapped = {**given, "self": given["other"], "other": given["self"]}
    return _CALLS["sub"](to, node, swapped)


_PASSED = {
    *("alias", "clone", "contiguous", "_to_copy", "to", "detach", "dropout", "lift_fresh_copy"),
    *("_assert_tensor_metadata", "detach_", "feature_dropout"),
}
"""Operations that change no number of ours; whole numbers stay whole."""

_CALLS: dict[str, _Call] = {
    "conv2d": _conv2d,
    "linear": _linear,
    "matmul": _matmul,
    "mm": lambda to, node, given: _matmul(to, node, {**given, "other": given["mat2"]}),
    "_native_batch_norm_legit_no_training": _batch_norm,
    "layer_norm": _layer_norm,
    **{name: _simple(name) for name in ("relu", "tanh", "sigmoid", "elu", "gelu", "silu")},
    "leaky_relu": _leaky_relu,
    "max_pool2d": _max_pool,
    "avg_pool2d": _mean_pool,
    "adaptive_avg_pool2d": _adaptive_pool,
    "mean": _mean,
    "sum": _sum,
    **dict.fromkeys(
        ("view", "_unsafe_view", "reshape", "flatten", "unsqueeze", "squeeze"), _reshape
    ),
    "expand": _expand,
    **dict.fromkeys(("permute", "transpose", "t"), _permute),
    "cat": _cat,
    "slice": _slice,
    "select": _select,
    "one_hot": _one_hot,
    "embedding": _embedding,
    "add": _arithmetic("add"),
    "sub": _arithmetic("subtract"),
    "mul": _arithmetic("multiply"),
    "div": _arithmetic("divide"),
    "rsub": _rsub,
}
