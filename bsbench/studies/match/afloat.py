"""Matches in which a turn has as many shots as the shooter has ships afloat.

Each side shoots at the other's fleet, so a session has the ships of the other side, and says how
many of them are afloat: that is how many shots the other side may fire next. Games are played in
lockstep, a turn of all who begin and then one of all who are second.

How fast a side is then depends on how fast the other one sinks its ships: nothing follows from move
counts of each alone, and all figures are of the games played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from bsbench.common.parallel import Shared, in_order
from bsbench.common.progress import Progress, Watch
from bsbench.layouts import Sampler
from bsbench.own.adapter import Adapter, borrowed
from bsbench.play.session import Session
from bsbench.rules.board import Rules
from bsbench.stats import Outcomes, Score
from bsbench.stats.elo import Scored
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


_AT_ONCE = 1_024
"""Pairs of games in lockstep."""


@dataclass(frozen=True, eq=False)
class AfloatMeeting(Scored):
    """Two sides against each other, whose turns depend on each other.

    Attributes
    ----------
    places : tuple of 2 int
    outcomes : ndarray of int8, shape (pairs, 2)
        1 if the first-named side won, -1 if it lost: as the one that begins, and as second.
    turns, shots : float
        Of the side that wins, on average.
    """

    places: tuple[int, int]
    outcomes: npt.NDArray[np.int8]
    turns: float
    shots: float

    @property
    def expected(self) -> Score:
        """Share of the points of the first-named."""
        return self.score

    @property
    def beginning(self) -> Outcomes:
        """How the games ended that the first-named began."""
        return _outcomes(self.outcomes[:, 0])

    @property
    def answering(self) -> Outcomes:
        """How the other games ended."""
        return _outcomes(self.outcomes[:, 1])

    @property
    def overall(self) -> Outcomes:
        """How all games ended."""
        return _outcomes(self.outcomes)


def _outcomes(outcomes: npt.NDArray[np.int8]) -> Outcomes:
    return Outcomes(*(Fraction(int((outcomes == end).sum()), outcomes.size) for end in (1, 0, -1)))


def meet(
    rules: Rules,
    places: tuple[int, int],
    players: tuple[AfloatSide, AfloatSide],
    seed: int,
    games: int,
    threads: int,
    timeout: float,
    watch: Watch,
    called: str,
) -> AfloatMeeting:
    """Let two sides play games in pairs, with the same layouts and sides changed.

    Parameters
    ----------
    rules : Rules
    places : tuple of 2 int
    players : tuple of 2 AfloatSide
    seed, games, threads : int
    timeout : float
        Seconds that the code of a strategy in Python may take for one game.
    watch : callable
    called : str
        What progress calls the two.

    Raises
    ------
    StrategyError
        If a strategy breaks the rules, or raises.
    KeyboardInterrupt
        If interrupted before any pair was over; after that, the pairs so far count.
    """
    # A bot plays so many games at once at most.
    at_once = min([_AT_ONCE, *(player.strategy.most_lanes for player in players)])
    blocks = Shared(range(0, games // 2, at_once))
    if any(isinstance(player.strategy, Adapter) for player in players):
        # Threads of one process would take turns in the interpreter.
        threads = 1

    def work(stopped: Callable[[], bool]) -> Iterator[tuple[int, int, npt.NDArray[np.int64]]]:
        for first in blocks:
            pairs = np.arange(first, min(first + at_once, games // 2))
            ended = []
            for turned in (False, True):
                with ExitStack() as lent:
                    one, other = (
                        replace(each, strategy=lent.enter_context(borrowed(each.strategy, timeout)))
                        for each in players[:: -1 if turned else 1]
                    )
                    games_now = 2 * pairs + turned
                    if (found := play_afloat(rules, one, other, seed, games_now, stopped)) is None:
                        return
                outcomes = np.where(found.won != turned, 1, -1)
                ended.append(np.stack([outcomes, found.turns, found.shots]))
            yield first, len(pairs), np.stack(ended, axis=1)

    found: list[npt.NDArray[np.int64]] = []
    try:
        for block in in_order([work] * threads):
            found.append(block)
            watch(Progress(called, 2 * sum(each.shape[2] for each in found), games))
    except KeyboardInterrupt:
        if not found:
            raise
    outcomes, turns, shots = np.concatenate(found, axis=2)
    return AfloatMeeting(
        places, outcomes.T.astype(np.int8), float(turns.mean()), float(shots.mean())
    )
