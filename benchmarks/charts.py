"""How cost grows: with games, and with the cells of the board."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from benchmarks.parts import Row
from bsbench.charts import house_style, new_figure

_MARKERS = "os^D"


def growth(rows: Sequence[Row]) -> Figure:
    """Draw the time of a game, and peak memory, against the games of a run."""
    with house_style():
        figure = new_figure()
        figure.set_size_inches(9, 4.2)
        time, memory = figure.subplots(1, 2)
        for index, name in enumerate(_names(rows)):
            mine = [row for row in rows if row["strategy"] == name]
            games = [row["games"] for row in mine]
            style = {"color": f"C{index}", "marker": _MARKERS[index % 4], "label": name}
            time.plot(games, [1e6 * row["seconds"] / row["games"] for row in mine], **style)
            if mine[0]["peak_bytes"] is not None:
                memory.plot(games, [row["peak_bytes"] / 1e6 for row in mine], **style)
        for axes in (time, memory):
            axes.set_xscale("log")
            axes.set_xlabel("games")
            axes.set_ylim(0)
        time.set_ylabel("µs a game, all cores")
        time.set_title("Time of a game")
        time.legend(frameon=False)
        memory.set_ylabel("MB")
        memory.set_title("Peak memory")
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
            # From the board of 10x10 on: what cost in proportion to the cells would be.
            through = cost[sizes == 100] / 100
            axes.plot(sizes, through * sizes, color=f"C{index}", linestyle=":", linewidth=1)
        axes.plot([], [], color="#888888", linestyle=":", label="in proportion to the cells")
        axes.set_xscale("log")
        axes.set_yscale("log")
        _boards_below(axes, {row["cells"]: row["board"] for row in rows})
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.set_xlabel("board")
        axes.set_ylabel("ns a shot, one core")
        axes.set_title("Time of a shot")
        axes.legend(frameon=False)
    return figure


def _names(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["strategy"] for row in rows))


def _boards_below(axes: Axes, boards: dict[int, str]) -> None:
    axes.xaxis.set_major_locator(FixedLocator(list(boards)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: boards.get(round(value), "")))


CHARTS: dict[str, Callable[[Sequence[Row]], Figure]] = {"growth": growth, "cells": cells}
"""By the part whose rows they draw."""
