"""Heat map of a strategy: when it shoots each cell, and in how many games at all."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import bsbench
from bsbench.present.charts import Needs
from bsbench.present.charts._cells import heat
from bsbench.present.charts._drawing import (
    caption_text,
    entitle_figure,
    house_style,
    new_figure,
    short,
)
from bsbench.runs.heat import Shots

NEEDS = Needs.STRATEGY


@house_style()
def shots(counted: Shots) -> Figure:
    """Draw the mean number of the shot at each cell, and the share of games with such a shot.

    Parameters
    ----------
    counted : Shots
        Of games played: `bsbench.runs.heat.shots`.
    """
    scenario = counted.scenario
    rules = scenario.rules
    shape = rules.rows, rules.cols
    numbers, share = counted.mean_number, 100 * counted.share
    figure = new_figure()
    # Two boards beside each other, or one above the other where they are wide.
    wide = rules.cols > 1.6 * rules.rows
    figure.set_size_inches(9, 6.4 if wide else 4.9)
    first, second = figure.subplots(2, 1) if wide else figure.subplots(1, 2)
    texts = ["" if np.isnan(number) else f"{number:.0f}" for number in numbers]
    # Bright is early, and often.
    heat(first, numbers.reshape(shape), "viridis_r", texts)
    heat(second, share.reshape(shape), "viridis", [f"{value:.0f}" for value in share])
    first.set_xlabel("mean number of the shot, where shot")
    second.set_xlabel("games in which it is shot at all (%)")
    games = f"{counted.games:,} game{'s' if counted.games > 1 else ''}, seed {counted.seed}"
    played = caption_text(scenario, f", feedback {rules.feedback}", games)
    title = f"When {counted.label} shoots each cell on {short(scenario.name)}"
    entitle_figure(figure, title, played, bsbench.__version__)
    return figure
