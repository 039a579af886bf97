"""Tables of matches: how games ended for one player, and scores of all against all."""

from __future__ import annotations

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
    columns |= {
        name: [f"{100 * share:.1f} %" for share in shares]
        for name, shares in zip(_ENDS, zip(*rows.values(), strict=True), strict=True)
    }
    if intervals:
        columns[player].append("95 % interval")
        for name, ends in zip(_ENDS, intervals, strict=True):
            text = "" if ends is None else f"{100 * ends[0]:.1f}–{100 * ends[1]:.1f} %"
            columns[name].append(text)
    return columns


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
