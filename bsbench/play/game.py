"""One game, move by move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.layouts import Sampler
from bsbench.play.referee import Referee
from bsbench.play.session import Session
from bsbench.rules.board import HIT, MISS, NOTHING, SUNK, Rules
from bsbench.rules.drawing import MISSED, OPEN, STRUCK, SUNKEN, UNCLEAR, BoardView
from bsbench.rules.position import Answer, AnyAnswer, JointAnswer
from bsbench.rules.slots import slot_cells, slot_code
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
        ``MISS``, ``HIT`` or ``SUNK`` of `bsbench.rules.board`. With joint answers, it is what the
        shot did, which the strategy was not told: see ``hits``.
    ship : int or None
        Index of the ship that was hit or sunk, where the feedback says so.
    sunk : tuple of int
        The cells of the ship that was sunk, where the feedback says so.
    turn : int
        Number of its turn, from 1. Comparing moves ignores it.
    hits : tuple of int
        With joint answers, what was told of its turn: the hits on each ship.
    insight : Insight
        What led the strategy to the shot; empty if not asked for. Comparing moves ignores it.
    """

    cell: int
    outcome: int
    ship: int | None = None
    sunk: tuple[int, ...] = ()
    turn: int = field(default=0, compare=False)
    hits: tuple[int, ...] = ()
    insight: Insight = field(default=Insight(), compare=False, repr=False)

    @property
    def scores(self) -> npt.NDArray[Any] | None:
        """What the strategy computed last to choose a cell: see `Insight`."""
        return self.insight.scores

    @property
    def answer(self) -> Answer:
        """What was told, where shots have answers of their own."""
        slot = slot_code(sorted(self.sunk)) if self.sunk else NOTHING
        return Answer(self.cell, self.outcome, NOTHING if self.ship is None else self.ship, slot)

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

    After joint answers, it is not clear which shots hit, unless all of a turn did, or none.

    Parameters
    ----------
    rules : Rules
    moves : sequence of Move
        From the first on.
    ships : tuple of tuple of int, optional
        As in `BoardView`; what each shot did is then shown, too.
    next_shot, scores, title
        As in `BoardView`.
    """
    marks = [OPEN] * rules.cells
    in_turn = Counter(move.turn for move in moves)
    for move in telling(moves):
        marks[move.cell] = MISSED if move.outcome == MISS else STRUCK
        if ships is None and rules.joint:
            fired = in_turn[move.turn]
            answered = fired == rules.most_shots or move.turn < moves[-1].turn
            if not answered or sum(move.hits) not in (0, fired):
                marks[move.cell] = UNCLEAR
    for move in moves:
        if move.outcome == SUNK and not rules.joint:
            marks[move.cell] = SUNKEN
        for cell in move.sunk if ships is not None or not rules.joint else ():
            marks[cell] = SUNKEN
    sunk = None
    if rules.reveals.lengths:
        gone = (move.ship for move in moves if move.outcome == SUNK)
        sunk = tuple(ship for ship in gone if ship is not None)
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


def telling(moves: Sequence[Move]) -> list[Move]:
    """Return moves without those at cells that were shot before, which reveal nothing."""
    return list({move.cell: move for move in reversed(moves)}.values())[::-1]


def answers_of(rules: Rules, moves: Sequence[Move]) -> list[AnyAnswer]:
    """Return what the shooter was told of moves, without those that reveal nothing."""
    told = telling(moves)
    if rules.joint:
        turns = turns_of(told)
        return [JointAnswer(tuple(move.cell for move in turn), turn[0].hits) for turn in turns]
    return [move.answer for move in told]


def turns_of(moves: Sequence[Move]) -> list[list[Move]]:
    """Return moves turn by turn: one each, but in salvos."""
    return [list(turn) for _, turn in groupby(moves, attrgetter("turn"))]


def turn_numbers(rules: Rules, moves: Sequence[Move]) -> list[int]:
    """Return in which turn each move of a side is, where two shoot in turn.

    Where a hit gives another shot, a turn ends with its miss.
    """
    if not rules.again:
        return [move.turn for move in moves]
    missed = accumulate((move.outcome == MISS for move in moves), initial=0)
    return [1 + before for before, _ in zip(missed, moves, strict=False)]


def layout_of(rules: Rules, sampler: Sampler, seed: int, game: int) -> tuple[tuple[int, ...], ...]:
    """Return the cells of each ship of a game's layout, in the order of the fleet."""
    return tuple(map(tuple, rules.ships(sampler.draw(seed, game, 1)[0])))


def as_turn(rules: Rules, cells: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the shots of a turn as `Session.fire` takes them, in one lane."""
    return np.array([[*cells, *[NOTHING] * (rules.most_shots - len(cells))]])


def moves_on(
    rules: Rules, layout: npt.NDArray[np.int32], turns: Iterable[Sequence[int]]
) -> list[Move]:
    """Return shots that somebody fired at a layout, and what they revealed.

    Parameters
    ----------
    rules : Rules
    layout : ndarray of int32, shape (1, ships)
    turns : iterable of sequence of int
        Their cells, in order: one each, but in salvos.
    """
    view = View(rules, 1)
    referee = Referee(view)
    referee.deal(LANE, layout)
    moves: list[Move] = []
    for turn in turns:
        referee.fire(as_turn(rules, turn))
        moves += last_moves(view, layout, Insight(), moves)
    return moves


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
    fired: list[Move] = []
    while view.live[0]:
        cells = session.choose()
        led_to = session.insight(0) if insight else Insight()
        session.fire(cells)
        for move in last_moves(view, layout, led_to, fired):
            fired.append(move)
            yield move


def last_moves(
    view: View,
    layout: npt.NDArray[np.int32],
    insight: Insight,
    before: Sequence[Move] = (),
) -> list[Move]:
    """Return the shots of the last turn of a view with one lane, and what led to them.

    Parameters
    ----------
    view : View
    layout : ndarray of int32, shape (1, ships)
        A slot code for each ship: what each shot did, where answers are joint.
    insight : Insight
    before : sequence of Move
        Those before.
    """
    rules, turn, last = view.rules, int(view.turns[0]), view.last_turn(0)
    cells = [cell for cell, *_ in last]
    # What was computed for the turn stands with its first shot.
    queued = [replace(insight, waiting=cells[n:], remark="") for n in range(1, len(cells))]
    insights = [insight, *queued]
    if not rules.joint:
        both = zip(last, insights, strict=True)
        return [_move(rules, shot, turn, led_to) for shot, led_to in both]
    ships = [tuple(ship) for ship in rules.ships(layout[0])]
    shot, moves, told = {move.cell for move in before}, [], tuple(view.hits[0].tolist())
    for cell, led_to in zip(cells, insights, strict=True):
        shot.add(cell)
        ship = next((number for number, on in enumerate(ships) if cell in on), None)
        sunk = () if ship is None or not shot.issuperset(ships[ship]) else ships[ship]
        outcome = MISS if ship is None else SUNK if sunk else HIT
        moves.append(Move(cell, outcome, ship, sunk, turn, told, led_to))
    return moves


def _move(rules: Rules, shot: tuple[int, int, int, int], turn: int, insight: Insight) -> Move:
    """Return a shot of a view: cell, outcome, ship and slot."""
    cell, outcome, ship, slot = shot
    return Move(
        cell,
        outcome,
        None if ship == NOTHING else ship,
        () if slot == NOTHING else tuple(slot_cells(slot, rules.fleet[ship], rules.cols)),
        turn,
        insight=insight,
    )
