"""Share of games by move count, a curve for each strategy: the figure of "Spot the ships"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import MOST_LINES, move_axis, new_chart
from bsbench.present.charts._labels import Name, place_names
from bsbench.present.charts._layout import folded, house_style
from bsbench.present.charts._rows import Ranking, draw_hills
from bsbench.runs.results import Result, move_range

NEEDS = Needs.RESULTS


@house_style()
def efficiency(results: Sequence[Result]) -> Figure:
    """Draw the share of games by move count, a line for each result of one scenario.

    More than six results, and any whose names find no room beside their lines, have a row each.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021), section
    "Strategies efficiency comparison": four strategies, 1,000,000 layouts.

    Raises
    ------
    BsbenchError
        If the results are not of one scenario: their move counts don't compare.
    """
    table = Ranking(results, MOST_LINES)
    if len(results) > MOST_LINES:
        return draw_hills(results)
    span = move_range(results)
    figure, axes = new_chart()
    moves = np.arange(span.start, span.stop)
    edges = np.arange(span.start, span.stop + 1) - 0.5
    labels, top = [], 0.0
    rows = zip(table.shown, table.called, table.styles, table.means, table.more, strict=True)
    for result, name, look, mean, more in rows:
        share = np.asarray(100.0 * result.counts[moves] / result.games)
        # The line ends at the last cell: a fall to zero there would look like a finding.
        axes.stairs(share, edges, baseline=None, linewidth=1.6, label=name, **look.style)
        top = max(top, float(share.max()))
        # The name stands at the peak, or high up on its sides, but not at the last cell, as long
        # as there are others.
        hump = share[:-1] if share[:-1].any() else share
        high = np.flatnonzero(hump >= 0.85 * hump.max())
        anchors = np.column_stack((moves, share))[high if len(high) else [-1]].astype(float)
        figures = mean if result is table.shown[0] else f"{mean} ({more})"
        labels.append(Name(folded(f"{name} {figures}", 36), anchors, look.colour))
    axes.set_ylim(0, 1.12 * top)
    move_axis(axes, results)
    axes.set_xlabel(f"{axes.get_xlabel()}; names with means")
    axes.set_ylabel("games (%)")
    table.entitle(figure)
    return figure if place_names(axes, labels) else draw_hills(results)
