"""Learning curve of a strategy that learns: mean moves against games played."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from bsbench.common.errors import BsbenchError
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    best_of,
    entitle,
    house_style,
    new_chart,
    one_scenario,
    rest_text,
    short,
)
from bsbench.present.looks import looks
from bsbench.runs.results import Result
from bsbench.stats import half_width

NEEDS = Needs.LEARNER

_BEST_OF_MANY = 5
"""References in the legend if there are very many."""


@house_style()
def learning_curve(result: Result, references: Sequence[Result] = ()) -> Figure:
    """Draw how mean moves fall with the games a learner has played.

    Each point is the mean over learners of a stage of their careers, games 1, 2, 3 to
    5, 6 to 10 and so on, with its 95 % interval; the learner is the unit. A stage that a
    single learner completed has no interval.

    Parameters
    ----------
    result : Result
        Of a strategy that learns.
    references : sequence of Result
        Their means are drawn as lines to compare with; of the same scenario. Of more than 20,
        the best 5 are drawn, and how far the means of the others reach.

    Raises
    ------
    BsbenchError
        If the strategy does not learn, or a reference is of another scenario.
    """
    if result.learning is None:
        raise BsbenchError(
            f"{result.label} does not learn from game to game, and has no learning curve: give a "
            "result of a strategy that does, such as over9000-adaptive"
        )
    one_scenario([result, *references])
    stages = list(result.learning.stage_curve())
    first, last, mean, error = (np.array(column) for column in zip(*stages, strict=True))
    middle = np.sqrt(first * last)
    figure, axes = new_chart()
    axes.set_xscale("log")
    references, rest = best_of(references, _BEST_OF_MANY)
    curve, *lines = looks([result.label, *(reference.label for reference in references)])
    # Where one learner played, the error is not a number, and nothing is filled.
    band = half_width(error)
    known = np.isfinite(band).sum() > 1
    if known:
        axes.fill_between(middle, mean - band, mean + band, color=curve.colour, alpha=0.2, lw=0)
    label = f"{short(result.label)}{', 95 % interval' if known else ''}"
    axes.plot(middle, mean, marker="o", markersize=5, label=label, **curve.style)
    for reference, line in zip(references, lines, strict=True):
        label = f"{short(reference.label)}: {reference.stats.mean_text}"
        axes.axhline(reference.stats.mean, label=label, **line.style)
    if rest:
        least, most = rest[0].stats.mean, rest[-1].stats.mean
        label = f"grey: {rest_text(rest)}, {least:.2f} to {most:.2f}"
        seen = axes.get_ylim()
        axes.axhspan(least, most, color="#e9e9e9", label=label, linewidth=0, zorder=0.4)
        # The curve would be flat if the band were seen in full.
        axes.set_ylim(seen)
    axes.legend(frameon=False)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("game of the learner (1, 2, 3 to 5, 6 to 10, …)")
    axes.set_ylabel("mean moves")
    learners = result.learning.learners
    played = f"{learners:,} learners of {result.learning.games_per_learner:,} games"
    if learners == 1:
        played = f"{result.games:,} game{'s' if result.games > 1 else ''} of one learner"
    played += f", seed {result.seed}"
    entitle(axes, f"{result.strategy} learns", [result], played=played)
    return figure
