"""Names beside lines, in place of a legend.

For each name, a few thousand places around its line are tried: not on other names, on few
lines, and near. The search for the least penalty takes one name after the other, a few
times over; the same chart gets the same places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.transforms import offset_copy

from bsbench.present.charts._layout import figure_of, folded, settle
from bsbench.present.charts._saving import refuse, stretch
from bsbench.present.looks import darkened

Points = npt.NDArray[np.float64]
"""Shape (n, 2): x and y."""

_SIZE = 8.5
"""Of the letters, in points."""

_DISTANCES = (6, 12, 20, 30, 44, 60, 80, 105, 135, 170)
"""From the line to its name, in pixels of a figure of 100 dots per inch."""

_ANGLES = np.arange(16) * np.pi / 8
_ALONG = np.linspace(0, 1, 32)
"""Shares of a leader's length at which it is checked."""

_LOW = 2.2
"""Inches that axes are high, at least."""

_MOST_ANCHORS = 12
_SWEEPS = 4

# Penalties: the distance in pixels that avoiding each is worth.
_ON_A_NAME = 1e5
_OFF_THE_AXES = 1e6
_THROUGH_A_NAME = 2e3
_ACROSS_A_LEADER = 400.0
_ON_A_LINE = 10.0
_ACROSS_A_LINE = 9.0
_AT_A_BUNDLE = 3.0

_IN_A_BUNDLE = 200.0
"""Names find no room beside lines where the best place of one is worse."""

_NEAR = 4
"""Pixels around its anchor in which a leader may meet lines."""


class Name(NamedTuple):
    """A name, and where it may be tied to its line.

    Attributes
    ----------
    text : str
    anchors : ndarray of float64, shape (n, 2)
        Points on the line, in data coordinates; one is chosen.
    colour : str
    """

    text: str
    anchors: Points
    colour: str


class _Places(NamedTuple):
    """Places tried for one name, in pixels: anchor, end of the leader, corners of the box."""

    anchor: Points
    end: Points
    low: Points
    high: Points

    def at(self, numbers: npt.NDArray[np.intp]) -> _Places:
        """Return some of the places."""
        return _Places(*(part[numbers] for part in self))


def place_names(axes: Axes, names: Sequence[Name]) -> bool:
    """Write each name near its line, tied to it by a leader that ends in a dot.

    This settles the figure's layout.

    Parameters
    ----------
    axes : Axes
        With limits and all that is on them; nothing may move them afterwards.
    names : sequence of Name

    Returns
    -------
    bool
        Whether there was room: each name off lines and other names, its leader at most a quarter
        of the figure long. If not, none is written.
    """
    figure = figure_of(axes)
    sizes = [_size(axes, name.text) for name in names]
    settle(figure)
    to_pixels = axes.transData.transform
    width, height = figure.canvas.get_width_height()
    ink = np.zeros((height, width))
    drawn: list[Any] = [*axes.get_lines(), *axes.patches]
    for line in drawn:
        ink += _raster(line.get_transform().transform(line.get_path().vertices), width, height)
    frame = axes.get_window_extent()
    inside = np.array([[frame.x0 + 3, frame.y0 + 3], [width - 4, frame.y1 - 1]])
    tried = [
        _places(to_pixels(name.anchors), np.array(size))
        for name, size in zip(names, sizes, strict=True)
    ]
    own = [_penalty(places, ink, inside) for places in tried]
    chosen: dict[int, _Places] = {}
    for _ in range(_SWEEPS):
        for number, places in enumerate(tried):
            penalty = own[number].copy()
            for other, place in chosen.items():
                if other != number:
                    near = np.flatnonzero(_meet(places, place))
                    penalty[near] += _conflict(places.at(near), place)
            # Rounded, so that the last digits of a sum decide nothing.
            chosen[number] = places.at(np.argmin(penalty.round(3), keepdims=True))
    dots = [place.anchor[0] for place in chosen.values()]
    for number, place in chosen.items():
        others = {other: each for other, each in chosen.items() if other != number}
        away = [np.hypot(*np.clip(dot, place.low[0], place.high[0]) - dot) for dot in dots]
        crowded = any(_conflict(place, each)[0] >= _THROUGH_A_NAME for each in others.values())
        # A leader across many lines does not show whose name it is.
        if own[number].min() > _IN_A_BUNDLE or crowded or away[number] > min(away) + 1:
            return False
        if np.hypot(*(place.end - place.anchor)[0]) > width / 4 or _covered(ink, place)[0] > 0:
            return False
    for number, name in enumerate(names):
        _write(axes, name, chosen[number])
    return True


