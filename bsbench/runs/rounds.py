"""Rounds: after how many games a run is looked at, and how many more it needs.

Lanes idle at the end of each round, so that few rounds that grow are best.
"""

from __future__ import annotations

import math

GROWTH = 4
"""Factor by which each round but the first multiplies the games played, at most."""

_FIRST_LOOK = 4_096
_FEWEST_LEARNERS = 32
"""Games, and learners, before the first look at an interval. The normal approximation is good by
then, and so is the estimate of the spread, which says how many more games are needed."""

_AMPLE = 1.02
"""Factor on the number of games that seem to be needed. The spread is only known roughly, and
the next round should reach the width."""


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
    """Return a number of games, rounded up to whole units."""
    return -(-games // unit) * unit


def round_for(until: float, played: int, half_width: float, unit: int, games: int) -> int:
    """Return where the next round ends on the way to an interval of a given half-width.

    It is ``played`` when the width is reached, or all ``games`` are played. A half-width
    shrinks with the root of the number of games.

    Parameters
    ----------
    until, half_width : float
        The one to reach, and the one after ``played`` games, which may be unknown: NaN.
    played, unit, games : int
        As for `first_look`.
    """
    if half_width <= until:
        return played
    needed, ratio = GROWTH * played, half_width / until
    # Not where it is unknown; nor where its square could be too large for a float.
    if ratio < GROWTH:
        needed = min(needed, math.ceil(_AMPLE * played * ratio**2))
    return min(whole_units(max(needed, played + 1), unit), games)
