"""What a strategy would do in somebody's place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.play.game import LANE
from bsbench.play.session import Session
from bsbench.rules.board import Rules
from bsbench.strategies import Strategy
from bsbench.strategies.base import FixedOrder


@dataclass(frozen=True)
class Hint:
    """What a strategy would do in the person's place.

    Attributes
    ----------
    strategy : str
        Its label.
    cell : int
        Where it would shoot.
    scores : ndarray, shape (cells,), or None
        What it computed for that, below 0 where a cell has no score; None if it has no scores, or
        the cell is from a list that it keeps.
    """

    strategy: str
    cell: int
    scores: npt.NDArray[Any] | None


def hint(
    strategy: Strategy,
    rules: Rules,
    layout: npt.NDArray[np.int32],
    shots: Iterable[int],
    seed: int = 0,
    game: int = 0,
) -> Hint:
    """Return what a strategy would shoot after some shots on a layout.

    Parameters
    ----------
    strategy : Strategy
        Left as it is.
    rules : Rules
    layout : ndarray of int32, shape (1, ships)
        Any layout that answers the shots as they were: the strategy sees only the answers.
    shots : iterable of int
        Cells, in order.
    seed, game : int
        Of the strategy's random numbers.

    Raises
    ------
    BsbenchError
        If it ignores the outcomes of shots, or fails; or the game is over.
    """
    strategy = strategy.copy()
    if isinstance(strategy, FixedOrder):
        raise BsbenchError(
            f"strategy {strategy.name!r} ignores the outcomes of shots, and gives no hints: "
            "choose another one"
        )
    try:
        # A new session for each hint: what the strategy would have shot leaves no trace.
        session = Session(strategy, rules, 1, seed, game=game)
        session.deal(LANE, np.array([game]), layout)
        for cell in shots:
            session.fire_instead(np.array([cell]))
        if not session.view.live[0]:
            raise BsbenchError("the game is over: there is nothing left to shoot at")
        cell = int(session.choose()[0])
        insight = session.insight(0)
    except StrategyError as error:
        raise BsbenchError(f"strategy {strategy.name!r} has no hint: {error.problem}") from error
    return Hint(strategy.label, cell, None if insight.waiting else insight.scores)
