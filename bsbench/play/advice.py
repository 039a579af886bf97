"""What a strategy would do in somebody's place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.layouts import Sampler
from bsbench.play.game import LANE, as_turn, moves_of
from bsbench.play.session import Session
from bsbench.rules.board import NOTHING, Rules
from bsbench.strategies import Strategy
from bsbench.strategies.base import FixedOrder, Insight, Planner


@dataclass(frozen=True)
class Hint:
    """What a strategy would do in the person's place.

    Attributes
    ----------
    strategy : str
        Its label.
    cell : int
        Where it would shoot; the first cell of a turn.
    scores : ndarray, shape (cells,), or None
        What it computed for that, below 0 where a cell has no score; None if it has no scores, or
        the cell is from a list that it keeps.
    in_percent : bool
        Whether these are probabilities of a ship, as it estimates them.
    turn : tuple of int
        All cells of its turn: the one cell, but in salvos.
    """

    strategy: str
    cell: int
    scores: npt.NDArray[Any] | None
    in_percent: bool = False
    turn: tuple[int, ...] = ()

    @classmethod
    def of(cls, strategy: str, cell: int, insight: Insight) -> Hint:
        """Return the hint of a strategy that shoots a cell, and what led to it."""
        if insight.waiting:
            return cls(strategy, cell, None)
        return cls(strategy, cell, insight.scores, insight.in_percent)


def hint(
    strategy: Strategy,
    rules: Rules,
    layout: npt.NDArray[np.int32],
    turns: Iterable[Sequence[int]],
    seed: int = 0,
    game: int = 0,
) -> Hint:
    """Return what a strategy would shoot after some turns on a layout.

    Parameters
    ----------
    strategy : Strategy
        Left as it is.
    rules : Rules
    layout : ndarray of int32, shape (1, ships)
        Any layout that answers the shots as they were: the strategy sees only the answers.
    turns : iterable of sequence of int
        Their cells, in order: one each, but in salvos.
    seed, game : int
        Of the strategy's random numbers.

    Raises
    ------
    BsbenchError
        If it ignores the outcomes of shots, or fails; or the game is over.
    """
    strategy = strategy.copy()
    _check_watches(strategy)
    try:
        # A new session for each hint: what the strategy would have shot leaves no trace.
        session = Session(strategy, rules, 1, seed, game=game)
        session.deal(LANE, np.array([game]), layout)
        for cells in turns:
            session.fire_instead(as_turn(rules, cells))
        if not session.view.live[0]:
            raise BsbenchError("the game is over: there is nothing left to shoot at")
        turn = _cells(session.choose())
        insight = session.insight(0)
    except StrategyError as error:
        raise BsbenchError(f"strategy {strategy.name!r} has no hint: {error.problem}") from error
    return replace(Hint.of(strategy.label, turn[0], insight), turn=tuple(turn))


def hints(
    strategy: Strategy,
    rules: Rules,
    sampler: Sampler,
    turns: Sequence[Sequence[int]],
    seed: int = 0,
    game: int = 0,
) -> Iterator[Hint]:
    """Yield what a strategy would have shot in each position of a game, for each shot.

    In salvos, a shot of the strategy's turn stands for that of the game's turn, in order. As long
    as the shots are its own, it plays as in a run. After other shots, it goes on from the
    position as it is shown.

    Parameters
    ----------
    strategy : Strategy
        Not used before. It belongs to this function until the end.
    rules : Rules
    sampler : Sampler
        Of the game's layout.
    turns : sequence of sequence of int
        The game's cells, turn by turn: one each, but in salvos.
    seed, game : int
        Of the game.

    Raises
    ------
    BsbenchError
        If it ignores the outcomes of shots, or fails.
    """
    _check_watches(strategy)
    layout = sampler.draw(seed, game, 1)

    def begun(follows: Strategy) -> Session:
        session = Session(follows, rules, 1, seed, game=game)
        for earlier in range(game - game % follows.games_per_learner, game):
            for _ in moves_of(session, earlier, sampler.draw(seed, earlier, 1)):
                pass
        session.deal(LANE, np.array([game]), layout)
        return session

    try:
        session = begun(strategy)
        for number, cells in enumerate(turns):
            chosen = _cells(session.choose())
            insight = session.insight(0)
            for place in range(len(cells)):
                # It may have fired fewer.
                yield Hint.of(strategy.label, chosen[min(place, len(chosen) - 1)], insight)
            if rules.repeats and cells in turns[:number]:
                # It reveals nothing, and strategies that know no repeated shots see none.
                continue
            if chosen != [*cells] and isinstance(strategy, Planner):
                # Its plan holds a cell that is not shot: another one has seen the same shots.
                session = begun(strategy.copy())
                for before in dict.fromkeys(map(tuple, turns[:number])):
                    session.fire_instead(as_turn(rules, before))
                session.fire_instead(as_turn(rules, cells))
            else:
                session.fire(as_turn(rules, cells))
    except StrategyError as error:
        raise BsbenchError(f"strategy {strategy.name!r} has no opinion: {error.problem}") from error


def _cells(chosen: npt.NDArray[np.int64]) -> list[int]:
    """Return the cells of what a session chooses in one lane."""
    return [cell for cell in chosen.ravel().tolist() if cell != NOTHING]


def _check_watches(strategy: Strategy) -> None:
    if isinstance(strategy, FixedOrder):
        raise BsbenchError(
            f"strategy {strategy.name!r} ignores the outcomes of shots, and gives no hints: "
            "choose another one"
        )
