"""Names beside lines and points, in place of a legend.

For each name, a few thousand places around its line are tried: not on other names, on few
lines, and near. The search for the least penalty takes one name after the other, a few
times over; the same chart gets the same places.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch
from matplotlib.transforms import offset_copy

from bsbench.common.texts import short_names
from bsbench.present.charts._layout import settle
from bsbench.present.looks import Look, darkened

Points = npt.NDArray[np.float64]
"""Shape (n, 2): x and y."""

_Numbers = npt.NDArray[np.floating[Any]]

_SIZE = 8.5
"""Of the letters, in points."""

_DISTANCES = (6, 12, 20, 30, 44, 60, 80, 105, 135, 170)
"""From the line to its name, in pixels of a figure of 100 dots per inch."""

_ANGLES = np.arange(16) * np.pi / 8
_ALONG = np.linspace(0, 1, 32)
"""Shares of a leader's length at which it is checked."""

_MOST_COVERED = 0.14
"""Part of a figure that names may cover, at most, beside lines."""

_LETTER = 0.078
"""Inches that a letter in a list is wide."""

_MOST_GREY = 15
"""Lines in grey that are drawn one by one."""

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
"""Names of lines stand in a list where the best place of one is worse."""

_WRITTEN = 10.0
"""How many lines a text that is there already counts as."""


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


def draw_steps(
    axes: Axes, share: _Numbers, edges: _Numbers, name: str, look: Look, baseline: float | None = 0
) -> Points:
    """Draw a line in steps; return its corners.

    Parameters
    ----------
    axes : Axes
    share : ndarray of float64, shape (n,)
        The height of each step.
    edges : ndarray of float64, shape (n + 1,)
    name : str
    look : Look
    baseline : float, optional
        Where the line begins and ends; None: at its first and last step.

    Returns
    -------
    ndarray of float64, shape (2 n, 2)
    """
    axes.stairs(share, edges, baseline=baseline, linewidth=1.6, label=name, **look.style)
    return np.column_stack((edges.repeat(2)[1:-1], share.repeat(2)))


def draw_rest(axes: Axes, shares: Sequence[_Numbers], edges: _Numbers, text: str) -> list[Name]:
    """Draw lines in steps in grey, all with one name.

    Very many are one band, from the least to the most at each step; their middle half is darker.

    Parameters
    ----------
    axes : Axes
    shares : sequence of ndarray of float64, shape (n,)
        For each line, the height of each step.
    edges : ndarray of float64, shape (n + 1,)
    text : str
        Names them.

    Returns
    -------
    list of Name
        Nothing if there are no lines.
    """
    if not shares:
        return []
    if len(shares) <= _MOST_GREY:
        grey: dict[str, Any] = {"color": "#bbbbbb", "linewidth": 0.9, "zorder": 0.8}
        for place, share in enumerate(shares):
            label = None if place else f"grey: {text}"
            axes.stairs(share, edges, baseline=None, label=label, **grey)
        middle = np.column_stack(((edges[:-1] + edges[1:]) / 2, np.median(shares, axis=0)))
        tall = middle[:, 1] >= 0.3 * middle[:, 1].max()
        return [Name(f"grey: {text}", middle[tall], "#777777")]
    least, low, high, most = np.quantile(shares, [0, 0.25, 0.75, 1], axis=0)
    for bottom, top, colour, label in (
        (least, most, "#e9e9e9", text),
        (low, high, "#d2d2d2", None),
    ):
        band: dict[str, Any] = {"color": colour, "linewidth": 0, "zorder": 0.4, "label": label}
        axes.stairs(top, edges, baseline=bottom, fill=True, **band)
    tall = most - least >= 0.6 * (most - least).max()
    middle = np.column_stack(((edges[:-1] + edges[1:]) / 2, (low + high) / 2))
    return [Name(f"{text}\n(dark: middle half)", middle[tall], "#777777")]


class _Places(NamedTuple):
    """Places tried for one name, in pixels: anchor, end of the leader, corners of the box."""

    anchor: Points
    end: Points
    low: Points
    high: Points

    def at(self, numbers: npt.NDArray[np.intp]) -> _Places:
        """Return some of the places."""
        return _Places(*(part[numbers] for part in self))


