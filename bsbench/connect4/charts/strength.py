"""Strength against effort: Elo by depth, and by time per move."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from bsbench.connect4.charts._looks import caption, colour, ladders, marker
from bsbench.connect4.charts.ratings import played
from bsbench.connect4.league import League
from bsbench.present.charts._drawing import house_style, log_axis, new_figure, short
from bsbench.present.charts._labels import Name, place_names


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
        names = _by_time(right, league)
        left.set_ylabel("Elo (higher is better; mean of the league: 0)")
        left.set_title("Connect 4: strength")
        caption(left, played(league))
        place_names(right, names, [name.anchors for name in names], radius=4.5)
    return figure


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


def _by_time(axes: Axes, league: League) -> list[Name]:
    """Draw all players; return their names, to be placed after everything else is drawn."""
    elo, reach = league.ratings.elo, league.ratings.half_widths
    times = np.array([effort.seconds_per_move for effort in league.efforts])
    for ladder in ladders(league.players):
        axes.plot(times[ladder], elo[ladder], color=colour(league.players[ladder[0]]), lw=1)
    names = []
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
        names.append(Name(short(league.labels[place], 30), at, colour(player)))
    axes.margins(0.12, 0.08)
    axes.set_xscale("log")
    axes.autoscale_view()
    log_axis(axes.xaxis, EngFormatter("s"))
    axes.set_xlabel("processor time per move (less is faster)")
    return names
