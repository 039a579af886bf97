"""Feed-forward networks that score cells, from descriptions that may be a stranger's.

A network is a list of *steps*. Each makes an array from those of earlier steps; the last one holds
a score for each cell. A step is described by a dictionary: ``op``, ``of`` (the numbers of the
steps that it takes from), its settings, and arrays of numbers. All shapes are those of one game.

============  =========================================================  ======================
op            settings and arrays                                        makes
============  =========================================================  ======================
input         ``field``: an array of the observation                     that array
constant      ``with``: an array                                         that array
linear        ``weights`` (n, m), ``bias`` (m,); ``order`` (n,) in       (…, n) to (…, m)
              which inputs are added, if it is not the usual one
conv2d        ``weights`` (height, width, n, m), ``bias`` (m,),          (n, rows, cols) to
              ``stride``, ``padding``, ``dilation``: two numbers each    (m, rows, cols)
max_pool,     ``size``, ``stride``, ``padding``: two numbers each        (n, rows, cols)
mean_pool
relu, tanh, sigmoid, elu, gelu, silu                                     the same shape
leaky_relu    ``slope``: factor below 0                                  the same shape
add, subtract, multiply, divide:                                         both shapes, broadcast
              of two steps, or of one and the array ``with``
layer_norm    ``weights``, ``bias`` (last axes), ``epsilon``             the same shape
mean          ``axes``                                                   without these axes
reshape       ``shape``                                                  that shape
broadcast     ``shape``                                                  that shape
permute       ``axes``                                                   axes in that order
join          ``axis``                                                   steps after each other
slice         ``axis``, ``start``, ``stop``, ``stride``                  a part along an axis
one_hot       ``classes``                                                (…) to (…, classes)
============  =========================================================  ======================

A description is checked before anything is computed: whatever it says, no step can read or write
beyond its arrays, and memory and time are limited. No code of a file is run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.kernels import networks
from bsbench.kernels.known import Known
from bsbench.own.observation import FORMATS, Observing
from bsbench.rules.board import Rules

Floats = npt.NDArray[np.float32]
Shape = tuple[int, ...]
Step = Mapping[str, Any]

_MOST_STEPS = 1_000
_MOST_AXES = 6
_LARGEST = 4_000_000
"""Numbers at most of a step's array for one game: 64 planes of a board of 250x250."""

_MOST_TOGETHER = 100_000_000
"""Numbers at most of the arrays of all steps for one game, which are there at the same time."""

_MOST_WORK = 1_000_000_000
"""Products at most for one shot: half a second."""

_AT_ONCE = 400_000
"""Numbers that the arrays of all steps hold together, about, for the games that are scored at once:
as many as a processor's second cache holds."""


class _Made(NamedTuple):
    """What a step makes: the shape for one game, the products that takes, and what makes it."""

    shape: Shape
    work: int
    run: Callable[..., npt.NDArray[Any]]


