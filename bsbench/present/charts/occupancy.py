"""Heat map of a scenario: how likely each cell holds a ship."""

from __future__ import annotations

from matplotlib.figure import Figure

import bsbench
from bsbench.present.charts import Needs
from bsbench.present.charts._cells import heat
from bsbench.present.charts._drawing import (
    caption_text,
    entitle_figure,
    house_style,
    new_chart,
    short,
)
from bsbench.rules.drawing import cell_name
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
    width = min(max(8 * rules.cols / rules.rows, 4.6), 8)
    figure.set_size_inches(width, min(max(height, 3), 9))
    texts = [f"{value:.1f}" for value in share]
    # Four standard errors either way of a share: less is noise.
    mean = counted.share.mean()
    noise = 800 * (mean * (1 - mean) / counted.games) ** 0.5
    scale = "layouts with a ship there (%)"
    heat(axes, share.reshape(rules.rows, rules.cols), "viridis", texts, noise, scale)
    most, least = int(share.argmax()), int(share.argmin())
    title = f"On {short(scenario.name)}, all cells hold a ship about equally often"
    if share[most] - share[least] > noise:
        title = (
            f"On {short(scenario.name)}, ships lie most often on {cell_name(most, rules.cols)} "
            f"({share[most]:.1f} % of layouts), least often on {cell_name(least, rules.cols)} "
            f"({share[least]:.1f} %)"
        )
    drawn = f"{counted.games:,} layouts drawn" if counted.games > 1 else "1 layout drawn"
    text = caption_text(scenario, "", f"{drawn}, seed {counted.seed}")
    entitle_figure(figure, title, text, bsbench.__version__)
    return figure
