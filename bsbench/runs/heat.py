"""Heat maps: how likely each cell holds a ship, and when a strategy shoots it.

Both are counted in games of a scenario under a seed, the very games that `bsbench.run` plays.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bsbench.kernels.lanes import GROUP
from bsbench.own.adapter import InProcess
from bsbench.own.printing import kept_quiet
from bsbench.play.lockstep import Block, Simulator, default_lanes
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import Rules
from bsbench.rules.scenario import DEFAULT, Scenario
from bsbench.rules.slots import read_slot
from bsbench.runs.request import Request
from bsbench.strategies import Strategy
from bsbench.strategies.base import Cells
from bsbench.strategies.view import View

LAYOUTS = 1_000_000
"""Layouts drawn for the occupancy by default: it is then exact to 0.1 %."""

GAMES = 10_000
"""Games played for the shots of a strategy by default."""

_AT_ONCE = 65_536
"""Layouts in memory at once."""


@dataclass(frozen=True, eq=False)
class Occupancy:
    """How often each cell held a ship.

    Attributes
    ----------
    scenario : Scenario
    seed, games : int
        The layouts of games 0 … games - 1 under the seed were drawn.
    ships : ndarray of int64, shape (cells,)
        Layouts with a ship on the cell.
    """

    scenario: Scenario
    seed: int
    games: int
    ships: npt.NDArray[np.int64] = field(repr=False)

    @property
    def share(self) -> npt.NDArray[np.float64]:
        """The share of layouts with a ship there: float64, shape (cells,)."""
        return self.ships / self.games


@dataclass(frozen=True, eq=False)
class Shots:
    """When a strategy shot each cell.

    Attributes
    ----------
    scenario : Scenario
    label : str
        The strategy's.
    seed, games : int
        Games 0 … games - 1 under the seed were played.
    shot : ndarray of int64, shape (cells,)
        Games in which the cell was shot at all.
    numbers : ndarray of int64, shape (cells,)
        The sum over these of the number of that shot; the first of a game is number 1.
    squares : ndarray of int64, shape (cells,)
        The sum of their squares.
    """

    scenario: Scenario
    label: str
    seed: int
    games: int
    shot: npt.NDArray[np.int64] = field(repr=False)
    numbers: npt.NDArray[np.int64] = field(repr=False)
    squares: npt.NDArray[np.int64] = field(repr=False)

    @property
    def share(self) -> npt.NDArray[np.float64]:
        """The share of games in which a cell is shot at all: float64, shape (cells,)."""
        return self.shot / self.games

    @property
    def mean_number(self) -> npt.NDArray[np.float64]:
        """The mean number of the shot at each cell, where it was shot; else NaN: shape (cells,)."""
        with np.errstate(invalid="ignore"):
            return self.numbers / self.shot

    @property
    def error(self) -> npt.NDArray[np.float64]:
        """The standard error of `mean_number`: float64, shape (cells,).

        One game more, as far from the mean as it can be, has not been seen yet.
        """
        mean, cells = self.mean_number, self.scenario.rules.cells
        with np.errstate(invalid="ignore"):
            unseen = np.maximum(mean - 1, cells - mean) ** 2
            squares = np.maximum(self.squares - self.numbers * mean, 0) + unseen
            return np.asarray(np.sqrt(squares) / self.shot, np.float64)


def occupancy(
    scenario: str | Path | Scenario = DEFAULT, *, games: int | None = None, seed: int = 0
) -> Occupancy:
    """Count how often each cell holds a ship, under the scenario's placement law.

    Parameters
    ----------
    scenario : str, Path or Scenario, optional
        A scenario, its name, or the path of its TOML file.
    games : int, optional
        The layouts of games 0 … games - 1 under the seed are drawn. Default: `LAYOUTS`.
    seed : int

    Raises
    ------
    BsbenchError
        If an argument is out of range, or layouts can't be drawn.
    """
    games = LAYOUTS if games is None else games
    (scenario,) = Request.of(scenario, seed, games=games).scenarios_or(None)
    rules = scenario.rules
    sampler = make_sampler(rules, scenario.placement)
    ships = np.zeros(rules.cells, np.int64)
    for first_game in range(0, games, _AT_ONCE):
        layouts = sampler.draw(seed, first_game, min(_AT_ONCE, games - first_game))
        ships += ships_by_cell(rules, layouts)
    return Occupancy(scenario, seed, games, ships)


def ships_by_cell(rules: Rules, layouts: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Return how many layouts have a ship on each cell.

    Parameters
    ----------
    rules : Rules
    layouts : ndarray of int, shape (n, ships)
        Slot codes.

    Returns
    -------
    ndarray of int64, shape (cells,)
    """
    ships = np.zeros(rules.cells, np.int64)
    for length, codes in zip(rules.fleet, layouts.T, strict=True):
        first, step = read_slot(codes, rules.cols)
        for part in range(length):
            ships += np.bincount(first + part * step, minlength=rules.cells)
    return ships


def shots(
    strategy: str | Strategy | type,
    scenario: str | Path | Scenario | None = None,
    *,
    games: int | None = None,
    seed: int = 0,
) -> Shots:
    """Play games of a strategy and count when each cell was shot.

    Parameters
    ----------
    strategy : str, Strategy or type
        Parameters follow a name after commas: ``over9000,noise=0``.
    scenario : str, Path or Scenario, optional
        As for `bsbench.run`. Default: the strategy's home, else ``classic``.
    games : int, optional
        Games 0 … games - 1 under the seed are played. Default: `GAMES`.
    seed : int

    Raises
    ------
    BsbenchError
        If an argument is out of range, or the strategy needs more feedback than the
        scenario gives.
    """
    games = GAMES if games is None else games
    request = Request.of(scenario, seed, games=games)
    strategy, scenario = request.single(strategy, "a heat map")
    rules = scenario.rules
    rules.check_no_repeats("a heat map counts each cell once")
    shot = np.zeros(rules.cells, np.int64)
    numbers = np.zeros(rules.cells, np.int64)
    squares = np.zeros(rules.cells, np.int64)

    def count(view: View, lanes: Cells) -> None:
        _, cells, number = view.fired(lanes)
        shot[:] += np.bincount(cells, minlength=rules.cells)
        # float64 holds these sums exactly: they are far below 2^53.
        numbers[:] += np.bincount(cells, number, rules.cells).astype(np.int64)
        squares[:] += np.bincount(cells, number * number, rules.cells).astype(np.int64)

    # One block holds all games, so that learners are whole.
    lanes = min(default_lanes(rules), GROUP * -(-games // strategy.games_per_learner // GROUP))
    sampler = make_sampler(rules, scenario.placement)
    simulator = Simulator(
        rules, sampler, strategy.copy(), seed, lanes, largest_block=games, observer=count
    )
    # A user's class that plays in this process may print.
    with kept_quiet() if isinstance(strategy, InProcess) else nullcontext():
        for _ in simulator.play(iter([Block(0, games)])):
            pass
    return Shots(scenario, strategy.label, seed, games, shot, numbers, squares)
