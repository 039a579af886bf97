"""Charts, one file each: a function that takes results and returns a matplotlib Figure."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bsbench.scenario import Scenario

_LONGEST_NAME = 50


@contextmanager
def house_style() -> Iterator[None]:
    """Draw with the project's style sheet, whatever the user's own settings are."""
    style = matplotlib.rc_params_from_file(
        Path(__file__).parent / "bsbench.mplstyle", use_default_template=True
    )
    with matplotlib.rc_context(dict(style)):
        yield


def short(name: str, longest: int = _LONGEST_NAME) -> str:
    """Return a name cut to what fits a title, or so many characters."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def folded(text: str, width: int = 66) -> str:
    """Return a text in lines that fit a chart's width: a strategy's parameters make it long."""
    return textwrap.fill(text, width, break_on_hyphens=False)


def caption(axes: Axes, scenario: Scenario, told: str, played: str, version: str) -> None:
    """Write under the title what was played, and in the corner with which bsbench.

    Parameters
    ----------
    axes : Axes
    scenario : Scenario
    told : str
        More of the rules, such as ``, feedback hit``, or nothing.
    played : str
        Games and seed.
    version : str
    """
    rules = scenario.rules
    axes.text(
        0,
        1.02,
        f"{rules.board} board, fleet {rules.fleet_text}, "
        f"{'' if rules.touching else 'no '}touching{told}, "
        f"{short(str(scenario.placement), 24)} layouts; {played}",
        transform=axes.transAxes,
        fontsize=9,
        color="#555555",
    )
    axes.figure.text(0.995, 0.005, f"bsbench {version}", ha="right", fontsize=7, color="#888888")


def new_figure() -> Figure:
    """Return an empty figure that needs no screen."""
    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: Figure, file: IO[bytes], kind: str) -> None:
    """Write a figure as ``png`` or ``svg``; the same figure gives the same bytes."""
    # No date and no version of the library in the file.
    metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    with house_style(), warnings.catch_warnings():
        # A name in letters that the font lacks is drawn with boxes, and that is all.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(file, format=kind, metadata=metadata)
