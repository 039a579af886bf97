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
    names,
    new_chart,
    played_text,
    versions_text,
)
from bsbench.present.charts._layout import folded, house_style, wide
from bsbench.present.looks import darkened, looks
from bsbench.present.verdicts import finding
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result
from bsbench.stats import Difference, quantile

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

_INK, _GREY, _FAINT = "#222222", "#555555", "#e6e6e6"


@house_style()
def ranking(results: Comparison | Sequence[Result]) -> Figure:
    """Draw mean moves, and how much they vary, of each result of one scenario, in order.

    Each row has the mean with its 95 % interval, the range of the middle half of the games, and
    that from 5 to 95 %. On the right stand the mean, and how many moves more than the best a
    strategy needs, with the 95 % interval: of differences in the same games where these are known
    (`Comparison.paired`), else of the difference of means. Of more than 100 results, the best are
    shown.

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
    figure, axes = new_chart()
    figure.set_layout_engine("constrained", w_pad=0.1)
    lines = sum(label.count("\n") for label in labels)
    figure.set_size_inches(8, 1.75 + _ROW * len(shown) + _LINE * lines)
    places = _heights(labels)
    for height, result, look in zip(
        places, shown, looks([each.label for each in shown]), strict=True
    ):
        _draw_row(axes, height, result, look.colour)
    if len(shown) > 1:
        axes.axvline(shown[0].stats.mean, color="#888888", lw=0.8, ls=(0, (4, 3)), zorder=0.6)
    axes.set_yticks(places, labels, fontsize=_SIZE + 0.5, color=_INK, linespacing=1.05)
    axes.get_yticklabels()[0].set_fontweight("bold")
    for label in axes.get_yticklabels():
        label.set_verticalalignment("center_baseline" if "\n" not in label.get_text() else "center")
    axes.set_ylim(places[-1] - 0.6, places[0] + 0.6)
    reach = axes.dataLim.x1 - axes.dataLim.x0
    axes.set_xlim(axes.dataLim.x0 - 0.02 * reach, axes.dataLim.x1 + 0.02 * reach)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 5, 10]))
    axes.grid(visible=False, axis="y")
    axes.grid(axis="x", color=_FAINT)
    axes.tick_params(axis="y", length=0)
    if len(shown) > _FAR_DOWN:
        axes.tick_params(axis="x", top=True, labeltop=True)
    axes.spines["left"].set_visible(False)
    notes = _write_table(axes, places, ranked)
    axes.set_xlabel("moves (lower is better)")
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


def _draw_row(axes: Axes, height: float, result: Result, colour: str) -> None:
    stats = result.stats
    half = quantile(result.counts, 0.25), quantile(result.counts, 0.75)
    band: dict[str, Any] = {"color": colour, "linewidth": 0}
    # A range of one move is as wide as a bar of the histogram.
    for (low, high), tall, alpha in (((stats.low, stats.high), 0.16, 0.45), (half, 0.56, 0.35)):
        axes.barh(height, high - low + 1, tall, low - 0.5, alpha=alpha, **band)
    width = 0.0 if math.isnan(stats.half_width) else stats.half_width
    # Without caps: those of a short interval would stick out of the point.
    bar: dict[str, Any] = {"elinewidth": 2.2, "color": _INK}
    axes.errorbar([stats.mean], [height], xerr=[width], fmt="none", zorder=3, **bar)
    point: dict[str, Any] = {"marker": "o", "markersize": 6.5, "markeredgewidth": 1}
    axes.plot(
        [stats.mean], [height], color=darkened(colour), markeredgecolor="white", zorder=4, **point
    )


def _write_table(axes: Axes, places: Sequence[float], ranked: Comparison) -> list[str]:
    """Write means and differences to the right of the axes; return what is to be said of them."""
    count = len(places)
    differences = ranked.differences[:count]
    paired, same = ranked.paired[:count], ranked.same[:count]
    notes = {}
    if count > 1 and not all(paired):
        notes["*"] = (
            "not paired: the difference of means, as the games are not known to be the same"
        )
    rows = []
    for place, result in enumerate(ranked.results[:count]):
        more = "best"
        if place:
            mark = "" if paired[place] else "* "
            if same[place]:
                more = "= 0"
            else:
                if not differences[place].significant:
                    notes["≈"] = "no clear difference: the 95 % interval holds 0"
                    mark = f"≈ {mark}"
                more = f"{mark}{_text(differences[place], ranked.exact)}"
        rows.append((result.stats.mean_text, more))
    columns = [("mean" if ranked.exact else "mean ± 95 %", [row[0] for row in rows])]
    figure = axes.get_figure(root=True)
    # A narrow figure has no room for both beside the picture.
    if count > 1 and figure is not None and figure.get_figwidth() > _NARROW:
        columns.append(("more than the best", [row[1] for row in rows]))
    right = 10.0
    for number, (head, texts) in enumerate(columns):
        right += 72 * wide("\n".join([head, *texts]), _SIZE) + 14 * (number > 0)
        style: dict[str, Any] = {"ha": "right", "va": "center_baseline", "fontsize": _SIZE}
        at: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
        for height, text in zip(places, texts, strict=True):
            axes.annotate(
                text, (1, height), (right, 0), color=_GREY if number else _INK, **style, **at
            )
        axes.annotate(head, (1, places[0] + 0.6), (right, 6), color=_GREY, **style, **at)
    return [f"{mark} {said}" for mark, said in notes.items()]


def _text(difference: Difference, exact: bool) -> str:
    return f"{difference.mean:+.4f}" if exact else difference.text
