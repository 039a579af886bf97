"""Paired differences: by how many moves one strategy beats another on the same layouts."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bsbench.common.errors import BsbenchError
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    entitle,
    house_style,
    names,
    new_chart,
    one_scenario,
    played_text,
)
from bsbench.present.looks import look
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result

NEEDS = Needs.PAIR

_TOP = 0.84
"""How much of the height is for the histogram; above it are words."""


@house_style()
def difference(result: Result, reference: Result) -> Figure:
    """Draw the histogram of the differences in moves, game by game, of one result to another.

    The mean difference is marked with its 95 % interval; below zero the result needed fewer
    moves. Of results of different lengths, the games that both have played are compared.

    Parameters
    ----------
    result, reference : Result
        Of one scenario and seed, their move counts kept, or of one comparison.

    Raises
    ------
    BsbenchError
        If they are not of the same games, or without the move count of each game.
    """
    one_scenario([reference, result])
    reference_name, name = names([reference, result])
    if (result.seed, result.stream_version) != (reference.seed, reference.stream_version):
        raise BsbenchError(
            f"{name} and {reference_name} did not play the same games: give results of one seed"
        )
    pair = Comparison((reference, result), reference.label).pairs[1]
    if pair is None:
        for each in (reference, result):
            if each.moves is None:
                raise BsbenchError(
                    f"there are no move counts of single games of {each.label}: differences need "
                    "runs with --keep-moves (in Python: keep_moves=True), or those of one "
                    "comparison"
                )
        raise BsbenchError(f"there is no game that both {name} and {reference_name} have played")
    mean, games = pair.difference, pair.race.games
    # Zero is always on the axis.
    low, high = min(pair.least, -1), max(pair.least + len(pair.counts) - 1, 1)
    share = np.zeros(high - low + 1)
    share[pair.least - low :][: len(pair.counts)] = 100 * pair.counts / games
    at = np.arange(low, high + 1)
    figure, axes = new_chart()
    edges = np.arange(low, high + 2) - 0.5
    sides = at < 0, at == 0, at > 0
    colours = look(result.label).colour, "#bbbbbb", look(reference.label).colour
    for side, colour in zip(sides, colours, strict=True):
        around = edges[np.append(side, False) | np.append(False, side)]
        axes.stairs(share[side], around, fill=True, color=colour, alpha=0.75)
    axes.axvline(0, ymax=_TOP, color="#444444", linewidth=0.8)
    if not math.isnan(mean.half_width):
        ends = mean.mean - mean.half_width, mean.mean + mean.half_width
        axes.axvspan(*ends, ymax=_TOP, color="#222222", alpha=0.25, linewidth=0)
    axes.axvline(mean.mean, ymax=_TOP, color="#222222", linewidth=1.5, linestyle=(0, (5, 2)))
    axes.set_ylim(0, 1.08 * share.max() / _TOP)
    beyond = 0.02 * (high - low)
    axes.set_xlim(edges[0] - beyond, edges[-1] + beyond)
    fewer, same, more = (share[side].sum() for side in sides)
    # On top of its line, but off the other two texts.
    left, right = axes.get_xlim()
    middle = min(max((mean.mean - left) / (right - left), 0.4), 0.6)
    doubt = "" if mean.significant else " (not significant)"
    for place, align, text in (
        (0.01, "left", f"fewer moves\nin {fewer:.1f} % of games"),
        (0.99, "right", f"more moves\nin {more:.1f} % of games"),
        (middle, "center", f"mean {mean.text}{doubt}\nas many moves in {same:.1f} %"),
    ):
        axes.text(place, 0.98, text, transform=axes.transAxes, ha=align, va="top", color="#222222")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("difference in moves, game by game; dashed: the mean")
    axes.set_ylabel("games (%)")
    both = played_text([min(result, reference, key=lambda each: each.games)])
    entitle(axes, f"{name} less {reference_name}", [result, reference], played=both)
    return figure
