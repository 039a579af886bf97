"""How widely the games of a result are spread, in a row."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes

from bsbench.present.looks import INK, darkened
from bsbench.runs.results import Result
from bsbench.stats import quantile


def draw_spread(axes: Axes, height: float, result: Result, colour: str) -> None:
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
