"""Means with their 95 % intervals, a row for each strategy, the best on top."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.figure import Figure

from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    best_of,
    caption,
    caption_text,
    folded,
    house_style,
    names,
    new_chart,
    one_scenario,
    played_text,
    short,
    versions_text,
)
from bsbench.present.looks import looks
from bsbench.runs.results import Result

NEEDS = Needs.RESULTS

_MOST = 100
"""Rows at most; of more results, the best are shown."""


@house_style()
def ranking(results: Sequence[Result]) -> Figure:
    """Draw the mean moves of each result of one scenario with its 95 % interval, in order.

    Of more than 100, the best are shown. The intervals are those of the means: where strategies
    played the same games, their differences are known better than that.

    Raises
    ------
    BsbenchError
        If the results are not of one scenario: their move counts don't compare.
    """
    scenario = one_scenario(results)
    named = dict(zip(map(id, results), names(results), strict=True))
    shown = best_of(results, _MOST)[0] if len(results) > _MOST else list(results)
    shown.sort(key=lambda result: -result.stats.mean)
    labels = [named[id(result)] for result in shown]
    figure, axes = new_chart()
    figure.set_size_inches(8, max(1.8 + 0.24 * len(shown), 2.6))
    for height, (result, look) in enumerate(zip(shown, looks(labels), strict=True)):
        mean, width = result.stats.mean, result.stats.half_width
        known = 0.0 if math.isnan(width) else width
        axes.errorbar(
            [mean], [height], xerr=[known], fmt="o", markersize=5, capsize=3, color=look.colour
        )
        axes.annotate(
            result.stats.mean_text,
            (mean + known, height),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color="#444444",
        )
    axes.set_yticks(range(len(shown)), [short(label, 34) for label in labels])
    axes.set_ylim(-0.7, len(shown) - 0.3)
    low, high = axes.get_xlim()
    # Room for the texts on the right.
    axes.set_xlim(low - 0.02 * (high - low), high + 0.2 * (high - low))
    axes.grid(axis="x")
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("mean moves, with its 95 % interval")
    some = f": the best {len(shown)} of {len(results):,}" if len(shown) < len(results) else ""
    axes.set_title(folded(f"Who needs the fewest moves on {short(scenario.name)}{some}"))
    text = caption_text(scenario, "", played_text(results))
    caption(axes, text, versions_text(results))
    return figure
