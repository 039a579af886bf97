"""Rounds: after how many games it is looked at what they show, and whether more are needed.

Lanes idle at the end of each round, so that few rounds that grow are best.
"""

from __future__ import annotations

import math

GROWTH = 4
"""By what a round after the first multiplies the games played, at most."""

_FIRST_LOOK = 4_096
_FEWEST_LEARNERS = 32
"""Games, and learners, after which an interval is looked at for the first time: the normal
approximation is a good one there, and so is the spread, which says how many more it takes."""

_AMPLE = 1.02
"""How many times as many games are played as seem to be needed, so that the width is
reached at once although the spread is known roughly."""


def first_look(unit: int, games: int) -> int:
    """Return after how many games an interval is looked at first.

    Parameters
    ----------
    unit : int
        Consecutive games that depend on each other: those of a learner, else 1.
    games : int
        The most that may be played.
    """
    return min(whole_units(max(_FIRST_LOOK, _FEWEST_LEARNERS * unit), unit), games)


def whole_units(games: int, unit: int) -> int:
    """Return the least number of games, not below this, that are whole units."""
    return -(-games // unit) * unit


def round_for(until: float, played: int, half_width: float, unit: int, games: int) -> int:
    """Return where the next round ends on the way to an interval of a given half-width.

    It is ``played`` when the width is reached, or no more games may be played. A half-width
    shrinks with the root of the number of games.

    Parameters
    ----------
    until, half_width : float
        What is to be reached, and what there is after ``played`` games; NaN where that
        is unknown.
    played, unit, games : int
        As for `first_look`.
    """
    if half_width <= until:
        return played
    needed = GROWTH * played
    if not math.isnan(half_width):
        needed = min(needed, math.ceil(_AMPLE * played * (half_width / until) ** 2))
    return min(whole_units(max(needed, played + 1), unit), games)
