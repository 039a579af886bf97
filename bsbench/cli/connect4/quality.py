"""``bsbench connect4 quality``: how many moves are optimal."""

from __future__ import annotations

import sys
from functools import partial
from typing import IO, TYPE_CHECKING

import click

from bsbench.cli.connect4.options import (
    check_files,
    depth_option,
    json_option,
    make_players,
    set_option,
    write_json,
)
from bsbench.cli.options import picture_kind, quiet_option
from bsbench.cli.playing import in_background, status, uninterrupted
from bsbench.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.connect4.quality import Quality


@click.command("quality")
@click.argument("variants", metavar="[PLAYER...]", nargs=-1)
@click.option(
    "-n", "--positions", type=int, metavar="N", help="Positions of each ply.  [default: 200]"
)
@click.option(
    "--plies",
    metavar="FROM-TO",
    default="12-30",
    show_default=True,
    help="Stones on the board. With fewer than 12, the solver takes up to seconds for a position.",
)
@depth_option
@set_option
@click.option(
    "--seed", type=int, metavar="N", default=0, show_default=True, help="Which positions."
)
@click.option("--threads", type=int, metavar="N", help="Threads to use.  [default: all cores]")
@json_option
@click.option("--chart", metavar="PATH", help="Draw the shares to a new .png or .svg file.")
@quiet_option
def quality_command(
    variants: tuple[str, ...],
    positions: int | None,
    plies: str,
    depth: str | None,
    settings: tuple[str, ...],
    seed: int,
    threads: int | None,
    json_file: str | None,
    chart: str | None,
    quiet: bool,
) -> None:
    """Count how many moves of players are optimal, judged by the solver, by stones on the board.

    Positions are those of random play in which columns differ in worth. A move is optimal if it
    is worth as much as the best: it also wins as soon, or loses as late, as can be. Without
    players, all but the solver itself are judged.

    \b
    Examples:
      bsbench connect4 quality hard greedy --depth 4 --plies 16-30
      bsbench connect4 quality --chart quality.png
    """
    kind = picture_kind(chart)
    begin, dash, end = plies.partition("-")
    if not (begin.isdecimal() and (end.isdecimal() or not dash)):
        raise BsbenchError(f"unreadable plies {plies!r}: write FROM-TO, such as 16-30")
    wanted = range(int(begin), int(end or begin) + 1)

    from bsbench.connect4.quality import POSITIONS, check_judging, judge_players
    from bsbench.results import json_text, write_file
    from bsbench.settings import check_numbers

    positions = POSITIONS if positions is None else positions
    if not variants and (depth is not None or settings):
        raise BsbenchError("without players, all are judged as they are: name those to be set")
    players = make_players(variants, depth, settings)
    check_judging(wanted, positions)
    check_numbers(1, seed, threads)
    check_files(json_file, chart)
    with status(quiet) as tell:
        found = in_background(
            lambda: judge_players(
                players,
                plies=wanted,
                positions=positions,
                seed=seed,
                threads=threads,
                progress=lambda what, done: tell(f"{what}, {done} of {len(wanted)} plies"),
            )
        )
    with uninterrupted():
        text = json_text(found.to_dict())
        write_json(text, json_file)
        if chart:
            from bsbench.charts import write_figure
            from bsbench.connect4.charts.quality import quality

            write_file(chart, partial(write_figure, quality(found), kind=kind))
        if not quiet:
            print_quality(found, sys.stderr if json_file == "-" else None)
        if json_file == "-":
            click.echo(text, nl=False)


def print_quality(found: Quality, file: IO[str] | None = None) -> None:
    """Print shares of optimal moves, by player and ply."""
    from rich.text import Text

    from bsbench.cli.table import console_for, empty_table
    from bsbench.connect4.charts.quality import GROUP
    from bsbench.connect4.tables import quality_cells, quality_columns
    from bsbench.tables import threads_text

    console = console_for(file)
    table = empty_table()
    table.add_column("% optimal by stones", overflow="fold")
    for column in (*quality_columns(found, GROUP), "all", "outcome kept"):
        table.add_column(column, justify="right", no_wrap=True)
    for label, *cells in quality_cells(found, GROUP):
        table.add_row(Text(label), *cells)
    console.print(table)
    console.print()
    for line in (
        f"{found.positions:,} positions of each number of stones from {found.plies[0]} to "
        f"{found.plies[-1]}, seed {found.seed}; outcome kept: a won one stays won, a drawn one "
        "drawn",
        f"judged in {found.judge_seconds:.1f} s, played in {found.play_seconds:.1f} s, on "
        f"{threads_text(found.threads)}",
    ):
        console.print(line, markup=False)
