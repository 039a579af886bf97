"""Heat map of a scenario: how likely each cell holds a ship."""

from __future__ import annotations

from matplotlib.figure import Figure

import bsbench
from bsbench.present.charts import Needs
from bsbench.present.charts._cells import heat
from bsbench.present.charts._drawing import caption, caption_text, house_style, new_chart, short
from bsbench.runs.heat import Occupancy

NEEDS = Needs.SCENARIO


@house_style()
def occupancy(counted: Occupancy) -> Figure:
    """Draw the share of layouts in which each cell holds a ship.

    Parameters
    ----------
    counted : Occupancy
        Of layouts drawn: `bsbench.runs.heat.occupancy`.
    """
    scenario = counted.scenario
    rules = scenario.rules
    share = 100 * counted.share
    figure, axes = new_chart()
    height = 5.6 * rules.rows / rules.cols + 0.9
    figure.set_size_inches(8, min(max(height, 3), 9))
    texts = [f"{value:.1f}" for value in share]
    heat(axes, share.reshape(rules.rows, rules.cols), "viridis", texts)
    axes.set_title(f"Where ships lie on {short(scenario.name)}: layouts with a ship there (%)")
    drawn = f"{counted.games:,} layouts drawn" if counted.games > 1 else "1 layout drawn"
    text = caption_text(scenario, "", f"{drawn}, seed {counted.seed}")
    caption(axes, text, bsbench.__version__)
    return figure
