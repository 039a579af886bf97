"""Sheets: widths and styles of figures, which charts needn't know of.

A chart is laid out as if letters had 10 points, on a sheet that is as much wider or narrower than
the figure as letters are to be smaller or larger; the file is then scaled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_choice

DPI = 200
"""Pixels of an inch of a PNG."""

_UNITS = {"mm": 1 / 25.4, "cm": 1 / 2.54, "in": 1, "pt": 1 / 72, "px": 1 / DPI}
"""In inches."""

_NARROWEST = 4.4
"""Inches that charts need for letters of 10 points."""

_SMALLEST = 0.7
"""What letters shrink to, at most, so that a chart fits a narrow column."""

_WIDEST = 40
"""Inches."""


class Style(NamedTuple):
    """What a figure is for.

    Attributes
    ----------
    scale : float
        Of letters and lines.
    dark : bool
        Whether the ground is dark.
    inches : float or None
        How wide figures are; None: as wide as the kind of chart is, in this scale.
    letters : float
        The scale that it has where there is room.
    signed : bool
        Whether the version of bsbench stands below the title.
    """

    scale: float = 1
    dark: bool = False
    inches: float | None = None
    letters: float = 1
    signed: bool = True


STYLES = {
    "light": Style(),
    "dark": Style(dark=True),
    # Text of articles stands in columns of 8 to 9 cm, and captions say what was played on what.
    "paper": Style(scale=0.75, letters=0.75, signed=False),
    # A slide is 10 or 13 1/3 inches wide, and seen from afar.
    "slides": Style(scale=5 / 3, inches=10, letters=5 / 3),
}

asked_style: ContextVar[Style] = ContextVar("asked_style", default=STYLES["light"])
"""The one that `drawn_for` lets charts be drawn in."""


def read_width(text: str) -> float:
    """Return the inches of a width such as ``84mm``.

    Raises
    ------
    BsbenchError
        If it is no number with a unit, too narrow for any chart, or wider than 40 inches.
    """
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(mm|cm|in|pt|px)\s*", text.lower(), re.ASCII)
    if match is None:
        raise BsbenchError(
            f"{text!r} is not a width: give a number with its unit, one of mm, cm, in, pt and px "
            f"(of which a PNG has {DPI} in an inch), such as 84mm"
        )
    inches = float(match[1]) * _UNITS[match[2]]
    least = _NARROWEST * _SMALLEST
    if not least <= inches <= _WIDEST:
        limits = f"{math.ceil(25.4 * least)}mm to {25.4 * _WIDEST:g}mm"
        raise BsbenchError(f"a chart can't be {text.strip()} wide: give {limits}")
    return inches


@contextmanager
def drawn_for(style: str = "light", inches: float | None = None) -> Iterator[None]:
    """Let charts be drawn in a style, and of a width.

    Parameters
    ----------
    style : str
        One of `STYLES`.
    inches : float, optional
        Default: that of the style.

    Raises
    ------
    BsbenchError
        If there is no such style.
    """
    check_choice("style", style, STYLES)
    asked = STYLES[style]
    if inches is not None:
        asked = asked._replace(scale=min(asked.scale, inches / _NARROWEST), inches=inches)
    before = asked_style.set(asked)
    try:
        yield
    finally:
        asked_style.reset(before)
