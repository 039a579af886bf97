"""Strength against effort: Elo by depth, and by time per move."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

import bsbench
from bsbench.common.texts import short_names
from bsbench.connect4.charts._looks import colour, ladders, marker
from bsbench.connect4.charts.ratings import finding, played
from bsbench.matches.league import League
from bsbench.present.charts._drawing import entitle_figure, log_axis, new_figure
from bsbench.present.charts._labels import Name, Points, place_names
from bsbench.present.charts._layout import house_style
from bsbench.stats import interval_text


def strength(league: League) -> Figure:
    """Draw ratings against the depth of those that have one, and against time per move.

    Players that differ in a single number are joined by a line. Times are processor time.
    """
    with house_style():
        figure = new_figure()
        figure.set_size_inches(10, 4.8)
        deep = [place for place, each in enumerate(league.players) if "depth" in each.parameters]
        if len(deep) > 1:
            left, right = figure.subplots(1, 2, sharey=True, width_ratios=(2, 3))
            _by_depth(left, league, deep)
        else:
            left = right = figure.subplots()
        names, lines = _by_time(right, league)
        left.set_ylabel("Elo (higher is better; mean of the league: 0)")
        entitle_figure(figure, _worth(league), played(league), bsbench.__version__)
        place_names(right, names, lines, radius=4.5)
    return figure


def _worth(league: League) -> str:
    """Return what the player of most settings gains from the least to the greatest of them."""
    found = [ladder for ladder in ladders(league.players) if len(ladder) > 1]
    if not found:
        return finding(league)
    longest = max(found, key=len)
    least, most = longest[0], longest[-1]
    gain, reach = league.ratings.difference(most, least)
    times = [league.efforts[place].seconds_per_move for place in (most, least)]
    called = short_names(league.labels, 30)
    return (
        f"Connect 4: {called[most]} is "
        f"{interval_text(round(gain), max(round(reach), 1))} Elo stronger than "
        f"{called[least]}, and needs {times[0] / times[1]:,.0f} times its time"
    )


def _by_depth(axes: Axes, league: League, deep: list[int]) -> None:
    elo, reach = league.ratings.elo, league.ratings.half_widths
    depths = sorted({league.players[place].parameters["depth"] for place in deep})
    for ladder in ladders([league.players[place] for place in deep]):
        places = [deep[each] for each in ladder]
        player = league.players[places[0]]
        axes.errorbar(
            [league.players[place].parameters["depth"] for place in places],
            elo[places],
            yerr=reach[places],
            marker=marker(player),
            markersize=5,
            capsize=3,
            color=colour(player),
        )
    axes.set_xticks(depths)
    axes.set_xlabel(f"depth of {league.players[deep[0]].name}, plies")


def _by_time(axes: Axes, league: League) -> tuple[list[Name], list[Points]]:
    """Draw all players; return their names, and the lines that names keep off."""
    elo, reach = league.ratings.elo, league.ratings.half_widths
    times = np.array([effort.seconds_per_move for effort in league.efforts])
    names, lines = [], []
    for ladder in ladders(league.players):
        axes.plot(times[ladder], elo[ladder], color=colour(league.players[ladder[0]]), lw=1)
        lines.append(np.column_stack((times[ladder], elo[ladder])))
    called = short_names(league.labels, 30)
    for place, player in enumerate(league.players):
        axes.errorbar(
            [times[place]],
            [elo[place]],
            yerr=[reach[place]],
            fmt=marker(player),
            markersize=5,
            color=colour(player),
            elinewidth=1,
        )
        at = np.array([[times[place], elo[place]]])
        names.append(Name(called[place], at, colour(player)))
        ends = elo[place] + reach[place] * np.array([-1, 1])
        lines.append(np.column_stack(([times[place]] * 2, ends)))
    axes.margins(0.12, 0.08)
    axes.set_xscale("log")
    axes.autoscale_view()
    log_axis(axes.xaxis, EngFormatter("s"))
    axes.set_xlabel("processor time per move (less is faster)")
    return names, lines
