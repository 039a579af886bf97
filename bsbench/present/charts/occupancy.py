"""Heat map of a scenario: how likely each cell holds a ship."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import bsbench
from bsbench.common.texts import short
from bsbench.present.charts import Needs
from bsbench.present.charts._cells import MOST_NUMBERS, cells_text, heat_map, highest, range_text
from bsbench.present.charts._drawing import caption_text, entitle_figure, new_chart
from bsbench.present.charts._layout import house_style
from bsbench.runs import heat
from bsbench.runs.heat import Occupancy

NEEDS = Needs.SCENARIO
PLAY = heat.occupancy


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
    heat_map(axes, share.reshape(rules.rows, rules.cols), "viridis", texts, noise, scale)
    drawn = f"{counted.games:,} layouts drawn" if counted.games > 1 else "1 layout drawn"
    text = caption_text(scenario, "", f"{drawn}, seed {counted.seed}")
    entitle_figure(figure, _finding(counted), text, bsbench.__version__)
    return figure


def _finding(counted: Occupancy) -> str:
    """Return where ships lie most and least often, as far as the layouts drawn tell it."""
    where, rules, share = short(counted.scenario.name), counted.scenario.rules, counted.share
    errors = np.sqrt(share * (1 - share) / counted.games)
    most, least = highest(share, errors), highest(-share, errors)
    if not set(most).isdisjoint(least):
        return f"On {where}, all cells hold a ship about equally often"
    if max(rules.rows, rules.cols) > MOST_NUMBERS:
        return f"On {where}, ships lie more often on some cells than on others"
    highs, lows = (range_text(f"{100 * share[at]:.1f}" for at in each) for each in (most, least))
    return (
        f"On {where}, ships lie most often on {cells_text(most, rules)} ({highs} % of layouts), "
        f"least often on {cells_text(least, rules)} ({lows} %)"
    )
