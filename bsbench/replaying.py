"""One game of a run, played again to be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bsbench.engine import (
    TIMEOUT,
    check_feedback,
    check_request,
    check_timeout,
    scenario_for,
)
from bsbench.errors import BsbenchError, StrategyError
from bsbench.game import Move, layout_of, play_game
from bsbench.layouts import make_sampler
from bsbench.scenario import Scenario
from bsbench.strategies import Strategy, as_strategy


@dataclass(frozen=True)
class Replay:
    """A game that was played again.

    Attributes
    ----------
    scenario : Scenario
    strategy : str
        Its label.
    seed, game : int
    ships : tuple of tuple of int
        The cells of each ship, in the order of the fleet.
    moves : tuple of Move
        Up to the end of the game, or to what went wrong.
    fault : StrategyError or None
        What went wrong, if anything did.
    printed : tuple of int and str
        How many lines the strategy printed, and the first.
    """

    scenario: Scenario
    strategy: str
    seed: int
    game: int
    ships: tuple[tuple[int, ...], ...]
    moves: tuple[Move, ...]
    fault: StrategyError | None = None
    printed: tuple[int, str] = (0, "")


def replay(
    strategy: str | Strategy | type,
    scenario: str | Path | Scenario | None = None,
    *,
    seed: int = 0,
    game: int = 0,
    timeout: float = TIMEOUT,
    watch: Callable[[Move], object] = lambda move: None,
) -> Replay:
    """Play one game of a run again, move by move.

    Parameters
    ----------
    strategy : str, Strategy or type
        As for `bsbench.run`; parameters follow a name after commas.
    scenario : str, Path or Scenario, optional
        As for `bsbench.run`.
    seed, game : int
        The game of that number under the seed.
    timeout : float
        Seconds of its own time that a strategy in Python may take.
    watch : callable, optional
        Called with each move when it is made.

    Raises
    ------
    BsbenchError
        If an argument is out of range, or the strategy can't be played.

    Examples
    --------
    >>> again = replay("linear", "classic", seed=1, game=7)
    >>> [move.cell for move in again.moves[:3]]
    [0, 1, 2]
    """
    shooter = as_strategy(strategy)
    scenario = scenario_for(shooter, scenario)
    check_feedback(shooter, scenario)
    if game < 0:
        raise BsbenchError(f"games are numbered from 0 on: there is no game {game}")
    _, seed, _ = check_request(None, seed, 1)
    timeout = check_timeout(timeout)
    sampler = make_sampler(scenario.rules, scenario.placement)
    ships = layout_of(scenario.rules, sampler, seed, game)
    moves: list[Move] = []
    fault: StrategyError | None = None
    printed = 0, ""

    def note(played: Iterator[Move]) -> None:
        for move in played:
            moves.append(move)
            watch(move)

    if shooter.in_processes and shooter.spec:
        from bsbench.workers import Task, Worker

        task = Task(shooter.spec, shooter.parameters, scenario, seed, timeout, warm=False)
        worker = Worker(task, shooter.name)
        try:
            note(worker.replay(game))
        except StrategyError as error:
            fault = error
        except BaseException:
            worker.kill()
            raise
        finally:
            worker.close()
        printed = worker.printed.lines, worker.printed.first
    else:
        try:
            note(play_game(shooter.copy(), scenario.rules, sampler, seed, game))
        except StrategyError as error:
            fault = error
    return Replay(scenario, shooter.label, seed, game, ships, tuple(moves), fault, printed)
