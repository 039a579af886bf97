"""Reliability diagram: of the cells that a strategy gives 30 %, how many hold a ship."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from bsbench.common.texts import short_names
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import caption_text, entitle_figure, games_text, new_figure
from bsbench.present.charts._layout import folded, house_style
from bsbench.present.looks import Look, looks
from bsbench.present.verdicts import LONGEST_IN_TITLE
from bsbench.stats.forecasts import Bin
from bsbench.studies.calibration.study import (
    Calibration,
    CalibrationReport,
    calibrate,
    check_chances,
)

NEEDS = Needs.STRATEGIES
PLAY, CHECK = calibrate, check_chances

_BINS = 20
"""Bins shown; the figures of a calibration are those of all."""

_FEW, _FEWEST = 0.1, 0.01
"""Per cent of the probabilities below which a bin does not decide how far the middle panels reach,
and below which it is not shown."""

_LEAST_REACH = 1.0
"""Of the middle panels, in points."""

_WIDEST = 0.3
"""Width of the interval of a share up to which a bin is shown: of few games, it says nothing."""


@house_style()
def reliability(report: CalibrationReport) -> Figure:
    """Draw a reliability diagram: share of ships against their probability, by a strategy.

    On the left are the cells that were shot, on the right all cells not shot yet. Calibrated
    probabilities lie on the diagonal. The middle panels show the distance from it, the lower ones
    how often there was such a probability.

    Source: A. H. Murphy and R. L. Winkler, "Reliability of Subjective Probability Forecasts of
    Precipitation and Temperature", Applied Statistics 26 (1977).

    Parameters
    ----------
    report : CalibrationReport
        Of games played: `bsbench.studies.calibration.study.calibrate`.
    """
    found = report.calibrations
    figure = new_figure()
    figure.set_size_inches(9, 7.4)
    panels = figure.subplots(3, 2, sharex=True, sharey="row", height_ratios=(5, 2.2, 1.6))
    of_cells = ("cells shot", "all cells not shot yet")
    styles = looks(each.label for each in found)
    reach = _LEAST_REACH
    for column, title in enumerate(of_cells):
        share, off, number = panels[:, column]
        share.set_title(title, fontsize=10, pad=6)
        share.plot([0, 100], [0, 100], color="#666666", linewidth=1.2, linestyle=(0, (6, 3)))
        off.axhline(0, color="#666666", linewidth=1.2, linestyle=(0, (6, 3)))
        for each, style in zip(found, styles, strict=True):
            bins = (each.cells if column else each.shots).bins(_BINS)
            reach = max(reach, _draw(share, off, number, bins, style, folded(each.label, 40)))
        number.set_xlabel("probability given (%)")
    first, second, third = panels[:, 0]
    first.set_ylabel("cells with a ship (%)\nbars: 95 % intervals")
    # Points at the ends are whole.
    first.set_xlim(-1.5, 101.5)
    first.set_ylim(-1.5, 101.5)
    first.legend(frameon=False, loc="upper left")
    second.set_ylabel("share - probability\n(points)")
    second.set_ylim(-1.05 * reach, 1.05 * reach)
    third.set_yscale("log")
    third.set_ylim(0.1 * _FEWEST, 130)
    third.yaxis.set_major_formatter("{x:g}")
    third.yaxis.set_minor_locator(NullLocator())
    third.set_ylabel("how often (%)")
    games = f"{games_text(report.games)}, seed {report.seed}"
    played = caption_text(report.scenario, f", feedback {report.scenario.rules.feedback}", games)
    entitle_figure(figure, _finding(found), played, report.bsbench)
    return figure


def _finding(found: Sequence[Calibration]) -> str:
    """Return by how much the probabilities of shots are off, of the best and of the worst."""
    ranked = sorted(found, key=lambda each: each.shots.gap)
    best, worst = ranked[0], ranked[-1]
    called = short_names((each.label for each in ranked), LONGEST_IN_TITLE)
    texts = [f"{100 * each.shots.gap:.1f}" for each in (best, worst)]
    text = f"Probabilities that {called[0]} gives its shots are off by {texts[0]} points"
    if best is worst:
        return text
    return f"{text}, those of {called[-1]} by {texts[1]}"


def _draw(
    share: Axes, off: Axes, number: Axes, bins: Sequence[Bin], look: Look, label: str
) -> float:
    """Draw a strategy into the panels of a column; return how far the middle one has to reach."""
    forecasts = np.array([each.forecasts for each in bins])
    x, y = 100 * np.array([(each.forecast, each.share) for each in bins]).T
    low, high = 100 * np.array([each.interval for each in bins]).T
    share_of_all = 100 * forecasts / forecasts.sum()
    edges = np.linspace(0, 100, _BINS + 1)
    often, _ = np.histogram(x, edges, weights=share_of_all)
    number.stairs(often, edges, linewidth=1.4, baseline=None, **look.style)
    # Of very few games there are no intervals.
    shown = ~(high - low > 100 * _WIDEST) & (share_of_all >= _FEWEST)
    x, y = x[shown], y[shown]
    bars = np.nan_to_num(np.maximum(np.stack((y - low[shown], high[shown] - y)), 0))
    style = {"marker": "o", "markersize": 3.5, "linewidth": 1.4, "elinewidth": 1.2, **look.style}
    # No line crosses a bin that is not shown.
    gaps = 1 + np.flatnonzero(np.diff(np.digitize(x, edges[1:-1])) > 1)
    points = np.insert(np.stack((x, y, *bars)), gaps, np.nan, axis=1)
    share.errorbar(points[0], points[1], points[2:], label=label, **style)
    off.errorbar(points[0], points[1] - points[0], points[2:], **style)
    reached = (abs(y - x) + bars.max(axis=0))[share_of_all[shown] >= _FEW]
    return float(reached.max(initial=0))
