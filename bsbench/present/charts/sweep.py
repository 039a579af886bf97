"""Sweeps of parameters: mean moves against one parameter, or as a heat map of two."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

from bsbench.common.errors import BsbenchError, option
from bsbench.common.settings import setting_text, value_text
from bsbench.common.texts import short_names
from bsbench.present.charts import Needs
from bsbench.present.charts._cells import shade
from bsbench.present.charts._drawing import (
    caption_text,
    entitle_figure,
    mean_words,
    minus,
    names,
    new_figure,
    one_scenario,
    played_text,
    versions_text,
)
from bsbench.present.charts._layout import fitting, folded, house_style
from bsbench.present.looks import Look, looks
from bsbench.runs.results import Result, counted
from bsbench.runs.sweeps import swept_parameters
from bsbench.stats import Difference

if TYPE_CHECKING:
    from bsbench.runs.comparison import Comparison

NEEDS = Needs.COMPARISON

_MOST_LINES = 5
"""Strategies outside the sweep that have a line in a chart: the best."""

_MOST_PANELS = 6
"""Curves or maps in a chart."""

_MOST_TICKS = 14
"""Numbers that are ticks of their own; with more, an axis has round ones."""

_MANY = 30
"""Points of a curve that are not small yet."""

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
            f"run with {option('sweep')}"
        )
    points = [result for result in results if result.strategy in swept]
    figure = new_figure()
    if max(map(len, swept.values())) == 1:
        handles = _draw_curves(figure, comparison, points, swept)
    else:
        handles = _draw_maps(figure, comparison, points, swept)
    if not all(comparison.paired):
        told = "differences are those of means: games are not paired"
        handles.append(_entry(told))
    for handle in handles:
        handle.set_label(fitting(str(handle.get_label()), figure.get_figwidth() - 0.9, _SIZE))
    figure.legend(handles=handles, loc="outside lower left", frameon=False, fontsize=_SIZE)
    # The legend stands below.
    lines = sum(handle.get_label().count("\n") + 1 for handle in handles)
    figure.set_figheight(figure.get_figheight() + 0.21 * lines)
    by = " or ".join(dict.fromkeys(itertools.chain(*swept.values())))
    title = _headline(comparison, points, by)
    played = caption_text(results[0].scenario, "", played_text(results))
    entitle_figure(figure, title, played, versions_text(results))
    return figure


def _mean(result: Result) -> float:
    return result.stats.mean


def _named(comparison: Comparison) -> dict[str, str]:
    """Return by label what the legend says of a result."""
    called = short_names(result.label for result in comparison.results)
    return {
        result.label: f"{name}, {result.stats.mean_text}"
        for name, result in zip(called, comparison.results, strict=True)
    }


def _entry(label: str, **style: Any) -> Line2D:
    """Return an entry of a legend: text alone, or a line with a style."""
    return Line2D([], [], label=label, **(style or {"ls": "none"}))


def _best(points: Iterable[Result], reference: Result) -> Result:
    """Return the point with the lowest mean: the reference, if others have the same."""
    return min(points, key=lambda point: (point.stats.mean, point is not reference))


def _finding(comparison: Comparison, points: Iterable[Result]) -> str:
    """Return which point has the lowest mean, in words."""
    best = _best(points, comparison.compared_with)
    if best.label == comparison.reference:
        return "best point: the reference"
    text = f"best point: {best.label}, {best.stats.mean_text}"
    difference = comparison.differences[comparison.results.index(best)]
    doubt = "" if difference.significant else " (not significant)"
    return f"{text}; {minus(difference.text)} to the reference{doubt}"


def _headline(comparison: Comparison, points: Sequence[Result], by: str) -> str:
    """Return which values are the best, if any are better than the reference."""
    reference = comparison.compared_with
    best = _best(points, reference)
    name, other = short_names((best.label, reference.label), 40)
    whose = "the reference" if reference in points else other
    if best is reference:
        return f"No value of {by} beats {whose}, {name}"
    difference = comparison.differences[comparison.results.index(best)]
    size = Difference(abs(difference.mean), difference.half_width).text.lstrip("+")
    if not difference.significant:
        return f"No value of {by} is clearly better than {whose}"
    word = "fewer" if difference.mean < 0 else "more"
    moves = counted(comparison.results)
    return f"{name} is the best: {size.partition(' ±')[0]} {moves} {word} than {whose}"


def _panels(
    figure: Figure, number: int, height: float, **shared: Any
) -> tuple[list[Axes], float, int]:
    """Return so many axes, in up to three columns, and size the figure for them.

    Parameters
    ----------
    figure : Figure
    number : int
    height : float
        Of one of them, in inches.
    **shared
        As `Figure.subplots` takes it.

    Returns
    -------
    list of Axes
    float
        About how many inches each is wide.
    int
        How many stand beside each other.
    """
    cols = 1 if number == 1 else 2 if number <= 4 else 3
    rows = math.ceil(number / cols)
    figure.set_size_inches(8 if cols < 3 else 11, rows * height + 0.6)
    axes = figure.subplots(rows, cols, squeeze=False, **shared).ravel()
    for unused in axes[number:]:
        unused.set_visible(False)
    return list(axes[:number]), 0.76 * figure.get_figwidth() / cols, cols


def _draw_curves(
    figure: Figure,
    comparison: Comparison,
    points: Sequence[Result],
    swept: dict[str, tuple[str, ...]],
) -> list[Any]:
    """Draw the mean against each parameter, on axes of its own; return what the legend has."""
    reference = comparison.compared_with
    doubtful = {
        result.label
        for result, difference in zip(comparison.results, comparison.differences, strict=True)
        if result is not reference and not difference.significant
    }
    base: Any = reference.stats.mean
    less, plus = (lambda mean: mean - base), (lambda difference: difference + base)
    curves: dict[str, list[Result]] = {}
    for point in points:
        curves.setdefault(swept[point.strategy][0], []).append(point)
    best = sorted(curves, key=lambda name: min(map(_mean, curves[name])))[:_MOST_PANELS]
    drawn = [name for name in curves if name in best]
    others = sorted((each for each in comparison.results if each not in points), key=_mean)
    lines = [each for each in others[:_MOST_LINES] if each is not reference]
    height = 3.3 if len(drawn) == 1 else 2.9
    shown = [*swept, *(each.label for each in lines)]
    styles = dict(zip(shown, looks(shown), strict=True))
    all_axes, width, cols = _panels(figure, len(drawn), height, sharey=True)
    for number, (axes, name) in enumerate(zip(all_axes, drawn, strict=True)):
        _draw_curve(axes, name, curves[name], doubtful, reference, styles)
        values = sorted({point.parameters[name] for point in curves[name]})
        _label_values(axes, values, width)
        axes.set_xlabel(name)
        beside = axes.secondary_yaxis("right", functions=(less, plus))
        beside.spines["right"].set_visible(False)
        if (number + 1) % cols == 0 or axes is all_axes[-1]:
            beside.set_ylabel("difference to the reference")
        if number % cols == 0:
            axes.set_ylabel(mean_words(points))
    low, high = all_axes[0].get_ylim()
    # Strategies far away would make the curves flat.
    near = [each for each in lines if low - (high - low) < _mean(each) < high + (high - low)]
    for axes, each in itertools.product(all_axes, near):
        axes.axhline(_mean(each), linewidth=1.2, zorder=0.6, **styles[each.label].style)
    handles = [
        _entry(f"{name}, 95 % interval", color=styles[strategy].colour, marker="o")
        for name, strategy in zip(short_names(swept), swept, strict=True)
    ]
    named = _named(comparison)
    handles += [_entry(named[each.label], **styles[each.label].style) for each in near]
    far = [each for each in lines if each not in near]
    handles += [_entry(f"{named[each.label]} (off the chart)") for each in far]
    handles.append(_entry(f"reference: {named[reference.label]}", color=_GREY, lw=0.8, marker="D"))
    if not doubtful.isdisjoint(point.label for point in points):
        text = "hollow: no significant difference to the reference"
        handles.append(_entry(text, color=_GREY, ls="none", marker="o", markerfacecolor="white"))
    return [*handles, _entry(_finding(comparison, points))]


def _draw_curve(
    axes: Axes,
    name: str,
    points: Sequence[Result],
    doubtful: set[str],
    reference: Result,
    styles: dict[str, Look],
) -> None:
    """Draw the means of points against one parameter, hollow if doubtful."""
    values = sorted({point.parameters[name] for point in points})
    at = _place_values(axes, values)
    for strategy in dict.fromkeys(point.strategy for point in points):
        colour = styles[strategy].colour
        curve = sorted(
            (point for point in points if point.strategy == strategy),
            key=lambda point: at[point.parameters[name]],
        )
        x = [at[point.parameters[name]] for point in curve]
        y = list(map(_mean, curve))
        half_widths = np.nan_to_num([point.stats.half_width for point in curve])
        line: dict[str, Any] = {"color": colour, "linewidth": 1.2}
        axes.errorbar(x, y, half_widths, ls="none", capsize=3, **line)
        if _is_number(values[0]):
            axes.plot(x, y, alpha=0.45, **line)
        for place, mean, point in zip(x, y, curve, strict=True):
            axes.plot(
                [place],
                [mean],
                color=colour,
                marker="D" if point is reference else "o",
                markersize=6 if len(values) <= _MANY else 4,
                markerfacecolor="white" if point.label in doubtful else colour,
            )
    axes.axhline(reference.stats.mean, color=_GREY, linewidth=0.8, zorder=0.6)


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
    y, rest = (others[0], others[1:]) if others else (None, [])
    groups: dict[tuple[str, ...], list[Result]] = {}
    for point in points:
        key = tuple(setting_text(name, point.parameters[name]) for name in rest)
        groups.setdefault(key, []).append(point)
    return [_Map(" ".join([strategy, *key]), x, y, each) for key, each in groups.items()]


def _on_grid(chart: _Map, reference: Result) -> _Map:
    """Return a map without the reference if that is alone in its row or column."""
    if reference not in chart.points:
        return chart
    others = _Map(chart.title, chart.x, chart.y, [p for p in chart.points if p is not reference])
    alone = any(
        name is not None and reference.parameters[name] not in others.values(name)
        for name in (chart.x, chart.y)
    )
    return others if alone else chart


def _draw_maps(
    figure: Figure,
    comparison: Comparison,
    points: Sequence[Result],
    swept: dict[str, tuple[str, ...]],
) -> list[Any]:
    """Draw heat maps; return what the legend has."""
    reference = comparison.compared_with
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
    digits = 2 if math.isnan(widest) else max(1, 1 - math.floor(math.log10(widest)))
    best = _best(points, reference)
    tallest = max(len(each.values(each.y)) for each in drawn)
    height = min(max(0.42 * tallest, 2), 6.5) + 0.9
    all_axes, width, _ = _panels(figure, len(drawn), height)
    for axes, each in zip(all_axes, drawn, strict=True):
        columns, rows = each.values(each.x), each.values(each.y)
        means = np.full((len(rows), len(columns)), np.nan)
        for point in each.points:
            row = rows.index(point.parameters[each.y]) if each.y else 0
            place = row, columns.index(point.parameters[each.x])
            means[place] = point.stats.mean
            if point is best or point is reference:
                axes.add_patch(_framed(_BEST if point is best else _REFERENCE, *place))
        image, colours = shade(axes, means, low, high, "viridis_r", aspect="auto", origin="lower")
        texts = np.vectorize(lambda mean: "" if math.isnan(mean) else f"{mean:.{digits}f}")(means)
        slot = width / len(columns), (height - 0.9) / len(rows)
        longest = max(map(len, texts.flat))
        size = min(_SIZE, 72 * 0.92 * slot[0] / (_LETTER * longest), 72 * slot[1] / 1.5)
        if size >= _LEAST_SIZE:
            for (row, col), text in np.ndenumerate(texts):
                colour = colours[row, col]
                axes.text(col, row, text, ha="center", va="center", fontsize=size, color=colour)
        _label_items(axes, "x", columns, slot[0])
        _label_items(axes, "y", rows, slot[1])
        axes.set_xlabel(each.x)
        axes.set_ylabel(each.y or "")
        axes.grid(visible=False)
        if len(drawn) > 1:
            axes.set_title(folded(each.title, 40), fontsize=_SIZE, fontweight="normal", pad=4)
    bar = figure.colorbar(image, ax=all_axes, pad=0.02, label=mean_words(shown))
    bar.outline.set_visible(False)
    named = _named(comparison)[reference.label]
    handles: list[Any] = [
        _framed(_BEST, label=_finding(comparison, points)),
        _framed(_REFERENCE, label=f"reference: {named}")
        if reference in shown
        else _entry(f"reference, not on a map: {named}"),
    ]
    if len(maps) > len(drawn):
        handles.append(_entry(f"the best {len(drawn)} of {len(maps)} maps"))
    return handles


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


def _label_values(axes: Axes, values: Sequence[Any], inches: float) -> None:
    """Label x, so long, with values at the places of `_place_values`: as many as fit."""
    if not _is_number(values[0]):
        axes.set_xlim(-0.5, len(values) - 0.5)
        _label_items(axes, "x", values, inches / len(values))
        return
    axes.margins(x=0.04)
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


def _label_items(axes: Axes, side: Literal["x", "y"], values: Sequence[Any], slot: float) -> None:
    """Label an axis with values in a row, each with so many inches: all, or every so many."""
    texts = ["" if value is None else value_text(value) for value in values]
    line, width = 1.4 * _SIZE / 72, max(map(_width, texts))
    # Numbers between others can be guessed, words can't.
    upright = side == "x" and width > slot and not _is_number(values[0])
    step = math.ceil((width if side == "x" and not upright else line) / slot)
    axis = axes.xaxis if side == "x" else axes.yaxis
    axis.set_ticks(range(0, len(texts), step), texts[::step], fontsize=_SIZE)
    axis.set_tick_params(length=0, labelrotation=90 if upright else 0)


def _width(text: str) -> float:
    """Return about how many inches a label is wide, with some space."""
    return (_LETTER * len(text) + 1) * _SIZE / 72


def _framed(style: dict[str, Any], row: int = 0, col: int = 0, **more: Any) -> Rectangle:
    """Return the frame of a cell."""
    return Rectangle(
        (col - 0.5, row - 0.5), 1, 1, fill=False, zorder=3, clip_on=False, **style, **more
    )
