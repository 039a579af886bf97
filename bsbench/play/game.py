"""One game, move by move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.layouts import Sampler
from bsbench.play.session import Session
from bsbench.rules.board import MISS, NOTHING, Rules
from bsbench.rules.drawing import MISSED, OPEN, STRUCK, SUNKEN, BoardView
from bsbench.rules.slots import slot_cells
from bsbench.strategies.base import Insight, Strategy
from bsbench.strategies.view import View

LANE = np.zeros(1, np.int64)
"""The lanes of a single game: the first and only one."""


@dataclass(frozen=True)
class Move:
    """A shot and what it revealed.

    Attributes
    ----------
    cell : int
    outcome : int
        ``MISS``, ``HIT`` or ``SUNK`` of `bsbench.rules.board`.
    ship : int or None
        Index of the ship that was hit or sunk, where the feedback says so.
    sunk : tuple of int
        The cells of the ship that was sunk, where the feedback says so.
    insight : Insight
        What led the strategy to the shot; empty if not asked for. Comparing moves ignores it.
    """

    cell: int
    outcome: int
    ship: int | None = None
    sunk: tuple[int, ...] = ()
    insight: Insight = field(default=Insight(), compare=False, repr=False)

    @property
    def scores(self) -> npt.NDArray[Any] | None:
        """What the strategy computed last to choose a cell: see `Insight`."""
        return self.insight.scores

    @property
    def waiting(self) -> bool:
        """Whether the strategy had queued the cell before, so that its scores are older, too."""
        return bool(self.insight.waiting)


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
    sunk = None
    if rules.feedback.reveals.sinkings:
        sunk = tuple(move.ship for move in moves if move.sunk and move.ship is not None)
    return BoardView(
        rules.rows,
        rules.cols,
        rules.fleet,
        tuple(marks),
        sunk,
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
    insight: bool = False,
) -> Iterator[Move]:
    """Play one game as a run plays it; before it, the games that a learner learns from.

    Parameters
    ----------
    strategy : Strategy
        Not used before.
    rules : Rules
    sampler : Sampler
    seed, game : int
    insight : bool
        Whether the strategy is asked what led to each shot.

    Yields
    ------
    Move
        As soon as it is made.

    Raises
    ------
    StrategyError
        If the strategy breaks the rules, or raises.
    """
    session = Session(strategy, rules, 1, seed, game=game)
    for earlier in range(game - game % strategy.games_per_learner, game):
        for _ in moves_of(session, earlier, sampler.draw(seed, earlier, 1)):
            pass
    yield from moves_of(session, game, sampler.draw(seed, game, 1), insight)


def moves_of(
    session: Session, game: int, layout: npt.NDArray[np.int32], insight: bool = False
) -> Iterator[Move]:
    """Play one game on a given layout, and yield each move as soon as it is made.

    Parameters
    ----------
    session : Session
        With one lane.
    game : int
    layout : ndarray of int32, shape (1, ships)
        A slot code for each ship.
    insight : bool
        Whether the strategy is asked what led to each shot.
    """
    session.deal(LANE, np.array([game]), layout)
    view = session.view
    while view.live[0]:
        cells = session.choose()
        led_to = session.insight(0) if insight else Insight()
        session.fire(cells)
        yield last_move(view, led_to)


def last_move(view: View, insight: Insight) -> Move:
    """Return the last move of a view with one lane, and what led to it."""
    ship, slot, rules = int(view.ship[0]), int(view.slot[0]), view.rules
    return Move(
        int(view.cell[0]),
        int(view.outcome[0]),
        None if ship == NOTHING else ship,
        () if slot == NOTHING else tuple(slot_cells(slot, rules.fleet[ship], rules.cols)),
        insight,
    )
