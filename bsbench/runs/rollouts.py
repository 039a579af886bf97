"""What rollouts are worth: ``python -m bsbench.runs.rollouts``.

The difference between two means of moves has an error of many games' luck. Here is a
better estimate: the mean of `mcts` is that of its base, less what its choices are worth. In games of
`mcts`, wherever it does not shoot the base's own cell, both cells are played to the end by the base,
on layouts that the choice has not seen. The sum of the differences along a game is, on average,
exactly the difference of the means (S. Kakade and J. Langford, "Approximately optimal
approximate reinforcement learning", ICML 2002, lemma 6.1).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bsbench.layouts import make_sampler
from bsbench.play.lockstep import Block, Simulator
from bsbench.rules.scenario import Scenario
from bsbench.strategies.mcts import Mcts
from bsbench.strategies.view import View

_LANES = 64


def gains(
    strategy: Mcts, scenario: Scenario, games: int, seed: int, first_game: int = 0
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return what the choices of each game are worth, and its moves.

    Parameters
    ----------
    strategy : Mcts
        Copied.
    scenario : Scenario
    games, seed, first_game : int

    Returns
    -------
    worth : ndarray of float64, shape (games,)
        Moves saved in comparison with the base, on average over layouts.
    moves : ndarray of int64, shape (games,)
    """
    sampler = make_sampler(scenario.rules, scenario.placement)
    worth, moves = np.zeros(games), np.zeros(games, np.int64)
    for first in range(0, games, _LANES):
        part = slice(first, min(first + _LANES, games))
        shooter, found, count = strategy.copy(), worth[part], part.stop - first

        def note(view: View, lanes: npt.NDArray[np.int64]) -> None:
            for lane in lanes.tolist():
                found[lane] += shooter.gain(lane, int(view.cell[lane]))

        simulator = Simulator(
            *(scenario.rules, sampler, shooter, seed, count, count), shared_bytes=0, observer=note
        )
        ((_, moves[part]),) = simulator.play(iter([Block(first_game + first, count)]))
    return worth, moves
