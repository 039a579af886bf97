"""One rule of scale: contenders are drawn to scale, all others as arrows with their figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

_FARTHEST = 5.0
"""The next one is drawn to scale up to so many times as far away as half of those before it."""


def contenders(reaches: Sequence[float]) -> list[int]:
    """Return the places of those that share one scale; the others lie beyond it.

    From the nearest on, each is taken that is at most five times as far away as the middle one of
    those taken before. So those that differ least can always be told apart, and a few that are far
    away don't press them together. The nearest is always there, and so are all that are not away at
    all.

    Parameters
    ----------
    reaches : sequence of float
        How far each reaches from what all are compared with, its interval included; 0 or more.
        One that is not finite lies beyond any scale.

    Returns
    -------
    list of int
        In ascending order.

    Examples
    --------
    >>> contenders([0.087, 0.278, 0.498, 0.672, 0.946, 1.048, 4.127, 13.7, 51.8])
    [0, 1, 2, 3, 4, 5]
    >>> contenders([0.278, 13.7, 51.8])
    [0]
    """
    away = sorted(each for each in reaches if 0 < each < math.inf)
    count = next(
        (
            place
            for place, each in enumerate(away)
            if place and each > _FARTHEST * median(away[:place])
        ),
        len(away),
    )
    farthest = away[count - 1] if away else 0.0
    return [place for place, each in enumerate(reaches) if each <= farthest]
