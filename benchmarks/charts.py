"""How cost grows: with games, and with the cells of the board."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from benchmarks.parts import Row
from bsbench.present.charts import house_style, new_figure

_MARKERS = "os^D"
_PLAIN = FuncFormatter(lambda value, _: f"{value:,.0f}")


def growth(rows: Sequence[Row]) -> Figure:
    """Draw the time of a game, and peak memory, against the games of a run."""
    with house_style():
        figure = new_figure()
        figure.set_size_inches(9, 4.2)
        time, memory = figure.subplots(1, 2)
        for index, name in enumerate(_names(rows)):
            mine = [row for row in rows if row["strategy"] == name]
            games = [row["games"] for row in mine]
            label = f"{name} on {mine[0]['scenario']}"
            style = {"color": f"C{index}", "marker": _MARKERS[index % 4], "label": label}
            time.plot(games, [1e6 * row["seconds"] / row["games"] for row in mine], **style)
            if mine[0]["peak_bytes"] is not None:
                memory.plot(games, [row["peak_bytes"] / 1e6 for row in mine], **style)
        for axes, title, unit, said in (
            (time, "Time of a game", "µs", "all cores, start-up not counted"),
            (memory, "Peak memory", "MB", "of the whole process"),
        ):
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(_PLAIN)
            axes.set_xlabel("games")
            axes.set_ylim(0, 1.3 * axes.dataLim.ymax)
            axes.set_ylabel(unit)
            _set_titles(axes, title, said)
        time.legend(frameon=False)
    return figure


def cells(rows: Sequence[Row]) -> Figure:
    """Draw the time of a shot against the cells of the board, both logarithmic."""
    with house_style():
        figure = new_figure()
        axes = figure.subplots()
        for index, name in enumerate(_names(rows)):
            mine = [row for row in rows if row["strategy"] == name]
            sizes = np.array([row["cells"] for row in mine])
            cost = np.array([1e9 * row["seconds_per_shot"]["median"] for row in mine])
            axes.plot(sizes, cost, color=f"C{index}", marker=_MARKERS[index % 4], label=name)
            # What cost in proportion to the cells would be, to the right of 10x10.
            larger = sizes[sizes >= 100]
            proportional = cost[sizes == 100] * larger / 100
            axes.plot(larger, proportional, color=f"C{index}", linestyle=":", linewidth=1.2)
        axes.plot([], [], color="#888888", linestyle=":", label="in proportion to the cells")
        axes.set_xscale("log")
        axes.set_yscale("log")
        boards = {row["cells"]: row["board"] for row in rows}
        axes.xaxis.set_major_locator(FixedLocator(list(boards)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: boards[round(value)]))
        axes.yaxis.set_major_formatter(_PLAIN)
        axes.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
        axes.yaxis.set_minor_formatter(_PLAIN)
        axes.set_xlabel("board")
        axes.set_ylabel("ns a shot")
        _set_titles(axes, "Time of a shot", "fleet 5 4 3 3 2, touching, layouts included, one core")
        axes.legend(frameon=False)
    return figure


def _set_titles(axes: Axes, title: str, said: str) -> None:
    axes.set_title(title)
    axes.text(0, 1.02, said, transform=axes.transAxes, fontsize=9, color="#555555")


def _names(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["strategy"] for row in rows))


CHARTS: dict[str, Callable[[Sequence[Row]], Figure]] = {"growth": growth, "cells": cells}
"""By the part whose rows they draw."""
