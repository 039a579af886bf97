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
from bsbench.layouts import make_sampler
from bsbench.plugins.printing import kept_quiet
from bsbench.request import check_feedback, check_request, scenario_for
from bsbench.rules import Rules
from bsbench.scenario import DEFAULT, Scenario, find_scenario
from bsbench.simulate import Block, Simulator, default_lanes
from bsbench.strategies import Strategy, as_strategy
from bsbench.strategies.base import Cells
from bsbench.view import View

LAYOUTS = 1_000_000
"""Drawn for the occupancy, unless told otherwise: it is then exact to 0.1 %."""

GAMES = 10_000
"""Played for the shots of a strategy, unless told otherwise."""

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
    """

    scenario: Scenario
    label: str
    seed: int
    games: int
    shot: npt.NDArray[np.int64] = field(repr=False)
    numbers: npt.NDArray[np.int64] = field(repr=False)

    @property
    def share(self) -> npt.NDArray[np.float64]:
        """The share of games in which a cell is shot at all: float64, shape (cells,)."""
        return self.shot / self.games

    @property
    def mean_number(self) -> npt.NDArray[np.float64]:
        """The mean number of the shot at each cell, where it was shot; else NaN: shape (cells,)."""
        with np.errstate(invalid="ignore"):
            return self.numbers / self.shot


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
    if not isinstance(scenario, Scenario):
        scenario = find_scenario(str(scenario))
    games, seed, _ = check_request(LAYOUTS if games is None else games, seed, 1)
    rules = scenario.rules
    sampler = make_sampler(rules, scenario.placement)
    ships = np.zeros(rules.cells, np.int64)
    for first_game in range(0, games, _AT_ONCE):
        layouts = sampler.draw(seed, first_game, min(_AT_ONCE, games - first_game))
        for length, codes in zip(rules.fleet, layouts.T, strict=True):
            step = np.where(codes & 1, rules.cols, 1)
            for part in range(length):
                ships += np.bincount((codes >> 1) + part * step, minlength=rules.cells)
    return Occupancy(scenario, seed, games, ships)


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
    strategy = as_strategy(strategy)
    scenario = scenario_for(strategy, scenario)
    games, seed, _ = check_request(GAMES if games is None else games, seed, 1)
    check_feedback(strategy, scenario)
    rules = scenario.rules
    recorder = _Recorder(strategy.copy(), rules)
    # One block holds all games, so that learners are whole.
    lanes = min(default_lanes(rules), GROUP * -(-games // strategy.games_per_learner // GROUP))
    simulator = Simulator(
        rules, make_sampler(rules, scenario.placement), recorder, seed, lanes, largest_block=games
    )
    # A user's own may print.
    with kept_quiet() if strategy.in_processes else nullcontext():
        for _ in simulator.play(iter([Block(0, games)])):
            pass
    return Shots(scenario, strategy.label, seed, games, recorder.shot, recorder.numbers)


class _Recorder(Strategy):
    """Shoots as another strategy does, and counts its shots.

    It has `shoot` alone, and is played by it: so is who would be played in advance, or down
    a plan, whose `shoot` returns the very cells of its `orders` or its plan.
    """

    def __init__(self, strategy: Strategy, rules: Rules) -> None:
        self.name = strategy.name  # type: ignore[misc]
        self.games_per_learner = strategy.games_per_learner
        self.shot = np.zeros(rules.cells, np.int64)
        self.numbers = np.zeros(rules.cells, np.int64)
        self._strategy = strategy

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Let it make room."""
        super().begin(rules, lanes, seed)
        self._strategy.begin(rules, lanes, seed)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Let it begin games."""
        self._strategy.deal(lanes, games)

    def shoot(self, view: View) -> Cells:
        """Return its cells, counted."""
        cells = self._strategy.shoot(view)
        # The referee refuses a cell off the board right after: what it counts as is no matter.
        fired = cells[view.live] % self.rules.cells
        numbers = (view.shots[view.live] + 1).astype(np.float64)
        self.shot += np.bincount(fired, minlength=len(self.shot))
        # float64 holds these sums exactly: they are far below 2^53.
        self.numbers += np.bincount(fired, numbers, len(self.shot)).astype(np.int64)
        return cells
