"""``bsbench connect4 play``: a person against a player."""

from __future__ import annotations

from itertools import chain, pairwise

import click

from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand, seed_option
from bsbench.connect4.cli.best import print_scores, thought
from bsbench.connect4.cli.options import depth_option, player_option, ready_player
from bsbench.connect4.position import COLUMNS, STEPS, STONES, Position

_HELP = "a column, 1 to 7; ? for the scores of all; u to take back; q to quit"


@in_section(Section.PLAY)
@click.command("play", cls=GroupedCommand)
@player_option("Player to play against")
@depth_option
@click.option("--second", is_flag=True, help="Play second: the other player begins.")
@click.option(
    "--position", metavar="COLUMNS", default="", help="Begin after these columns, such as 44455."
)
@seed_option("Seed of the player's random numbers.")
def play_command(
    variant: str,
    depth: str | None,
    second: bool,
    position: str,
    seed: int,
) -> None:
    """Play Connect 4 against a player, in the terminal.

    Type the number of a column to drop a stone there, ? to see the player's scores of the
    position, u to take back your last move, q to quit. X is the first player, O the second. The
    last stone stands in brackets, and at the end the four that have won.

    \b
    Examples:
      bsbench connect4 play
      bsbench connect4 play --player hard,depth=12 --second
      bsbench connect4 play --player perfect --position 44444431
    """
    at = Position.parse(position).open()
    player = ready_player(variant, {"depth": depth}, seed)
    side = "second" if second else "first"
    click.echo(f"You are {STONES[side]} and play {side}, against {player.label}.\nType {_HELP}.\n")
    turns: list[Position] = []
    while not at.is_over:
        if at.to_move != side:
            column = thought(player, at).best
            at = at.after(column)
            click.echo(f"{player.label} plays {column + 1}\n")
            continue
        click.echo(f"{board_text(at)}\n")
        answer = _answer(at)
        if answer in ("", "q"):
            click.echo("\nyou quit" if answer else "\nthe input has ended")
            break
        if answer == "?":
            analysis = thought(player, at)
            click.echo(f"\n{player.label} would play {analysis.best + 1}")
            print_scores(player, at, analysis)
            click.echo()
        elif answer != "u":
            turns.append(at)
            at = at.after(int(answer) - 1)
            click.echo()
        elif turns:
            at = turns.pop()
        else:
            click.echo("there is no move of yours to take back\n")
    else:
        click.echo(f"{board_text(at)}\n")
        ends = {None: "it is a draw", side: "you win"}
        click.echo(ends.get(at.winner, f"{player.label} wins"))
    if at.played:
        click.echo(f"played: {at.text}")


def _answer(at: Position) -> str:
    """Return what the person wants: an open column, ``?``, ``u`` or ``q``; "" at the end."""
    while True:
        try:
            text = input(f"{STONES[at.to_move]}, your column: ").strip().lower()
        except EOFError:
            return ""
        if text in ("q", "?", "u"):
            return text
        if text not in tuple("1234567"):
            click.echo(f"{text!r} is none of these: type {_HELP}")
        elif int(text) - 1 not in at.open_columns:
            click.echo(f"column {text} is full: choose another one")
        else:
            return text


def board_text(at: Position) -> str:
    """Return the board in colours, which `click.echo` leaves out where none can be seen.

    The stones that have won stand in brackets, and in reverse; before, the last stone does.
    """
    won = _winning_stones(at)
    last = {(at.played[-1], _height(at, at.played[-1]) - 1)} if at.played else set()
    marked = won or last
    *rows, numbers = at.drawing().splitlines()
    lines = []
    for row, cells in zip(reversed(range(len(rows))), rows, strict=True):
        stones = cells.split()
        places = [(column, row) for column in range(len(stones))]
        # Between two stones there is one character, which belongs to both.
        gaps = [
            " " if before == after else "]" if before else "["
            for before, after in pairwise([False, *(place in marked for place in places), False])
        ]
        shown = (_styled(cell, place in won) for cell, place in zip(stones, places, strict=True))
        lines.append("".join(chain.from_iterable(zip(gaps, [*shown, ""], strict=True))).rstrip())
    return "\n".join([*lines, click.style(f" {numbers}", dim=True)])


def _winning_stones(at: Position) -> set[tuple[int, int]]:
    """Return column and row, from the bottom, of the stones in winning lines; none before."""
    own = at.mover ^ at.stones
    return {
        divmod(bit + far * step, 7)
        for step in STEPS
        for bit in range(7 * COLUMNS)
        if all(own >> (bit + far * step) & 1 for far in range(4))
        for far in range(4)
    }


def _height(at: Position, column: int) -> int:
    """Return how many stones a column has."""
    return (at.stones >> 7 * column & 127).bit_count()


def _styled(cell: str, won: bool) -> str:
    colours = {"X": "red", "O": "yellow"}
    if cell not in colours:
        return click.style(cell, dim=True)
    return click.style(cell, fg=colours[cell], bold=True, reverse=won)
