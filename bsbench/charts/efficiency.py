"""Several strategies on one axis: the efficiency figure of "Spot the ships"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from bsbench.charts import caption, folded, house_style, new_figure, short
from bsbench.results import Result


def efficiency(results: Sequence[Result]) -> Figure:
    """Draw the share of games by move count, a line for each result of one scenario.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021), section
    "Strategies efficiency comparison": four strategies, 1,000,000 layouts.

    Raises
    ------
    ValueError
        If the results are not of one scenario: their move counts don't compare.
    """
    scenario = results[0].scenario
    if any(result.scenario != scenario for result in results):
        raise ValueError("results of different scenarios don't belong on one axis")
    rules = scenario.rules
    with house_style():
        figure = new_figure()
        axes = figure.subplots()
        moves = np.arange(rules.ship_cells, rules.cells + 1)
        edges = np.arange(rules.ship_cells, rules.cells + 2) - 0.5
        styles = ("-", "--", "-.", ":")
        for number, result in enumerate(results):
            axes.stairs(
                100 * result.counts[moves] / result.games,
                edges,
                color=f"C{number}",
                linestyle=styles[number % len(styles)],
                linewidth=1.6,
                label=folded(f"{result.label}: mean {result.stats.mean:.2f}", 36),
            )
        axes.set_ylim(0)
        axes.set_xlim(edges[0] - 1, edges[-1] + 1)
        axes.legend(loc="upper left", frameon=False)
        axes.set_xlabel(
            f"moves ({rules.ship_cells} is a perfect game, {rules.cells} the whole board)"
        )
        axes.set_ylabel("games (%)")
        axes.set_title(f"Strategies on {short(scenario.name)}")
        played = " / ".join(sorted({f"{result.games:,}" for result in results}))
        played = f"{played} games each, seed {results[0].seed}"
        caption(axes, scenario, "", played, results[0].bsbench)
    return figure
