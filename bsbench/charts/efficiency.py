"""Share of games by move count, several strategies on one axis: the figure of "Spot the ships"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from bsbench.charts import (
    Needs,
    caption,
    folded,
    house_style,
    looks,
    move_axis,
    names,
    new_figure,
    one_scenario,
    played,
    short,
    versions,
)
from bsbench.charts._labels import Name, place_names
from bsbench.results import Result

NEEDS = Needs.RESULTS


def efficiency(results: Sequence[Result]) -> Figure:
    """Draw the share of games by move count, a line for each result of one scenario.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021), section
    "Strategies efficiency comparison": four strategies, 1,000,000 layouts.

    Raises
    ------
    BsbenchError
        If the results are not of one scenario: their move counts don't compare.
    """
    scenario = one_scenario(results)
    rules = scenario.rules
    with house_style():
        figure = new_figure()
        axes = figure.subplots()
        moves = np.arange(rules.ship_cells, rules.cells + 1)
        edges = np.arange(rules.ship_cells, rules.cells + 2) - 0.5
        labels, lines = [], []
        told = names(results)
        for result, name, look in zip(results, told, looks(told), strict=True):
            share = 100 * result.counts[moves] / result.games
            axes.stairs(
                share, edges, color=look.colour, linestyle=look.linestyle, linewidth=1.6, label=name
            )
            # The name stands at the peak, or high up on its sides.
            high = share >= 0.85 * share.max()
            anchors = np.column_stack((moves, share))[high]
            text = folded(f"{name} {result.stats.mean:.2f}", 36)
            labels.append(Name(text, anchors, look.colour))
            lines.append(np.column_stack((edges.repeat(2)[1:-1], share.repeat(2))))
        axes.set_ylim(0, 1.08 * axes.dataLim.y1)
        move_axis(axes, rules)
        axes.set_xlabel(f"{axes.get_xlabel()}; beside each name its mean")
        axes.set_ylabel("games (%)")
        axes.set_title(f"Strategies on {short(scenario.name)}")
        caption(axes, scenario, "", played(results), versions(results))
        place_names(axes, labels, lines)
    return figure
