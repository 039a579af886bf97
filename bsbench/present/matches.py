"""Tables of matches: how games ended for one player, and scores of all against all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Columns = dict[str, list[str]]

_ENDS = ("won", "drawn", "lost", "score")


def outcome_columns(
    player: str,
    rows: Mapping[str, Sequence[float]],
    intervals: Sequence[tuple[float, float] | None] = (),
) -> Columns:
    """Return how games ended for a player, in percent.

    Parameters
    ----------
    player : str
        The header of the first column.
    rows : mapping of str to sequence of 4 float
        Shares of games won, drawn and lost, and of the points.
    intervals : sequence of 4 (float, float) or None, optional
        Those of the last row, for a row below it; None leaves its cell empty.
    """
    columns = {player: [*rows]}
    texts = [[*_percent(shares[:3]), f"{100 * shares[3]:.1f} %"] for shares in rows.values()]
    columns |= {name: [*cells] for name, cells in zip(_ENDS, zip(*texts, strict=True), strict=True)}
    if intervals:
        columns[player].append("95 % interval")
        for name, ends in zip(_ENDS, intervals, strict=True):
            text = "" if ends is None else f"{100 * ends[0]:.1f}–{100 * ends[1]:.1f} %"
            columns[name].append(text)
    return columns


def _percent(shares: Sequence[float]) -> list[str]:
    """Return shares of a whole with one decimal, rounded so that they add up to 100.

    Those that lose most by being cut are rounded up.
    """
    tenths = [math.floor(1_000 * share) for share in shares]
    by_loss = sorted(range(len(shares)), key=lambda each: tenths[each] - 1_000 * shares[each])
    for place in by_loss[: 1_000 - sum(tenths)]:
        tenths[place] += 1
    return [f"{each / 10:.1f} %" for each in tenths]


def cross_columns(scores: npt.NDArray[np.float64], order: Sequence[int]) -> Columns:
    """Return the scores of each player, in percent, against each, by rank.

    Parameters
    ----------
    scores : ndarray of float64, shape (players, players)
        Of the i-th against the j-th.
    order : sequence of int
        Places of the players, the best first.
    """
    return {
        str(rank): ["·" if one == other else f"{100 * scores[one, other]:.0f}" for one in order]
        for rank, other in enumerate(order, 1)
    }
