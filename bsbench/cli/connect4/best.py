"""``bsbench connect4 best``: what a player plays in a position, and why."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

from bsbench.cli.playing import in_background, status
from bsbench.errors import BsbenchError
from bsbench.settings import read_settings, read_variant

if TYPE_CHECKING:
    from bsbench.connect4.players import Analysis, Player
    from bsbench.connect4.position import Position


@click.command("best")
@click.argument("position")
@click.option(
    "-p",
    "--player",
    metavar="NAME",
    default="hard",
    show_default=True,
    help="Who is asked ('bsbench connect4 list' shows them); parameters may follow after commas.",
)
@click.option("--depth", metavar="N", help="Plies to look ahead: short for --set depth=N.")
@click.option("--threads", metavar="N", help="Threads to search on: short for --set threads=N.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the player; may be repeated.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="What chance brings, for players that draw lots.",
)
@click.option("--json", "as_json", is_flag=True, help="Print position, column, scores and nodes.")
def best_command(
    position: str,
    player: str,
    depth: str | None,
    threads: str | None,
    settings: tuple[str, ...],
    seed: int,
    as_json: bool,
) -> None:
    """Show which column a player plays in POSITION, and what each is worth to it.

    POSITION is the columns played, 1 to 7; '' is the empty board.

    \b
    Examples:
      bsbench connect4 best 44455
      bsbench connect4 best 44455 --player hard --depth 8 --json
      bsbench connect4 best 44455 --player mcts,playouts=100000
      bsbench connect4 best 2252576253462244111563 --player perfect
    """
    from bsbench.connect4.position import Position

    asked = Position.parse(position).open()
    if seed < 0:
        raise BsbenchError(f"a seed is a non-negative integer, not {seed}")
    name, after_commas = read_variant(player)
    short = {"depth": depth, "threads": threads}
    given = [f"{key}={value}" for key, value in short.items() if value is not None]

    from bsbench.connect4.players import make_player

    thinker = make_player(name, after_commas | read_settings([*given, *settings]))
    thinker.begin(seed)
    with status(quiet=as_json) as tell:
        tell(f"{thinker.label} is thinking")
        begun = time.perf_counter()
        analysis = in_background(lambda: thinker.analyse(asked))
        seconds = time.perf_counter() - begun
    if as_json:
        found = {
            "position": asked.text,
            "best": analysis.best + 1,
            "scores": {str(column + 1): score for column, score in analysis.scores.items()},
            "nodes": analysis.nodes,
        }
        click.echo(json.dumps(found))
    else:
        _print_analysis(thinker, asked, analysis, seconds)


def _print_analysis(player: Player, position: Position, analysis: Analysis, seconds: float) -> None:
    stones = {"first": "X", "second": "O"}[position.to_move]
    click.echo(f"{position.drawing()}\n")
    click.echo(f"{stones}, the {position.to_move} player, is to move")
    click.echo(f"{player.label} plays column {analysis.best + 1}")
    if analysis.scores:
        click.echo(f"\n{scores_text(analysis)}\n\nscores: {player.scores_mean}")
        verdict = player.verdict(position, analysis)
        if verdict:
            click.echo(verdict)
    if analysis.nodes:
        click.echo(f"{analysis.nodes:,} nodes, {seconds:.3g} s with compiling or loading kernels")


def scores_text(analysis: Analysis) -> str:
    """Return columns and their scores below each other."""
    # An exact number is never rounded.
    cells = {
        column + 1: f"{score:.3f}" if isinstance(score, float) else str(score)
        for column, score in analysis.scores.items()
    }
    width = max(map(len, cells.values()))
    columns = "  ".join(f"{column:>{width}}" for column in cells)
    return f"column  {columns}\nscore   {'  '.join(f'{cell:>{width}}' for cell in cells.values())}"
