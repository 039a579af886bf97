"""Efficiency against speed: mean moves and games per second, a point for each strategy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from bsbench.common.texts import short
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    MOST_NAMED,
    entitle,
    footnote,
    log_axis,
    mean_words,
    new_chart,
    rest_text,
    title_names,
    with_looks,
)
from bsbench.present.charts._labels import Name, place_names
from bsbench.present.charts._layout import folded, house_style
from bsbench.runs.results import Result, counted

NEEDS = Needs.RESULTS

_POINT: dict[str, Any] = {"marker": "o", "markersize": 7, "markeredgewidth": 0, "ls": "none"}


@house_style()
def speed(results: Sequence[Result]) -> Figure:
    """Draw mean moves against games per second, a point for each result of one scenario.

    Of more than 20, the best have names, and the others are grey.

    Speeds are those of the records: of their machines and threads, start-up not counted.

    Raises
    ------
    BsbenchError
        If the results are not of one scenario: their move counts don't compare.
    """
    shown, rest = with_looks(results, MOST_NAMED)
    figure, axes = new_chart()
    labels = []
    if rest:
        others = np.array([(each.games_per_second, each.stats.mean) for each in rest])
        small = _POINT | {"markersize": 5, "markeredgewidth": 0}
        axes.plot(*others.T, color="#cccccc", label=rest_text(rest), **small)
        labels.append(Name(rest_text(rest), others, "#777777"))
    for result, name, look in shown:
        rate, mean = result.games_per_second, result.stats.mean
        axes.plot([rate], [mean], color=look.colour, label=name, **_POINT)
        labels.append(Name(folded(name, 30), np.array([[rate, mean]]), look.colour))
    frontier = _frontier(results)
    corners = np.repeat(frontier, 2, axis=0)
    corners = np.column_stack((corners[:-1, 0], corners[1:, 1]))
    axes.plot(*corners.T, color="#bbbbbb", lw=1, zorder=0.6, label="_frontier")
    axes.margins(0.12, 0.1)
    axes.set_xscale("log")
    # The margins of a logarithmic axis.
    axes.autoscale_view()
    log_axis(axes.xaxis)
    axes.set_xlabel("games per second (higher is better)")
    axes.set_ylabel(mean_words(results))
    notes = ["on the grey line: nobody is both faster and better"] if len(frontier) > 1 else []
    footnote(figure, "; ".join([*notes, _machines(results)]))
    entitle(axes, _finding(results), results)
    place_names(axes, labels, [*(name.anchors for name in labels), corners], radius=4.5)
    return figure


def _frontier(results: Sequence[Result]) -> npt.NDArray[np.float64]:
    """Return speeds and means of those that nobody surpasses in both, the fastest last."""
    found: list[tuple[float, float]] = []
    for each in sorted(results, key=lambda result: -result.games_per_second):
        if not found or each.stats.mean < found[-1][1]:
            found.append((each.games_per_second, each.stats.mean))
    return np.array(found[::-1])


def _finding(results: Sequence[Result]) -> str:
    """Return who needs the fewest moves and who plays fastest."""
    best = min(results, key=lambda result: result.stats.mean)
    fastest = max(results, key=lambda result: result.games_per_second)
    mean = best.stats.mean_text.partition(" ±")[0]
    called = dict(zip(map(id, results), title_names(results), strict=True))
    name, moves = called[id(best)], counted(results)
    if len(results) == 1:
        return f"{name}: {mean} {moves}, {_rate(best)}"
    if best is fastest:
        return f"{name} needs the fewest {moves}, {mean}, and plays fastest, {_rate(best)}"
    return (
        f"{name} needs the fewest {moves}: {mean}, at {_rate(best)}; "
        f"{called[id(fastest)]} plays fastest: {_rate(fastest)}"
    )


def _rate(result: Result) -> str:
    rate = float(f"{result.games_per_second:.2g}")
    return f"{rate:,.10g} games a second"


def _machines(results: Sequence[Result]) -> str:
    """Return on how many threads and which processor the records were played, if alike."""
    threads = {result.threads for result in results}
    processors = {str(result.machine.get("processor")) for result in results}
    if len(threads) > 1 or len(processors) > 1:
        return "speeds are of several machines or numbers of threads, and compare only roughly"
    (count,), (processor,) = threads, processors
    return f"speeds are of {count} thread{'s' if count > 1 else ''}, {short(processor)}"
