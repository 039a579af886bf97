"""Boards as pictures: a colour and a text for each cell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.image import AxesImage

from bsbench.common.texts import listed_in_words
from bsbench.present.looks import INK, ON_DARK, ON_LIGHT
from bsbench.rules.board import Rules
from bsbench.rules.drawing import cell_name, row_name

MOST_NUMBERS = 12
"""Rows or columns of the largest board with a number in each cell."""

_CLEAR = 4.0
"""Standard errors of a difference: less may be chance, since the extreme ones of all cells are
compared."""

_MOST_NAMED = 3
"""Cells that a title names."""


def highest(values: npt.NDArray[np.float64], errors: npt.NDArray[np.float64]) -> list[int]:
    """Return the cells that may have the highest value: no other one is clearly higher.

    Parameters
    ----------
    values, errors : ndarray of float64, shape (cells,)
        Values and their standard errors; NaN where there are none.
    """
    top = int(np.nanargmax(values))
    less = values[top] - values
    return np.flatnonzero(less <= _CLEAR * np.hypot(errors, errors[top])).tolist()


def cells_text(cells: list[int], rules: Rules, *, alike: bool = True) -> str:
    """Return cells in words, in ascending order; of mirror images, or of many, an example.

    Mirror images are called so only if they are ``alike``.
    """
    first = cell_name(cells[0], rules.cols)
    row, col = divmod(cells[0], rules.cols)
    board = np.arange(rules.cells).reshape(rules.rows, rules.cols)
    boards = [board, board.T] if rules.rows == rules.cols else [board]
    turned = (each[::up, ::left] for each in boards for up in (1, -1) for left in (1, -1))
    images = {int(each[row, col]) for each in turned}
    if alike and len(cells) > 1 and images == set(cells):
        return f"{first} and its mirror images"
    if len(cells) > _MOST_NAMED:
        return f"cells such as {first}"
    return listed_in_words(cell_name(cell, rules.cols) for cell in cells)


def range_text(texts: Iterable[str]) -> str:
    """Return the range of some numbers."""
    known = [*texts]
    return " to ".join(dict.fromkeys((min(known, key=float), max(known, key=float))))


def heat_map(
    axes: Axes,
    values: npt.NDArray[np.float64],
    colours: str,
    texts: list[str],
    least_span: float = 0.0,
    label: str = "",
) -> None:
    """Draw a value for each cell as its colour, the scale beside it.

    Parameters
    ----------
    axes : Axes
    values : ndarray of float64, shape (rows, cols)
        NaN where there is none.
    colours : str
        A colour map of matplotlib.
    texts : list of str
        Texts of the cells, row by row, shown on boards that are small enough.
    least_span : float
        From the darkest to the brightest colour at least: what is less is noise.
    label : str
        Of the scale.
    """
    known = values[np.isfinite(values)]
    low, high = (known.min(), known.max()) if len(known) else (0, 0)
    wider = max(least_span - (high - low), 0) / 2
    image, letters = shade(axes, values, low - wider, high + wider, colours)
    shown = np.array(texts).reshape(values.shape)
    finish_board(axes, shown, letters, MOST_NUMBERS)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.8, pad=0.03, label=label)
    bar.outline.set_visible(False)


def shade(
    axes: Axes, values: npt.NDArray[np.float64], low: float, high: float, colours: str, **how: Any
) -> tuple[AxesImage, npt.NDArray[np.str_]]:
    """Draw a value for each cell as its colour.

    Parameters
    ----------
    axes : Axes
    values : ndarray of float64, shape (rows, cols)
        NaN where there is none.
    low, high : float
        The ends of the scale.
    colours : str
        A colour map of matplotlib.
    **how
        As `Axes.imshow` takes it.

    Returns
    -------
    AxesImage
    ndarray of str, shape (rows, cols)
        The colour of letters in each cell.
    """
    axes.set_facecolor("#d9d9d9")
    if low == high:
        # A scale needs two ends.
        low, high = low - 0.5, high + 0.5
    image = axes.imshow(np.ma.masked_invalid(values), cmap=colours, vmin=low, vmax=high, **how)
    # Luminance as of ITU-R BT.709: dark cells get light text.
    luminance = image.to_rgba(np.ma.masked_invalid(values))[..., :3] @ (0.2126, 0.7152, 0.0722)
    known = np.isfinite(values)
    return image, np.select([~known, luminance < 0.45], [INK, ON_DARK], ON_LIGHT)


def finish_board(
    axes: Axes, texts: npt.NDArray[np.str_], colours: npt.NDArray[np.str_], most: int
) -> None:
    """Write a text into each cell, with a grid; name rows A, B, … and columns 1, 2, ….

    Parameters
    ----------
    axes : Axes
        With an image of the board.
    texts, colours : ndarray of str, shape (rows, cols)
    most : int
        Boards with more rows or columns are left without texts and grid.
    """
    rows, cols = texts.shape
    if max(rows, cols) <= most:
        for (row, col), text in np.ndenumerate(texts):
            axes.text(col, row, text, ha="center", va="center", fontsize=8, color=colours[row, col])
        axes.set_xticks(np.arange(cols + 1) - 0.5, minor=True)
        axes.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
        axes.grid(which="minor", axis="both", color="#aaaaaa", linewidth=0.6)
    _name_lines(axes.xaxis, [str(col + 1) for col in range(cols)], most)
    _name_lines(axes.yaxis, [row_name(row) for row in range(rows)], most)
    axes.grid(which="major", visible=False)
    axes.tick_params(which="both", length=0)
    axes.spines[["top", "right"]].set_visible(True)


def _name_lines(axis: Axis, names: list[str], most: int) -> None:
    """Name the rows or columns along an axis, of many of them only some."""
    shown = range(0, len(names), 1 if len(names) <= most else max(1, len(names) // 8))
    axis.set_ticks(shown, [names[place] for place in shown])
