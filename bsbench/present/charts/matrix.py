"""Each against each: how many moves more or fewer the row's strategy needs than the column's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from bsbench.common.texts import short_names
from bsbench.present.charts import Needs
from bsbench.present.charts._cells import shade
from bsbench.present.charts._drawing import (
    MOST_NAMED,
    caption_text,
    compared,
    entitle_figure,
    footnote,
    minus,
    names,
    new_chart,
    played_text,
    signed,
    versions_text,
)
from bsbench.present.charts._layout import house_style, wide
from bsbench.present.charts._rows import give_room, too_few
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result, counted

NEEDS = Needs.COMPARED

_COLOURS = "RdBu_r"
"""Blue is fewer moves, red more; all eyes can distinguish red and blue."""

_LARGEST, _SMALL, _LEAST = 8.5, 8.5, 5.5
"""Of letters in cells and of names, in points, and the smallest in cells: else there is a scale."""

_ROW = 0.22
"""Inches that a row is high."""


@house_style()
def matrix(results: Comparison | Sequence[Result]) -> Figure:
    """Draw the difference in mean moves of each pair, the best first.

    A cell says how many moves the strategy of its row needs more (red) or fewer (blue) than that of
    its column. It is white and its figure in brackets where the 95 % interval of the difference
    holds 0. Differences are of the same games where these are known (`Comparison.paired`), else of
    means. Of more than 20 results, the best are shown.

    Parameters
    ----------
    results : Comparison or sequence of Result
        At least two.

    Raises
    ------
    BsbenchError
        If there is one result only, or they are not of one scenario: their move counts don't
        compare.
    """
    ranked = compared(results)
    too_few(ranked.results, "matrix")
    shown = ranked.results[:MOST_NAMED]
    count = len(shown)
    labels = short_names(names(ranked.results), 28)[:count]
    found = (results if isinstance(results, Comparison) else ranked).crossed(shown)
    paired = np.array([[race is not None for race in row] for row in found.races])
    means = np.array([[each.mean for each in row] for row in found.differences])
    clear = np.array([[each.significant for each in row] for row in found.differences])
    figure, axes = new_chart()
    figure.set_figheight(4 + _ROW * count + 0.08 * max(map(len, labels)))
    # Small differences are seen beside large ones.
    scaled = np.sign(means) * np.log1p(abs(means) / 0.1)
    reach = max(abs(scaled).max(), 1e-9)
    colour = np.where(clear, scaled, 0.0)
    np.fill_diagonal(colour, np.nan)
    # The darkest colours would hide figures.
    image, letters = shade(axes, colour, -1.25 * reach, 1.25 * reach, _COLOURS, aspect="auto")
    decimals = 3 if (clear & (abs(means) < 0.05)).any() else 2
    texts = {
        (row, col): _text(mean, decimals) if clear[row, col] else f"({_text(mean, decimals)})"
        for (row, col), mean in np.ndenumerate(means)
        if row != col
    }
    beside = max(wide(label, _SMALL) for label in labels) + 0.4
    # Less than there is, since `_layout` leaves out texts for which a cell turns out too narrow.
    room = 0.83 * (figure.get_figwidth() - beside) / count
    size = min(_LARGEST, _LARGEST * room / max(wide(text, _LARGEST) for text in texts.values()))
    numbers = size >= _LEAST
    for (row, col), text in texts.items() if numbers else ():
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size}
        axes.text(col, row, text, color=letters[row, col], **style)
    figure.set_layout_engine("constrained", w_pad=0.1)
    axes.set_xticks(range(count), labels, rotation=90, fontsize=_SMALL)
    axes.set_yticks(range(count), labels, fontsize=_SMALL)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    moves = counted(shown)
    pairs = count * (count - 1) // 2
    close = pairs - int(np.triu(clear, 1).sum())
    text = f"{moves.capitalize()} of the row's strategy less those of the column's: blue fewer, "
    text += f"red more. {'In brackets' if numbers else 'White'}: no clear difference, the 95 % "
    text += f"interval holds 0 ({close} of {pairs} pairs)."
    if not numbers:
        ticks = np.array([-100, -10, -1, -0.1, 0, 0.1, 1, 10, 100])
        ticks = ticks[np.log1p(abs(ticks) / 0.1) <= 1.25 * reach]
        bar = figure.colorbar(image, ax=axes, location="bottom", pad=0.03, aspect=40)
        bar.set_ticks(np.sign(ticks) * np.log1p(abs(ticks) / 0.1), labels=[*map(signed, ticks)])
        bar.ax.tick_params(labelsize=7, rotation=90)
        bar.outline.set_visible(False)
    if not paired.all():
        unpaired = pairs - int(np.triu(paired, 1).sum())
        which = "All" if unpaired == pairs else f"{unpaired} of {pairs}"
        text += f" {which} differences are those of means, since their games are not paired."
    footnote(figure, text)
    played = caption_text(shown[0].scenario, "", played_text(ranked.results))
    if count < len(ranked.results):
        played += f"; the best {count} of {len(ranked.results):,}"
    entitle_figure(figure, _finding(labels, clear, means, moves), played, versions_text(shown))
    give_room(figure, [count - 1], _ROW)
    return figure


def _text(mean: float, decimals: int) -> str:
    return minus(f"{mean:+.{decimals}f}")


def _finding(
    labels: Sequence[str],
    clear: npt.NDArray[np.bool_],
    means: npt.NDArray[np.float64],
    moves: str,
) -> str:
    """Return whom the best beats, and how many pairs differ."""
    count = len(labels)
    pairs = count * (count - 1) // 2
    close = pairs - int(np.triu(clear, 1).sum())
    rest = f"{close} of {pairs} pairs don't differ clearly"
    # In the games of both, one that has played fewer may need fewer moves than the best.
    behind = int((clear[0, 1:] & (means[0, 1:] < 0)).sum())
    best = labels[0]
    if count == 2:
        return (
            f"{best} needs fewer {moves} than {labels[1]}"
            if behind
            else (f"No clear difference between {best} and {labels[1]}")
        )
    whom = "every other strategy" if behind == count - 1 else "most others"
    if behind <= (count - 1) / 2:
        return f"Nobody is clearly ahead of all others; {rest}"
    return f"{best} needs fewer {moves} than {whom}; {rest}"
