"""``bsbench connect4 replay``: one game of a match, with what each column was worth."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand, check_page, force_option
from bsbench.common.errors import BsbenchError
from bsbench.connect4.cli.options import (
    depth_option,
    make_players,
    opening_option,
    seed_option,
    set_option,
    timeout_option,
)

if TYPE_CHECKING:
    from bsbench.connect4.position import Position
    from bsbench.connect4.replaying import Replay, Value


@in_section(Section.LOOK)
@click.command("replay", cls=GroupedCommand)
@click.argument("variants", metavar="[PLAYER PLAYER]", nargs=-1)
@click.option(
    "--game",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Number of the game: 2 i and 2 i + 1 are from opening i; in the even one, the "
    "first-named player begins.",
)
@opening_option
@seed_option("Seed of the match.")
@depth_option
@set_option
@timeout_option
@click.option(
    "--moves", metavar="COLUMNS", help="A game played elsewhere, such as 44455; without players."
)
@click.option(
    "--solve-from",
    "solved_from",
    type=int,
    metavar="STONES",
    default=8,
    show_default=True,
    help="Solve positions with so many stones or more. With fewer than 8, each takes long; the "
    "empty board takes minutes.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="HTML page to write instead of text, to be watched in a browser; - is standard output.",
)
@force_option
# One parameter for each option, since click passes them by name.
def replay_command(
    variants: tuple[str, ...],
    game: int,
    opening_plies: int,
    seed: int,
    depth: str | None,
    settings: tuple[str, ...],
    timeout: float,
    moves: str | None,
    solved_from: int,
    output: str | None,
    force: bool,
) -> None:
    """Show one game of a match, with the worth of each column.

    Players, seed and openings are those of the match. The solver says who wins if both play without
    a mistake, and with how many more stones of the winner; a mistake (?) makes a win a draw, or a
    draw a loss.
    What your own player prints is shown after |, before its move. If a player fails, the exit
    code is 1.

    \b
    Examples:
      bsbench connect4 replay hard greedy --depth 4 --seed 7 --game 3
      bsbench connect4 replay my_player.py:MyPlayer perfect -o game.html
      bsbench connect4 replay --moves 4444435223 --solve-from 5
    """
    if moves is None and len(variants) != 2:
        raise BsbenchError(
            f"a game has two players, not {len(variants)}: name two, or give --moves COLUMNS"
        )
    if moves is not None and variants:
        raise BsbenchError("--moves is a game played elsewhere: leave out the players")
    to_file = output not in (None, "-")
    if output is not None and to_file:
        check_page(output, "a replay")

        from bsbench.common.files import check_export

        # Before anything that takes time.
        check_export(output, force)

    from bsbench.connect4.position import Position
    from bsbench.connect4.replaying import replay, replay_moves

    if moves is not None:
        again = replay_moves(Position.parse(moves), solved_from)
        printed: dict[int, str] = {}
    else:
        first, second = make_players(variants, depth, settings, timeout)
        printed = {}
        stones = 0

        def watch(position: Position) -> None:
            nonlocal stones
            stones = len(position.played)

        def hear(text: str) -> None:
            printed[stones] = (printed.get(stones, "") + text)[:_MOST_PRINTED]

        again = replay(
            first,
            second,
            seed=seed,
            game=game,
            opening_plies=opening_plies,
            solved_from=solved_from,
            watch=watch,
            hear=hear,
        )
    if output is None:
        _print(again, printed)
    elif to_file:
        again.save(output, force)
        click.echo(f"saved {output}: {again.ending}")
    else:
        from bsbench.connect4.replaying.page import page_text

        click.echo(page_text(again), nl=False)
    if again.fault is not None:
        click.echo(str(again.fault), err=True)
        sys.exit(1)


_MOST_PRINTED = 10_000
"""Characters of what a player prints for a move that are shown."""


def _print(again: Replay, printed: dict[int, str]) -> None:
    """Print moves with what they were worth, and the last board."""
    from bsbench.common.texts import for_terminal
    from bsbench.connect4.cli.play import board_text

    click.echo(f"X {again.labels[0]}\nO {again.labels[1]}\n{again.facts}\n".replace("\n\n", "\n"))
    played = again.position.played
    for ply in range(len(played) + 1):
        for line in printed.get(ply, "").rstrip().splitlines():
            click.echo(for_terminal(f"      | {line}").rstrip())
        if ply == len(played):
            break
        values = again.values[ply]
        worth = ""
        if values is not None:
            worth = str(values[played[ply]])
            if again.lost_value(ply):
                most = max(values.values(), key=_rank)
                best = " ".join(
                    str(column + 1) for column, value in values.items() if value == most
                )
                worth += f"  ? {best}: {most}"
        opening = "random  " if ply < again.opening else ""
        click.echo(f"{ply + 1:4}  {'XO'[ply % 2]} {played[ply] + 1}  {opening}{worth}".rstrip())
    click.echo(f"\n{board_text(again.position)}\n\n{again.ending}")
    unsolved = sum(each is None for each in again.values)
    if unsolved:
        click.echo(f"positions with fewer than {again.solved_from} stones are not solved")


def _rank(value: Value) -> int:
    """Return what is higher for a better value: soon won, late lost."""
    return value.outcome * (100 - value.moves)
