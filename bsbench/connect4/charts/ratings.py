"""Elo ratings of a league, with intervals."""

from __future__ import annotations

from matplotlib.figure import Figure

from bsbench.connect4.charts._looks import caption, colour, marker
from bsbench.connect4.league import League
from bsbench.present.charts._drawing import house_style, new_figure, short


def ratings(league: League) -> Figure:
    """Draw the rating of each player, the best on top, with its 95 % interval."""
    order = league.order[::-1]
    elo, reach = league.ratings.elo, league.ratings.half_widths
    with house_style():
        figure = new_figure()
        figure.set_size_inches(8, 1.6 + 0.27 * len(order))
        axes = figure.subplots()
        for height, place in enumerate(order):
            player = league.players[place]
            axes.errorbar(
                [elo[place]],
                [height],
                xerr=[reach[place]],
                fmt=marker(player),
                markersize=6,
                capsize=3,
                color=colour(player),
            )
            axes.annotate(
                f"{elo[place]:+,.0f}",
                (elo[place] + reach[place], height),
                xytext=(7, 0),
                textcoords="offset points",
                va="center",
                fontsize=8.5,
                color="#444444",
            )
        axes.set_yticks(range(len(order)), [short(league.labels[place], 34) for place in order])
        axes.set_ylim(-0.7, len(order) - 0.3)
        axes.margins(x=0.1)
        axes.grid(axis="x")
        axes.set_xlabel("Elo, 95 % interval (mean of the league: 0)")
        axes.set_title("Connect 4: who is how strong")
        caption(axes, played(league))
    return figure


def played(league: League) -> str:
    """Return what was played, for a caption."""
    return (
        f"{league.games:,} games of each two, from openings of {league.opening_plies} random "
        f"moves with sides changed, seed {league.seed}"
    )
