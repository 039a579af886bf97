"""Who needs the fewest moves, and by how much: a row for each strategy, the best on top."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bsbench.common.texts import short_names
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    caption_text,
    compared,
    entitle_figure,
    footnote,
    means_text,
    names,
    new_figure,
    played_text,
    signed,
    versions_text,
)
from bsbench.present.charts._layout import folded, house_style, wide
from bsbench.present.looks import GROUND, INK, darkened, looks
from bsbench.present.verdicts import finding, near
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result, counted
from bsbench.stats import Difference, decimals_of, quantile

NEEDS = Needs.COMPARED

_MOST = 100
"""Rows at most; of more results, the best are shown."""

_FAR_DOWN = 30
"""With more rows, numbers stand above them, too."""

_NAME = 30
"""Letters of a name on a line; longer names have two or three."""

_ROW, _LINE = 0.27, 0.14
"""Inches that a row is high, and each further line of its name."""

_NARROW = 5.5
"""Inches."""

_SIZE = 9
"""Of letters in the table on the right, in points."""

_WIDE = 1.35, 1
"""How wide the panels are, of each other."""

_INK, _GREY, _FAINT, _EDGE = "#222222", "#555555", "#e6e6e6", "#888888"


@house_style()
def ranking(results: Comparison | Sequence[Result]) -> Figure:
    """Draw mean moves, and how much they vary, of each result of one scenario, in order.

    Each row has the mean with its 95 % interval, the range of the middle half of the games, and
    that from 5 to 95 %. The panel on the right shows how many moves more than the best a strategy
    needs, with the 95 % interval: of differences in the same games where these are known
    (`Comparison.paired`), else of the difference of means. Its axis reaches as far as those that
    are `near`; arrows point to the others. Of more than 100 results, the best are shown.

    Parameters
    ----------
    results : Comparison or sequence of Result

    Raises
    ------
    BsbenchError
        If the results are not of one scenario: their move counts don't compare.
    """
    ranked = compared(results)
    shown = ranked.results[:_MOST]
    called = short_names(names(ranked.results), 2 * _NAME)
    labels = [folded(name, _NAME) for name in called[:_MOST]]
    figure = new_figure()
    # A narrow figure has no room for both panels.
    both = len(shown) > 1 and figure.get_figwidth() > _NARROW
    figure.set_layout_engine("constrained", w_pad=0.1)
    lines = sum(label.count("\n") for label in labels)
    figure.set_size_inches(8.6, 1.75 + _ROW * len(shown) + _LINE * lines)
    panels = figure.subplots(1, 2 if both else 1, squeeze=False, width_ratios=_WIDE[: 1 + both])[0]
    axes = panels[0]
    places = _heights(labels)
    styles = looks(names(shown))
    for height, result, look in zip(places, shown, styles, strict=True):
        _draw_spread(axes, height, result, look.colour)
    if len(shown) > 1:
        axes.axvline(shown[0].stats.mean, color=_EDGE, lw=0.8, ls=(0, (4, 3)), zorder=0.6)
    axes.set_yticks(places, labels, fontsize=_SIZE + 0.5, color=_INK, linespacing=1.05)
    axes.get_yticklabels()[0].set_fontweight("bold")
    for label in axes.get_yticklabels():
        label.set_verticalalignment("center_baseline" if "\n" not in label.get_text() else "center")
    reach = axes.dataLim.x1 - axes.dataLim.x0
    axes.set_xlim(axes.dataLim.x0 - 0.02 * reach, axes.dataLim.x1 + 0.02 * reach)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
    axes.set_xlabel(f"{counted(shown)} (lower is better)")
    means = means_text(ranked)[: len(shown)]
    _write_column(axes, places, "mean" if ranked.exact else "mean ± 95 %", means, _INK)
    notes = []
    if both:
        notes = _draw_differences(panels[1], places, ranked, [each.colour for each in styles])
    for each in panels:
        each.set_ylim(places[-1] - 0.6, places[0] + 0.6)
        each.grid(visible=False, axis="y")
        each.grid(axis="x", color=_FAINT)
        each.tick_params(axis="y", length=0)
        if len(shown) > _FAR_DOWN:
            each.tick_params(axis="x", top=True, labeltop=True)
        each.spines["left"].set_visible(False)
    interval = "" if ranked.exact else " with its 95 % interval"
    key = f"point: mean{interval}; thick: the middle half of the games; thin: 5 to 95 %"
    footnote(figure, "\n".join([key, *notes]))
    played = caption_text(shown[0].scenario, "", played_text(ranked.results))
    if len(shown) < len(ranked.results):
        played = f"{played}; the best {len(shown)} of {len(ranked.results):,}"
    entitle_figure(figure, finding(ranked), played, versions_text(shown))
    return figure


def _heights(labels: Sequence[str]) -> list[float]:
    """Return how high each row stands, in rows, from the top down to 0: long names need more."""
    room = [1 + _LINE / _ROW * label.count("\n") for label in labels]
    middle = [sum(room[:place]) + room[place] / 2 for place in range(len(room))]
    return [middle[-1] - each for each in middle]


def _draw_differences(
    axes: Axes, places: Sequence[float], ranked: Comparison, colours: Sequence[str]
) -> list[str]:
    """Draw differences to the best, with their figures; return what is to be said of them."""
    count = len(places)
    differences = ranked.differences[:count]
    halves = [0.0 if math.isnan(each.half_width) else each.half_width for each in differences]
    close = [1 + at for at in near([abs(each.mean) for each in differences[1:]])]
    ends = [differences[at].mean + sign * halves[at] for at in close for sign in (-1, 1)]
    low, high = min(0.0, *ends), max(0.0, *ends)
    high = high if high > low else low + 1
    axes.axvline(0, color=_EDGE, lw=0.8, ls=(0, (4, 3)), zorder=0.6)
    axes.set_xlim(low - 0.05 * (high - low), high + 0.12 * (high - low))
    decimals = None if ranked.exact else decimals_of(halves[1:])
    notes = {}
    texts = ["best"]
    for place in range(count):
        height, difference = places[place], differences[place]
        point: dict[str, Any] = {
            "marker": "o",
            "markersize": 4.5,
            "markeredgewidth": 1.2,
            "zorder": 4,
        }
        point |= {"color": darkened(colours[place]), "markeredgecolor": darkened(colours[place])}
        if place and place not in close:
            # It lies beyond the end of the axis, which its figure says.
            at: dict[str, Any] = {"xycoords": axes.get_yaxis_transform()}
            arrow = {"arrowstyle": "-|>", "color": darkened(colours[place]), "lw": 1.3}
            axes.annotate("", (1, height), (0.93, height), arrowprops=arrow, **at)
        else:
            clear = not place or ranked.same[place] or ranked.exact or difference.significant
            width = [halves[place]] if place else [0.0]
            bar: dict[str, Any] = {"elinewidth": 2.2, "color": _INK, "fmt": "none", "zorder": 3}
            axes.errorbar([difference.mean if place else 0.0], [height], xerr=[width], **bar)
            face = {} if clear else {"markerfacecolor": GROUND}
            axes.plot([difference.mean if place else 0.0], [height], **point | face)
        if not place:
            continue
        mark = "" if ranked.paired[place] else "* "
        if mark:
            notes["*"] = (
                "not paired: the difference of means, as the games are not known to be the same"
            )
        if ranked.same[place]:
            texts.append("= 0")
            continue
        if not difference.significant:
            notes["≈"] = "no clear difference: the 95 % interval holds 0"
            mark = f"≈ {mark}"
        texts.append(f"{mark}{_text(difference, ranked.exact, decimals)}")
    if len(close) < count - 1:
        notes["arrow:"] = "farther away than the axis reaches"
    axes.set_yticks([])
    axes.yaxis.set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(signed)
    axes.set_xlabel(f"{counted(ranked.results)} more than the best")
    head = "difference" if ranked.exact else "difference ± 95 %"
    _write_column(axes, places, head, texts, _GREY)
    return [f"{mark} {said}" for mark, said in notes.items()]


def _write_column(
    axes: Axes, places: Sequence[float], head: str, texts: Sequence[str], colour: str
) -> None:
    """Write a column of figures to the right of the axes."""
    right = 10.0 + 72 * wide("\n".join([head, *texts]), _SIZE)
    style: dict[str, Any] = {"ha": "right", "va": "center_baseline", "fontsize": _SIZE}
    at: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
    for height, text in zip(places, texts, strict=True):
        axes.annotate(text, (1, height), (right, 0), color=colour, **style, **at)
    axes.annotate(head, (1, places[0] + 0.6), (right, 6), color=_GREY, **style, **at)


def _text(difference: Difference, exact: bool, decimals: int | None) -> str:
    return f"{difference.mean:+.4f}" if exact else difference.text_to(decimals)


def _draw_spread(axes: Axes, height: float, result: Result, colour: str) -> None:
    """Draw in a row the mean with its interval, the middle half of the games, and 5 to 95 %."""
    stats = result.stats
    half = quantile(result.counts, 0.25), quantile(result.counts, 0.75)
    band: dict[str, Any] = {"color": colour, "linewidth": 0}
    # A range of one move is as wide as a bar of the histogram.
    for (low, high), tall, alpha in (((stats.low, stats.high), 0.16, 0.45), (half, 0.56, 0.35)):
        axes.barh(height, high - low + 1, tall, low - 0.5, alpha=alpha, **band)
    width = 0.0 if math.isnan(stats.half_width) else stats.half_width
    # Without caps: those of a short interval would stick out of the point.
    bar: dict[str, Any] = {"elinewidth": 2.2, "color": INK}
    axes.errorbar([stats.mean], [height], xerr=[width], fmt="none", zorder=3, **bar)
    point: dict[str, Any] = {"marker": "o", "markersize": 6.5, "markeredgewidth": 1}
    axes.plot(
        [stats.mean], [height], color=darkened(colour), markeredgecolor="white", zorder=4, **point
    )
