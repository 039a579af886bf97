"""Share of optimal moves against the stones on the board."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

import bsbench
from bsbench.common.texts import short_names
from bsbench.connect4.charts._looks import colour, marker, strengths
from bsbench.connect4.quality import Quality
from bsbench.connect4.tables import ply_groups
from bsbench.present.charts._drawing import entitle_figure, new_figure
from bsbench.present.charts._layout import house_style
from bsbench.present.looks import darkened

_LINE = 0.037
"""Height of a line of text on the axis of shares."""


def quality(found: Quality) -> Figure:
    """Draw the share of optimal moves by ply, a line for each player, with 95 % intervals.

    The player of most settings has a panel of its own.
    """
    names = [player.name for player in found.players]
    most = max(dict.fromkeys(names), key=names.count)
    own = [place for place, name in enumerate(names) if name == most]
    others = [place for place, name in enumerate(names) if name != most]
    panels = [each for each in (own, others) if each]
    with house_style():
        figure = new_figure()
        figure.set_size_inches(5 * len(panels), 4.8)
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for each, places in zip(axes, panels, strict=True):
            _draw(each, found, places)
        axes[0].set_ylabel("share of optimal moves (higher is better)")
        axes[0].yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        played = f"{found.positions:,} random positions of each number of stones, seed {found.seed}"
        entitle_figure(figure, _finding(found), played, bsbench.__version__)
    return figure


def _finding(found: Quality) -> str:
    """Return who chooses an optimal move most often, beside a random column."""
    best = int(found.optimal.sum(axis=1).argmax())
    share, chance = found.share(found.optimal[best])[0], found.chance[:, 0].mean()
    name = short_names(found.labels, 30)[best]
    return (
        f"Connect 4: {name} chooses an optimal move in {share:.0%} of "
        f"positions; a random column is optimal in {chance:.0%}"
    )


def _draw(axes: Axes, found: Quality, places: list[int]) -> None:
    names, groups = zip(*ply_groups(found).items(), strict=True)
    middle = [float(np.mean([found.plies[at] for at in group])) for group in groups]
    chance = [found.chance[group, 0].mean() for group in groups]
    axes.plot(middle, chance, color="#777777", linestyle=(0, (1, 2)), lw=1.5)
    ends = [(chance[-1], "any column", "#777777")]
    players = [found.players[place] for place in places]
    called = short_names(found.labels, 26)
    for place, player, strength in zip(places, players, strengths(players), strict=True):
        shares = np.array([found.share(found.optimal[place, group]) for group in groups])
        axes.errorbar(
            middle,
            shares[:, 0],
            yerr=np.abs(shares[:, 1:].T - shares[:, 0]),
            marker=marker(player),
            markersize=4,
            color=colour(player),
            alpha=strength,
            lw=1.5,
            elinewidth=0.8,
        )
        ends.append((shares[-1, 0], called[place], colour(player)))
    axes.set_ylim(0, 1.02)
    axes.set_xticks(middle, names, fontsize=8)
    axes.set_xlabel("stones on the board")
    _name(axes, middle[-1], ends)


def _name(axes: Axes, x: float, ends: list[tuple[float, str, str]]) -> None:
    """Write names beside the ends of lines, given by height, name and colour, in their order."""
    height = 1.0 + _LINE
    for y, name, shade in sorted(ends, reverse=True):
        height = min(height - _LINE, y)
        axes.annotate(
            name,
            (x, y),
            (22, height),
            xycoords="data",
            textcoords=("offset points", "data"),
            va="center",
            fontsize=8.5,
            color=darkened(shade),
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": shade,
                "lw": 0.7,
                "relpos": (0, 0.5),
                "shrinkA": 1,
                "shrinkB": 4,
            },
        )
