"""What the steps of a network make, number by number; an array is its shape and a dictionary."""

from __future__ import annotations

import math
from itertools import product


class Table:
    """Numbers by their place in an array."""

    def __init__(self, shape, number):
        self.shape = tuple(shape)
        self.numbers = {place: number(*place) for place in product(*map(range, self.shape))}

    def __getitem__(self, place):
        return self.numbers[place]

    def flat(self):
        return [self.numbers[place] for place in product(*map(range, self.shape))]


def table(shape, numbers):
    """Return a table of numbers in their order."""
    given = iter(numbers)
    return Table(shape, lambda *_: float(next(given)))


def _lined_up(given, place):
    """Return the place in a table whose shape was broadcast."""
    own = place[len(place) - len(given.shape) :]
    return tuple(0 if side == 1 else at for side, at in zip(given.shape, own, strict=True))


def _stretched(one, two):
    width = max(len(one.shape), len(two.shape))
    shapes = [(1,) * (width - len(each.shape)) + each.shape for each in (one, two)]
    return [max(sides) for sides in zip(*shapes, strict=True)]


def _window(given, step, size, dilation, row, col):
    """Yield the parts of a window and which cell of the board is there, None beyond its edge."""
    for down, across in product(range(size[0]), range(size[1])):
        y = row * step["stride"][0] - step["padding"][0] + down * dilation[0]
        x = col * step["stride"][1] - step["padding"][1] + across * dilation[1]
        inside = 0 <= y < given.shape[1] and 0 <= x < given.shape[2]
        yield down, across, (y, x) if inside else None


def _left(given, step, size, dilation):
    return [
        (given.shape[1 + k] + 2 * step["padding"][k] - dilation[k] * (size[k] - 1) - 1)
        // step["stride"][k]
        + 1
        for k in range(2)
    ]


def _conv2d(step, arrays, given):
    weights, bias = arrays["weights"], arrays["bias"]
    size, dilation = weights.shape[:2], step["dilation"]

    def number(unit, row, col):
        return bias[(unit,)] + sum(
            given[(plane, *cell)] * weights[down, across, plane, unit]
            for down, across, cell in _window(given, step, size, dilation, row, col)
            if cell is not None
            for plane in range(given.shape[0])
        )

    return Table((bias.shape[0], *_left(given, step, size, dilation)), number)


def _pool(step, arrays, given):
    def number(plane, row, col):
        cells = [cell for *_, cell in _window(given, step, step["size"], (1, 1), row, col)]
        seen = [given[(plane, *cell)] for cell in cells if cell is not None]
        return max(seen) if step["op"] == "max_pool" else sum(seen) / len(cells)

    return Table((given.shape[0], *_left(given, step, step["size"], (1, 1))), number)


def _linear(step, arrays, given):
    weights, bias = arrays["weights"], arrays["bias"]

    def number(*place):
        *front, unit = place
        return bias[(unit,)] + sum(
            given[(*front, row)] * weights[row, unit] for row in range(weights.shape[0])
        )

    return Table((*given.shape[:-1], bias.shape[0]), number)


_BENT = {
    "relu": lambda x: max(x, 0.0),
    "tanh": math.tanh,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "elu": lambda x: x if x > 0 else math.exp(x) - 1,
    "gelu": lambda x: x * (1 + math.erf(x / 2**0.5)) / 2,
    "silu": lambda x: x / (1 + math.exp(-x)),
}

_JOINED = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
}


def _layer_norm(step, arrays, given):
    weights, bias = arrays["weights"], arrays["bias"]
    axes = len(weights.shape)

    def number(*place):
        own = place[len(place) - axes :]
        front = place[: len(place) - axes]
        group = [given[(*front, *each)] for each in product(*map(range, weights.shape))]
        mean = sum(group) / len(group)
        variance = sum((each - mean) ** 2 for each in group) / len(group)
        return (given[place] - mean) / (variance + step["epsilon"]) ** 0.5 * weights[own] + bias[
            own
        ]

    return Table(given.shape, number)


def _mean(step, arrays, given):
    axes = step["axes"]
    rest = [axis for axis in range(len(given.shape)) if axis not in axes]

    def number(*place):
        of = [
            number
            for where, number in given.numbers.items()
            if tuple(where[axis] for axis in rest) == place
        ]
        return sum(of) / len(of)

    return Table([given.shape[axis] for axis in rest], number)


def _permute(step, arrays, given):
    def number(*place):
        back = dict(zip(step["axes"], place, strict=True))
        return given[tuple(back[axis] for axis in range(len(place)))]

    return Table([given.shape[axis] for axis in step["axes"]], number)


def _join(step, arrays, *given):
    axis = step["axis"]

    def number(*place):
        at = place[axis]
        for each in given:
            if at < each.shape[axis]:
                return each[(*place[:axis], at, *place[axis + 1 :])]
            at -= each.shape[axis]
        raise AssertionError

    shape = list(given[0].shape)
    shape[axis] = sum(each.shape[axis] for each in given)
    return Table(shape, number)


def _slice(step, arrays, given):
    axis = step["axis"]
    kept = range(given.shape[axis])[step["start"] : step["stop"] : step["stride"]]
    shape = [len(kept) if each == axis else side for each, side in enumerate(given.shape)]
    return Table(
        shape, lambda *place: given[(*place[:axis], kept[place[axis]], *place[axis + 1 :])]
    )


def _made(step, arrays, given):
    op = step["op"]
    one = given[0] if given else None
    if op == "constant":
        return arrays["with"]
    if op in _BENT:
        return Table(one.shape, lambda *place: _BENT[op](one[place]))
    if op == "leaky_relu":
        return Table(
            one.shape, lambda *place: one[place] * (1 if one[place] > 0 else step["slope"])
        )
    if op in _JOINED:
        two = given[1] if len(given) > 1 else arrays["with"]
        return Table(
            _stretched(one, two),
            lambda *place: _JOINED[op](one[_lined_up(one, place)], two[_lined_up(two, place)]),
        )
    if op == "reshape":
        return table(step["shape"], one.flat())
    if op == "broadcast":
        return Table(step["shape"], lambda *place: one[_lined_up(one, place)])
    if op == "one_hot":
        return Table(
            (*one.shape, step["classes"]), lambda *place: float(one[place[:-1]] == place[-1])
        )
    functions = {
        "linear": _linear,
        "conv2d": _conv2d,
        "max_pool": _pool,
        "mean_pool": _pool,
        "layer_norm": _layer_norm,
        "mean": _mean,
        "permute": _permute,
        "join": _join,
        "slice": _slice,
    }
    return functions[op](step, arrays, *given)


def feedforward(steps, arrays, shown):
    """Return what each step makes in one game.

    Parameters
    ----------
    steps : list of dict
    arrays : dict of str to Table
    shown : dict of str to Table
        The observation.
    """
    made = []
    for number, step in enumerate(steps):
        if step["op"] == "input":
            made.append(shown[step["field"]])
            continue
        own = {
            name.partition(".")[2]: array
            for name, array in arrays.items()
            if name.partition(".")[0] == str(number)
        }
        made.append(_made(step, own, [made[each] for each in step.get("of", [])]))
    return made
