"""Halfway: share of games that are over, against moves, and where it passes one half."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from bsbench.present.charts import Needs, house_style, new_figure
from bsbench.runs.results import Result
from bsbench.studies.half.study import halfway as found_in

NEEDS = Needs.RESULTS


@house_style()
def halfway(results: Sequence[Result]) -> Figure:
    """Draw a line for each result, and a mark where half of its games are over."""
    figure = new_figure()
    axes = figure.subplots()
    for result in results:
        axes.plot(result.counts.cumsum() / result.games, label=result.label)
        axes.axvline(found_in(result).moves)
    axes.set_ylabel("share of games that are over")
    return figure
