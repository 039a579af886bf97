"""One game, move by move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bsbench.errors import BsbenchError, Fault, StrategyError
from bsbench.layouts import Sampler
from bsbench.plugins.blame import broken
from bsbench.referee import Referee
from bsbench.rules import NOTHING, Rules
from bsbench.strategies.base import Strategy
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
    """

    cell: int
    outcome: int
    ship: int | None = None
    sunk: tuple[int, ...] = ()


def layout_of(rules: Rules, sampler: Sampler, seed: int, game: int) -> tuple[tuple[int, ...], ...]:
    """Return the cells of each ship of a game's layout, in the order of the fleet."""
    codes = sampler.draw(seed, game, 1)[0].tolist()
    return tuple(
        _slot_cells(rules, code, length) for code, length in zip(codes, rules.fleet, strict=True)
    )


def _slot_cells(rules: Rules, code: int, length: int) -> tuple[int, ...]:
    first, step = code >> 1, rules.cols if code & 1 else 1
    return tuple(range(first, first + step * length, step))


def play_game(
    strategy: Strategy, rules: Rules, sampler: Sampler, seed: int, game: int
) -> Iterator[Move]:
    """Play one game, the very one of a run; of a strategy that learns, what it learns from, too.

    Parameters
    ----------
    strategy : Strategy
        Not used before.
    rules : Rules
    sampler : Sampler
    seed, game : int

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
                referee.fire(strategy.shoot(view))
                if playing == game:
                    yield _last_move(rules, view)
    except Exception as error:
        if isinstance(error, BsbenchError) or (strategy.built_in and not isinstance(error, Fault)):
            raise
        fault = error if isinstance(error, Fault) else broken(0, error)
        shots = int(view.shots[0])
        raise StrategyError(
            strategy.name, playing, seed, shots, fault.problem, fault.line
        ) from error


def _last_move(rules: Rules, view: View) -> Move:
    ship, slot = int(view.ship[0]), int(view.slot[0])
    sunk = () if slot == NOTHING else _slot_cells(rules, slot, rules.fleet[ship])
    return Move(int(view.cell[0]), int(view.outcome[0]), None if ship == NOTHING else ship, sunk)
