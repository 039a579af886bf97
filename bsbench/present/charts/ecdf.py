"""Share of games finished by each shot, a curve for each strategy: DataGenetics' figure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    MOST_LINES,
    entitle,
    move_axis,
    new_chart,
    rest_text,
    title_names,
    with_looks,
)
from bsbench.present.charts._labels import Name, draw_rest, draw_steps, place_names
from bsbench.present.charts._layout import folded, house_style
from bsbench.runs.results import Result, counted, move_range

NEEDS = Needs.RESULTS

_TIED = 8, 97
"""Between which shares, in per cent, a name may be tied to its line."""


@house_style()
def ecdf(results: Sequence[Result]) -> Figure:
    """Draw the share of games that are over by each shot, a line for each result.

    The lines are the exact steps of the empirical distribution function: at m shots they
    rise to the share of games that took m moves or fewer. They cross the guide at 50 % at
    the median. Of more than seven results, the best have colours and
    names, and the others are grey.

    Source: N. Berry, "Battleship", DataGenetics, December 2011: its figure of all
    strategies, after 0 to 100 shots.

    Raises
    ------
    BsbenchError
        If the results are not of one scenario: their move counts don't compare.
    """
    shown, rest = with_looks(results)
    span = move_range(results)
    figure, axes = new_chart()
    axes.axhline(50, color="#666666", linewidth=1.2, linestyle=(0, (6, 3)), zorder=0.6)
    # No game is over one shot before the perfect game.
    moves = np.arange(span.start - 1, span.stop)
    edges = np.arange(span.start - 1.0, span.stop + 1)

    def finished(result: Result) -> npt.NDArray[np.float64]:
        return np.asarray(100.0 * np.cumsum(result.counts)[moves] / result.games)

    labels = []
    # The guide, too: a name on it is struck through.
    lines = [np.array([[edges[0], 50.0], [edges[-1], 50.0]])]
    for result, name, look in shown:
        share = finished(result)
        lines.append(draw_steps(axes, share, edges, name, look, baseline=None))
        treads = np.column_stack((moves + 0.5, share))
        clear = (share > _TIED[0]) & (share < _TIED[1])
        anchors = treads[clear] if clear.any() else treads[share >= 50][:1]
        mean = result.stats.mean_text.partition(" ±")[0]
        labels.append(Name(folded(f"{name} {mean}", 36), anchors, look.colour))
    # As the last one of a list.
    labels += draw_rest(axes, [finished(each) for each in rest], edges, rest_text(rest))
    axes.set_ylim(0, 102)
    # Of two spaces beside each other, an SVG has one.
    median = "median\N{NO-BREAK SPACE} 50"
    axes.set_yticks([0, 25, 50, 75, 100], ["0", "25", median, "75", "100"])
    move_axis(axes, results)
    axes.set_xlabel(f"{axes.get_xlabel()}; names with means")
    axes.set_ylabel("games finished (%, higher is better)")
    entitle(axes, _finding(results), results, most=MOST_LINES)
    place_names(axes, labels, lines)
    return figure


def _finding(results: Sequence[Result]) -> str:
    """Return by when half of the games are over, of the best and of the worst."""
    ranked = sorted(results, key=lambda result: result.stats.mean)
    best, worst = ranked[0], ranked[-1]
    called, shot = title_names(ranked), counted(results, "shot")
    text = f"Half of the games of {called[0]} are over by {shot} {best.stats.median}"
    if len(ranked) == 1:
        return text
    same = " as well" if worst.stats.median == best.stats.median else ""
    return f"{text}, of {called[-1]} by {shot} {worst.stats.median}{same}"
