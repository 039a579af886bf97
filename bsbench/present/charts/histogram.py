"""The histogram of move counts."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import entitle, house_style, label_moves, new_chart
from bsbench.present.looks import look
from bsbench.runs.exact import EFFORT, exact_law
from bsbench.runs.results import Result
from bsbench.stats import goodness_of_fit

NEEDS = Needs.RESULT


@house_style()
def histogram(result: Result, effort: int = EFFORT) -> Figure:
    """Draw the share of games by move count, from the perfect game to the whole board.

    Where the exact law is known, it is a thin line over the bars, and the goodness of fit
    stands among the figures.

    Parameters
    ----------
    result : Result
    effort : int
        Limit of the work on the exact law: see `bsbench.runs.exact.find_law`.
    """
    rules, stats = result.scenario.rules, result.stats
    figure, axes = new_chart()
    # One bar for each whole number of moves, its edges half a move off.
    moves = np.arange(rules.ship_cells, rules.cells + 1)
    share = 100.0 * result.counts[moves] / stats.games
    edges = np.arange(rules.ship_cells, rules.cells + 2) - 0.5
    colour = look(result.label).colour
    axes.stairs(share, edges, fill=True, color=colour, alpha=0.7)
    law = None if result.exact else exact_law(result.strategy, result.scenario, effort)
    if law is not None:
        axes.stairs(100 * law[moves], edges, baseline=None, color="#222222", lw=0.8)
    axes.axvspan(stats.low - 0.5, stats.high + 0.5, color=colour, alpha=0.08, lw=0)
    # With a white rim, it is seen on bars of any colour.
    rim = [withStroke(linewidth=3, foreground="white")]
    axes.axvline(stats.mean, color="#222222", lw=1.5, path_effects=rim)

    text = (
        f"mean {stats.mean_text}\nmedian {stats.median}\n"
        f"90 % of games: {stats.low} to {stats.high}\n"
        f"best {stats.best}, worst {stats.worst}"
    )
    if law is not None:
        mean = law @ np.arange(len(law))
        fit = goodness_of_fit(result.counts, law)
        text += f"\n\nline: the exact law, mean {mean:.4f}\n{fit.text}"

    top = 1.12 * max(share.max(), 0 if law is None else 100 * law.max())
    axes.set_ylim(0, top)
    axes.set_xlim(edges[0] - 1, edges[-1] + 1)
    # On the side with less of the histogram.
    late = stats.mean > (edges[0] + edges[-1]) / 2
    place, align = (0.01, "left") if late else (0.99, "right")
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 2}
    drawn = axes.text(place, 0.97, text, transform=axes.transAxes, ha=align, va="top", bbox=box)
    drawn.set(color="#222222", linespacing=1.4)
    label_moves(axes, rules)
    axes.set_ylabel("games (%)")
    entitle(axes, result.label, [result], f", feedback {rules.feedback}")
    return figure