def place_names(
    axes: Axes, names: Sequence[Name], lines: Sequence[Points], *, radius: float = 0
) -> None:
    """Write each name near its line, tied to it by a leader that ends in a dot.

    Where there is no room for that, the names stand in a list below the chart. This settles the
    figure's layout.

    Parameters
    ----------
    axes : Axes
        With limits and all that is on them; nothing may move them afterwards.
    names : sequence of Name
    lines : sequence of ndarray of float64, shape (n, 2)
        What is drawn, in data coordinates, as a polyline each: names keep off.
    radius : float
        Of the markers at the anchors, in points. Without any, leaders end in dots.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    sizes = [_size(axes, name.text) for name in names]
    if sum(x * y for x, y in sizes) > _MOST_COVERED * figure.bbox.width * figure.bbox.height:
        _list_names(axes, names)
        return
    settle(figure)
    to_pixels = axes.transData.transform
    width, height = figure.canvas.get_width_height()
    pixels = radius * figure.dpi / 72
    drawn = [to_pixels(line) for line in lines]
    if radius:
        drawn += [_disc(to_pixels(name.anchors)[0], pixels) for name in names]
    ink = np.zeros((height, width))
    for line in drawn:
        ink += _raster(line, width, height)
    for text in axes.texts:
        (left, low), (right, high) = text.get_window_extent().get_points().round().astype(int)
        ink[max(low, 0) : max(high, 0), max(left, 0) : max(right, 0)] = _WRITTEN
    frame = axes.get_window_extent()
    inside = np.array([[frame.x0 + 3, frame.y0 + 3], [width - 4, frame.y1 - 1]])
    tried = [
        _places(to_pixels(name.anchors), np.array(size), pixels)
        for name, size in zip(names, sizes, strict=True)
    ]
    own = [_penalty(places, ink, inside, max(pixels, 4)) for places in tried]
    if not radius and max(float(each.min()) for each in own) > _IN_A_BUNDLE:
        # Leaders across so many lines do not show whose name it is.
        figure.set_layout_engine("constrained")
        _list_names(axes, names)
        return
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
    boxes = [np.concatenate((place.low[0], place.high[0])) for place in chosen.values()]
    if any(_overlap(*pair) for pair in itertools.combinations(boxes, 2)):
        figure.set_layout_engine("constrained")
        _list_names(axes, names)
        return
    for number, name in enumerate(names):
        _write(axes, name, chosen[number], radius)


def _overlap(first: Points, second: Points) -> bool:
    """Return whether two boxes overlap: left, lower, right, upper."""
    return bool((first[:2] < second[2:]).all() and (second[:2] < first[2:]).all())


def _list_names(axes: Axes, names: Sequence[Name]) -> None:
    """Write names below the axes, each beside a piece of its line or its marker."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    handles, labels = axes.get_legend_handles_labels()
    # As before they were folded.
    texts = [re.sub(r"(?<=[-_/=.,:;])\n", "", name.text).replace("\n", " ") for name in names]
    # A name may say more than the label of its line. That of one line may begin with the label of
    # another: the longest label takes its name first.
    more: dict[str, str] = {}
    for label in sorted(set(labels), key=len, reverse=True):
        whole = next((text for text in texts if text.startswith(label)), label)
        if whole in texts:
            texts.remove(whole)
        more[label] = whole.removeprefix(label)
    # The axes must not shrink because of long names. Names that are too long for two columns stand
    # in one.
    longest = max(len(label) + len(more[label]) for label in labels)
    for columns in (2, 1):
        room = int(((figure.get_figwidth() - 1) / columns - 0.65) / _LETTER)
        if longest <= room:
            break
    # In the order of drawing.
    rest = max(map(len, more.values())) if longest > room else 0
    cut = short_names(labels, max(room - rest, 5))
    shown = [name + more[label] for label, name in zip(labels, cut, strict=True)]
    rows = -(-len(shown) // columns)
    before = figure.get_figheight()
    figure.set_figheight(before + 0.19 * rows + 0.15)
    for text in figure.texts:
        x, y = text.get_position()
        # What stands below the title stays there.
        if y > 0.5:
            text.set_position((x, 1 - (1 - y) * before / figure.get_figheight()))
    below = offset_copy(axes.transAxes, figure, y=-0.55)
    axes.legend(
        [_sample(handle) for handle in handles],
        shown,
        ncols=columns,
        loc="upper left",
        bbox_to_anchor=(-0.02, 0),
        bbox_transform=below,
        frameon=False,
        fontsize=_SIZE,
        handlelength=3.2,
        labelspacing=0.35,
    )
    settle(figure)


def _sample(handle: Any) -> Any:
    """Return a line that looks like one in steps; others stay as they are, and so do bands."""
    if not isinstance(handle, StepPatch) or handle.get_fill():
        return handle
    return Line2D([], [], color=handle.get_edgecolor(), ls=handle.get_linestyle(), lw=1.6)


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


def _disc(middle: Points, radius: float) -> Points:
    """Return a polyline that fills a disc, in pixels."""
    turn = np.linspace(0, 2 * np.pi, 40)
    circle = np.column_stack((np.cos(turn), np.sin(turn)))
    return np.concatenate([middle + r * circle for r in np.arange(0, radius + 1)])


def _places(anchors: Points, size: Points, radius: float) -> _Places:
    """Return a name's places: around each anchor, in all directions, near and far."""
    few = min(len(anchors), _MOST_ANCHORS)
    anchors = anchors[np.linspace(0, len(anchors) - 1, few).round().astype(int)]
    directions = np.stack((np.cos(_ANGLES), np.sin(_ANGLES)), axis=1)
    # The side of the box that the leader ends at: its middle, or a corner.
    sides = np.where(np.abs(directions) < 0.3, 0, np.sign(directions))
    count = len(anchors), len(_ANGLES), len(_DISTANCES), 2
    distances = radius + np.array(_DISTANCES)
    leaders = directions[None, :, None] * distances[None, None, :, None]
    anchor = np.broadcast_to(anchors[:, None, None], count).reshape(-1, 2)
    end = anchor + np.broadcast_to(leaders, count).reshape(-1, 2)
    low = end + np.broadcast_to(((sides - 1) / 2 * size)[None, :, None], count).reshape(-1, 2)
    return _Places(anchor, end, low, low + size)


def _penalty(places: _Places, ink: npt.NDArray[np.float64], inside: Points, own: float) -> Points:
    """Return how bad each place is in itself; ink up to ``own`` from the anchor is ignored."""
    height, width = ink.shape
    below = np.zeros((height + 1, width + 1))
    below[1:, 1:] = ink.cumsum(axis=0).cumsum(axis=1)

    def covered(low: Points, high: Points) -> Any:
        (x0, y0), (x1, y1) = (
            np.clip(corner.round().astype(int), 0, (width, height)).T for corner in (low, high)
        )
        return below[y1, x1] - below[y0, x1] - below[y1, x0] + below[y0, x0]

    leader = places.end - places.anchor
    distance = np.hypot(*leader.T)
    penalty = distance.copy()
    penalty += _ON_A_LINE * covered(places.low, places.high)
    penalty += _AT_A_BUNDLE * covered(places.anchor - 5, places.anchor + 5)
    way = places.anchor[:, None] + _ALONG[None, :, None] * leader[:, None]
    x, y = (
        np.clip(way[..., axis].round().astype(int), 0, (width, height)[axis] - 1) for axis in (0, 1)
    )
    met = ink[y, x] * (_ALONG * distance[:, None] > own)
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


def _write(axes: Axes, name: Name, place: _Places, radius: float) -> None:
    figure = axes.figure
    to_points = 72 / figure.dpi
    colour = darkened(name.colour)
    x, y = axes.transData.inverted().transform(place.anchor[0])
    leader = (place.end - place.anchor)[0] * to_points
    shift = ((place.low + place.high)[0] / 2 - place.anchor[0]) * to_points
    arrow = {"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 0, "shrinkB": radius}
    letters: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": _SIZE, "color": colour}
    # In points from the anchor, so that the picture is the same at any resolution.
    line = axes.annotate("", (x, y), tuple(leader), textcoords="offset points", arrowprops=arrow)
    text = axes.annotate(name.text, (x, y), tuple(shift), textcoords="offset points", **letters)
    if not radius:
        axes.plot([x], [y], marker="o", markersize=3, color=colour, zorder=3)
    for artist in (line, text):
        # What is written beside a line does not move the axes.
        artist.set_in_layout(False)
