"""Spaces: the values of parameters among which a tuning searches.

What varies is written ``NAME=LOW:HIGH``, ``NAME=LOW:HIGH:STEP`` or ``NAME=VALUE,VALUE,…``. Each
parameter becomes an axis of values, and a point is a place on each axis::

    edge_weight=1:3     0 1 2 3 …                 200   places
                        1.0 1.01 1.02 1.03 …      3.0   values
    point (57, 0)       edge_weight=1.57, and the first value of the second axis

Numbers stand in order, so that places that are close have values that are close; other values stand
as they are listed. A step that is
not given is a power of ten; there are then 100 to 1,000 steps for a number with a fraction, and
whole numbers go in steps of 1 if they are no more than 1,000.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import Field, dataclass
from decimal import Decimal
from typing import Any

from bsbench.common.errors import BsbenchError, option
from bsbench.common.parameters import read_value, wanted
from bsbench.common.settings import suggestion
from bsbench.common.texts import shortened
from bsbench.own.declaring import LEARNS
from bsbench.runs.sweeps import values_of
from bsbench.strategies import Strategy

Point = tuple[int, ...]
"""A place on each axis."""

MOST_VALUES = 10_001
"""Values of a parameter at most."""

_MOST_STEPS = 1_000
"""Steps of a range whose step is not given, at most."""


@dataclass(frozen=True)
class Axis:
    """The values of a parameter, in order.

    Attributes
    ----------
    name : str
    values : tuple
        All different; numbers in ascending order.
    """

    name: str
    values: tuple[Any, ...]

    def nearest(self, value: Any) -> int:
        """Return the place of a value; else of the number closest to it, or 0."""
        if value in self.values:
            return self.values.index(value)
        if isinstance(value, str):
            return 0
        return min(range(len(self.values)), key=lambda place: abs(self.values[place] - value))


@dataclass(frozen=True)
class Space:
    """The strategies among which a tuning searches.

    Attributes
    ----------
    start : Strategy
        Its other parameters stay as they are. It need not be a point.
    axes : tuple of Axis
    """

    start: Strategy
    axes: tuple[Axis, ...]

    @property
    def points(self) -> int:
        """The number of points."""
        return math.prod(len(axis.values) for axis in self.axes)

    @property
    def origin(self) -> Point:
        """The point closest to the start."""
        values = self.start.parameters
        return tuple(axis.nearest(values[axis.name]) for axis in self.axes)

    def strategy(self, point: Point) -> Strategy:
        """Return the strategy at a point.

        Raises
        ------
        BsbenchError
            If its own class refuses these values together.
        """
        values = {
            axis.name: axis.values[place] for axis, place in zip(self.axes, point, strict=True)
        }
        return type(self.start).configured(self.start.parameters | values)


def read_space(texts: Iterable[str], start: Strategy) -> Space:
    """Return the space that is written.

    Parameters
    ----------
    texts : iterable of str
        One for each parameter: see the top of this module.
    start : Strategy

    Raises
    ------
    BsbenchError
        If a text is unreadable, there is no such parameter, a value is of the wrong kind or out of
        range, or there is nothing to search for.

    Examples
    --------
    >>> from bsbench.roster import make_strategy
    >>> read_space(["noise=0:0.3:0.1"], make_strategy("over9000")).axes[0].values
    (0.0, 0.1, 0.2, 0.3)
    """
    declared, ranges = start.declared(), _read_ranges(texts)
    if not ranges:
        if not declared:
            raise BsbenchError(f"{start.name!r} can't be tuned: it has no parameters")
        raise BsbenchError(
            f"nothing varies: say with {option('vary')} which parameters of {start.name!r} do, "
            f"such as NAME=LOW:HIGH; it has {', '.join(declared)}"
        )
    for name in ranges:
        if not declared:
            raise BsbenchError(f"strategy {start.name!r} has no parameters: {name!r} can't vary")
        if name not in declared:
            hint = suggestion(name, declared, "it has")
            raise BsbenchError(f"strategy {start.name!r} has no parameter {name!r}: {hint}")
        if name == LEARNS:
            raise BsbenchError(f"{name} can't vary: candidates are compared learner by learner")
    axes = tuple(_axis(name, text, declared[name]) for name, text in ranges.items())
    space = Space(start, axes)
    for axis in axes:
        # The ends, and a step: what lies between is allowed, too.
        for value in (*axis.values[:2], axis.values[-1]):
            type(start).configured(start.parameters | {axis.name: value})
    if space.points == 1:
        raise BsbenchError(
            f"there is only one value of each parameter: give more with {option('vary')}"
        )
    return space


def _read_ranges(texts: Iterable[str]) -> dict[str, str]:
    """Return what each parameter may be, as it is written."""
    ranges: dict[str, str] = {}
    for text in texts:
        name, _, values = (part.strip() for part in text.partition("="))
        if not name or not all(item.strip() for item in values.split(",")):
            raise BsbenchError(
                f"can't read what varies, {shortened(text)}: write NAME=LOW:HIGH, "
                "NAME=LOW:HIGH:STEP, or NAME=VALUE,VALUE,…"
            )
        if name in ranges:
            raise BsbenchError(f"the parameter {name!r} is there twice: give all its values once")
        ranges[name] = values
    return ranges


def _axis(name: str, text: str, field: Field[Any]) -> Axis:
    kind = type(field.default)
    is_number = kind in (int, float)
    if is_number:
        text = ",".join(_with_step(name, item.strip(), field) for item in text.split(","))
    texts = values_of(name, text, is_number, MOST_VALUES, f"the parameter {name!r}")
    values = [read_value(field, each) for each in texts]
    for value in values:
        if type(value) is not kind:
            raise BsbenchError(f"the parameter {name!r} wants {wanted(field)}, not {value!r}")
    if is_number:
        values.sort()
    return Axis(name, tuple(dict.fromkeys(values)))


def _with_step(name: str, text: str, field: Field[Any]) -> str:
    """Return a range with a step; what is no range of two ends as it is."""
    ends = text.split(":")
    if len(ends) != 2:
        return text
    try:
        low, high = map(Decimal, ends)
        width = high - low
        if not (width.is_finite() and width > 0):
            raise ValueError
    except (ValueError, ArithmeticError):
        raise BsbenchError(
            f"unreadable range {shortened(text)} of {name!r}: write LOW:HIGH or LOW:HIGH:STEP, "
            f"such as {name}=0:0.1 or {name}=0:0.1:0.02, with LOW below HIGH"
        ) from None
    step = Decimal(1).scaleb((width / _MOST_STEPS).adjusted())
    if width / step > _MOST_STEPS:
        step *= 10
    if type(field.default) is int:
        step = max(step, Decimal(1))
    return f"{text}:{step.normalize():f}"
