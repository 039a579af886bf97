"""Games of two sides in which a turn has as many shots as the shooter has ships afloat.

Each side shoots at the other's fleet, so a session has the ships of the other side, and says how
many of them are afloat: that is how many shots the other side may fire next. Games are played in
lockstep, a turn of all who begin and then one of all who are second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bsbench.layouts import Sampler
from bsbench.play.session import Session
from bsbench.rules.board import Rules
from bsbench.strategies import Strategy


@dataclass(frozen=True)
class AfloatSide:
    """A side: who shoots, and how it hides.

    Attributes
    ----------
    strategy : Strategy
    sampler : Sampler
        Draws the layouts of its own fleet.
    """

    strategy: Strategy
    sampler: Sampler


@dataclass(frozen=True)
class Ended:
    """How games ended.

    Attributes
    ----------
    won : ndarray of bool, shape (games,)
        Whether the side that begins won.
    turns, shots : ndarray of int64, shape (games,)
        Of the side that won.
    """

    won: npt.NDArray[np.bool_]
    turns: npt.NDArray[np.int64]
    shots: npt.NDArray[np.int64]


def play_afloat(
    rules: Rules,
    begins: AfloatSide,
    second: AfloatSide,
    seed: int,
    games: npt.NDArray[np.int64],
    stopped: Callable[[], bool] = lambda: False,
) -> Ended | None:
    """Play some games, each with the side first named to begin; None when stopped.

    Parameters
    ----------
    rules : Rules
        With the shots ``afloat``.
    begins, second : AfloatSide
        Their strategies are used up.
    seed : int
    games : ndarray of int64, shape (games,)
        Their numbers. The side that begins game g shoots at layout g, the other one at layout
        g xor 1: so the two games of a pair have the same two layouts.
    stopped : callable
        Asked at each turn whether to stop.

    Raises
    ------
    StrategyError
        If a strategy breaks the rules, or raises.
    """
    lanes = np.arange(len(games))
    sessions = [Session(each.strategy, rules, len(games), seed) for each in (begins, second)]
    targets = (second.sampler, games), (begins.sampler, games ^ 1)
    for session, (sampler, layouts) in zip(sessions, targets, strict=True):
        first = int(layouts.min())
        drawn = sampler.draw(seed, first, int(layouts.max()) - first + 1)
        session.deal(lanes, games, drawn[layouts - first])
    views = [session.view for session in sessions]
    won = np.zeros(len(games), np.bool_)
    while views[0].live.any():
        if stopped():
            return None
        for place, (session, view) in enumerate(zip(sessions, views, strict=True)):
            other = 1 - place
            view.allowed[:] = sessions[other].ships_afloat()
            over = session.step()
            won[over] = place == 0
            views[other].live[over] = False
    counts = [np.stack([view.turns, view.shots]) for view in views]
    turns, shots = np.where(won, *counts)
    return Ended(won, turns, shots)
