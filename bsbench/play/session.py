"""A strategy at a board: what it sees, what answers its shots, and whose fault an error is.

A session puts a strategy, its view and the referee together, for as many games at once as it has
lanes. The simulator, single games, hints and heat maps all play through one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, Fault, StrategyError
from bsbench.kernels.boards import Boards
from bsbench.kernels.shared import begin_histories, look_up, no_decisions, share
from bsbench.own.blame import broken
from bsbench.play.planned import WholeGames, plays_whole
from bsbench.play.referee import Referee
from bsbench.rules.board import NOTHING, Rules
from bsbench.rules.drawing import IllegalShotError, illegal_shot
from bsbench.strategies.base import Cells, FixedOrder, Insight, Planner, Strategy
from bsbench.strategies.view import View

Observer = Callable[[View, Cells], object]
"""What is called after each step, with the view and the lanes that were live before it: in these,
the view holds the last shot and its number."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _answerable(
    method: Callable[Concatenate[Session, _P], _R],
) -> Callable[Concatenate[Session, _P], _R]:
    """Return a method that raises a `StrategyError` where the strategy is to blame."""

    @wraps(method)
    def called(session: Session, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return method(session, *args, **kwargs)
        except Exception as error:
            fault = session._fault(error)
            if fault is None:
                raise
            name, lane, problem = session.strategy.name, fault.lane, fault.problem
            game, shots = int(session.games[lane]), int(session.view.shots[lane])
            if fault.between:
                over = int((session._before if session.view.live[lane] else session.games)[lane])
                if over >= 0:
                    game, problem = over, f"{problem} (after game {over})"
                raise StrategyError(name, game, session.seed, None, problem, fault.line) from error
            raise StrategyError(name, game, session.seed, shots, problem, fault.line) from error

    return called


class Session:
    """A strategy, its view and its referee, for one thread.

    Parameters
    ----------
    strategy : Strategy
        It belongs to the session from then on.
    rules : Rules
    lanes : int
        Games in lockstep.
    seed : int
        Of the strategy's own random numbers.
    shared_bytes : int
        Memory at most of the decisions that games share, if the strategy shares any.
        With 0, games share none. The shots are the same.
    observer : callable, optional
        Sees every shot. The strategy is then asked shot by shot, even if it plans.
    game : int
        The game that an error names before any game is dealt.

    Attributes
    ----------
    view : View
        Written by the referee.
    games : ndarray of int64, shape (lanes,)
        The number of the game in each lane.
    whole : WholeGames or None
        What `play_whole` plays with, if the strategy is a planner whose games can be played so.

    Raises
    ------
    StrategyError
        From every method, if the strategy breaks the rules, or a user's strategy raises.
    """

    def __init__(
        self,
        strategy: Strategy,
        rules: Rules,
        lanes: int,
        seed: int,
        shared_bytes: int = 0,
        observer: Observer | None = None,
        game: int = 0,
    ) -> None:
        self.strategy = strategy
        self.seed = seed
        self.view = View(rules, lanes)
        self.games = np.full(lanes, game)
        # The game before it in each lane, or -1.
        self._before = np.full(lanes, -1)
        self._referee = Referee(self.view)
        self._observer = observer
        self._decisions = None
        if strategy.shares and shared_bytes and not rules.salvos:
            self._decisions = no_decisions(lanes, shared_bytes)
            self.view.asked = np.zeros(lanes, np.bool_)
        self._planner = strategy if isinstance(strategy, Planner) else None
        self._choose: Callable[[View], Cells] = strategy.shoot
        if self._decisions is not None:
            self._choose = self._shared
        elif rules.salvos:
            self._choose = strategy.salvo
        self._begin()
        self.whole: WholeGames | None = None
        # Where shots may be repeated, move counts have two bytes: one more kernel for them is not
        # worth its compilation.
        alone = not (rules.salvos or rules.repeats)
        if self._planner is not None and alone and plays_whole(self._planner):
            self.whole = WholeGames(self._planner)

    @_answerable
    def _begin(self) -> None:
        self.strategy.begin(self.view.rules, self.view.lanes, self.seed)

    @_answerable
    def deal(
        self, lanes: Cells, games: Cells, layouts: npt.NDArray[np.int32] | None = None
    ) -> None:
        """Begin fresh games.

        Parameters
        ----------
        lanes : ndarray of int64, shape (n,)
        games : ndarray of int64, shape (n,)
            Their numbers.
        layouts : ndarray of int32, shape (n, ships), optional
            As `Referee.deal` takes them. Without them, the caller answers the shots.
        """
        self._before[lanes] = np.where(self.view.shots[lanes] > 0, self.games[lanes], -1)
        self.games[lanes] = games
        if layouts is None:
            self.view.begin(lanes)
        else:
            self._referee.deal(lanes, layouts)
        if self._decisions is not None:
            begin_histories(lanes, self._decisions)
        self.strategy.deal(lanes, games)

    @_answerable
    def step(self) -> Cells:
        """Fire a turn in every live lane.

        Returns
        -------
        ndarray of int64, shape (n,)
            Lanes whose games are then over, ascending. The next step overwrites it.
        """
        cells = self._choose(self.view)
        if self._observer is None:
            return self._referee.fire(cells)
        # A third of the time of `np.flatnonzero`, which counts where a bot plays game by game.
        (lanes,) = self.view.live.nonzero()
        ended = self._referee.fire(cells)
        self._observer(self.view, lanes)
        return ended

    @_answerable
    def play_whole(self, first_game: int, boards: Boards, moves: npt.NDArray[Any]) -> None:
        """Play games to their ends, from ``first_game`` on, and write down their move counts.

        It needs `whole`, and no observer. What was dealt before is dropped.
        """
        assert self.whole is not None
        rules, view, at_once = self.view.rules, self.view, self.whole.at_once or len(moves)
        for first in range(0, len(moves), at_once):
            part = slice(first, first + at_once)
            games = np.arange(first_game, first_game + len(moves))[part]
            # An error of the strategy names the first live game.
            self.games[0], view.live[0], view.shots[0] = games[0], True, 0
            fault = self.whole.play(games, boards[part], moves[part])
            if fault is not None:
                game, shots, cell = fault
                self.games[0], view.shots[0] = games[game], shots
                if cell == NOTHING:
                    raise IllegalShotError(0, cell, "its plan has no open cell")
                raise illegal_shot(rules, 0, cell)

    @_answerable
    def choose(self) -> Cells:
        """Return the strategy's next turn in every live lane: int64, shape (lanes, most shots)."""
        return self._referee.checked(self._choose(self.view))

    @_answerable
    def fire(self, cells: Cells) -> Cells:
        """Fire what `choose` returns; return the lanes whose games are then over."""
        return self._referee.fire(cells)

    @_answerable
    def fire_instead(self, cells: Cells) -> Cells:
        """Fire at cells that the strategy did not choose, after it has noted the shots before."""
        if self._planner is not None:
            # If asked to shoot, it would keep in its plan a cell that is not shot.
            self._planner.follow(self.view)
        else:
            self.choose()
        return self._referee.fire(cells)

    @_answerable
    def insight(self, lane: int) -> Insight:
        """Return what led to the strategy's last choice in a lane."""
        insight = self.strategy.insight(lane)
        if not self.strategy.gives_chances:
            return insight
        return dataclasses.replace(insight, chances=self.chances(np.array([lane]))[0])

    @_answerable
    def chances(self, lanes: Cells) -> npt.NDArray[np.float64]:
        """Return how likely each cell holds a ship, as `Strategy.chances` does.

        Parameters
        ----------
        lanes : ndarray of int64, shape (n,)
            Lanes that were live before the last shot, at least one.
        """
        chances = self.strategy.chances(lanes)
        shape = len(lanes), self.view.rules.cells
        if chances.shape != shape or chances.dtype != np.float64:
            raise Fault(
                int(lanes[0]),
                f"chances returned shape {chances.shape} and type {chances.dtype}; it must return "
                f"a float64 for each lane and cell, shape {shape}",
            )
        return chances

    def ships_afloat(self) -> Cells:
        """Return how many of the ships shot at are afloat in each lane, for who hides them."""
        return self._referee.ships_afloat()

    def shuffle_key(self) -> np.uint64 | None:
        """Return the key of the shuffles of a built-in `FixedOrder`, as its `shuffle_key` does."""
        assert isinstance(self.strategy, FixedOrder)
        # Orders of users are checked, as a whole.
        return self.strategy.shuffle_key() if self.strategy.built_in else None

    @_answerable
    def orders(self, games: Cells) -> npt.NDArray[np.uint16]:
        """Return all shots of some games of a `FixedOrder`, as its `orders` does."""
        assert isinstance(self.strategy, FixedOrder)
        try:
            return self.strategy.checked_orders(np.arange(len(games)), games)
        except Fault as fault:
            # These games are in no lane.
            self.games[0] = games[fault.lane]
            raise Fault(0, fault.problem) from fault

    def _shared(self, view: View) -> Cells:
        """Return the next shots; ask the strategy only where a game's history is new."""
        decisions = self._decisions
        seen = view.live, view.shots, view.cell, view.outcome, view.ship, view.slot
        look_up(*seen, decisions, view.asked)
        cells = self._referee.checked(self.strategy.shoot(view)).copy()
        share(view.asked, cells[:, 0], decisions)
        return cells

    def _fault(self, error: Exception) -> Fault | None:
        """Return what the strategy did wrong, or None if the error is not the strategy's."""
        if isinstance(error, Fault):
            return error
        if isinstance(error, BsbenchError) or self.strategy.built_in:
            return None
        # An error in a batch does not say which game it was: the first live one stands for all.
        fault = broken(int(np.argmax(self.view.live)), error)
        if self.view.lanes > 1:
            fault.problem += " (the first of a batch of games)"
        return fault
