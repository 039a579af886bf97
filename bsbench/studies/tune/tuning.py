"""Tunings: how much each race gained against games played, and how much of it remains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bsbench.common.texts import short
from bsbench.present.charts._drawing import caption_text, entitle_figure, new_chart
from bsbench.present.charts._layout import house_style
from bsbench.studies.tune.searching import VALIDATION
from bsbench.studies.tune.study import FINAL, Tuning

if TYPE_CHECKING:
    import pandas as pd

_GREY, _BLUE, _ORANGE, _GREEN = "#999999", "#0072B2", "#D55E00", "#009E73"

_ABOVE = 1.5
"""How far y reaches above 0 at most, as a multiple of how far it reaches below: most candidates of
the first race are far worse than the start."""


@house_style()
def tuning_chart(tuning: Tuning) -> Figure:
    """Draw the difference of each candidate to the start against the games played by all.

    Each race, validation and the final games have a part of the axis of x, as wide as the games
    that they took. Within it candidates stand by rank, the best first.

    Parameters
    ----------
    tuning : Tuning
    """
    frame = tuning.to_frame()
    frame = frame[frame["games"] > 0]
    figure, axes = new_chart()
    begin, edges = 0, []
    for stage, part in frame.groupby("stage", sort=False):
        end = int(part["spent"].iloc[0])
        x = begin + (end - begin) * (np.arange(len(part)) + 0.5) / len(part)
        _draw_stage(axes, str(stage), x, part)
        edges.append(end)
        begin = end
    for edge in edges[:-1]:
        axes.axvline(edge, color="#dddddd", linewidth=0.6, zorder=0.3)
    axes.axhline(0, color="#444444", linewidth=1)
    _limit(axes, frame)
    axes.set_xlim(0, begin)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("games played by all; each part is a race, then validation and the final games")
    axes.set_ylabel(f"{tuning.scenario.rules.counted}, less those of the start (below 0 is better)")
    axes.legend(frameon=False, loc="upper right", fontsize=9)
    played = f"final: {tuning.difference.text}, seed {tuning.seed}"
    text = caption_text(tuning.scenario, "", played)
    entitle_figure(figure, _finding(tuning), text, tuning.bsbench)
    return figure


def _finding(tuning: Tuning) -> str:
    """Return what the tuning is worth."""
    name, worth = short(tuning.start.label), tuning.difference
    if not worth.significant or worth.mean > 0:
        return f"Tuning found nothing clearly better than {name}"
    return f"Tuned, {name} needs {worth.text.lstrip('-')} fewer {tuning.scenario.rules.counted}"


def _draw_stage(axes: Axes, stage: str, x: Any, part: pd.DataFrame) -> None:
    """Draw the candidates of a race, of validation, or the final figure."""
    y, half_width = part["difference"].to_numpy(), part["half_width"].to_numpy()
    colour = {VALIDATION: _ORANGE, FINAL: _GREEN}.get(stage, _BLUE)
    # Of a race, those that went to its end.
    last = (part["games"] == part["games"].max()).to_numpy()
    names = {VALIDATION: "validation, 95 % interval", FINAL: "final games, 95 % interval"}
    first_race = stage == "race 1"
    axes.plot(
        x[~last],
        y[~last],
        ls="none",
        marker="o",
        markersize=2.5,
        color=_GREY,
        label="left a race early" if first_race else None,
    )
    axes.errorbar(
        x[last],
        y[last],
        half_width[last],
        ls="none",
        marker="o",
        capsize=2,
        linewidth=1,
        markersize=5 if stage == FINAL else 3.5,
        color=colour,
        label=names.get(stage, "to the end of its race, 95 % interval" if first_race else None),
    )
    if stage == FINAL:
        axes.axhline(y[0], color=colour, linewidth=0.8, linestyle=(0, (5, 2)), zorder=0.6)


def _limit(axes: Axes, frame: pd.DataFrame) -> None:
    """Limit y to what matters, and say how many candidates stand above it."""
    width = frame["half_width"].fillna(0)
    low = min(float((frame["difference"] - width).min()), 0.0)
    final = float(width.iloc[-1])
    reach = max(_ABOVE * abs(low), 3 * final, 1e-3)
    high = min(max(float((frame["difference"] + width).max()), 0.0), reach)
    space = 0.05 * (high - low) or reach
    axes.set_ylim(low - space, high + space)
    above = int((frame["difference"] > high).sum())
    if above:
        text = f"{above} candidate{'s' * (above > 1)} above"
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        place: dict[str, Any] = {"transform": axes.transAxes, "va": "top", "bbox": box}
        axes.text(0.005, 0.985, text, fontsize=8, color=_GREY, **place)
