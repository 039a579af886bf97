"""Sweeps of parameters: mean moves against one parameter, or as a heat map of two."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import setting_text, value_text
from bsbench.present.charts import Needs
from bsbench.present.charts._cells import shade
from bsbench.present.charts._drawing import (
    caption_text,
    entitle_figure,
    folded,
    house_style,
    names,
    new_figure,
    one_scenario,
    played_text,
    short,
    versions_text,
)
from bsbench.present.charts._looks import look
from bsbench.runs.sweeps import swept_parameters

if TYPE_CHECKING:
    from bsbench.runs.comparison import Comparison
    from bsbench.runs.results import Result

NEEDS = Needs.COMPARISON

_MOST_LINES = 5
"""Strategies outside the sweep that have a line in a chart: the best."""

_MOST_PANELS = 6
"""Curves or maps in a chart."""

_MOST_TICKS = 14
"""Numbers that are ticks of their own; with more, an axis has round ones."""

_LOG_FROM = 20
"""How many times the least number the largest must be, at least, for a logarithmic axis."""

_SIZE = 9
"""Of letters, in points."""

_LEAST_SIZE = 5.5
"""Of letters in cells; smaller ones are left out."""

_LETTER = 0.62
"""Width of a letter or digit, in sizes of the font."""

_GREY = "#444444"

_BEST: dict[str, Any] = {"edgecolor": "#D55E00", "linewidth": 2.5}
_REFERENCE: dict[str, Any] = {"edgecolor": "#000000", "linewidth": 1.8, "linestyle": (0, (3, 2))}
"""Frames of cells."""


@house_style()
def sweep(comparison: Comparison) -> Figure:
    """Draw how the mean depends on the parameters in which results of one strategy differ.

    One parameter: the mean of each value with its 95 % interval, in the colour of the strategy,
    and a line for each strategy that is not swept (the best 5). The right axis gives the
    difference to the reference; a point is hollow if its difference is not significant.

    Two parameters: a heat map of the mean, with the figures where they fit. More parameters: a
    map for each combination of those with the fewest values. Several strategies have curves on
    the same axes, but maps of their own. Of more than 6 curves or maps, the best are drawn.

    Parameters
    ----------
    comparison : Comparison
        Of results of one scenario and seed.

    Raises
    ------
    BsbenchError
        If no two results are of one strategy with different parameters, or they are of several
        scenarios or seeds.
    """
    results = comparison.results
    one_scenario(results)
    names(results)
    if len({result.seed for result in results}) > 1:
        raise BsbenchError("a chart of a sweep shows one seed: give results of the same one")
    by_strategy: dict[str, list[Result]] = {}
    for result in results:
        by_strategy.setdefault(result.strategy, []).append(result)
    swept = {
        strategy: parameters
        for strategy, points in by_strategy.items()
        if (parameters := swept_parameters(points))
    }
    if not swept:
        raise BsbenchError(
            "no two of the results are of one strategy with different parameters: give those of a "
            "sweep, such as 'bsbench run over9000 --sweep noise=0,0.01'"
        )
    points = [result for result in results if result.strategy in swept]
    figure = new_figure()
    if max(map(len, swept.values())) == 1:
        handles = _draw_curves(figure, comparison, points, swept)
    else:
        handles = _draw_maps(figure, comparison, points, swept)
    figure.legend(handles=handles, loc="outside lower left", frameon=False, fontsize=_SIZE)
    parameters = " and ".join(dict.fromkeys(itertools.chain(*swept.values())))
    title = f"{', '.join(map(short, swept))} by {parameters} on {short(results[0].scenario.name)}"
    played = caption_text(results[0].scenario, "", played_text(results))
    entitle_figure(figure, title, played, versions_text(results))
    return figure


def _mean(result: Result) -> float:
    return result.stats.mean


def _finding(comparison: Comparison, points: Iterable[Result]) -> str:
    """Return which point has the lowest mean, in words."""
    best = min(points, key=_mean)
    text = f"lowest mean: {best.label}, {best.stats.mean_text}"
    if best.label == comparison.reference:
        return text
    difference = comparison.differences[comparison.results.index(best)]
    doubt = "" if difference.significant else ", not significant"
    return f"{text} ({difference.text} to the reference{doubt})"


def _reference(comparison: Comparison) -> Result:
    return next(each for each in comparison.results if each.label == comparison.reference)


def _panels(figure: Figure, number: int, height: float, **shared: Any) -> list[Axes]:
    """Return so many axes, in up to three columns, and size the figure for them.

    Parameters
    ----------
    figure : Figure
    number : int
    height : float
        Of one of them, in inches.
    **shared
        As `Figure.subplots` takes it.
    """
    cols = 1 if number == 1 else 2 if number <= 4 else 3
    rows = math.ceil(number / cols)
    figure.set_size_inches(8 if cols < 3 else 11, rows * height + 1.2)
    axes = figure.subplots(rows, cols, squeeze=False, **shared).ravel()
    for unused in axes[number:]:
        unused.set_visible(False)
    return list(axes[:number])


def _draw_curves(
    figure: Figure,
    comparison: Comparison,
    points: Sequence[Result],
    swept: dict[str, tuple[str, ...]],
) -> list[Any]:
    """Draw the mean against each parameter, on axes of its own; return what the legend has."""
    reference = _reference(comparison)
    significant = {
        result.label: difference.significant
        for result, difference in zip(comparison.results, comparison.differences, strict=True)
    }
    curves: dict[str, list[Result]] = {}
    for point in points:
        curves.setdefault(swept[point.strategy][0], []).append(point)
    best = sorted(curves, key=lambda name: min(map(_mean, curves[name])))[:_MOST_PANELS]
    drawn = [name for name in curves if name in best]
    others = sorted((each for each in comparison.results if each not in points), key=_mean)
    lines = [each for each in others[:_MOST_LINES] if each is not reference]
    all_axes = _panels(figure, len(drawn), 3.6 if len(drawn) == 1 else 2.8, sharey=True)
    for axes, name in zip(all_axes, drawn, strict=True):
        values = sorted({point.parameters[name] for point in curves[name]})
        at = _place_values(axes, values)
        size = 6 if len(values) <= 30 else 4
        for point in curves[name]:
            colour = look(point.strategy).colour
            hollow = point is not reference and not significant[point.label]
            axes.errorbar(
                [at[point.parameters[name]]],
                [point.stats.mean],
                np.nan_to_num([point.stats.half_width]),
                color=colour,
                capsize=3,
                linewidth=1.2,
                marker="D" if point is reference else "o",
                markersize=size,
                markerfacecolor="white" if hollow else colour,
            )
        for strategy in dict.fromkeys(point.strategy for point in curves[name]):
            track = sorted(
                (at[point.parameters[name]], point.stats.mean)
                for point in curves[name]
                if point.strategy == strategy
            )
            if _is_number(values[0]):
                axes.plot(*zip(*track, strict=True), color=look(strategy).colour, alpha=0.45, lw=1)
        axes.axhline(reference.stats.mean, color=_GREY, linewidth=0.8, zorder=0.6)
        for other in lines:
            axes.axhline(other.stats.mean, linewidth=1.2, zorder=0.6, **look(other.label).style)
        axes.set_xlabel(name)
        axes.margins(x=0.04)
        _label_values(axes, values)
        beside = axes.secondary_yaxis(
            "right",
            functions=(lambda y: y - reference.stats.mean, lambda y: y + reference.stats.mean),
        )
        beside.spines["right"].set_visible(False)
        if axes.get_subplotspec().is_last_col() or axes is all_axes[-1]:
            beside.set_ylabel("difference to the reference")
        if axes.get_subplotspec().is_first_col():
            axes.set_ylabel("mean moves (lower is better)")
    shown: dict[str, Any] = {"marker": "o", "markersize": 6, "linewidth": 1.2}
    handles = [
        Line2D(
            [], [], color=look(strategy).colour, label=f"{short(strategy)}, 95 % interval", **shown
        )
        for strategy in swept
    ]
    handles += [
        Line2D(
            [], [], label=f"{short(each.label)}, {each.stats.mean_text}", **look(each.label).style
        )
        for each in lines
    ]
    handles.append(
        Line2D(
            [],
            [],
            color=_GREY,
            linewidth=0.8,
            marker="D",
            markersize=5,
            label=f"reference: {short(reference.label)}, {reference.stats.mean_text}",
        )
    )
    if any(not significant[point.label] for point in points if point is not reference):
        hollow = {"marker": "o", "markersize": 6, "markerfacecolor": "white", "ls": "none"}
        handles.append(
            Line2D([], [], color=_GREY, label="hollow: no significant difference", **hollow)
        )
    return [*handles, Line2D([], [], ls="none", label=folded(_finding(comparison, points), 100))]


@dataclass(frozen=True)
class _Map:
    """Points of one strategy in two parameters; ``y`` is None where it has only one."""

    title: str
    x: str
    y: str | None
    points: list[Result]

    def values(self, name: str | None) -> list[Any]:
        """Return the values of a parameter."""
        return sorted({point.parameters[name] for point in self.points}) if name else [None]


def _maps(strategy: str, points: list[Result], swept: Sequence[str]) -> list[_Map]:
    """Return the maps of a strategy: of the two parameters with the most values."""
    number = {name: len({point.parameters[name] for point in points}) for name in swept}
    x, *others = sorted(swept, key=lambda name: -number[name])
    y, *rest = others or [None]
    groups: dict[tuple[str, ...], list[Result]] = {}
    for point in points:
        key = tuple(setting_text(name, point.parameters[name]) for name in rest if name)
        groups.setdefault(key, []).append(point)
    return [_Map(" ".join([strategy, *key]), x, y, each) for key, each in groups.items()]


def _on_grid(chart: _Map, reference: Result) -> _Map:
    """Return a map without the reference if that is alone in its row or column."""
    others = _Map(chart.title, chart.x, chart.y, [p for p in chart.points if p is not reference])
    alone = any(
        name is not None and reference.parameters[name] not in others.values(name)
        for name in (chart.x, chart.y)
    )
    return others if reference in chart.points and alone else chart


def _draw_maps(
    figure: Figure,
    comparison: Comparison,
    points: Sequence[Result],
    swept: dict[str, tuple[str, ...]],
) -> list[Any]:
    """Draw heat maps; return what the legend has."""
    reference = _reference(comparison)
    maps = [
        _on_grid(each, reference)
        for strategy, names in swept.items()
        for each in _maps(strategy, [p for p in points if p.strategy == strategy], names)
    ]
    maps = [each for each in maps if each.points]
    ranked = sorted(maps, key=lambda each: min(map(_mean, each.points)))[:_MOST_PANELS]
    drawn = [each for each in maps if any(each is one for one in ranked)]
    shown = [point for each in drawn for point in each.points]
    low, high = min(map(_mean, shown)), max(map(_mean, shown))
    widest = max((p.stats.half_width for p in shown if p.stats.half_width > 0), default=math.nan)
    digits = 2 if math.isnan(widest) else max(0, -math.floor(math.log10(widest)))
    best = min(points, key=_mean)
    tallest = max(len(each.values(each.y)) for each in drawn)
    height = min(max(0.42 * tallest, 1.4), 6.5) + 0.9
    all_axes = _panels(figure, len(drawn), height)
    for axes, each in zip(all_axes, drawn, strict=True):
        columns, rows = each.values(each.x), each.values(each.y)
        means = np.full((len(rows), len(columns)), np.nan)
        for point in each.points:
            row = rows.index(point.parameters[each.y]) if each.y else 0
            place = row, columns.index(point.parameters[each.x])
            means[place] = point.stats.mean
            if point is best or point is reference:
                _frame(axes, *place, _BEST if point is best else _REFERENCE)
        image, colours = shade(axes, means, low, high, "viridis_r", aspect="auto", origin="lower")
        inches = np.array((0.74 * figure.get_figwidth() / _columns(axes), height - 0.9))
        texts = np.vectorize(lambda mean: "" if math.isnan(mean) else f"{mean:.{digits}f}")(means)
        slot = inches / (len(columns), len(rows))
        longest = max(map(len, texts.flat))
        size = min(_SIZE, 72 * 0.92 * slot[0] / (_LETTER * longest), 72 * slot[1] / 1.5)
        if size >= _LEAST_SIZE:
            for (row, col), text in np.ndenumerate(texts):
                colour = colours[row, col]
                axes.text(col, row, text, ha="center", va="center", fontsize=size, color=colour)
        _label_items(axes.xaxis, columns, slot[0])
        _label_items(axes.yaxis, rows, slot[1])
        axes.set_xlabel(each.x)
        axes.set_ylabel(each.y or "")
        axes.grid(visible=False)
        if len(drawn) > 1:
            axes.set_title(folded(each.title, 40), fontsize=_SIZE, fontweight="normal", pad=4)
    bar = figure.colorbar(image, ax=all_axes, pad=0.02, label="mean moves (lower is better)")
    bar.outline.set_visible(False)
    handles = [
        Rectangle((0, 0), 1, 1, fill=False, label=text, **style)
        for text, style in (
            (folded(_finding(comparison, points), 100), _BEST),
            (f"reference: {short(reference.label)}, {reference.stats.mean_text}", _REFERENCE),
        )
    ]
    if len(maps) > len(drawn):
        left_out = f"the best {len(drawn)} of {len(maps)} maps"
        handles.append(Line2D([], [], ls="none", label=left_out))
    return handles


def _columns(axes: Axes) -> int:
    """Return how many axes stand beside each other in the figure."""
    place = axes.get_subplotspec()
    assert place is not None
    return place.get_gridspec().ncols


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _place_values(axes: Axes, values: Sequence[Any]) -> dict[Any, float]:
    """Return where on x each value is, and set the scale: numbers to scale, others in a row."""
    if not _is_number(values[0]):
        return {value: place for place, value in enumerate(values)}
    positive = [value for value in values if value > 0]
    # Most values lie close together beside the largest ones.
    crowded = np.median(values) < values[0] + 0.2 * (values[-1] - values[0])
    if values[0] >= 0 and crowded and values[-1] >= _LOG_FROM * positive[0]:
        if values[0] > 0:
            axes.set_xscale("log")
        else:
            axes.set_xscale("symlog", linthresh=positive[0], linscale=0.5)
    return {value: value for value in values}


def _label_values(axes: Axes, values: Sequence[Any]) -> None:
    """Label x with values at the places of `_place_values`, as many as fit."""
    inches = 0.8 * axes.figure.get_figwidth() / _columns(axes)
    if not _is_number(values[0]):
        _label_items(axes.xaxis, values, inches / len(values))
        return
    axes.xaxis.set_minor_locator(NullLocator())
    if len(values) > _MOST_TICKS:
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        return
    places = axes.xaxis.get_transform().transform(np.array(values, float))
    places = inches * (places - places[0]) / (places[-1] - places[0])
    shown: list[Any] = []
    taken = -math.inf
    for value, place in zip(values, places, strict=True):
        half = _width(value_text(value)) / 2
        if place - half > taken:
            shown.append(value)
            taken = place + half
    axes.set_xticks(shown, list(map(value_text, shown)), fontsize=_SIZE)


def _label_items(axis: Axis, values: Sequence[Any], slot: float) -> None:
    """Label an axis with values in a row, each with so many inches: all, or every so many."""
    texts = ["" if value is None else value_text(value) for value in values]
    line, width = 1.4 * _SIZE / 72, max(map(_width, texts))
    # Numbers between others can be guessed, words can't.
    upright = axis.axis_name == "x" and width > slot and not _is_number(values[0])
    across = axis.axis_name == "x" and not upright
    step = math.ceil((width if across else line) / slot)
    axis.set_ticks(range(0, len(texts), step), texts[::step], fontsize=_SIZE)
    axis.set_tick_params(length=0, labelrotation=90 if upright else 0)


def _width(text: str) -> float:
    """Return about how many inches a label is wide, with some space."""
    return (_LETTER * len(text) + 1) * _SIZE / 72


def _frame(axes: Axes, row: int, col: int, style: dict[str, Any]) -> None:
    """Draw a frame around a cell."""
    axes.add_patch(Rectangle((col - 0.5, row - 0.5), 1, 1, fill=False, zorder=3, **style))
