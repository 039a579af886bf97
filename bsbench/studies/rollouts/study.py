"""What rollouts are worth: ``python -m bsbench.studies.rollouts.study``.

The difference of two means of moves has the error of many games' luck. There is an estimate with
less: the mean of `mcts` is that of its base, less what its choices are worth. In games
of `mcts`, wherever it does not shoot the base's own cell, both cells are played to the end by the
base, on layouts that the choice has not seen. The sum of these differences along a game is, on
average, exactly the difference of the means (S. Kakade and J. Langford, "Approximately optimal
approximate reinforcement learning", ICML 2002, lemma 6.1).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, FrontEnd, serving
from bsbench.common.files import json_text, write_text
from bsbench.common.parallel import Shared, in_order
from bsbench.common.settings import check_numbers, read_count
from bsbench.layouts import Sampler
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.samplers import make_sampler
from bsbench.roster import make_variant
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.stats.intervals import half_width, interval_text, standard_error
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

    with closing(in_order([work] * threads)) as parts:
        worth, moves = zip(*parts, strict=True)
    return np.concatenate(worth), np.concatenate(moves)


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


def record_of(
    strategy: Mcts, scenario: Scenario, games: int, seed: int, threads: int = 1
) -> dict[str, Any]:
    """Return what rollouts are worth, as a record: means with 95 % half widths."""
    begin = time.process_time()
    worth, moves = gains(strategy, scenario, games, seed, threads=threads)
    seconds = time.process_time() - begin
    return {
        "scenario": scenario.name.partition("+")[0],
        "feedback": str(scenario.rules.feedback),
        "strategy": strategy.label,
        "parameters": strategy.parameters,
        "seed": seed,
        "games": games,
        "worth": _mean(worth),
        "moves": _mean(moves),
        "games_per_cpu_second": round(games / seconds, 2),
    }


def _mean(values: npt.NDArray[Any]) -> dict[str, float]:
    totals, counts = values.astype(np.float64), np.ones(len(values), np.int64)
    width = half_width(np.array(standard_error(totals, counts)))
    return {"mean": round(float(values.mean()), 4), "half_width": round(float(width), 4)}


def row_of(record: dict[str, Any]) -> str:
    """Return a record as a row of a table in Markdown."""
    moves, worth = (interval_text(*record[what].values()) for what in ("moves", "worth"))
    return (
        f"| `{record['scenario']}` | {record['feedback']} | `{record['strategy']}` "
        f"| {record['games']} | {record['seed']} | {moves} | -{worth} "
        f"| {record['games_per_cpu_second']} |"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a row of a table, and write a record."""
    module = "python -m bsbench.studies.rollouts.study"
    parser = argparse.ArgumentParser(module, description=main.__doc__)
    parser.add_argument("strategy", help="mcts, with parameters after commas")
    parser.add_argument("scenario")
    parser.add_argument("--feedback", choices=("sunk", "ship"), help="default: the scenario's")
    parser.add_argument("-n", "--games", default="100")
    parser.add_argument("--seed", default="0")
    parser.add_argument("-t", "--threads", default="1", help="default: 1")
    parser.add_argument("-o", "--output", help="file of the record")
    asked = parser.parse_args(arguments)
    strategy, scenario = make_variant(asked.strategy), find_scenario(asked.scenario)
    if not isinstance(strategy, Mcts):
        raise BsbenchError(f"only mcts makes rollouts, not {asked.strategy!r}")
    if asked.feedback is not None:
        scenario = scenario.override(feedback=asked.feedback)
    games, seed, threads = check_numbers(
        *(read_count(getattr(asked, what), what) for what in ("games", "seed", "threads"))
    )
    record = record_of(strategy, scenario, games, seed, threads)
    print(row_of(record))
    if asked.output is not None:
        write_text(asked.output, json_text(record))


if __name__ == "__main__":
    try:
        with serving(FrontEnd.COMMAND_LINE):
            main()
    except BsbenchError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
