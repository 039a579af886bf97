"""Charts of rows: one for each strategy, named on its left, with columns of figures on its right.

A row is as high as its letters need, so that such a chart is readable at any width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bsbench.common.errors import BsbenchError
from bsbench.common.texts import short_names
from bsbench.present.charts._drawing import (
    caption_text,
    compared,
    entitle_figure,
    footnote,
    minus,
    names,
    new_figure,
    played_text,
    versions_text,
)
from bsbench.present.charts._layout import folded, wide
from bsbench.present.charts._saving import refuse, stretch
from bsbench.present.looks import GRID, INK, SOFT, Look, looks
from bsbench.present.verdicts import LONGEST_IN_TITLE, standing, unclear_finding
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result, counted, move_range
from bsbench.stats import decimals_of, interval_text

ROW, _LINE = 0.27, 0.14
"""Inches that a row is high, and each further line of its name."""

_NAME = 30
"""Letters of a name on a line; longer names have two or three."""

SIZE = 9
"""Of letters in columns, in points."""

_LEAST = 1.1
"""Inches that the axes of a chart of rows are wide, at least."""

_HILL = 0.36
"""Inches that a row with a distribution is high."""

_MOST_HILLS = 20
"""Distributions in a chart."""

_TALL = 1.8
"""Bars more than so many times as tall as the tallest of half the strategies are cut."""


class Column(NamedTuple):
    """Figures beside the rows, and what stands above them."""

    head: str
    texts: Sequence[str]
    colour: str = INK


class Ranking:
    """Results of one scenario in order, with their names, looks and figures, as far as shown.

    Attributes
    ----------
    ranked : Comparison
        Best first, each compared with the best.
    shown : sequence of Result
    called : list of str
        Their names, on one line.
    styles : list of Look
    decimals : int
        Of all figures of the chart.
    """

    def __init__(self, results: Comparison | Sequence[Result], most: int) -> None:
        self.ranked = compared(results)
        self.shown = self.ranked.results[:most]
        self.called = short_names(names(self.ranked.results), 2 * _NAME)[:most]
        self.styles: list[Look] = looks(names(self.ranked.results)[:most])
        self.halves = [
            0.0 if math.isnan(each.half_width) else each.half_width
            for each in self.ranked.differences[:most]
        ]
        widths = [each.stats.half_width for each in self.shown] + self.halves[1:]
        known = 4 if self.ranked.exact else decimals_of(widths)
        self.decimals = 2 if known is None else known

    @cached_property
    def means(self) -> list[str]:
        """The mean of each."""
        return [f"{each.stats.mean:.{self.decimals}f}" for each in self.shown]

    @cached_property
    def intervals(self) -> list[str]:
        """The mean of each with its interval."""
        stats = [each.stats for each in self.shown]
        if self.ranked.exact:
            return self.means
        return [interval_text(each.mean, each.half_width, self.decimals) for each in stats]

    @cached_property
    def more(self) -> list[str]:
        """By how many moves each is behind the best."""
        sizes = [each.mean for each in self.ranked.differences[: len(self.shown)]]
        same = self.ranked.same
        texts = [
            "= 0" if same[at] else minus(f"{size:+.{self.decimals}f}")
            for at, size in enumerate(sizes)
        ]
        return ["best", *texts[1:]]

    @property
    def title(self) -> str:
        """What was found, in the figures of the chart."""
        found, moves = standing(self.ranked), counted(self.shown)
        if len(self.shown) == 1:
            return f"{self.called[0]} needs {self.means[0]} {moves}"
        if not found.clear:
            return unclear_finding(found)
        best, second = short_names(self.called, LONGEST_IN_TITLE)[:2]
        if len(self.shown) == 2:
            return f"{best} needs {self.more[1].lstrip('+')} fewer {moves} than {second}"
        return (
            f"{best} needs the fewest {moves}: {self.means[0]}; {second} needs "
            f"{self.more[1].lstrip('+')} more"
        )

    def entitle(self, figure: Figure, title: str | None = None) -> None:
        """Write the title, and what was played."""
        shown, every = self.shown, self.ranked.results
        played = caption_text(shown[0].scenario, "", played_text(every))
        if len(shown) < len(every):
            played += f"; the best {len(shown)} of {len(every):,}"
        entitle_figure(figure, title or self.title, played, versions_text(shown))


def row_axes(
    labels: Sequence[str], panels: Sequence[float] = (1,)
) -> tuple[list[Axes], list[float]]:
    """Return axes beside each other, with a named row for each label, the first on top.

    Parameters
    ----------
    labels : sequence of str
        The first one is bold.
    panels : sequence of float
        How wide the axes are, of each other.

    Returns
    -------
    list of Axes
    list of float
        How high each row stands, in rows; the last one stands at 0.
    """
    figure = new_figure()
    figure.set_layout_engine("constrained", w_pad=0.1)
    axes = figure.subplots(1, len(panels), squeeze=False, width_ratios=panels)[0]
    lines = [folded(name, _NAME) for name in labels]
    room = [1 + _LINE / ROW * name.count("\n") for name in lines]
    middle = [sum(room[:place]) + room[place] / 2 for place in range(len(room))]
    places = [middle[-1] - each for each in middle]
    for number, each in enumerate(axes):
        each.set_yticks(places, lines, fontsize=SIZE + 0.5, color=INK, linespacing=1.05)
        if number:
            each.tick_params(labelleft=False)
        each.set_ylim(places[-1] - 0.6, places[0] + 0.6)
        each.grid(visible=False, axis="y")
        each.grid(axis="x", color=GRID)
        each.tick_params(axis="y", length=0)
        each.spines["left"].set_visible(False)
    axes[0].get_yticklabels()[0].set_fontweight("bold")
    for label in axes[0].get_yticklabels():
        one = "\n" not in label.get_text()
        label.set_verticalalignment("center_baseline" if one else "center")
    return list(axes), places


def write_columns(axes: Axes, places: Sequence[float], columns: Sequence[Column]) -> None:
    """Write columns of figures to the right of the axes."""
    right = 0.0
    style: dict[str, Any] = {"ha": "right", "va": "center_baseline", "fontsize": SIZE}
    at: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
    for head, texts, colour in columns:
        right += 10.0 + 72 * wide("\n".join([head, *texts]), SIZE)
        for height, text in zip(places, texts, strict=True):
            axes.annotate(text, (1, height), (right, 0), color=colour, **style, **at)
        axes.annotate(head, (1, places[0] + 0.6), (right, 6), color=SOFT, **style, **at)


def give_room(figure: Figure, places: Sequence[float], row: float = ROW) -> None:
    """Make a chart of rows as high as they need, when all else is written.

    Raises
    ------
    BsbenchError
        If it is too narrow for its names and figures.
    """
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    width = min(axes.get_window_extent().width for axes in figure.axes) / figure.dpi
    if width < _LEAST:
        refuse(figure, figure.get_figwidth() + len(figure.axes) * (_LEAST - width) + 0.05)
    height = figure.axes[0].get_window_extent().height / figure.dpi
    stretch(figure, row * (places[0] + 1.2) - height)


def draw_hills(
    results: Comparison | Sequence[Result], title: str | None = None, *, median: bool = False
) -> Figure:
    """Draw the share of games by move count of each result, a row each, the best first.

    All have one scale. Bars that are far taller than those of most are cut, and named below.

    Parameters
    ----------
    results : Comparison or sequence of Result
        Of one scenario; of more than 20, the best are drawn.
    title : str, optional
        Default: who needs the fewest moves.
    median : bool
        Whether the mark of a row is its median, not its mean.
    """
    table = Ranking(results, _MOST_HILLS)
    shown = table.shown
    span = move_range(shown)
    edges = np.arange(span.start, span.stop + 1) - 0.5
    shares = [100.0 * each.counts[span.start : span.stop] / each.games for each in shown]
    tallest = [float(share.max()) for share in shares]
    top = min(max(tallest), _TALL * float(np.median(tallest)))
    (axes,), places = row_axes(table.called)
    for place, result, share, look in zip(places, shown, shares, table.styles, strict=True):
        base = place - 0.44
        line = base + 0.88 * np.minimum(share, top) / top
        axes.stairs(line, edges, baseline=base, fill=True, color=look.colour, alpha=0.7)
        axes.stairs(line, edges, baseline=base, linewidth=0.8, **look.style)
        mark = result.stats.median if median else result.stats.mean
        # A white line under the black one: it is seen on black, too.
        for colour, thick in (("white", 3.2), (INK, 1.4)):
            axes.plot([mark, mark], [base, base + 0.88], color=colour, lw=thick)
    axes.set_xlim(edges[0] - 1, edges[-1] + 1)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    moves, rules = counted(shown), shown[0].scenario.rules
    axes.set_xlabel(moves)
    columns = [Column("mean", table.means), Column("more", table.more, SOFT)]
    if median:
        columns = [Column("median", [f"{each.stats.median}" for each in shown])]
    write_columns(axes, places, columns)
    figure = axes.figure
    assert isinstance(figure, Figure)
    note = f"{rules.fewest_moves} is a perfect game, {rules.whole_board} the whole board; "
    note += f"line: the {'median' if median else 'mean'}; full height: {top:.1f} % of games"
    cut = [
        f"{name} to {most:.1f} %"
        for name, most in zip(table.called, tallest, strict=True)
        if most > top
    ]
    if cut:
        note += f"; cut: {', '.join(cut)}"
    footnote(figure, note)
    table.entitle(figure, title)
    give_room(figure, places, _HILL)
    return figure


def too_few(results: Sequence[object], kind: str) -> None:
    """Refuse one result where a chart compares several.

    Raises
    ------
    BsbenchError
        If there is one only.
    """
    if len(results) < 2:
        raise BsbenchError(f"the chart {kind!r} compares results with each other: give two or more")
