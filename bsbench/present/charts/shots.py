"""Heat map of a strategy: when it shoots at each cell, and in how many games."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

import bsbench
from bsbench.common.texts import short
from bsbench.present.charts import Needs
from bsbench.present.charts._cells import MOST_NUMBERS, cells_text, heat_map, highest, range_text
from bsbench.present.charts._drawing import caption_text, entitle_figure, games_text, new_figure
from bsbench.present.charts._layout import house_style
from bsbench.present.verdicts import LONGEST_IN_TITLE
from bsbench.runs import heat
from bsbench.runs.heat import Shots

NEEDS = Needs.STRATEGY
PLAY = heat.shots

_NARROW = 5
"""Numbers within so many shots, or per cent, have a digit after the point."""


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
    tall = rules.rows > 1.6 * rules.cols
    height = 3.2 * min(max(rules.rows / rules.cols, 0.2), 2.4) + 1.7
    if wide:
        height = 2 * (6.6 * rules.rows / rules.cols + 0.7) + 1
    figure.set_size_inches(6.4 if tall else 9, height)
    first, second = figure.subplots(2, 1) if wide else figure.subplots(1, 2)
    # 3.5 standard errors either way of a mean number, at most, and of a share: less is noise. Nor
    # is a difference of one shot, or of one game in a hundred, worth a colour.
    mean = max(float(counted.shot.mean()), 1.0)
    noises = 7 * rules.cells / (12 * mean) ** 0.5, 350 / counted.games**0.5
    words = "mean number of the shot, where shot", "games in which it is shot at all (%)"
    # Bright is early, and often.
    # Words stand where there is room: above a board, or beside a narrow one.
    beside = words if tall else ("", "")
    drawn = numbers, share
    for place, axes in enumerate((first, second)):
        colours = "viridis_r" if place == 0 else "viridis"
        least, texts = max(noises[place], 4), _texts(drawn[place])
        heat_map(axes, drawn[place].reshape(shape), colours, texts, least, beside[place])
        if not tall:
            axes.set_title(words[place], fontsize=10, fontweight="normal", pad=6)
    games = f"{games_text(counted.games)} of {counted.label}, seed {counted.seed}"
    played = caption_text(scenario, f", feedback {rules.feedback}", games)
    entitle_figure(figure, _finding(counted), played, bsbench.__version__)
    return figure


def _texts(values: npt.NDArray[np.float64]) -> list[str]:
    """Return numbers of cells, with a digit more where they hardly differ."""
    known = values[np.isfinite(values)]
    digits = int(np.ptp(known) < _NARROW) if len(known) else 0
    return ["" if np.isnan(value) else f"{value:.{digits}f}" for value in values]


def _finding(counted: Shots) -> str:
    """Return which cells are shot earliest and latest."""
    label, where = short(counted.label, LONGEST_IN_TITLE), short(counted.scenario.name)
    numbers, errors, rules = counted.mean_number, counted.error, counted.scenario.rules
    early, late = highest(-numbers, errors), highest(numbers, errors)
    if not set(early).isdisjoint(late):
        return f"{label} favours no cell on {where}: all are shot about equally early"
    if max(rules.rows, rules.cols) > MOST_NUMBERS:
        return f"{label} shoots some cells earlier than others on {where}"
    shown = np.array(_texts(numbers))
    # Cells that may be alike by chance, but don't look alike, are no mirror images of each other.
    first, last = (
        f"{cells_text(cells, rules, alike=len({*shown[cells]}) == 1)} {word} "
        f"(as shot {range_text(shown[cells])}"
        for cells, word in ((early, "earliest"), (late, "latest"))
    )
    return f"On {where}, {label} shoots {first} on average), and {last})"
