"""``bsbench connect4 best``: the column a player plays in a position, and its scores."""

from __future__ import annotations

import time
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.exports import Exportable, Exports, export_options
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand
from bsbench.cli.playing import in_background, status
from bsbench.connect4.cli.options import (
    depth_option,
    player_option,
    ready_player,
    seed_option,
    set_option,
    timeout_option,
)

if TYPE_CHECKING:
    import pandas as pd

    from bsbench.connect4.players import Analysis, Player
    from bsbench.connect4.position import Position


@in_section(Section.PLAY)
@click.command("best", cls=GroupedCommand)
@click.argument("position")
@player_option("Player to ask ('bsbench connect4 list' shows all)")
@depth_option
@click.option("--threads", metavar="N", help="Threads to search on: short for --set threads=N.")
@set_option
@seed_option("Seed of the player's random numbers.")
@timeout_option
@export_options()
def best_command(
    position: str,
    variant: str,
    depth: str | None,
    threads: str | None,
    settings: tuple[str, ...],
    seed: int,
    timeout: float,
    exports: Exports,
) -> None:
    """Show which column a player plays in POSITION.

    The table has the score of each column. POSITION is the columns played, 1 to 7; '' is the empty
    board.

    \b
    Examples:
      bsbench connect4 best 44455
      bsbench connect4 best 44455 --player hard --depth 8 --export-json -
      bsbench connect4 best 44455 --player mcts,playouts=100000
      bsbench connect4 best 2252576253462244111563 --player perfect
      bsbench connect4 best 44455 --player my_player.py:MyPlayer
    """
    from bsbench.connect4.position import STONES, Position

    exports.check()
    at = Position.parse(position).open()
    short = () if threads is None else (f"threads={threads}",)
    player = ready_player(variant, depth, short + settings, seed, timeout)
    begun = time.perf_counter()
    analysis = thought(player, at, quiet=exports.to_stdout)
    seconds = time.perf_counter() - begun

    def show(stream: IO[str]) -> None:
        click.echo(f"{at.drawing()}\n", file=stream)
        click.echo(f"{STONES[at.to_move]}, the {at.to_move} player, is to move", file=stream)
        click.echo(f"{player.label} plays column {analysis.best + 1}", file=stream)
        print_scores(player, at, analysis, stream)
        if analysis.nodes:
            loading = f"{seconds:.3g} s with compiling or loading kernels"
            click.echo(f"{analysis.nodes:,} nodes, {loading}", file=stream)

    # Alone on standard output, it is what a program reads.
    exports.finish(_exportable(at, analysis), quiet=exports.to_stdout, show=show)


def _exportable(at: Position, analysis: Analysis) -> Exportable:
    """Return what exports an analysis: a row for each open column."""

    def frame() -> pd.DataFrame:
        import pandas as pd

        columns = sorted(analysis.scores) or [analysis.best]
        return pd.DataFrame(
            {
                "position": at.text,
                "column": [column + 1 for column in columns],
                "score": [analysis.scores.get(column) for column in columns],
                "best": [column == analysis.best for column in columns],
            }
        )

    def record() -> dict[str, Any]:
        return {
            "position": at.text,
            "best": analysis.best + 1,
            "scores": {str(column + 1): score for column, score in analysis.scores.items()},
            "nodes": analysis.nodes,
        }

    def columns() -> dict[str, list[str]]:
        return {str(name): list(map(str, cells)) for name, cells in frame().items()}

    return Exportable(frame, record, columns)


def thought(player: Player, at: Position, quiet: bool = False) -> Analysis:
    """Return a player's analysis of a position, and show meanwhile that it is thinking."""
    with status(quiet) as show:
        show(f"{player.label} is thinking")
        return in_background(lambda: player.analyse(at))


def print_scores(
    player: Player, at: Position, analysis: Analysis, stream: IO[str] | None = None
) -> None:
    """Print columns and their scores below each other, and what they mean; nothing if none."""
    if not analysis.scores:
        return
    # An exact number is never rounded.
    cells = {
        str(column + 1): f"{score:.3f}" if isinstance(score, float) else str(score)
        for column, score in analysis.scores.items()
    }
    width = max(map(len, cells.values()))
    for name, row in (("\ncolumn", cells), ("score ", cells.values())):
        click.echo(f"{name}  {'  '.join(f'{cell:>{width}}' for cell in row)}", file=stream)
    click.echo(f"\nscores: {player.scores_mean}", file=stream)
    verdict = player.verdict(at, analysis)
    if verdict:
        click.echo(verdict, file=stream)