def list_names(axes: Axes) -> None:
    """Write the names of lines in a list below the axes, each beside a piece of its line."""
    figure = figure_of(axes)
    handles, labels = axes.get_legend_handles_labels()
    figure.set_layout_engine("constrained")
    rows = [folded(label, 50) for label in labels]
    stretch(figure, 0.19 * sum(row.count("\n") + 1 for row in rows))
    axes.legend(
        handles,
        rows,
        loc="upper left",
        bbox_to_anchor=(-0.02, 0),
        bbox_transform=offset_copy(axes.transAxes, figure, y=-0.55),
        frameon=False,
        fontsize=_SIZE,
        handlelength=3.2,
    )
    _raise(axes, _LOW)


def _raise(axes: Axes, inches: float) -> None:
    """Make a figure so high that its axes are high enough for their label and for names."""
    figure = figure_of(axes)
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    stretch(figure, max(max(inches, _LOW) - axes.get_window_extent().height / figure.dpi, 0))


def name_ends(axes: Axes, names: Sequence[Name]) -> None:
    """Write names in a column right of the axes, in the order of their lines' ends.

    Parameters
    ----------
    axes : Axes
        With limits and all that is on them; nothing may move them afterwards.
    names : sequence of Name
        The last anchor of each is where its line ends.
    """
    figure = figure_of(axes)
    ordered = sorted(names, key=lambda name: name.anchors[-1, 1])
    style: dict[str, Any] = {"va": "center", "fontsize": _SIZE, "annotation_clip": False}
    texts = [
        axes.annotate(
            name.text,
            name.anchors[-1],
            (1.04, 0.5),
            textcoords="axes fraction",
            color=darkened(name.colour),
            arrowprops={
                "arrowstyle": "-",
                "color": darkened(name.colour),
                "linewidth": 0.7,
                "relpos": (0, 0.5),
            },
            **style,
        )
        for name in ordered
    ]
    # The extent of an annotation would have its leader, too.
    sizes = [Text.get_window_extent(text).height + 3 for text in texts]
    _raise(axes, sum(sizes) / figure.dpi)
    settle(figure)
    frame = axes.get_window_extent()
    if frame.width < figure.dpi:
        refuse(figure, figure.get_figwidth() + 1.1 - frame.width / figure.dpi)
    wished = [axes.transData.transform(name.anchors[-1])[1] - frame.y0 for name in ordered]
    room = np.cumsum(sizes) - np.array(sizes) / 2
    # Each as near to its line as those below and above it leave room.
    free = np.maximum.accumulate(np.array(wished) - room)
    low = np.clip(free, 0, max(frame.height - sum(sizes), 0)) + room
    for text, height in zip(texts, low, strict=True):
        text.set_position((1.04, height / frame.height))


def _size(axes: Axes, text: str) -> tuple[float, float]:
    """Return width and height of a name in pixels."""
    artist = axes.text(0, 0, text, fontsize=_SIZE)
    box = artist.get_window_extent()
    artist.remove()
    return box.width + 4, box.height + 2


def _raster(points: Points, width: int, height: int) -> npt.NDArray[np.float64]:
    """Return 1 at the pixels of a polyline, which is a little thicker than a pixel."""
    steps = np.hypot(*np.diff(points, axis=0).T) if len(points) > 1 else np.zeros(0)
    length = np.concatenate(([0.0], np.cumsum(steps)))
    at = np.arange(0, length[-1] + 1)
    x, y = (np.interp(at, length, points[:, axis]).round().astype(int) for axis in (0, 1))
    image = np.zeros((height, width))
    for shift in ((0, 0), (1, 0), (0, 1)):
        col, row = x + shift[0], y + shift[1]
        seen = (col >= 0) & (col < width) & (row >= 0) & (row < height)
        image[row[seen], col[seen]] = 1
    return image


def _places(anchors: Points, size: Points) -> _Places:
    """Return a name's places: around each anchor, in all directions, near and far."""
    few = min(len(anchors), _MOST_ANCHORS)
    anchors = anchors[np.linspace(0, len(anchors) - 1, few).round().astype(int)]
    directions = np.stack((np.cos(_ANGLES), np.sin(_ANGLES)), axis=1)
    # The side of the box that the leader ends at: its middle, or a corner.
    sides = np.where(np.abs(directions) < 0.3, 0, np.sign(directions))
    count = len(anchors), len(_ANGLES), len(_DISTANCES), 2
    leaders = directions[None, :, None] * np.array(_DISTANCES)[None, None, :, None]
    anchor = np.broadcast_to(anchors[:, None, None], count).reshape(-1, 2)
    end = anchor + np.broadcast_to(leaders, count).reshape(-1, 2)
    low = end + np.broadcast_to(((sides - 1) / 2 * size)[None, :, None], count).reshape(-1, 2)
    return _Places(anchor, end, low, low + size)


