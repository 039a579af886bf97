"""Who needs the fewest moves, and by how much: a row for each strategy, the best on top."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import footnote, new_figure, signed
from bsbench.present.charts._layout import figure_of, house_style
from bsbench.present.charts._rows import Column, Ranking, give_room, row_axes, write_columns
from bsbench.present.looks import EDGE, GROUND, INK, SOFT, darkened
from bsbench.present.scale import contenders
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result, counted
from bsbench.stats import quantile

NEEDS = Needs.COMPARED

_MOST = 100
"""Rows at most; of more results, the best are shown."""

_FAR_DOWN = 30
"""With more rows, numbers stand above them, too."""

_NARROW = 6.5
"""Inches: a narrower figure shows the differences alone."""

_WIDE = 1.35, 1
"""How wide the panels are, of each other."""


@house_style()
def ranking(results: Comparison | Sequence[Result]) -> Figure:
    """Draw mean moves, and how much they vary, of each result of one scenario, in order.

    Each row has the mean with its 95 % interval, the range of the middle half of the games, and
    that from 5 to 95 %. The panel on the right shows how many moves more than the best a strategy
    needs, with the 95 % interval: of differences in the same games where these are known
    (`Comparison.paired`), else of the difference of means. Its axis reaches as far as
    `contenders`; arrows point to the others. A narrow chart has these differences alone. Of
    more than 100 results, the best are shown.

    Parameters
    ----------
    results : Comparison or sequence of Result

    Raises
    ------
    BsbenchError
        If the results are not of one scenario: their move counts don't compare.
    """
    table = Ranking(results, _MOST)
    count = len(table.shown)
    narrow = new_figure().get_figwidth() < _NARROW
    panels, places = row_axes(table.called, _WIDE[: 2 - (count == 1 or narrow)])
    notes = []
    if count == 1 or not narrow:
        notes.append(_draw_spreads(panels[0], places, table))
        head = "mean" if table.ranked.exact else "mean ± 95 %"
        write_columns(panels[0], places, [Column(head, table.intervals)])
    if count > 1:
        notes += _draw_differences(panels[-1], places, table, narrow)
    for each in panels:
        if count > _FAR_DOWN:
            each.tick_params(axis="x", top=True, labeltop=True)
    figure = figure_of(panels[0])
    footnote(figure, "\n".join(notes))
    table.entitle(figure)
    give_room(figure, places)
    return figure


def _draw_spreads(axes: Axes, places: Sequence[float], table: Ranking) -> str:
    """Draw in each row the mean and how much moves vary; return what is to be said of it."""
    for height, result, look in zip(places, table.shown, table.styles, strict=True):
        _draw_spread(axes, height, result, look.colour)
    if len(places) > 1:
        axes.axvline(table.shown[0].stats.mean, color=EDGE, lw=0.8, ls=(0, (4, 3)), zorder=0.6)
    reach = axes.dataLim.x1 - axes.dataLim.x0
    axes.set_xlim(axes.dataLim.x0 - 0.02 * reach, axes.dataLim.x1 + 0.02 * reach)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
    axes.set_xlabel(f"{counted(table.shown)} (lower is better)")
    interval = "" if table.ranked.exact else " with its 95 % interval"
    return f"point: mean{interval}; thick: the middle half of the games; thin: 5 to 95 %"


def _draw_differences(
    axes: Axes, places: Sequence[float], table: Ranking, narrow: bool
) -> list[str]:
    """Draw differences to the best, with their figures; return what is to be said of them."""
    count, ranked, halves = len(places), table.ranked, table.halves
    colours = [each.colour for each in table.styles]
    differences = ranked.differences[:count]
    reaches = [abs(each.mean) + half for each, half in zip(differences, halves, strict=True)]
    close = [1 + at for at in contenders(reaches[1:])]
    ends = [differences[at].mean + sign * halves[at] for at in close for sign in (-1, 1)]
    low, high = min(0.0, *ends), max(0.0, *ends)
    high = high if high > low else low + 1
    axes.axvline(0, color=EDGE, lw=0.8, ls=(0, (4, 3)), zorder=0.6)
    axes.set_xlim(low - 0.05 * (high - low), high + 0.15 * (high - low))
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
            bar: dict[str, Any] = {"elinewidth": 2.2, "color": INK, "fmt": "none", "zorder": 3}
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
        figures = table.more[place]
        if not (ranked.exact or narrow or math.isnan(difference.half_width)):
            figures += f" ± {halves[place]:.{table.decimals}f}"
        texts.append(f"{mark}{figures}")
    if len(close) < count - 1:
        notes["arrow:"] = "farther away than the axis reaches"
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(signed)
    interval = ", with 95 % interval" if narrow and not ranked.exact else ""
    axes.set_xlabel(f"{counted(ranked.results)} more than the best{interval}")
    head = "more" if narrow else "difference" if ranked.exact else "difference ± 95 %"
    columns = [Column("mean", table.means), Column(head, texts, SOFT)]
    write_columns(axes, places, columns[0 if narrow else 1 :])
    return [f"{mark} {said}" for mark, said in notes.items()]


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
