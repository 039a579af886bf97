"""Intervals by exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction


def quantile_ranks(games: int, share: Fraction) -> tuple[int, int] | None:
    """Return the ranks between which a quantile lies with 95 %, 2.5 % at most on either side."""
    chance = [math.comb(games, b) * share**b * (1 - share) ** (games - b) for b in range(games + 1)]
    tail = Fraction(25, 1000)
    low = max((rank for rank in range(1, games + 1) if sum(chance[:rank]) <= tail), default=None)
    high = min((rank for rank in range(1, games + 1) if sum(chance[rank:]) <= tail), default=None)
    return None if low is None or high is None else (low, high)
