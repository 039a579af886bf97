"""``bsbench connect4 play``: a person against a player."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bsbench.cli.connect4.best import scores_text
from bsbench.cli.connect4.options import depth_option, make_players, set_option
from bsbench.cli.playing import in_background, status
from bsbench.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.connect4.players import Player
    from bsbench.connect4.position import Position

_HELP = "a column, 1 to 7; ? for the scores of all; u to take back; q to quit"


@click.command("play")
@click.option(
    "-p",
    "--player",
    "variant",
    metavar="NAME",
    default="hard",
    show_default=True,
    help="Whom to play against; parameters may follow after commas.",
)
@depth_option
@set_option
@click.option("--second", is_flag=True, help="Let the other begin.")
@click.option(
    "--position", metavar="COLUMNS", default="", help="Begin after these columns, such as 44455."
)
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="What chance brings to players that draw lots.",
)
def play_command(
    variant: str,
    depth: str | None,
    settings: tuple[str, ...],
    second: bool,
    position: str,
    seed: int,
) -> None:
    """Play Connect 4 against a player, in the terminal.

    Type the number of a column to drop a stone there, ? to see what the player makes of the
    position, u to take back your last move, q to quit. X is the first player, O the second.

    \b
    Examples:
      bsbench connect4 play
      bsbench connect4 play --player mcts,playouts=100000 --second
      bsbench connect4 play --player perfect --position 44444431
    """
    from bsbench.connect4.position import Position

    begun = Position.parse(position).open()
    if seed < 0:
        raise BsbenchError(f"a seed is a non-negative integer, not {seed}")
    (player,) = make_players([variant], depth, settings)
    player.begin(seed)
    side = "second" if second else "first"
    click.echo(f"You are {_stone(side)} and play {side}, against {player.label}.\nType {_HELP}.\n")
    at = begun
    turns: list[Position] = []
    while not at.is_over:
        if at.to_move != side:
            column = _thought(player, at)
            at = at.after(column)
            click.echo(f"{player.label} plays {column + 1}\n")
            continue
        click.echo(f"{board_text(at)}\n")
        answer = _answer(at)
        if answer in ("q", None):
            click.echo("\nno more is played" if answer is None else "\nyou quit")
            break
        if answer == "?":
            _tell_scores(player, at)
        elif answer == "u":
            if turns:
                at = turns.pop()
            else:
                click.echo("there is no move of yours to take back\n")
        else:
            turns.append(at)
            at = at.after(int(str(answer)) - 1)
            click.echo()
    else:
        click.echo(f"{board_text(at)}\n")
        if at.winner is None:
            click.echo("it is a draw")
        else:
            click.echo("you win" if at.winner == side else f"{player.label} wins")
    if at.played:
        click.echo(f"played: {at.text}")


def _stone(side: str) -> str:
    return {"first": "X", "second": "O"}[side]


def _answer(at: Position) -> str | None:
    """Return what the person wants: an open column, ``?``, ``u`` or ``q``; None at the end."""
    while True:
        try:
            text = input(f"{_stone(at.to_move)}, your column: ").strip().lower()
        except EOFError:
            return None
        if text in ("q", "?", "u"):
            return text
        if text not in tuple("1234567"):
            click.echo(f"{text!r} is none of these: type {_HELP}")
        elif int(text) - 1 not in at.open_columns:
            click.echo(f"column {text} is full: choose another one")
        else:
            return text


def _thought(player: Player, at: Position) -> int:
    """Return what the player plays."""
    with status(quiet=False) as tell:
        tell(f"{player.label} is thinking")
        return in_background(lambda: player.analyse(at)).best


def _tell_scores(player: Player, at: Position) -> None:
    """Print what the player makes of the person's columns."""
    with status(quiet=False) as tell:
        tell(f"{player.label} is thinking")
        analysis = in_background(lambda: player.analyse(at))
    click.echo(f"\n{player.label} would play {analysis.best + 1}")
    if analysis.scores:
        click.echo(f"{scores_text(analysis)}\nscores: {player.scores_mean}")
    verdict = player.verdict(at, analysis)
    if verdict:
        click.echo(verdict)
    click.echo()


def board_text(at: Position) -> str:
    """Return the board, in colours; they are left out where none can be seen.

    The stones that have won are shown in reverse.
    """
    won = _winning_cells(at)
    lines = at.drawing().splitlines()
    found = []
    for line_number, line in enumerate(lines[:-1]):
        cells = [
            _styled(cell, (len(lines) - 2 - line_number, column) in won)
            for column, cell in enumerate(line.split())
        ]
        found.append(" ".join(cells))
    return "\n".join([*found, click.style(lines[-1], dim=True)])


def _styled(cell: str, won: bool) -> str:
    colours = {"X": "red", "O": "yellow"}
    if cell not in colours:
        return click.style(cell, dim=True)
    return click.style(cell, fg=colours[cell], bold=True, reverse=won)


def _winning_cells(at: Position) -> set[tuple[int, int]]:
    """Return row, from the bottom, and column of the stones in winning lines; none before."""
    from bsbench.connect4.position import STEPS

    own = at.mover ^ at.stones
    found = set()
    for step in STEPS:
        starts = own & own >> step & own >> 2 * step & own >> 3 * step
        for bit in range(49):
            if starts >> bit & 1:
                found |= {((bit + far * step) % 7, (bit + far * step) // 7) for far in range(4)}
    return found
