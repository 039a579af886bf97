"""One game, move by move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.drawing import MISSED, OPEN, STRUCK, SUNKEN, BoardView
from bsbench.errors import BsbenchError, Fault, StrategyError
from bsbench.layouts import Sampler
from bsbench.plugins.blame import broken
from bsbench.referee import Referee
from bsbench.rules import MISS, NOTHING, Feedback, Rules
from bsbench.slots import slot_cells
from bsbench.strategies.base import Insight, Strategy
from bsbench.view import View


@dataclass(frozen=True)
class Move:
    """A shot and what it revealed.

    Attributes
    ----------
    cell : int
    outcome : int
        ``MISS``, ``HIT`` or ``SUNK`` of `bsbench.rules`.
    ship : int or None
        Index of the ship that was hit or sunk, where that is told.
    sunk : tuple of int
        The cells of the ship that was sunk, where that is told.
    scores : ndarray of int64 or float64, shape (cells,), or None
        What the strategy computed last to choose a cell, below 0 where a cell has no score. None
        if it has no scores, or nobody asked for them. Moves are compared without it.
    waiting : bool
        Whether the cell was taken from a list that an earlier move had queued, so that
        ``scores`` are from an earlier one, too. Likewise.
    """

    cell: int
    outcome: int
    ship: int | None = None
    sunk: tuple[int, ...] = ()
    scores: npt.NDArray[Any] | None = field(default=None, compare=False, repr=False)
    waiting: bool = field(default=False, compare=False, repr=False)


def board_after(
    rules: Rules,
    moves: Sequence[Move],
    *,
    next_shot: int | None = None,
    ships: tuple[tuple[int, ...], ...] | None = None,
    scores: npt.NDArray[Any] | None = None,
    title: str = "",
) -> BoardView:
    """Return the board as the shooter knows it after some moves.

    Parameters
    ----------
    rules : Rules
    moves : sequence of Move
        From the first on.
    next_shot, ships, scores, title
        As in `BoardView`.
    """
    marks = [OPEN] * rules.cells
    for move in moves:
        marks[move.cell] = MISSED if move.outcome == MISS else STRUCK
    for move in moves:
        for cell in move.sunk:
            marks[cell] = SUNKEN
    told = rules.feedback >= Feedback.SUNK
    return BoardView(
        rules.rows,
        rules.cols,
        rules.fleet,
        tuple(marks),
        tuple(move.ship for move in moves if move.sunk and move.ship is not None) if told else None,
        next_shot=next_shot,
        ships=ships,
        scores=None if scores is None else tuple(scores.tolist()),
        title=title,
    )


def layout_of(rules: Rules, sampler: Sampler, seed: int, game: int) -> tuple[tuple[int, ...], ...]:
    """Return the cells of each ship of a game's layout, in the order of the fleet."""
    laid = zip(sampler.draw(seed, game, 1)[0].tolist(), rules.fleet, strict=True)
    return tuple(tuple(slot_cells(code, length, rules.cols)) for code, length in laid)


def play_game(
    strategy: Strategy,
    rules: Rules,
    sampler: Sampler,
    seed: int,
    game: int,
    scores: bool = False,
) -> Iterator[Move]:
    """Play one game, the very one of a run; of a strategy that learns, what it learns from, too.

    Parameters
    ----------
    strategy : Strategy
        Not used before.
    rules : Rules
    sampler : Sampler
    seed, game : int
    scores : bool
        Whether the strategy is asked for its scores, too.

    Yields
    ------
    Move
        As soon as it is made.

    Raises
    ------
    StrategyError
        If the strategy breaks the rules, or breaks down.
    """
    view = View(rules, 1)
    referee = Referee(view)
    lane = np.zeros(1, np.int64)
    playing = game
    try:
        strategy.begin(rules, 1, seed)
        for playing in range(game - game % strategy.games_per_learner, game + 1):
            referee.deal(lane, sampler.draw(seed, playing, 1))
            strategy.deal(lane, np.array([playing]))
            while view.live[0]:
                cells = strategy.shoot(view)
                insight = strategy.insight(0) if scores and playing == game else Insight()
                referee.fire(cells)
                if playing == game:
                    yield last_move(rules, view, insight)
    except Exception as error:
        if isinstance(error, BsbenchError) or (strategy.built_in and not isinstance(error, Fault)):
            raise
        fault = error if isinstance(error, Fault) else broken(0, error)
        shots = int(view.shots[0])
        raise StrategyError(
            strategy.name, playing, seed, shots, fault.problem, fault.line
        ) from error


def last_move(rules: Rules, view: View, insight: Insight) -> Move:
    """Return the last move of a view with one lane, and what led to it."""
    ship, slot = int(view.ship[0]), int(view.slot[0])
    return Move(
        int(view.cell[0]),
        int(view.outcome[0]),
        None if ship == NOTHING else ship,
        () if slot == NOTHING else tuple(slot_cells(slot, rules.fleet[ship], rules.cols)),
        insight.scores,
        bool(insight.waiting),
    )
