"""Paired differences: by how many moves one strategy beats another on the same layouts."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bsbench.common.errors import BsbenchError, option
from bsbench.common.texts import short_names
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    entitle,
    footnote,
    minus,
    names,
    new_chart,
    one_scenario,
    played_text,
)
from bsbench.present.charts._layout import fitting, house_style
from bsbench.present.looks import darkened, looks
from bsbench.present.verdicts import LONGEST_IN_TITLE
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result, counted
from bsbench.stats import Difference

NEEDS = Needs.PAIR

_TOP = 0.8
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
    comparison = Comparison((reference, result), reference.label)
    pair = comparison.pairs[1]
    if pair is None:
        for each in (reference, result):
            if each.kept_moves is None:
                raise BsbenchError(
                    f"there are no move counts of single games of {each.label}: differences need "
                    f"runs with {option('keep_moves', True)}, or those of one comparison"
                )
        raise BsbenchError(f"there is no game that both {name} and {reference_name} have played")
    mean, games = comparison.differences[1], pair.race.games
    # Zero is always on the axis.
    low, high = min(pair.least, -1), max(pair.least + len(pair.counts) - 1, 1)
    share = np.zeros(high - low + 1)
    share[pair.least - low :][: len(pair.counts)] = 100 * pair.counts / games
    at = np.arange(low, high + 1)
    figure, axes = new_chart()
    edges = np.arange(low, high + 2) - 0.5
    sides = at < 0, at == 0, at > 0
    own, other = (each.colour for each in looks([name, reference_name]))
    colours = own, "#bbbbbb", other
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
    both_names = name, reference_name
    room = 0.38 * figure.get_figwidth()
    whose, of_reference = (fitting(each, room, 10) for each in short_names(both_names, 30))
    first, _, last = map(darkened, colours)
    for place, align, text, ink in (
        (0.01, "left", f"{whose}\nfirst in {fewer:.1f} %", first),
        (0.99, "right", f"{of_reference}\nfirst in {more:.1f} %", last),
    ):
        axes.text(place, 0.99, text, transform=axes.transAxes, ha=align, va="top", color=ink)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    moves = counted([result, reference])
    whose, of_reference = short_names(both_names, 24)
    less = f"{moves} of {whose} less those of {of_reference}, game by game"
    axes.set_xlabel(less)
    alone = " (one game has no interval)" if games == 1 else ""
    footnote(
        figure,
        f"below 0: fewer; dashed: the mean, {minus(mean.text)}{alone}; tied in {same:.1f} % of "
        "games",
    )
    axes.set_ylabel("games (%)")
    both = played_text([min(result, reference, key=lambda each: each.games)])
    title = _finding(name, reference_name, mean, fewer, more, moves)
    entitle(axes, title, [result, reference], played=both)
    return figure


def _finding(
    name: str, reference: str, mean: Difference, fewer: float, more: float, moves: str
) -> str:
    """Return who needs fewer moves, and in how many games it finishes first."""
    name, reference = short_names((name, reference), LONGEST_IN_TITLE)
    if not mean.significant:
        return f"No clear difference between {name} and {reference}: {minus(mean.text)} {moves}"
    size = Difference(abs(mean.mean), mean.half_width).text.lstrip("+").partition(" ±")[0]
    if mean.mean > 0:
        name, reference, fewer = reference, name, more
    return (
        f"{name} needs {size} fewer {moves} than {reference}, and finishes first in "
        f"{fewer:.1f} % of games"
    )
