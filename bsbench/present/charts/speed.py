"""Efficiency against speed: mean moves and games per second, a point for each strategy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    entitle,
    folded,
    house_style,
    new_chart,
    rest_text,
    short,
    with_looks,
)
from bsbench.present.charts._labels import Name, place_names
from bsbench.present.looks import LINES
from bsbench.runs.results import Result

NEEDS = Needs.RESULTS

_POINT: dict[str, Any] = {"marker": "o", "markersize": 7, "markeredgewidth": 1.8, "ls": "none"}


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
    shown, rest = with_looks(results)
    figure, axes = new_chart()
    axes.set_xscale("log")
    labels = []
    if rest:
        others = np.array([(each.games_per_second, each.stats.mean) for each in rest])
        small = _POINT | {"markersize": 5, "markeredgewidth": 0}
        axes.plot(*others.T, color="#cccccc", label=rest_text(rest), **small)
        labels.append(Name(rest_text(rest), others, "#777777"))
    for result, name, look in shown:
        rate, mean = result.games_per_second, result.stats.mean
        # Hollow where the line would be broken.
        fill = look.colour if look.linestyle == LINES["solid"] else "white"
        axes.plot([rate], [mean], color=look.colour, markerfacecolor=fill, label=name, **_POINT)
        labels.append(Name(folded(name, 30), np.array([[rate, mean]]), look.colour))
    axes.margins(0.12, 0.1)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("games per second" + _threads(results))
    axes.set_ylabel("mean moves")
    entitle(axes, "Efficiency against speed", results)
    place_names(axes, labels, [name.anchors for name in labels], radius=4.5)
    return figure


def _threads(results: Sequence[Result]) -> str:
    """Return on how many threads and which processor the records were played, if alike."""
    threads = {result.threads for result in results}
    processors = {str(result.machine.get("processor")) for result in results}
    if len(threads) > 1 or len(processors) > 1:
        return ", on several machines or numbers of threads"
    (count,), (processor,) = threads, processors
    return f" on {count} thread{'s' if count > 1 else ''}, {short(processor)}"