def _covered(ink: npt.NDArray[np.float64], places: _Places) -> Points:
    """Return how much ink lies under the box of each place."""
    return _within(ink, places.low, places.high)


def _within(ink: npt.NDArray[np.float64], low: Points, high: Points) -> Points:
    """Return how much ink lies in each box."""
    height, width = ink.shape
    below = np.zeros((height + 1, width + 1))
    below[1:, 1:] = ink.cumsum(axis=0).cumsum(axis=1)
    (x0, y0), (x1, y1) = (
        np.clip(corner.round().astype(int), 0, (width, height)).T for corner in (low, high)
    )
    return np.asarray(below[y1, x1] - below[y0, x1] - below[y1, x0] + below[y0, x0])


def _penalty(places: _Places, ink: npt.NDArray[np.float64], inside: Points) -> Points:
    """Return how bad each place is in itself; ink close to the anchor is ignored."""
    height, width = ink.shape
    leader = places.end - places.anchor
    distance = np.hypot(*leader.T)
    penalty = distance.copy()
    penalty += _ON_A_LINE * _covered(ink, places)
    penalty += _AT_A_BUNDLE * _within(ink, places.anchor - 5, places.anchor + 5)
    way = places.anchor[:, None] + _ALONG[None, :, None] * leader[:, None]
    x, y = (
        np.clip(way[..., axis].round().astype(int), 0, (width, height)[axis] - 1) for axis in (0, 1)
    )
    met = ink[y, x] * (_ALONG * distance[:, None] > _NEAR)
    # A line that is met counts its pixels' worth, however close together the looks are.
    penalty += _ACROSS_A_LINE * met.sum(axis=1) * np.minimum(distance / len(_ALONG), 1)
    off = (places.low < inside[0]).any(axis=1) | (places.high > inside[1]).any(axis=1)
    return np.asarray(penalty + _OFF_THE_AXES * off)


def _meet(places: _Places, other: _Places) -> npt.NDArray[np.bool_]:
    """Return for each place, box and leader, whether it may meet that of another name at all."""
    low, other_low = (np.minimum(each.anchor, each.low) for each in (places, other))
    high, other_high = (np.maximum(each.anchor, each.high) for each in (places, other))
    return np.asarray(((low < other_high) & (high > other_low)).all(axis=1))


def _conflict(places: _Places, other: _Places) -> Points:
    """Return how badly each place goes with that of another name."""
    on_name = ((places.low < other.high) & (places.high > other.low)).all(axis=1)
    way = other.anchor + _ALONG[:, None] * (other.end - other.anchor)
    under = (way[None] > places.low[:, None]) & (way[None] < places.high[:, None])
    way = places.anchor[:, None] + _ALONG[None, :, None] * (places.end - places.anchor)[:, None]
    over = (way > other.low) & (way < other.high)
    through = np.any(under.all(axis=2) | over.all(axis=2), axis=1)
    return np.asarray(
        _ON_A_NAME * on_name
        + _THROUGH_A_NAME * through
        + _ACROSS_A_LEADER * _cross(places.anchor, places.end, other.anchor, other.end)
    )


def _cross(a: Points, b: Points, c: Points, d: Points) -> npt.NDArray[np.bool_]:
    """Return for each pair of segments ab and cd whether they cross."""

    def side(p: Points, q: Points, r: Points) -> npt.NDArray[np.float64]:
        (px, py), (qx, qy), (rx, ry) = p.T, q.T, r.T
        return np.asarray((qx - px) * (ry - py) - (qy - py) * (rx - px))

    return (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)


def _write(axes: Axes, name: Name, place: _Places) -> None:
    figure = axes.figure
    to_points = 72 / figure.dpi
    colour = darkened(name.colour)
    x, y = axes.transData.inverted().transform(place.anchor[0])
    leader = (place.end - place.anchor)[0] * to_points
    shift = ((place.low + place.high)[0] / 2 - place.anchor[0]) * to_points
    arrow = {"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0}
    letters: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": _SIZE, "color": colour}
    # In points from the anchor, so that the picture is the same at any resolution.
    line = axes.annotate("", (x, y), tuple(leader), textcoords="offset points", arrowprops=arrow)
    text = axes.annotate(name.text, (x, y), tuple(shift), textcoords="offset points", **letters)
    axes.plot([x], [y], marker="o", markersize=3, color=colour, zorder=3)
    for artist in (line, text):
        # What is written beside a line does not move the axes.
        artist.set_in_layout(False)
