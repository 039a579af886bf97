"""A solved board, and the likelihood matrix beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bsbench.play.spot_the_ships import Solution
from bsbench.present.charts._cells import finish_board, shade
from bsbench.present.charts._drawing import new_figure
from bsbench.present.charts._layout import house_style
from bsbench.present.looks import ON_LIGHT

# Never scanned, scanned water or eliminated, spotted, ship cell not spotted.
_MARKS = ".X+O"
_COLOURS = ListedColormap(["#ffffff", "#c9d6e2", "#D55E00", "#f4c9a8"])
_ACROSS = 3
"""Pictures beside each other at most."""

_MOST_TEXT = 20
"""Larger boards are drawn without marks and numbers in their cells."""


@house_style()
def board(solutions: Sequence[Solution]) -> Figure:
    """Draw the final board of each solution, and likelihoods where a strategy has them."""
    figure = new_figure()
    panels = sum(1 + (solution.insight.scores is not None) for solution in solutions)
    problem = solutions[0].problem
    height = min(max(2.4, 4.0 * problem.rows / problem.cols), 8) + 0.8
    across = min(panels, _ACROSS)
    down = -(-panels // across)
    figure.set_size_inches(max(4.0 * across, 5), height * down)
    axes = figure.subplots(down, across, squeeze=False).flat
    for solution in solutions:
        _draw_board(next(axes), solution)
        if solution.insight.scores is not None:
            _draw_likelihood(next(axes), solution, solution.insight.scores)
    for spare in axes:
        spare.set_axis_off()
    return figure


def _draw_board(axes: Axes, solution: Solution) -> None:
    marks = [list(row) for row in solution.board.split("\n")]
    kinds = np.array([[_MARKS.index(mark) for mark in row] for row in marks])
    axes.imshow(kinds, cmap=_COLOURS, vmin=0, vmax=len(_MARKS) - 1)
    texts = np.array([[mark.replace(".", "") for mark in row] for row in marks])
    finish_board(axes, texts, np.full(kinds.shape, ON_LIGHT), _MOST_TEXT)
    scans = "1 scan" if solution.scans == 1 else f"{solution.scans} scans"
    axes.set_title(f"{solution.strategy}: {scans}", pad=6)
    axes.set_xlabel(
        f"orange + spotted, blue X water or eliminated\n({solution.eliminated} eliminated), "
        "white never scanned"
    )


def _draw_likelihood(axes: Axes, solution: Solution, scores: npt.NDArray[np.int64]) -> None:
    shape = solution.problem.rows, solution.problem.cols
    matrix = np.ma.masked_less(scores.reshape(shape).astype(float), 0)
    top = max(int(scores.max()), 1)
    image, letters = shade(axes, matrix.filled(np.nan), 0, top, "viridis")
    texts = np.array([[str(score) for score in row] for row in scores.reshape(shape)])
    finish_board(axes, texts, letters, _MOST_TEXT)
    if max(matrix.shape) > _MOST_TEXT:
        axes.figure.colorbar(image, ax=axes, shrink=0.8, ticks=MaxNLocator(integer=True))
    axes.set_title(f"likelihood of {solution.strategy}", pad=6)
    axes.set_xlabel("as computed last;\n-1, grey, where closed")
