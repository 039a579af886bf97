"""The style of all charts, and how their texts are laid out."""

from __future__ import annotations

import itertools
import re
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

_LEAST = 6
"""Points of letters that can still be read."""

_TOGETHER = re.compile(r" (?=[%±])|(?<=±) ")
"""Spaces at which no line ends."""


@contextmanager
def house_style() -> Iterator[None]:
    """Draw with the project's style sheet, whatever the user's own settings are."""
    sheet = Path(__file__).parent / "bsbench.mplstyle"
    style = dict(matplotlib.rc_params_from_file(sheet, use_default_template=True))
    # Where figures are shown is the user's own setting, and to change it would import pyplot.
    del style["backend"]
    with matplotlib.rc_context(style), warnings.catch_warnings():
        # Letters that the font lacks are drawn as boxes, without a warning.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def folded(text: str, width: int = 66) -> str:
    """Return a text in lines that fit a chart's width: a strategy's parameters make it long.

    Lines end between words; only within a word that is longer than a line, after a hyphen or
    another sign, if there is one. A figure keeps its per cent, and its interval.
    """
    lines = []
    kept = _TOGETHER.sub("\N{NO-BREAK SPACE}", text)
    parts = [
        textwrap.wrap(part, width, break_long_words=False, break_on_hyphens=False) or [""]
        for part in kept.split("\n")
    ]
    for rest in itertools.chain(*parts):
        while len(rest) > width:
            cut = 1 + max(rest.rfind(sign, 0, width) for sign in "-_/=.,:;")
            cut = cut if cut > width // 4 else width
            lines.append(rest[:cut])
            rest = rest[cut:]
        lines.append(rest)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def wide(text: str, size: float, *, bold: bool = False) -> float:
    """Return how many inches the widest line of a text is wide, in letters of so many points."""
    letters = FontProperties(size=size, weight="bold" if bold else "normal")
    measure = text_to_path.get_text_width_height_descent
    return max(measure(line, letters, ismath=False)[0] for line in text.split("\n")) / 72


def fitting(text: str, inches: float, size: float, *, bold: bool = False) -> str:
    """Return a text in lines that are as wide as given, at most, in letters of so many points."""
    # Letters are not equally wide: a first guess, then a little less.
    width = int(1.2 * len(text) * inches / max(wide(text, size, bold=bold), 0.1))
    width = max(min(len(text), width), 10)
    while width > 10 and wide(folded(text, width), size, bold=bold) > inches:
        width -= 1
    lines = folded(text, width)
    # Lines of about the same width look better than a last one of one word.
    while width > 10 and folded(text, width - 1).count("\n") == lines.count("\n"):
        width -= 1
        lines = folded(text, width)
    return lines


def figure_of(axes: Axes) -> Figure:
    """Return the figure that axes are on."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return figure


def settle(figure: Figure) -> None:
    """Lay a figure out, once and for all; in the house's style.

    A second layout, at the resolution of a file, would shift everything a little: the second
    file of a figure would differ from the same file written alone.
    """
    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.execute(figure)
        # Longer labels of one side leave less room to those of the other.
        for _ in range(3):
            if not _fold_labels(figure):
                break
            engine.execute(figure)
        for axes in figure.axes:
            if axes.images:
                _fit_cells(axes)
        figure.set_layout_engine(None)


def _fold_labels(figure: Figure) -> bool:
    """Write labels and titles of axes on several lines where they are longer than there is room."""
    width, height = figure.bbox.width, figure.bbox.height
    beside = len({round(axes.get_window_extent().x0 / width, 1) for axes in figure.axes}) > 1
    folds = False
    for axes in figure.axes:
        box = axes.get_window_extent()
        middle = (box.x0 + box.x1) / 2
        across = 1.1 * box.width if beside else 1.95 * min(middle, width - middle)
        rooms = [(axes.xaxis.label, across), (axes.yaxis.label, max(1.2 * box.height, height / 2))]
        # A title begins at the axes: only now is it known how far that is from the edge.
        beyond = box.width if figure.get_suptitle() else width - box.x0 - 0.05 * figure.dpi
        title = axes.get_title(loc="left")
        texts = (each for each in axes.get_children() if isinstance(each, Text))
        rooms += [(each, beyond) for each in texts if each.get_text() == title != ""]
        for label, pixels in rooms:
            text, inches = label.get_text(), max(pixels / figure.dpi, 1)
            size, bold = float(label.get_fontsize()), label.get_fontweight() == "bold"
            if text and wide(text, size, bold=bold) > inches:
                label.set_text(fitting(text, inches, size, bold=bold))
                folds = True
    return folds


def _fit_cells(axes: Axes) -> None:
    """Write texts in the cells of a picture small enough for them, or not at all."""
    rows, cols = axes.images[0].get_size()
    box = axes.get_window_extent()
    pixels = min(0.9 * box.width / cols, 2 * box.height / rows)
    longest = max((text.get_window_extent().width for text in axes.texts), default=0)
    for text in list(axes.texts) if longest > pixels else ():
        size = float(text.get_fontsize()) * 0.97 * pixels / longest
        if size < _LEAST:
            text.remove()
        else:
            text.set_fontsize(size)
