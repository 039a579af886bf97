"""What rollouts are worth.

The difference of two means of moves has the error of many games' luck. There is an estimate with
less: the mean of `mcts` is that of its base, less what its choices are worth. In games
of `mcts`, wherever it does not shoot the base's own cell, both cells are played to the end by the
base, on layouts that the choice has not seen. The sum of these differences along a game is, on
average, exactly the difference of the means (S. Kakade and J. Langford, "Approximately optimal
approximate reinforcement learning", ICML 2002, lemma 6.1).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.found import Found
from bsbench.common.parallel import Shared, in_order
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.common.record import Content, Count, Record, as_json
from bsbench.layouts import Sampler
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.samplers import make_sampler
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario
from bsbench.runs.request import check_playable, check_request
from bsbench.stats.intervals import half_width, standard_error
from bsbench.strategies import Strategy
from bsbench.strategies.mcts import Mcts
from bsbench.strategies.view import View

GAMES = 100
"""Games by default."""

_LANES = 16
"""Games that are played side by side; more are no faster, since each decision takes long."""


class Mean(Record, frozen=True):
    """A mean over games, and half the width of its 95 % interval."""

    mean: float
    half_width: float


class WorthRecord(Content, frozen=True):
    """What `bsbench rollouts` writes: how many moves the choices of `mcts` save.

    Attributes
    ----------
    scenario
        Name of the scenario.
    feedback
        What a shot reveals.
    strategy
        Label of the strategy.
    parameters
        All its parameters, by name.
    seed
        Seed of the layouts.
    games
        Games played.
    worth
        Moves that its choices save in a game, compared with those of its base.
    moves
        Moves of a game.
    games_per_cpu_second
        Speed, on one core.
    """

    schema = "bsbench-rollouts-worth-1"
    heading = "Worth of rollouts"
    scenario: str
    feedback: Literal["hit", "sunk", "ship"]
    strategy: str
    parameters: dict[str, Any]
    seed: Count
    games: Count
    worth: Mean
    moves: Mean
    games_per_cpu_second: float


@dataclass(frozen=True, eq=False)
class Worth(Found):
    """What rollouts are worth."""

    form: ClassVar = WorthRecord

    found: WorthRecord

    def content(self) -> WorthRecord:
        """Return the record."""
        return self.found

    def rows(self) -> list[dict[str, Any]]:
        """Return one row: all of it."""
        return [as_json(self.found)]


_Gains = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]


def gains(
    strategy: Mcts,
    scenario: Scenario,
    games: int,
    seed: int,
    sampler: Sampler | None = None,
    threads: int = 1,
    progress: Watch = ignored,
) -> _Gains:
    """Return what the choices of each game are worth, and its moves.

    Parameters
    ----------
    strategy : Mcts
        Copied.
    scenario : Scenario
    games, seed : int
    sampler : Sampler, optional
        Draws the layouts; by default that of the scenario.
    threads : int
        The result does not depend on threads.
    progress : callable, optional
        Called with a line on how far it is.

    Returns
    -------
    worth : ndarray of float64, shape (games,)
        Moves saved in comparison with the base, on average over layouts.
    moves : ndarray of int64, shape (games,)

    Raises
    ------
    BsbenchError
        If not all layouts are equally likely, as rollouts take them to be.
    """
    if scenario.placement != Placement():
        raise BsbenchError(
            f"rollouts expect layouts of the law 'uniform', not {scenario.placement}: "
            "choose another scenario"
        )
    sampler = sampler or make_sampler(scenario.rules, scenario.placement)
    blocks = Shared(Block(first, min(_LANES, games - first)) for first in range(0, games, _LANES))

    def work(stopped: Callable[[], bool]) -> Iterator[tuple[int, int, _Gains]]:
        for block in blocks:
            if stopped():
                return
            found = _gains_of(strategy.copy(), scenario, block, seed, sampler)
            yield block.first_game, block.games, found

    worth, moves = np.zeros(0), np.zeros(0, np.int64)
    with closing(in_order([work] * threads)) as parts:
        for more_worth, more_moves in parts:
            worth, moves = np.append(worth, more_worth), np.append(moves, more_moves)
            progress(Progress(strategy.label, len(moves), games))
    return worth, moves


def _gains_of(
    strategy: Mcts, scenario: Scenario, block: Block, seed: int, sampler: Sampler
) -> _Gains:
    """Return what `gains` does, of a block of games that are played side by side."""
    worth = np.zeros(block.games)

    def note(view: View, lanes: npt.NDArray[np.int64]) -> None:
        for lane in lanes.tolist():
            worth[lane] += strategy.gain(lane, int(view.cell[lane]))

    # No decision is shared, so that each of them is noted.
    simulator = Simulator(
        *(scenario.rules, sampler, strategy, seed, block.games, block.games),
        shared_bytes=0,
        observer=note,
    )
    ((_, moves),) = simulator.play(iter([block]))
    return worth, moves.astype(np.int64)


def worth(
    strategy: Strategy,
    scenario: Scenario,
    *,
    games: int = GAMES,
    seed: int = 0,
    threads: int | None = None,
    progress: Watch = ignored,
) -> Worth:
    """Find what rollouts are worth: means with 95 % half widths.

    Parameters
    ----------
    strategy : Strategy
        `mcts`.
    scenario : Scenario
    games, seed : int
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    progress : callable, optional
        Called with a line on how far it is.

    Raises
    ------
    BsbenchError
        If an argument is out of range, the strategy makes no rollouts or can't play there, or not
        all layouts are equally likely.
    """
    if not isinstance(strategy, Mcts):
        raise BsbenchError(f"only mcts makes rollouts, not {strategy.label!r}")
    scenario.rules.check_single_shots("rollouts are judged")
    check_playable(strategy, scenario)
    games, seed, cores = check_request(games, seed, threads)
    begin = time.process_time()
    saved, moves = gains(strategy, scenario, games, seed, threads=cores, progress=progress)
    seconds = time.process_time() - begin
    found = {
        "scenario": scenario.name.partition("+")[0],
        "feedback": str(scenario.rules.feedback),
        "strategy": strategy.label,
        "parameters": strategy.parameters,
        "seed": seed,
        "games": games,
        "worth": _mean(saved),
        "moves": _mean(moves),
        "games_per_cpu_second": round(games / seconds, 2),
    }
    return Worth(msgspec.convert(found, WorthRecord), threads=cores)


def _mean(values: npt.NDArray[Any]) -> Mean:
    totals, counts = values.astype(np.float64), np.ones(len(values), np.int64)
    width = half_width(np.array(standard_error(totals, counts)))
    return Mean(mean=round(float(values.mean()), 4), half_width=round(float(width), 4))
