"""Share of games finished by each shot: the figure of DataGenetics, several on one axis."""

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

_TIED = 8, 97
"""Between which shares, in per cent, a name may be tied to its line."""


def ecdf(results: Sequence[Result]) -> Figure:
    """Draw the share of games that are over by each shot, a line for each result.

    The lines are the exact steps of the empirical distribution function: at m shots they
    rise to the share of games that took m moves or fewer. They cross the guide at 50 % at
    the median.

    Source: N. Berry, "Battleship", DataGenetics, December 2011: its figure of all
    strategies, after 0 to 100 shots.

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
        axes.axhline(50, color="#666666", linewidth=1.2, linestyle=(0, (6, 3)), zorder=0.6)
        # No game is over one shot before the perfect game.
        moves = np.arange(rules.ship_cells - 1, rules.cells + 1)
        edges = np.arange(rules.ship_cells - 1.0, rules.cells + 2)
        labels, lines = [], []
        told = names(results)
        for result, name, look in zip(results, told, looks(told), strict=True):
            share = 100 * np.cumsum(result.counts)[moves] / result.games
            axes.stairs(
                share,
                edges,
                baseline=None,
                color=look.colour,
                linestyle=look.linestyle,
                linewidth=1.6,
                label=name,
            )
            treads = np.column_stack((moves + 0.5, share))
            clear = (share > _TIED[0]) & (share < _TIED[1])
            anchors = treads[clear] if clear.any() else treads[share >= 50][:1]
            labels.append(Name(folded(name, 36), anchors, look.colour))
            lines.append(np.column_stack((edges.repeat(2)[1:-1], share.repeat(2))))
        axes.set_ylim(0, 102)
        axes.set_yticks([0, 25, 50, 75, 100], ["0", "25", "median  50", "75", "100"])
        move_axis(axes, rules)
        axes.set_ylabel("games finished (%)")
        axes.set_title(f"Games finished by each shot on {short(scenario.name)}")
        caption(axes, scenario, "", played(results), versions(results))
        place_names(axes, labels, lines)
    return figure
