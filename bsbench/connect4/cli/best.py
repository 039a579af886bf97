"""``bsbench connect4 best``: the column a player plays in a position, and its scores."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.ending import saving
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import OUTPUT, GroupedCommand, force_option, grouped, seed_option
from bsbench.cli.waiting import in_background, status
from bsbench.connect4.cli.options import depth_option, player_option, ready_player

if TYPE_CHECKING:
    from bsbench.connect4.players import Analysis, Player
    from bsbench.connect4.position import Position


_EXPORT = click.option(
    "--export-json",
    metavar="FILE",
    help="Write position, best column, scores and nodes as JSON; - is standard output.",
)


@in_section(Section.PLAY)
@click.command("best", cls=GroupedCommand)
@click.argument("position")
@player_option("Player to ask")
@depth_option
@click.option("--threads", metavar="N", help="Threads that hard searches on, up to 7.")
@seed_option("Seed of the player's random numbers.")
@grouped(OUTPUT, [_EXPORT, force_option])
def best_command(
    position: str,
    variant: str,
    depth: str | None,
    threads: str | None,
    seed: int,
    export_json: str | None,
    force: bool,
) -> None:
    """Show which column a player plays in POSITION.

    The table has the score of each column. POSITION is the columns played, 1 to 7; '' is the empty
    board.

    \b
    Examples:
      bsbench connect4 best 44455
      bsbench connect4 best 44455 --player hard --depth 8 --export-json -
      bsbench connect4 best 44455 --player hard,preset=upstream,threads=2
      bsbench connect4 best 2252576253462244111563 --player perfect
    """
    from bsbench.common.files import check_export, json_text, write_text
    from bsbench.connect4.position import STONES, Position

    to_stdout = export_json == "-"
    if export_json is not None and not to_stdout:
        check_export(export_json, force)
    at = Position.parse(position).open()
    player = ready_player(variant, {"depth": depth, "threads": threads}, seed)
    begun = time.perf_counter()
    analysis = thought(player, at, quiet=to_stdout)
    seconds = time.perf_counter() - begun
    text = json_text(
        {
            "position": at.text,
            "best": analysis.best + 1,
            "scores": {str(column + 1): score for column, score in analysis.scores.items()},
            "nodes": analysis.nodes,
        }
    )
    if to_stdout:
        # Alone on standard output, it is what a program reads.
        click.echo(text, nl=False)
        return
    with saving() as save:
        if export_json is not None:
            save(partial(write_text, text=text), export_json)
        click.echo(f"{at.drawing()}\n")
        click.echo(f"{STONES[at.to_move]}, the {at.to_move} player, is to move")
        click.echo(f"{player.label} plays column {analysis.best + 1}")
        print_scores(player, at, analysis)
        if analysis.nodes:
            loading = f"{seconds:.3g} s with compiling or loading kernels"
            click.echo(f"{analysis.nodes:,} nodes, {loading}")


def thought(player: Player, at: Position, quiet: bool = False) -> Analysis:
    """Return a player's analysis of a position, and show meanwhile that it is thinking."""
    with status(quiet) as show:
        show(f"{player.label} is thinking")
        return in_background(lambda: player.analyse(at))


def print_scores(player: Player, at: Position, analysis: Analysis) -> None:
    """Print columns and their scores below each other, and what they mean; nothing if none."""
    if not analysis.scores:
        return
    width = max(len(str(score)) for score in analysis.scores.values())
    columns = [column + 1 for column in analysis.scores]
    for name, row in (("\ncolumn", columns), ("score ", analysis.scores.values())):
        click.echo(f"{name}  {'  '.join(f'{cell:>{width}}' for cell in row)}")
    click.echo(f"\nscores: {player.scores_mean}")
    verdict = player.verdict(at, analysis)
    if verdict:
        click.echo(verdict)
