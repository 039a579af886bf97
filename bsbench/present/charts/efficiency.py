"""Share of games by move count, a curve for each strategy: the figure of "Spot the ships"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    MOST_LINES,
    compared,
    entitle,
    move_axis,
    new_chart,
    rest_text,
    with_looks,
)
from bsbench.present.charts._labels import Name, draw_rest, draw_steps, place_names
from bsbench.present.charts._layout import folded, house_style
from bsbench.present.charts._steps import cut_bars, top_of
from bsbench.present.looks import SOFT, darkened
from bsbench.present.verdicts import finding
from bsbench.runs.results import Result, move_range

NEEDS = Needs.RESULTS


@house_style()
def efficiency(results: Sequence[Result]) -> Figure:
    """Draw the share of games by move count, a line for each result of one scenario.

    Of more than seven results, the best have colours and names, and the others are grey.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021), section
    "Strategies efficiency comparison": four strategies, 1,000,000 layouts.

    Raises
    ------
    BsbenchError
        If the results are not of one scenario: their move counts don't compare.
    """
    shown, rest = with_looks(results)
    span = move_range(results)
    figure, axes = new_chart()
    moves = np.arange(span.start, span.stop)
    edges = np.arange(span.start, span.stop + 1) - 0.5

    def games(result: Result) -> npt.NDArray[np.float64]:
        return np.asarray(100.0 * result.counts[moves] / result.games)

    labels = []
    lines = []
    top = top_of([games(result) for result in results])
    # The figures of all bars that are cut stand left of all of them.
    at = edges[np.any([games(each) > top for each in results], axis=0).argmax()]
    cuts = 0
    for result, name, look in shown:
        share = games(result)
        # The line ends at the last cell: a fall to zero there would look like a finding.
        lines.append(draw_steps(axes, share, edges, name, look, baseline=None))
        # The name stands at the peak, or high up on its sides, but not on a bar that is cut, or at
        # the last cell, as long as there are others.
        hump = share[:-1] if share[:-1].any() else share
        high = np.flatnonzero(hump >= 0.85 * min(hump.max(), 0.9 * top))
        high = high[share[high] <= 0.9 * top]
        anchors = np.column_stack((moves, share))[high if len(high) else [-1]].astype(float)
        anchors[:, 1] = np.minimum(anchors[:, 1], 0.9 * top)
        mean = result.stats.mean_text.partition(" ±")[0]
        labels.append(Name(folded(f"{name} {mean}", 36), anchors, look.colour))
        lines[-1][:, 1] = np.minimum(lines[-1][:, 1], top)
        cuts += cut_bars(axes, share, edges, top, 0.99 - 0.05 * cuts, at, darkened(look.colour))
    # As the last one of a list.
    others = [games(each) for each in rest]
    labels += draw_rest(axes, others, edges, rest_text(rest))
    if others:
        tallest = max(others, key=lambda each: float(each.max()))
        cut_bars(axes, tallest, edges, top, 0.99 - 0.05 * cuts, at, SOFT)
    axes.set_ylim(0, top)
    move_axis(axes, results)
    axes.set_xlabel(f"{axes.get_xlabel()}; names with means")
    axes.set_ylabel("games (%)")
    entitle(axes, finding(compared(results)), results, most=MOST_LINES)
    place_names(axes, labels, lines)
    return figure
