"""Learning curves of ``bsbench rl train``: how many shots a game took, round by round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.own.trained import read_training
from bsbench.present.charts import house_style, new_figure
from bsbench.rl.training import record_of
from bsbench.stats import interval_text
from bsbench.stats.intervals import NORMAL_95

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Curve:
    """How an agent learned.

    Attributes
    ----------
    name : str
        Of its file, without the suffix.
    scenario : str
    algorithm : str
    seed : int
    rounds : list of list of float
        Steps in all, mean shots of the round's games, their number and standard deviation; the
        first two in files that older versions wrote.
    """

    name: str
    scenario: str
    algorithm: str
    seed: int
    rounds: list[list[float]]

    def rows(self) -> list[dict[str, Any]]:
        """Return the rounds as rows of a table; what is not known is None."""
        names = "steps", "mean_shots", "games", "sd"
        return [
            {"agent": self.name, "scenario": self.scenario, "seed": self.seed}
            | {name: row[place] if place < len(row) else None for place, name in enumerate(names)}
            for row in self.rounds
        ]

    def half_widths(self) -> list[float]:
        """Return half the 95 % interval of the mean of each round; not a number if unknown."""
        known = [len(row) > 2 and row[2] > 1 for row in self.rounds]
        return [
            NORMAL_95 * row[3] / math.sqrt(row[2]) if there else math.nan
            for row, there in zip(self.rounds, known, strict=True)
        ]


def read_curves(paths: Sequence[str | Path]) -> list[Curve]:
    """Return the learning curves of trained agents.

    Raises
    ------
    BsbenchError
        If a file is no agent of ``bsbench rl train``, or its training has no round yet.
    """
    curves = []
    for path in paths:
        training = read_training(path)
        record = record_of(training, path)
        if not record["history"]:
            raise BsbenchError(f"the training in {path} has no round yet, and so no curve")
        name, scenario = Path(path).stem, training.scenario.name
        algorithm = str(record.get("algorithm", "?"))[:40]
        curves.append(Curve(name, scenario, algorithm, record["seed"], record["history"]))
    return curves


def curve_columns(curves: Sequence[Curve]) -> dict[str, list[str]]:
    """Return the cells of the table by the headers of its columns."""
    columns: dict[str, list[str]] = {"agent": [], "steps": [], "games": [], "mean shots": []}
    for curve in curves:
        for row, half in zip(curve.rows(), curve.half_widths(), strict=True):
            games, mean = row["games"], row["mean_shots"]
            columns["agent"].append(curve.name)
            columns["steps"].append(f"{row['steps']:,}")
            columns["games"].append("" if games is None else f"{games:,}")
            columns["mean shots"].append(
                f"{mean:.2f}" if math.isnan(half) else interval_text(mean, half)
            )
    return columns


@house_style()
def draw_curves(curves: Sequence[Curve]) -> Figure:
    """Draw mean shots of the games of each round against the steps done, with 95 % intervals."""
    figure = new_figure()
    axes = figure.add_subplot()
    for curve in curves:
        steps, mean = (np.array([row[place] for row in curve.rounds]) for place in (0, 1))
        half = np.array(curve.half_widths())
        (line,) = axes.plot(steps, mean, marker="o", markersize=4, label=curve.name)
        axes.fill_between(steps, mean - half, mean + half, color=line.get_color(), alpha=0.2, lw=0)
    axes.set_xlabel("steps of the training (shots)")
    axes.set_ylabel("mean shots of a game, while it learns")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_title(f"Training on {', '.join(sorted({each.scenario for each in curves}))}")
    axes.legend(frameon=False)
    return figure
