"""Small pictures in the cells of a report: drawn to scale, from the figures that stand beside them.

Each is an SVG element 100 units wide, so that positions and widths are percentages of its axis.
Colours are the report's, by class.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

_HEIGHT = 10


class BarAxis(NamedTuple):
    """The values at both ends of a bar's axis."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Return where a value stands, in percent of the axis; one beyond it at its end."""
        if self.high <= self.low:
            return 0.0
        return 100 * min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


def axis_of(differences: Iterable[tuple[float, float]]) -> BarAxis:
    """Return an axis with 0 on it, and all of these differences with their half-widths."""
    ends = [0.0]
    for mean, half_width in differences:
        width = 0.0 if math.isnan(half_width) else half_width
        ends += [mean - width, mean + width]
    return BarAxis(min(ends), max(ends))


def length_bar(value: float, axis: BarAxis) -> Markup:
    """Return a bar from the axis's low end to a value, on a track as long as the axis."""
    return _svg(
        f'<rect class="track" width="100" height="{_HEIGHT}"/>'
        f'<rect class="bar" width="{axis.at(value):.2f}" height="{_HEIGHT}"/>'
    )


def forest(mean: float, half_width: float, axis: BarAxis) -> Markup:
    """Return a difference as a mark, with its interval, on an axis with a line at 0.

    Its class says which side of 0 the interval is on.
    """
    width = 0.0 if math.isnan(half_width) else half_width
    zero, low, middle, high = (axis.at(value) for value in (0.0, mean - width, mean, mean + width))
    if abs(mean) <= width or math.isnan(half_width):
        side = "unclear"
    else:
        side = "fewer" if mean < 0 else "more"
    left, right = sorted((zero, middle))
    return _svg(
        f'<rect class="reach" x="{left:.2f}" y="3" width="{right - left:.2f}" height="4"/>'
        f'<path class="zero" d="M{zero:.2f} 0V{_HEIGHT}"/>'
        f'<path class="interval" d="M{low:.2f} 5H{high:.2f}"/>'
        f'<path class="point" d="M{middle:.2f} 1V9"/>',
        side,
    )


def stacked_bar(numbers: Sequence[int], names: Mapping[str, str]) -> Markup:
    """Return numbers as shares of their sum in a stacked bar.

    Parameters
    ----------
    numbers : sequence of int
    names : mapping of str to str
        The class of each, and how a screen reader calls it.
    """
    shares = [100 * number / sum(numbers) for number in numbers]
    parts, begin = [], 0.0
    for name, share in zip(names, shares, strict=True):
        parts.append(
            f'<rect class="{name}" x="{begin:.2f}" width="{share:.2f}" height="{_HEIGHT}"/>'
        )
        begin += share
    spoken = ", ".join(
        f"{word} {share:.1f} %" for word, share in zip(names.values(), shares, strict=True)
    )
    return _svg("".join(parts), spoken=spoken)


def _svg(content: str, side: str = "", spoken: str = "") -> Markup:
    """Return a picture; without words for it, screen readers skip it."""
    read = f'role="img" aria-label="{spoken}"' if spoken else 'aria-hidden="true"'
    return Markup(
        f'<svg class="cell{f" {side}" if side else ""}" viewBox="0 0 100 {_HEIGHT}" '
        f'preserveAspectRatio="none" {read}>{content}</svg>'
    )
