"""Heat map of a scenario: how likely each cell holds a ship."""

from __future__ import annotations

from matplotlib.figure import Figure

import bsbench
from bsbench.charts import Needs, caption, house_style, new_figure, short
from bsbench.charts._cells import heat
from bsbench.heat import Occupancy

NEEDS = Needs.SCENARIO


def occupancy(counted: Occupancy) -> Figure:
    """Draw the share of layouts in which each cell holds a ship.

    Parameters
    ----------
    counted : Occupancy
        Of layouts drawn: `bsbench.heat.occupancy`.
    """
    scenario = counted.scenario
    rules = scenario.rules
    share = 100 * counted.share
    with house_style():
        figure = new_figure()
        height = 5.6 * rules.rows / rules.cols + 0.9
        figure.set_size_inches(8, min(max(height, 3), 9))
        axes = figure.subplots()
        heat(
            axes,
            share.reshape(rules.rows, rules.cols),
            "viridis",
            [f"{value:.1f}" for value in share],
        )
        axes.set_title(f"Where ships lie on {short(scenario.name)}: layouts with a ship there (%)")
        drawn = f"{counted.games:,} layouts drawn" if counted.games > 1 else "1 layout drawn"
        caption(axes, scenario, "", f"{drawn}, seed {counted.seed}", bsbench.__version__)
    return figure
