"""Games in lockstep: one shot in every live game at each step, until all are over.

A simulator has a fixed number of lanes. Each step asks the strategy for a cell per
lane and the referee for the answers; lanes whose games are over get the next
games of the block, so that few lanes idle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bsbench.kernels.lanes import GROUP
from bsbench.layouts import Sampler
from bsbench.referee import IllegalShotError, Referee
from bsbench.rules import Rules
from bsbench.strategies.base import Strategy
from bsbench.view import View

Moves = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
"""Move counts, one per game: uint8 on boards up to 255 cells, else uint16."""

_MOST_CELLS = 1 << 20
"""Cells of all lanes together. More lanes mean fewer calls of kernels, between which
threads wait for each other; fewer mean that the state stays in a cache of a few MB."""


def moves_dtype(rules: Rules) -> type[np.uint8] | type[np.uint16]:
    """Return the smallest dtype that holds every move count under these rules."""
    return np.uint8 if rules.cells <= 255 else np.uint16


def default_lanes(rules: Rules) -> int:
    """Return a good number of lanes: whole groups, 512 to 8,192 lanes in all."""
    groups = _MOST_CELLS // (GROUP * rules.cells)
    return GROUP * min(max(groups, 1), 16)


class StrategyError(Exception):
    """A strategy broke the rules.

    Attributes
    ----------
    game : int
        The number of the game it happened in.
    """

    def __init__(self, strategy: str, game: int, seed: int, shots: int, problem: str) -> None:
        super().__init__(
            f"strategy {strategy!r}, game {game} of seed {seed}, after {shots} shots: {problem}"
        )
        self.game = game


@dataclass
class Simulator:
    """Plays games of one strategy in lockstep.

    It is for one thread; the strategy belongs to it alone from then on.

    Parameters
    ----------
    rules : Rules
    sampler : Sampler
        Draws the layouts; may be shared between threads.
    strategy : Strategy
    seed : int
    lanes : int, optional
        Games in lockstep. Results do not depend on it.
    """

    rules: Rules
    sampler: Sampler
    strategy: Strategy
    seed: int
    lanes: int | None = None

    def __post_init__(self) -> None:
        lanes = self.lanes or default_lanes(self.rules)
        self._view = View(self.rules, lanes)
        self._referee = Referee(self._view)
        self._game = np.zeros(lanes, np.int64)
        self.strategy.begin(self.rules, lanes, self.seed)

    def play(
        self, first_game: int, games: int, stopped: Callable[[], bool] = lambda: False
    ) -> Moves | None:
        """Play some games in a row.

        Parameters
        ----------
        first_game : int
            Number of the first game under this seed.
        games : int
        stopped : callable
            Asked at each step whether to give up.

        Returns
        -------
        ndarray of uint8 or uint16, shape (games,), or None
            The move count of each game, or None when stopped.

        Raises
        ------
        StrategyError
            If the strategy fires off the board or twice at a cell.
        """
        view, referee, strategy = self._view, self._referee, self.strategy
        moves = np.zeros(games, moves_dtype(self.rules))
        view.live[:] = False
        lanes = view.lanes
        refill = max(lanes // 16, 1)
        idle = np.arange(lanes)
        dealt = over = 0
        while over < games:
            if stopped():
                return None
            if dealt < games and len(idle) >= min(refill, games - dealt):
                fresh, idle = idle[: games - dealt], idle[games - dealt :]
                numbers = np.arange(dealt, dealt + len(fresh))
                layouts = self.sampler.draw(self.seed, first_game + dealt, len(fresh))
                self._game[fresh] = numbers
                referee.deal(fresh, layouts)
                strategy.deal(fresh, first_game + numbers)
                dealt += len(fresh)
            try:
                won = referee.fire(strategy.shoot(view))
            except IllegalShotError as error:
                game = first_game + int(self._game[error.lane])
                shots = int(view.shots[error.lane])
                raise StrategyError(strategy.name, game, self.seed, shots, str(error)) from error
            if len(won):
                moves[self._game[won]] = view.shots[won]
                idle = np.concatenate((idle, won))
                over += len(won)
        return moves
