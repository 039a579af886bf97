"""Shares of games as bars: those that are far taller than all others are cut, with their figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

_TALL = 1.8
"""Bars more than so many times as tall as the tallest of half the strategies are cut."""

_Shares = npt.NDArray[np.float64]


def top_of(shares: Sequence[_Shares]) -> float:
    """Return how far the axis of shares reaches.

    Some strategies leave many games open up to the last cell. These bars would press all else into
    the lowest part of the chart.

    Parameters
    ----------
    shares : sequence of ndarray of float64, shape (n,)
        In per cent, by move count.
    """
    tallest = [float(share.max()) for share in shares]
    return 1.12 * min(max(tallest), _TALL * float(np.median(tallest)))


def cut_bars(
    axes: Axes,
    share: _Shares,
    edges: npt.NDArray[np.floating[Any]],
    top: float,
    height: float = 0.97,
    at: float | None = None,
    colour: str = "#222222",
) -> bool:
    """Mark the bars as cut that are taller than the axis reaches, and write how tall they are.

    Parameters
    ----------
    axes : Axes
    share : ndarray of float64, shape (n,)
    edges : ndarray of float64, shape (n + 1,)
    top : float
        Of the axis: `top_of`.
    height : float
        Of the figure, as a share of the axis.
    at : float, optional
        Where the figure ends. Default: at the bars.
    colour : str
        Of the figure.

    Returns
    -------
    bool
        Whether there are any.
    """
    tall = np.flatnonzero(share > top)
    if not len(tall):
        return False
    left, right = edges[tall[0]], edges[tall[-1] + 1]
    # Two white strokes: the bar goes on.
    for part in (0.8, 0.85):
        axes.plot(
            [left - 0.4, right + 0.4],
            [part * top, (part + 0.03) * top],
            color="white",
            linewidth=1.6,
            zorder=4,
            clip_on=False,
        )
    axes.annotate(
        # An SVG has no spaces at an end but such ones.
        f"{share.max():.1f} %\N{NO-BREAK SPACE}",
        (left if at is None else at, height * top),
        ha="right",
        va="top",
        fontsize=8,
        color=colour,
    )
    return True
