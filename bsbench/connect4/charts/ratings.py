"""Elo ratings of a league, with intervals."""

from __future__ import annotations

from matplotlib.figure import Figure

import bsbench
from bsbench.common.texts import short_names
from bsbench.connect4.charts._looks import colour, marker
from bsbench.matches.league import League
from bsbench.present.charts._drawing import entitle_figure, new_figure
from bsbench.present.charts._layout import house_style
from bsbench.stats import interval_text


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
        called = short_names(league.labels, 34)
        axes.set_yticks(range(len(order)), [called[place] for place in order])
        axes.set_ylim(-0.7, len(order) - 0.3)
        axes.margins(x=0.1)
        axes.grid(axis="x")
        axes.set_xlabel("Elo, 95 % interval (higher is better; mean of the league: 0)")
        entitle_figure(figure, finding(league), played(league), bsbench.__version__)
    return figure


def finding(league: League) -> str:
    """Return who is the strongest, and how much stronger than the next one, if that is clear."""
    if len(league.players) < 2:
        return f"Connect 4: {league.labels[0]}"
    called = short_names(league.labels, 30)
    best, second = (called[place] for place in league.order[:2])
    ahead, reach = league.ratings.difference(*league.order[:2])
    elo = f"{interval_text(round(ahead), max(round(reach), 1))} Elo"
    if ahead > reach:
        return f"Connect 4: {best} is {elo} stronger than {second}"
    return f"Connect 4: {best} is rated highest, not clearly above {second} ({elo})"


def played(league: League) -> str:
    """Return what was played, for a caption."""
    return (
        f"{league.games:,} games of each pair; openings of {league.opening_plies} random moves, "
        f"each played twice with sides changed; seed {league.seed}"
    )
