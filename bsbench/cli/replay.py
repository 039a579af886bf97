"""``bsbench replay``: one game of a run, move by move."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from bsbench.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.game import Move
    from bsbench.replaying import Replay
    from bsbench.rules import Rules


@click.command("replay")
@click.option(
    "-s", "--strategy", metavar="NAME", help="Who shoots; parameters follow after commas."
)
@click.option(
    "--scenario",
    metavar="NAME|FILE",
    help="Rules and placement law: a name, or a TOML file.  [default: the strategy's home, else "
    "classic]",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the run.")
@click.option(
    "--game", type=int, default=0, show_default=True, help="Number of the game in it, from 0."
)
@click.option("--placement", metavar="LAW", help="Placement law in place of the scenario's.")
@click.option("--board", metavar="RxC", help="Board in its place, such as 8x8.")
@click.option("--fleet", metavar="LENGTHS", help="Fleet in its place, such as 5,4,3,3,2.")
@click.option("--touching/--no-touching", default=None, help="Whether ships may touch.")
@click.option("--feedback", metavar="KIND", help="Feedback in its place: hit, sunk or ship.")
@click.option(
    "--timeout",
    type=float,
    metavar="SECONDS",
    default=60.0,
    show_default=True,
    help="Time of its own that a strategy in Python may take.",
)
def replay_command(
    strategy: str | None,
    scenario: str | None,
    seed: int,
    game: int,
    timeout: float,
    **changes: Any,
) -> None:
    """Play one game of a run again, and print its moves and the board.

    The game is the very one of that number in any run of the strategy under the seed. A cell
    is called by the letter of its row and the number of its column. Exit code 1 if the strategy
    breaks the rules, or breaks down: the moves up to there are printed, and what went wrong.

    \b
    Examples:
      bsbench replay --strategy prob --game 17
      bsbench replay -s my_file.py:Mine --scenario harbour --seed 3 --game 1204
    """
    from bsbench.scenario import DEFAULT, find_scenario

    if strategy is None:
        raise BsbenchError("no strategy is named: give --strategy NAME")
    # A wrong scenario is told before the wait for numba.
    base = None if scenario is None else find_scenario(scenario)

    from bsbench.replaying import replay
    from bsbench.strategies import make_variant

    shooter = make_variant(strategy)
    where = (base or find_scenario(shooter.home or DEFAULT)).override(**changes)
    click.echo(f"{shooter.label} on {where.name}, game {game} of seed {seed}\n")
    played = 0

    def tell(move: Move) -> None:
        nonlocal played
        played += 1
        click.echo(f"{played:4}  {_move_text(where.rules, move)}")

    again = replay(
        shooter,
        where,
        seed=seed,
        game=game,
        timeout=timeout,
        watch=tell,
    )
    click.echo(f"\n{_final_board(again)}\n")
    _end(again)


def _move_text(rules: Rules, move: Move) -> str:
    """Return cell and outcome of a move, such as ``B7  (16)  hit``."""
    from bsbench.drawing import cell_name
    from bsbench.rules import HIT, MISS

    if move.outcome == MISS:
        what = "miss"
    elif move.outcome == HIT:
        what = "hit" if move.ship is None else f"hit, ship {move.ship}"
    else:
        assert move.ship is not None
        cells = " ".join(cell_name(cell, rules.cols) for cell in move.sunk)
        what = f"sunk, ship {move.ship} of length {rules.fleet[move.ship]}: {cells}"
    return f"{cell_name(move.cell, rules.cols):4} {f'({move.cell})':>7}  {what}"


def _final_board(again: Replay) -> str:
    """Return the board as text, with the ships that were not found."""
    from bsbench.drawing import HIDDEN, legend
    from bsbench.game import board_after

    board = str(board_after(again.scenario.rules, again.moves, ships=again.ships))
    return f"{board}\n\n{legend(hidden=HIDDEN in board)}"


def _end(again: Replay) -> None:
    """Tell how the game ended; exit with code 1 if the strategy went wrong."""
    from bsbench.plugins.printing import printed_text

    if told := printed_text("the strategy", *again.printed):
        click.echo(told, err=True)
    if again.fault is None:
        click.echo(f"over after {len(again.moves)} moves")
    else:
        click.echo(str(again.fault), err=True)
        sys.exit(1)
