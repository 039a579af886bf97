"""The histogram of move counts, a panel for each result, the best first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bsbench.common.texts import short
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    MOST_NAMED,
    caption_text,
    compared,
    entitle,
    entitle_figure,
    footnote,
    label_moves,
    move_words,
    names,
    new_chart,
    new_figure,
    played_text,
    versions_text,
)
from bsbench.present.charts._layout import fitting, house_style
from bsbench.present.charts._steps import cut_bars, top_of
from bsbench.present.looks import look, looks
from bsbench.present.verdicts import finding
from bsbench.runs.exact import EFFORT, exact_law
from bsbench.runs.results import Result, counted, move_range
from bsbench.stats import goodness_of_fit

NEEDS = Needs.EACH

_PANEL = 1.15
"""Inches that a panel of several is high."""


@house_style()
def histogram(results: Result | Sequence[Result], effort: int = EFFORT) -> Figure:
    """Draw the share of games by move count, from the perfect game to the whole board.

    Where the exact law is known, it is a thin line over the bars, and the goodness of fit
    stands among the figures. Several results have a panel each, with the same axes, the best
    first; of more than 20, the best 20.

    Parameters
    ----------
    results : Result or sequence of Result
        Of one scenario.
    effort : int
        Limit of the work on the exact law: see `bsbench.runs.exact.find_law`.

    Raises
    ------
    BsbenchError
        If several results are not of one scenario.
    """
    given = [results] if isinstance(results, Result) else list(results)
    return _one(given[0], effort) if len(given) == 1 else _several(given)


def _one(result: Result, effort: int) -> Figure:
    rules, stats = result.scenario.rules, result.stats
    figure, axes = new_chart()
    # One bar for each whole number of moves, its edges half a move off.
    moves = move_range([result])
    share = 100.0 * result.counts[moves.start : moves.stop] / stats.games
    edges = np.arange(moves.start, moves.stop + 1) - 0.5
    colour = look(result.label).colour
    axes.stairs(share, edges, fill=True, color=colour, alpha=0.7)
    law = None if result.exact else exact_law(result.strategy, result.scenario, effort)
    if law is not None:
        axes.stairs(
            100 * law[moves.start : moves.stop], edges, baseline=None, color="#222222", lw=0.8
        )
    axes.axvspan(stats.low - 0.5, stats.high + 0.5, color=colour, alpha=0.08, lw=0)
    _mark_mean(axes, stats.mean)

    alone = " (one game has no interval)" if stats.games == 1 else ""
    text = (
        f"mean {stats.mean_text}{alone}\nmedian {stats.median}\n"
        f"90 % of games: {stats.low} to {stats.high}\n"
        f"best {stats.best}, worst {stats.worst}"
    )
    if law is not None:
        mean = law @ np.arange(len(law))
        fit = goodness_of_fit(result.counts, law)
        text += f"\n\nline: the exact law, mean {mean:.4f}\n{fit.text}"

    top = 1.12 * max(share.max(), 0 if law is None else 100 * law.max())
    axes.set_ylim(0, top)
    axes.set_xlim(edges[0] - 1, edges[-1] + 1)
    # On the side with less of the histogram.
    late = stats.mean > (edges[0] + edges[-1]) / 2
    place, align = (0.01, "left") if late else (0.99, "right")
    drawn = axes.text(place, 0.97, text, transform=axes.transAxes, ha=align, va="top")
    drawn.set(color="#222222", linespacing=1.4)
    label_moves(axes, [result])
    axes.set_ylabel("games (%)")
    needs, word = stats.mean_text.partition(" ±")[0], counted([result])
    title = f"{short(result.label)} needs {needs} {word} on average; "
    title += f"90 % of games take {stats.low} to {stats.high}"
    if stats.games == 1:
        title = f"{short(result.label)} needed {stats.best} {word} in one game"
    entitle(axes, title, [result], f", feedback {rules.feedback}")
    return figure


def _several(results: Sequence[Result]) -> Figure:
    ranked = compared(results)
    shown = ranked.results[:MOST_NAMED]
    labels = names(ranked.results)[: len(shown)]
    moves = move_range(shown)
    edges = np.arange(moves.start, moves.stop + 1) - 0.5
    shares = [100.0 * result.counts[moves.start : moves.stop] / result.games for result in shown]
    cols = 1 if len(shown) <= 3 else 2 if len(shown) <= 8 else 3
    rows = math.ceil(len(shown) / cols)
    figure = new_figure()
    wide = figure.get_figwidth() / cols - 0.5
    heads = [fitting(label, wide, 9, bold=True) for label in labels]
    lines = max(head.count("\n") for head in heads)
    figure.set_size_inches(8, 1.5 + rows * (_PANEL + 0.18 * lines + 0.1 * (cols == 1)))
    panels = figure.subplots(rows, cols, squeeze=False, sharex=True, sharey=True)
    top, styles = top_of(shares), looks(labels)
    for number, axes in enumerate(panels.T.ravel() if cols > 1 else panels.ravel()):
        if number >= len(shown):
            axes.set_visible(False)
            continue
        colour = styles[number].colour
        _draw_panel(axes, shown[number], shares[number], edges, colour, top, heads[number])
    axes = panels[0, 0]
    axes.set_xlim(edges[0] - 1, edges[-1] + 1)
    axes.set_ylim(0, top)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(3))
    figure.supylabel("games (%)", fontsize=10, color="#222222")
    words = move_words(shown)
    footnote(figure, f"across: {words}; line: the mean; shade: 90 % of the games")
    played = caption_text(shown[0].scenario, "", played_text(ranked.results))
    if len(shown) < len(ranked.results):
        played += f"; the best {len(shown)} of {len(ranked.results):,}"
    entitle_figure(figure, finding(ranked), played, versions_text(shown))
    # Where the last row has fewer panels, those above have the numbers.
    for column in panels.T:
        lowest = [each for each in column if each.get_visible()][-1]
        lowest.tick_params(labelbottom=True)
    return figure


def _draw_panel(
    axes: Axes,
    result: Result,
    share: npt.NDArray[np.float64],
    edges: npt.NDArray[np.floating[Any]],
    colour: str,
    top: float,
    head: str,
) -> None:
    stats = result.stats
    axes.axvspan(stats.low - 0.5, stats.high + 0.5, color=colour, alpha=0.08, lw=0)
    axes.stairs(np.minimum(share, top), edges, fill=True, color=colour, alpha=0.7)
    cut_bars(axes, share, edges, top)
    _mark_mean(axes, stats.mean)
    axes.set_title(head, fontsize=9, pad=3)
    late = stats.mean > (edges[0] + edges[-1]) / 2
    place, align = (0.02, "left") if late else (0.98, "right")
    text: dict[str, Any] = {"transform": axes.transAxes, "ha": align, "va": "top", "fontsize": 8.5}
    axes.text(place, 0.95, stats.mean_text, color="#222222", **text)


def _mark_mean(axes: Axes, mean: float) -> None:
    # A white line under the black one: it is seen on black bars, too. A rim as an effect would
    # turn the text of an SVG into paths.
    axes.axvline(mean, color="white", lw=3.5)
    axes.axvline(mean, color="#222222", lw=1.5)
