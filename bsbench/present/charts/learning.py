"""Learning curve of a strategy that learns: mean moves against games played."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from bsbench.common.errors import BsbenchError
from bsbench.common.texts import short, short_names
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    MOST_LINES,
    best_of,
    entitle,
    footnote,
    games_text,
    log_axis,
    mean_words,
    new_chart,
    one_scenario,
    rest_text,
)
from bsbench.present.charts._labels import Name, name_ends
from bsbench.present.charts._layout import folded, house_style
from bsbench.present.looks import looks
from bsbench.runs.results import Result, counted
from bsbench.stats import half_width

NEEDS = Needs.LEARNER

_LEAST_REACH = 0.5
"""Moves; references up to the height of the curve, or so far, from it are drawn."""

Numbers = npt.NDArray[np.float64]


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
        Their means are drawn as lines to compare with; of the same scenario. Of more than six,
        the best are drawn, and how far the means of the others reach.

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
    references, rest = best_of(references, MOST_LINES - 1)
    curve, *lines = looks([result.label, *(reference.label for reference in references)])
    # Where one learner played, the error is not a number, and nothing is filled.
    band = half_width(error)
    known = np.isfinite(band).sum() > 1
    if known:
        axes.fill_between(middle, mean - band, mean + band, color=curve.colour, alpha=0.2, lw=0)
    axes.plot(middle, mean, marker="o", markersize=5, label=result.label, **curve.style)
    points = np.column_stack((middle, mean))
    means_text = f"{mean[0]:.2f}, then {mean[-1]:.2f}"
    names = [Name(folded(f"{result.label}\n{means_text}", 20), points, curve.colour)]
    band = np.nan_to_num(band)
    low, high = (mean - band).min(), (mean + band).max()
    reach = max(high - low, _LEAST_REACH)
    # Of strategies far away, lines would make the curve flat.
    near = [each for each in references if low - reach < each.stats.mean < high + reach]
    log_axis(axes.xaxis)
    left, right = axes.get_xlim()
    called = short_names(each.label for each in references)
    for reference, name, line in zip(references, called, lines, strict=True):
        if reference not in near:
            continue
        axes.axhline(reference.stats.mean, label=reference.label, **line.style)
        end = np.array([[right, reference.stats.mean]])
        text = folded(f"{name}\n{reference.stats.mean:.2f}", 20)
        names.append(Name(text, end, line.colour))
    axes.set_xlim(left, right)
    means = [low, high, *(each.stats.mean for each in near)]
    space = 0.08 * (max(means) - min(means)) or 0.5
    axes.set_ylim(min(means) - space, max(means) + space)
    notes = ["shade: 95 % interval; a learner is the unit"] if known else []
    if off := [each for each in references if each not in near]:
        least, most = (end(each.stats.mean for each in off) for end in (min, max))
        whose = short(off[0].label, 30) if len(off) == 1 else f"{len(off)} others"
        reach_text = f"{least:.2f}" if len(off) == 1 else f"{least:.2f} to {most:.2f}"
        notes.append(f"off the chart: {whose}, {reach_text}")
    if rest:
        least, most = rest[0].stats.mean, rest[-1].stats.mean
        notes.append(f"not drawn: {rest_text(rest)}, {least:.2f} to {most:.2f}")
    if notes:
        footnote(figure, "; ".join(notes))
    axes.set_xlabel("game of the learner (1, 2, 3 to 5, 6 to 10, …)")
    axes.set_ylabel(mean_words([result]))
    learners = result.learning.learners
    played = f"{learners:,} learners of {result.learning.games_per_learner:,} games"
    if learners == 1:
        played = f"{games_text(result.games)} of one learner"
    played += f", seed {result.seed}"
    entitle(axes, _finding(result, mean, error), [result], played=played)
    name_ends(axes, names)
    return figure


def _finding(result: Result, mean: Numbers, error: Numbers) -> str:
    """Return how many moves the first stage needs, and the last."""
    name, moves = short(result.label), counted([result])
    if len(mean) < 2:
        return f"{name} needs {mean[0]:.2f} {moves} in the first game"
    if not abs(mean[0] - mean[-1]) > half_width(np.hypot(error[0], error[-1])):
        return f"{name} shows no clear change"
    return f"{name} needs {mean[0]:.2f} {moves} in its first game, {mean[-1]:.2f} in its last ones"