class _Reader:
    """Reads the settings and arrays of a step, checked."""

    def __init__(self, number: int, step: Step, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._number, self._step, self._arrays = number, step, arrays
        self.op = str(step.get("op"))

    def wrong(self, what: str) -> BsbenchError:
        """Return an error that says which step is wrong."""
        return BsbenchError(f"step {self._number} ({self.op[:40]!r}) of its network {what}")

    def whole(self, name: str, least: int = 0, most: int = _LARGEST) -> int:
        """Return a setting that is a whole number."""
        value = self._step.get(name)
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(f"needs {name}, a whole number from {least} to {most:,}")
        return value

    def number(self, name: str) -> np.float32:
        """Return a setting that is a number."""
        value: Any = self._step.get(name)
        if type(value) not in (int, float) or not abs(value) < 1e30:
            raise self.wrong(f"needs {name}, a number")
        return np.float32(value)

    def numbers(self, name: str, least: int = 0, count: int | None = None) -> Shape:
        """Return a setting that is a list of whole numbers."""
        value: Any = self._step.get(name)
        fits = isinstance(value, list) and len(value) <= _MOST_AXES and count in (None, len(value))
        if not fits or any(
            type(each) is not int or not least <= each <= _LARGEST for each in value
        ):
            raise self.wrong(f"needs {name}, a list of whole numbers from {least} on")
        return tuple(value)

    def array(self, name: str, shape: Sequence[int | None] | None = None) -> Floats:
        """Return an array, of a shape in which None stands for any number."""
        found = self._arrays.get(f"{self._number}.{name}")
        if found is None:
            raise self.wrong(f"lacks its {name}")
        if found.dtype.kind not in "fiu":
            raise self.wrong(f"has {name} that are not numbers")
        if shape is not None and (
            found.ndim != len(shape)
            or any(n not in (None, m) or m < 1 for n, m in zip(shape, found.shape, strict=True))
        ):
            raise self.wrong(f"has {name} of the shape {found.shape}, which does not fit")
        # Numbers too large for float32 become infinite.
        with np.errstate(over="ignore"):
            array = np.ascontiguousarray(found, np.float32)
        if not np.isfinite(array).all():
            raise self.wrong(f"has {name} that are not all numbers within float32")
        return array

    def has(self, name: str) -> bool:
        """Return whether there is an array of that name."""
        return f"{self._number}.{name}" in self._arrays

    def axis(self, name: str, shape: Shape) -> int:
        """Return a setting that is an axis of a shape."""
        return self.whole(name, 0, len(shape) - 1)


def _scratch(rows: int) -> tuple[npt.NDArray[np.uint32], Floats]:
    """Return room for a kernel that adds so many rows; there is one more, which is never added."""
    return np.empty(rows + 1, np.uint32), np.empty(rows + 1, np.float32)


def _linear(read: _Reader, shape: Shape) -> _Made:
    if not shape:
        raise read.wrong("takes a single number")
    weights = read.array("weights", (shape[-1], None))
    bias = read.array("bias", (weights.shape[1],))
    order = np.arange(len(weights), dtype=np.uint32)
    if read.has("order"):
        order = read.array("order", order.shape).astype(np.uint32)
        if (np.sort(order) != np.arange(len(order))).any():
            raise read.wrong("has an order that is not one of all its inputs")

    def run(given: Floats) -> Floats:
        flat = np.ascontiguousarray(given.reshape(-1, len(weights)))
        sums = np.empty((len(flat), len(bias)), np.float32)
        networks.linear(flat, weights, bias, order, *_scratch(len(weights)), sums)
        return sums.reshape(*given.shape[:-1], len(bias))

    return _Made((*shape[:-1], len(bias)), math.prod(shape[:-1]) * weights.size, run)


def _boards(read: _Reader, shape: Shape, size: Shape, dilation: Shape = (1, 1)) -> Any:
    """Return stride and padding of a window over boards, and the rows and columns it leaves."""
    if len(shape) != 3:
        raise read.wrong(f"takes boards, and is given the shape {shape}")
    stride, padding = read.numbers("stride", 1, 2), read.numbers("padding", 0, 2)
    left = []
    for place in range(2):
        reach = dilation[place] * (size[place] - 1) + 1
        cells = shape[1 + place] + 2 * padding[place] - reach
        if cells < 0 or padding[place] >= reach:
            raise read.wrong(f"has a window that does not fit the shape {shape}")
        left.append(cells // stride[place] + 1)
    return stride, padding, tuple(left)


def _by_cell(given: Floats) -> Floats:
    """Return boards with the planes last, as kernels take them."""
    return np.ascontiguousarray(given.transpose(0, 2, 3, 1))


def _conv2d(read: _Reader, shape: Shape) -> _Made:
    weights = read.array("weights", (None, None, shape[0] if shape else 0, None))
    bias = read.array("bias", weights.shape[-1:])
    dilation = read.numbers("dilation", 1, 2)
    size, rows = weights.shape[:2], weights.reshape(-1, len(bias))
    stride, padding, left = _boards(read, shape, size, dilation)

    def run(given: Floats) -> Floats:
        sums = np.empty((len(given), *left, len(bias)), np.float32)
        window = size, stride, padding, dilation
        networks.conv2d(_by_cell(given), rows, bias, *window, *_scratch(len(rows)), sums)
        return sums.transpose(0, 3, 1, 2)

    return _Made((len(bias), *left), math.prod(left) * weights.size, run)


def _pool(read: _Reader, shape: Shape) -> _Made:
    size, largest = read.numbers("size", 1, 2), read.op == "max_pool"
    stride, padding, left = _boards(read, shape, size)

    def run(given: Floats) -> Floats:
        pooled = np.empty((len(given), *left, shape[0]), np.float32)
        networks.pool(_by_cell(given), size, stride, padding, largest, pooled)
        return pooled.transpose(0, 3, 1, 2)

    return _Made((shape[0], *left), shape[0] * math.prod(left) * math.prod(size), run)


def _relu(read: _Reader, shape: Shape) -> _Made:
    return _Made(shape, math.prod(shape), lambda given: np.maximum(given, np.float32(0)))


def _leaky_relu(read: _Reader, shape: Shape) -> _Made:
    slope = read.number("slope")
    return _Made(shape, math.prod(shape), lambda given: np.where(given > 0, given, slope * given))


_CURVES = {
    "tanh": networks.TANH,
    "sigmoid": networks.SIGMOID,
    "elu": networks.ELU,
    "gelu": networks.GELU,
    "silu": networks.SILU,
}


def _bend(read: _Reader, shape: Shape) -> _Made:
    curve = _CURVES[read.op]

    def run(given: Floats) -> Floats:
        given = np.ascontiguousarray(given)
        bent = np.empty_like(given)
        networks.bend(curve, given.reshape(-1), bent.reshape(-1))
        return bent

    return _Made(shape, 20 * math.prod(shape), run)


_ARITHMETIC: Mapping[str, Callable[..., Floats]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
}


def _arithmetic(read: _Reader, *shapes: Shape) -> _Made:
    function = _ARITHMETIC[read.op]
    if len(shapes) == 1:
        other = read.array("with")
        shape = _together(read, shapes[0], other.shape)

        def run(given: Floats) -> Floats:
            return function(_deep(given, shape), other, dtype=np.float32)

        return _Made(shape, math.prod(shape), run)
    shape = _together(read, *shapes)

    def run_both(one: Floats, two: Floats) -> Floats:
        return function(_deep(one, shape), _deep(two, shape), dtype=np.float32)

    return _Made(shape, math.prod(shape), run_both)


def _together(read: _Reader, *shapes: Shape) -> Shape:
    """Return what two shapes have together, broadcast."""
    if max(map(len, shapes)) <= _MOST_AXES:
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            pass
    raise read.wrong("takes shapes that don't fit: " + " and ".join(map(str, shapes)))


def _deep(given: npt.NDArray[Any], shape: Shape) -> npt.NDArray[Any]:
    """Return an array with as many axes behind the first as a shape has, by adding some there."""
    missing = len(shape) - (given.ndim - 1)
    return given.reshape(len(given), *[1] * missing, *given.shape[1:])


def _layer_norm(read: _Reader, shape: Shape) -> _Made:
    weights, epsilon = read.array("weights"), read.number("epsilon")
    bias = read.array("bias", weights.shape)
    if not 1 <= weights.ndim <= len(shape) or shape[-weights.ndim :] != weights.shape:
        raise read.wrong(f"has weights that don't fit the shape {shape}")
    front = shape[: -weights.ndim]

    def run(given: Floats) -> Floats:
        # Numbers that lie side by side are added in the same order whatever the batch.
        rows = np.ascontiguousarray(given).reshape(len(given), *front, -1)
        off = rows - rows.mean(axis=-1, keepdims=True)
        variance = np.square(off).mean(axis=-1, keepdims=True)
        normed: Floats = off / np.sqrt(variance + epsilon) * weights.ravel() + bias.ravel()
        return normed.reshape(given.shape)

    return _Made(shape, 10 * math.prod(shape), run)


def _mean(read: _Reader, shape: Shape) -> _Made:
    axes = read.numbers("axes")
    if not axes or len(set(axes)) < len(axes) or max(axes) >= len(shape):
        raise read.wrong(f"has axes that the shape {shape} lacks")
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    order = [0, *(1 + axis for axis in (*kept, *axes))]
    rest = tuple(shape[axis] for axis in kept)

    def run(given: Floats) -> Floats:
        # As in `_layer_norm`.
        together = np.ascontiguousarray(given.transpose(order)).reshape(len(given), *rest, -1)
        means: Floats = together.mean(axis=-1)
        return means

    return _Made(rest, math.prod(shape), run)


def _reshape(read: _Reader, shape: Shape) -> _Made:
    new = read.numbers("shape", 1)
    if math.prod(new) != math.prod(shape):
        raise read.wrong(f"can't give the shape {shape} the shape {new}")
    return _Made(new, 0, lambda given: given.reshape(len(given), *new))


def _broadcast(read: _Reader, shape: Shape) -> _Made:
    new = read.numbers("shape", 1)
    if len(new) < len(shape) or _together(read, shape, new) != new:
        raise read.wrong(f"can't give the shape {shape} the shape {new}")
    return _Made(
        new, math.prod(new), lambda given: np.broadcast_to(_deep(given, new), (len(given), *new))
    )


def _permute(read: _Reader, shape: Shape) -> _Made:
    axes = read.numbers("axes")
    if sorted(axes) != list(range(len(shape))):
        raise read.wrong(f"has axes that are not those of the shape {shape}")
    order = 0, *(1 + axis for axis in axes)
    return _Made(tuple(shape[axis] for axis in axes), 0, lambda given: given.transpose(order))


def _join(read: _Reader, *shapes: Shape) -> _Made:
    axis = read.axis("axis", shapes[0])
    if len({(*shape[:axis], *shape[axis + 1 :]) for shape in shapes}) > 1 or any(
        len(shape) != len(shapes[0]) for shape in shapes
    ):
        raise read.wrong("takes shapes that don't fit: " + ", ".join(map(str, shapes)))
    whole = sum(shape[axis] for shape in shapes)
    shape = (*shapes[0][:axis], whole, *shapes[0][axis + 1 :])
    return _Made(shape, math.prod(shape), lambda *given: np.concatenate(given, axis=1 + axis))


def _slice(read: _Reader, shape: Shape) -> _Made:
    axis = read.axis("axis", shape)
    start, stop, stride = read.whole("start"), read.whole("stop"), read.whole("stride", 1)
    part = (slice(None),) * (1 + axis) + (slice(start, stop, stride),)
    left = len(range(shape[axis])[start:stop:stride])
    if not left:
        raise read.wrong(f"leaves nothing of the shape {shape}")
    return _Made((*shape[:axis], left, *shape[axis + 1 :]), 0, lambda given: given[part])


def _one_hot(read: _Reader, shape: Shape) -> _Made:
    classes = np.arange(read.whole("classes", 1, 1_000))
    new = (*shape, len(classes))
    return _Made(
        new, math.prod(new), lambda given: (given[..., None] == classes).astype(np.float32)
    )


_MANY = 50
"""Steps at most that one step joins."""

_OPS: Mapping[str, tuple[Callable[..., _Made], int, int]] = {
    "linear": (_linear, 1, 1),
    "conv2d": (_conv2d, 1, 1),
    "max_pool": (_pool, 1, 1),
    "mean_pool": (_pool, 1, 1),
    "relu": (_relu, 1, 1),
    "leaky_relu": (_leaky_relu, 1, 1),
    **dict.fromkeys(_CURVES, (_bend, 1, 1)),
    **dict.fromkeys(_ARITHMETIC, (_arithmetic, 1, 2)),
    "layer_norm": (_layer_norm, 1, 1),
    "mean": (_mean, 1, 1),
    "reshape": (_reshape, 1, 1),
    "broadcast": (_broadcast, 1, 1),
    "permute": (_permute, 1, 1),
    "join": (_join, 1, _MANY),
    "slice": (_slice, 1, 1),
    "one_hot": (_one_hot, 1, 1),
}
"""By op, what checks and makes the step, and of how many others it takes at least and at most."""


def _constant(read: _Reader) -> _Made:
    values = read.array("with")

    def run(shown: Mapping[str, npt.NDArray[Any]]) -> Floats:
        games = len(next(iter(shown.values())))
        return np.broadcast_to(values, (games, *values.shape))

    return _Made(values.shape, 0, run)


class FeedForward:
    """A network that scores the cells of boards.

    Parameters
    ----------
    rules : Rules
    description : mapping
        ``obs`` and ``mask`` (what it is shown, as for `Observing`), and ``steps``, see above.
    arrays : mapping of str to ndarray
        By the number of the step, a full stop, and the name: ``"3.weights"``.

    Raises
    ------
    BsbenchError
        If a step is not as it should be, or the network is too large.
    """

    def __init__(
        self, rules: Rules, description: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> None:
        obs, mask, steps = (description.get(key) for key in ("obs", "mask", "steps"))
        if not isinstance(obs, str) or obs not in FORMATS or type(mask) is not bool:
            raise BsbenchError("its network does not say which observations it takes")
        if not isinstance(steps, list) or not 1 <= len(steps) <= _MOST_STEPS:
            raise BsbenchError(f"its network does not have 1 to {_MOST_STEPS:,} steps")
        self._observing = Observing(rules, obs, mask)
        self._steps: list[tuple[Callable[..., Any], tuple[int, ...]]] = []
        shapes: list[Shape] = []
        work = 0
        for number, step in enumerate(steps):
            if not isinstance(step, dict):
                raise BsbenchError(f"step {number} of its network is not a dictionary")
            made, of = self._made(_Reader(number, step, arrays), step.get("of", []), shapes)
            if len(made.shape) > _MOST_AXES or math.prod(made.shape) > _LARGEST:
                raise BsbenchError(f"step {number} of its network makes too large an array")
            work += made.work
            shapes.append(made.shape)
            self._steps.append((made.run, of))
        if shapes[-1] != (rules.cells,):
            raise BsbenchError(
                f"its network does not end with a score for each cell of a {rules.board} board"
            )
        if work > _MOST_WORK:
            raise BsbenchError("its network takes too long: billions of products for a shot")
        together = sum(map(math.prod, shapes))
        if together > _MOST_TOGETHER:
            raise BsbenchError("its network takes too much memory: its steps hold 400 MB or more")
        self._most = max(1, _AT_ONCE // together)

    def _made(self, read: _Reader, of: Any, shapes: list[Shape]) -> tuple[_Made, Shape]:
        """Return what a step makes, and the steps that it takes from."""
        if read.op == "input":
            return self._input(read), ()
        if read.op == "constant":
            return _constant(read), ()
        if read.op not in _OPS:
            raise read.wrong("is of a kind that this version of bsbench does not know")
        make, least, most = _OPS[read.op]
        if not isinstance(of, list) or not least <= len(of) <= most:
            raise read.wrong("does not say which steps it takes from")
        if any(type(each) is not int or not 0 <= each < len(shapes) for each in of):
            raise read.wrong("takes from steps that are not there yet")
        return make(read, *(shapes[each] for each in of)), tuple(of)

    def _input(self, read: _Reader) -> _Made:
        field = read._step.get("field")
        found = self._observing.fields.get(field) if isinstance(field, str) else None
        if found is None:
            raise read.wrong("names no array of the observation")
        return _Made(
            found.shape, math.prod(found.shape), lambda shown: shown[field].astype(np.float32)
        )

    def scores(self, known: Known) -> Floats:
        """Return the scores of all cells in several games: float32, shape (games, cells)."""
        games = len(known.open)
        if games <= self._most:
            return self._scores(known)
        parts = range(0, games, self._most)
        return np.concatenate(
            [self._scores(known.of(slice(part, part + self._most))) for part in parts]
        )

    def _scores(self, known: Known) -> Floats:
        shown: Any = self._observing.show(known, copy=False)
        if self._observing.bare:
            shown = {"observation": shown}
        made: list[npt.NDArray[Any]] = []
        # What is too large becomes infinite, or not a number, and so not the best cell.
        with np.errstate(all="ignore"):
            for run, of in self._steps:
                made.append(run(*(made[each] for each in of)) if of else run(shown))
        return np.ascontiguousarray(made[-1], np.float32)
