"""Measure how many moves rollouts save: ``python examples/rollouts_worth.py mcts gym-6x6``.

The difference of two means of moves has the error of many games' luck. There is an estimate with
less: the mean of `mcts` is that of its base, less what its choices are worth. In games
of `mcts`, wherever it does not shoot the base's own cell, both cells are played to the end by the
base, on layouts that the choice has not seen. The sum of these differences along a game is, on
average, exactly the difference of the means (S. Kakade and J. Langford, "Approximately optimal
approximate reinforcement learning", ICML 2002, lemma 6.1).

The records in ``results/rollouts-worth`` are made by this script: see docs/rollouts.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.parallel import Shared, in_order
from bsbench.layouts import Sampler
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.samplers import make_sampler
from bsbench.roster import make_variant
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.runs.known import Mean, WorthRecord
from bsbench.runs.request import Request
from bsbench.stats.intervals import half_width, standard_error
from bsbench.strategies.mcts import Mcts
from bsbench.strategies.view import View

_LANES = 16
"""Games that are played side by side; more are no faster, since each decision takes long."""

_Gains = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]


def gains(
    strategy: Mcts,
    scenario: Scenario,
    games: int,
    seed: int,
    sampler: Sampler | None = None,
    threads: int = 1,
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


def measure(
    strategy: Mcts, scenario: Scenario, games: int, seed: int, threads: int | None = None
) -> WorthRecord:
    """Return what rollouts are worth: means with 95 % half widths.

    Raises
    ------
    BsbenchError
        If a number is out of range, the strategy can't play there, or not all layouts are equally
        likely.
    """
    scenario.rules.check_single_shots("rollouts are judged")
    request = Request.of(scenario, seed, games=games, threads=threads)
    request.check([strategy], [scenario])
    begin = time.process_time()
    saved, moves = gains(strategy, scenario, games, seed, threads=request.cores)
    seconds = time.process_time() - begin
    return WorthRecord(
        scenario=scenario.name.partition("+")[0],
        feedback=str(scenario.rules.feedback),  # type: ignore[arg-type]
        strategy=strategy.label,
        parameters=strategy.parameters,
        seed=seed,
        games=games,
        worth=_mean(saved),
        moves=_mean(moves),
        games_per_cpu_second=round(games / seconds, 2),
    )


def _mean(values: npt.NDArray[Any]) -> Mean:
    totals, counts = values.astype(np.float64), np.ones(len(values), np.int64)
    width = half_width(np.array(standard_error(totals, counts)))
    return Mean(mean=round(float(values.mean()), 4), half_width=round(float(width), 4))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure how many moves the rollouts of mcts save."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("strategy", help="mcts, with parameters after commas")
    parser.add_argument("scenario")
    parser.add_argument("--feedback", help="sunk or ship, in place of the scenario's")
    parser.add_argument("-n", "--games", type=int, default=100, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="of the layouts (%(default)s)")
    parser.add_argument("--threads", type=int, help="default: all cores")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: the terminal")
    asked = parser.parse_args(arguments)
    strategy, scenario = make_variant(asked.strategy), find_scenario(asked.scenario)
    if asked.feedback is not None:
        scenario = scenario.override(feedback=asked.feedback)
    if not isinstance(strategy, Mcts):
        raise BsbenchError(f"only mcts makes rollouts, not {strategy.label!r}")
    record = measure(strategy, scenario, asked.games, asked.seed, asked.threads)
    text = json.dumps(msgspec.to_builtins(record), indent=1) + "\n"
    if asked.output is None:
        print(text, end="")
    else:
        asked.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except BsbenchError as error:
        sys.exit(f"Error: {error}")
