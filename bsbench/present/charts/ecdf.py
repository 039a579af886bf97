"""Share of games finished by each shot, a curve for each strategy: DataGenetics' figure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from bsbench.common.texts import short_names
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import MOST_LINES, move_axis, new_chart
from bsbench.present.charts._labels import Name, place_names
from bsbench.present.charts._layout import folded, house_style
from bsbench.present.charts._rows import Ranking, draw_hills
from bsbench.present.verdicts import LONGEST_IN_TITLE
from bsbench.runs.results import Result, counted, move_range

NEEDS = Needs.RESULTS

_TIED = 8, 97
"""Between which shares, in per cent, a name may be tied to its line."""


@house_style()
def ecdf(results: Sequence[Result]) -> Figure:
    """Draw the share of games that are over by each shot, a line for each result.

    The lines are the exact steps of the empirical distribution function: at m shots they
    rise to the share of games that took m moves or fewer. They cross the guide at 50 % at
    the median. More than six results, and any whose names find no room beside their lines, have
    a row each: the share of games by move count, with the median.

    Source: N. Berry, "Battleship", DataGenetics, December 2011: its figure of all
    strategies, after 0 to 100 shots.

    Raises
    ------
    BsbenchError
        If the results are not of one scenario: their move counts don't compare.
    """
    table = Ranking(results, MOST_LINES)
    if len(results) > MOST_LINES:
        return draw_hills(results, _finding(table, len(results)), median=True)
    span = move_range(results)
    figure, axes = new_chart()
    axes.axhline(50, color="#666666", linewidth=1.2, linestyle=(0, (6, 3)), zorder=0.6)
    # No game is over one shot before the perfect game.
    moves = np.arange(span.start - 1, span.stop)
    edges = np.arange(span.start - 1.0, span.stop + 1)

    def finished(result: Result) -> npt.NDArray[np.float64]:
        return np.asarray(100.0 * np.cumsum(result.counts)[moves] / result.games)

    labels = []
    for result, name, look in zip(table.shown, table.called, table.styles, strict=True):
        share = finished(result)
        axes.stairs(share, edges, baseline=None, linewidth=1.6, label=name, **look.style)
        treads = np.column_stack((moves + 0.5, share))
        clear = (share > _TIED[0]) & (share < _TIED[1])
        anchors = treads[clear] if clear.any() else treads[share >= 50][:1]
        labels.append(Name(folded(f"{name} {result.stats.median}", 36), anchors, look.colour))
    axes.set_ylim(0, 102)
    # Of two spaces beside each other, an SVG has one.
    median = "median\N{NO-BREAK SPACE} 50"
    axes.set_yticks([0, 25, 50, 75, 100], ["0", "25", median, "75", "100"])
    move_axis(axes, results)
    axes.set_xlabel(f"{axes.get_xlabel()}; names with medians")
    axes.set_ylabel("games finished (%, higher is better)")
    title = _finding(table, len(results))
    table.entitle(figure, title)
    if not place_names(axes, labels):
        return draw_hills(results, title, median=True)
    return figure


def _finding(table: Ranking, count: int) -> str:
    """Return by when half of the games are over, of the best and of the last one shown."""
    called = short_names(table.called, LONGEST_IN_TITLE)
    medians = [each.stats.median for each in table.shown]
    shot = counted(table.shown, "shot")
    text = f"Half of the games of {called[0]} are over by {shot} {medians[0]}"
    if count == 1:
        return text
    same = " as well" if medians[-1] == medians[0] else ""
    return f"{text}, of {called[-1]} by {shot} {medians[-1]}{same}"
