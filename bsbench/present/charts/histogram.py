"""The histogram of move counts, a row for each result, the best first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bsbench.common.texts import short
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import entitle, footnote, label_moves, new_chart
from bsbench.present.charts._layout import house_style
from bsbench.present.charts._rows import draw_hills
from bsbench.present.looks import look
from bsbench.runs.exact import EFFORT, exact_law
from bsbench.runs.results import Result, counted, move_range
from bsbench.stats import goodness_of_fit

NEEDS = Needs.EACH


@house_style()
def histogram(results: Result | Sequence[Result], effort: int = EFFORT) -> Figure:
    """Draw the share of games by move count, from the perfect game to the whole board.

    Where the exact law is known, it is a thin line over the bars, and the goodness of fit
    stands among the figures. Several results have a row each, on one scale, the best first; of
    more than 20, the best 20.

    Parameters
    ----------
    results : Result or sequence of Result
        Of one scenario.
    effort : int
        Limit of the work on the exact law: see `bsbench.runs.exact.find_law`.

    Raises
    ------
    BsbenchError
        If several results are not of one scenario.
    """
    given = [results] if isinstance(results, Result) else list(results)
    return _one(given[0], effort) if len(given) == 1 else draw_hills(given)


def _one(result: Result, effort: int) -> Figure:
    rules, stats = result.scenario.rules, result.stats
    figure, axes = new_chart()
    # One bar for each whole number of moves, its edges half a move off.
    moves = move_range([result])
    share = 100.0 * result.counts[moves.start : moves.stop] / stats.games
    edges = np.arange(moves.start, moves.stop + 1) - 0.5
    colour = look(result.label).colour
    axes.stairs(share, edges, fill=True, color=colour, alpha=0.7)
    law = None if result.exact else exact_law(result.label, result.scenario, effort)
    if law is not None:
        axes.stairs(
            100 * law[moves.start : moves.stop], edges, baseline=None, color="#222222", lw=0.8
        )
    axes.axvspan(stats.low - 0.5, stats.high + 0.5, color=colour, alpha=0.08, lw=0)
    _mark_mean(axes, stats.mean)

    alone = " (one game has no interval)" if stats.games == 1 else ""
    text = (
        f"line: mean {stats.mean_text}{alone}; median {stats.median}; "
        f"shade: 90 % of games, {stats.low} to {stats.high}; "
        f"best {stats.best}, worst {stats.worst}"
    )
    if law is not None:
        mean = law @ np.arange(len(law))
        fit = goodness_of_fit(result.counts, law)
        text += f"; thin: the exact law, mean {mean:.4f}; {fit.text}"
    axes.set_ylim(0, 1.12 * max(share.max(), 0 if law is None else 100 * law.max()))
    axes.set_xlim(edges[0] - 1, edges[-1] + 1)
    footnote(figure, text)
    label_moves(axes, [result])
    axes.set_ylabel("games (%)")
    needs, word = stats.mean_text.partition(" ±")[0], counted([result])
    title = f"{short(result.label)} needs {needs} {word} on average; "
    title += f"90 % of games take {stats.low} to {stats.high}"
    if stats.games == 1:
        title = f"{short(result.label)} needed {stats.best} {word} in one game"
    entitle(axes, title, [result], f", feedback {rules.feedback}")
    return figure


def _mark_mean(axes: Axes, mean: float) -> None:
    # A white line under the black one: it is seen on black bars, too. A rim as an effect would
    # turn the text of an SVG into paths.
    axes.axvline(mean, color="white", lw=3.5)
    axes.axvline(mean, color="#222222", lw=1.5)
