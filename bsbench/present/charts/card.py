"""A picture to share, 1200 by 630 pixels: the finding, a chart, and the command.

Its letters are large: on a phone, such a picture is a few centimetres wide.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

import bsbench
from bsbench.common.texts import short_names
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    caption_text,
    compared,
    means_text,
    names,
    new_figure,
    played_text,
)
from bsbench.present.charts._layout import fitting, house_style, wide
from bsbench.present.charts._sheets import DPI
from bsbench.present.charts._spread import draw_spread
from bsbench.present.looks import EDGE, GRID, INK, SOFT, looks
from bsbench.present.verdicts import finding
from bsbench.rules.scenario import scenario_options
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result, argument_of, counted, move_range

NEEDS = Needs.COMPARED

SIZE = 1200, 630
"""Pixels, as sites show them beside a link."""

_MOST = 6
"""Rows."""

_LEAST = 0.17
"""Inches that a row is high, at least."""

_OF_ONE = 0.7
"""Inches that the figures beside a distribution are high."""

_NAME = 26
"""Letters of a name at most, where that is enough to tell names apart."""

_BESIDE = 2.7
"""Inches of names at most."""

_LEFT, _RIGHT = 0.04, 0.96
_TITLE, _LONG_TITLE, _ROW, _SMALL = 16, 13, 11, 8.5
"""Of letters, in points."""


@house_style()
def card(results: Comparison | Sequence[Result]) -> Figure:
    """Draw the finding of results of one scenario, as a picture for a post.

    Of several results, the best six have a row each: mean with its interval, the range of the
    middle half of the games, and that from 5 to 95 %. Where long names leave no room for so many,
    there are fewer rows, and at last no command. One result has its distribution.

    Parameters
    ----------
    results : Comparison or sequence of Result

    Raises
    ------
    BsbenchError
        If the results are not of one scenario: their move counts don't compare.
    """
    ranked = compared(results)
    figure = new_figure()
    figure.set_layout_engine("none")
    figure.set_size_inches(SIZE[0] / DPI, SIZE[1] / DPI)
    width, height = figure.get_size_inches()
    inches = (_RIGHT - _LEFT) * width
    said, size = finding(ranked), _TITLE
    title = fitting(said, inches, size, bold=True)
    if title.count("\n") > 1:
        size = _LONG_TITLE
        title = fitting(said, inches, size, bold=True)
    top = 1 - 0.2 / height
    style: dict[str, Any] = {"x": _LEFT, "ha": "left", "va": "top"}
    figure.suptitle(title, y=top, fontsize=size, fontweight="bold", **style)
    top -= 0.27 * size / _TITLE * (1 + title.count("\n")) / height
    shown, text, command = _that_fit(ranked, top * height - 0.66, inches)
    figure.text(y=top, s=text, fontsize=_SMALL, color=SOFT, linespacing=1.3, **style)
    top -= (_high(text) + 0.12) / height
    style |= {"va": "bottom", "fontsize": _SMALL, "y": 0.14 / height}
    figure.text(s=command, color=INK, linespacing=1.3, **style)
    style |= {"x": _RIGHT, "ha": "right", "color": SOFT}
    figure.text(s=f"bsbench {bsbench.__version__}", **style)
    bottom = (0.14 + _high(command) + 0.4) / height
    axes = figure.add_axes((_LEFT, bottom, _RIGHT - _LEFT, top - bottom))
    (_draw_rows if len(shown) > 1 else _draw_one)(axes, ranked, shown)
    axes.spines["left"].set_visible(False)
    axes.set_yticks([])
    axes.yaxis.set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.tick_params(axis="x", labelsize=_SMALL)
    return figure


def _that_fit(
    ranked: Comparison, high: float, inches: float
) -> tuple[tuple[Result, ...], str, str]:
    """Return the results that have a row, what was played, and the command, both in lines.

    Parameters
    ----------
    ranked : Comparison
    high, inches : float
        Inches that all three may be high together, and a line may be wide.
    """
    found = ranked.results
    least = min(2, len(found))
    played = played_text(found)
    for named in (True, False):
        for count in range(min(_MOST, len(found)), least - 1, -1):
            shown = found[:count]
            more = f"; the best {count} of {len(found):,}" if count < len(found) else ""
            text = fitting(caption_text(found[0].scenario, "", played + more), inches, _SMALL)
            # The version of bsbench stands beside the command.
            command, beside = _command(shown) if named else "", inches - 1.1
            if wide(command, _SMALL) / beside * _high("") > high:
                # To find its lines would take long.
                continue
            command = fitting(command, beside, _SMALL)
            rows = _LEAST * count if count > 1 else _OF_ONE
            if _high(text) + rows + _high(command) <= high:
                return shown, text, command
    return shown, text, command


def _high(text: str) -> float:
    """Return how many inches a text in small letters is high."""
    return 0.17 * (1 + text.count("\n"))


def _draw_rows(axes: Axes, ranked: Comparison, shown: Sequence[Result]) -> None:
    """Draw a row for each result, the best on top: its name, its spread, and its mean."""
    called = short_names(names(ranked.results), _NAME)[: len(shown)]
    # Names that differ late are long, and have smaller letters.
    size = min(_ROW, _ROW * _BESIDE / max(wide(name, _ROW, bold=True) for name in called))
    means = [text.partition(" ±")[0] for text in means_text(ranked)]
    figure = axes.get_figure(root=True)
    assert figure is not None
    texts = []
    for place, (result, name, mean, look) in enumerate(
        zip(shown, called, means, looks(names(shown)), strict=False)
    ):
        draw_spread(axes, -place, result, look.colour)
        weight = "normal" if place else "bold"
        for at, align, words, points in (
            (0, "left", name, size),
            (1, "right", mean, _ROW),
        ):
            row: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "fontweight": weight}
            row |= {"ha": align, "va": "center", "fontsize": points, "color": INK}
            texts.append(axes.text(at, -place, words, **row))
    axes.axvline(shown[0].stats.mean, color=EDGE, lw=0.8, ls=(0, (4, 3)), zorder=0.6)
    axes.set_ylim(0.6 - len(shown), 0.6)
    axes.grid(visible=False, axis="y")
    axes.grid(axis="x", color=GRID)
    axes.set_xlabel(counted(shown), fontsize=_SMALL, labelpad=1)
    # Names and means keep their room beside the rows.
    widths = [text.get_window_extent().width / figure.dpi + 0.12 for text in texts]
    left, right = max(widths[::2]), max(widths[1::2])
    box, inches = axes.get_position(), figure.get_figwidth()
    axes.set_position(
        (box.x0 + left / inches, box.y0, box.width - (left + right) / inches, box.height)
    )
    for text, shift in zip(texts, [-left, right] * len(shown), strict=True):
        text.set_x(text.get_position()[0] + shift / (inches * axes.get_position().width))


def _draw_one(axes: Axes, ranked: Comparison, shown: Sequence[Result]) -> None:
    """Draw the distribution of a result, with its figures."""
    (result,), (look,) = shown, looks(names(shown))
    stats, moves = result.stats, move_range(shown)
    share = 100.0 * result.counts[moves.start : moves.stop] / result.games
    edges = np.arange(moves.start, moves.stop + 1) - 0.5
    axes.stairs(share, edges, fill=True, color=look.colour, alpha=0.7)
    for colour, thick in (("white", 3.5), (INK, 1.5)):
        axes.axvline(stats.mean, color=colour, lw=thick)
    axes.grid(visible=False)
    axes.set_xlim(edges[0] - 1, edges[-1] + 1)
    axes.set_xlabel(counted(shown), fontsize=_SMALL, labelpad=1)
    lines = (
        f"mean {stats.mean_text}\nmedian {stats.median}\n90 % of games: {stats.low} to {stats.high}"
    )
    late = stats.mean > (edges[0] + edges[-1]) / 2
    place, align = (0.0, "left") if late else (1.0, "right")
    style: dict[str, Any] = {"ha": align, "va": "top", "linespacing": 1.5, "fontsize": _ROW}
    axes.text(place, 1, lines, transform=axes.transAxes, color=INK, **style)


def _command(shown: Sequence[Result]) -> str:
    """Return the command that plays the games again."""
    first = shown[0]
    verb = "run" if len(shown) == 1 else "compare"
    where = [*scenario_options(first.scenario), "--seed", str(first.seed)]
    who = dict.fromkeys(map(argument_of, shown))
    games = ["-n", str(min(each.games for each in shown))]
    return shlex.join(["bsbench", verb, *who, *where, *games])
