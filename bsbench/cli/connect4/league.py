"""``bsbench connect4 league``: each player meets each."""

from __future__ import annotations

import sys
from functools import partial
from typing import IO, TYPE_CHECKING

import click

from bsbench.cli.connect4.match import effort_cells
from bsbench.cli.connect4.options import (
    check_files,
    game_options,
    json_option,
    make_players,
    write_json,
)
from bsbench.cli.options import picture_kind, quiet_option
from bsbench.cli.playing import status, uninterrupted
from bsbench.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.connect4.league import League


@click.command("league")
@click.argument("variants", metavar="[PLAYER...]", nargs=-1)
@game_options("Games of each two players, an even number.  [default: 200]")
@json_option
@click.option("--chart", metavar="PATH", help="Draw the ratings to a new .png or .svg file.")
@quiet_option
def league_command(
    variants: tuple[str, ...],
    games: int | None,
    depth: str | None,
    settings: tuple[str, ...],
    opening_plies: int,
    seed: int,
    threads: int | None,
    json_file: str | None,
    chart: str | None,
    quiet: bool,
) -> None:
    """Let each player meet each, and rate them all.

    Without players, all take part: hard at several depths, mcts with several numbers of random
    games. Ratings are Elo, relative to the mean of the league, with 95 % intervals. Ctrl-C ends
    early and rates those who have all met, with exit code 130.

    \b
    Examples:
      bsbench connect4 league
      bsbench connect4 league random greedy hard,depth=2 hard,depth=4 --games 1000
      bsbench connect4 league greedy hard mcts --depth 6 --json league.json --chart league.png
    """
    kind = picture_kind(chart)

    from bsbench.connect4.league import GAMES, all_players, check_entries, play_league
    from bsbench.connect4.match import check_match
    from bsbench.results import json_text, write_file

    games = GAMES if games is None else games
    if not variants and (depth is not None or settings):
        raise BsbenchError("without players, all take part as they are: name those to be set")
    players = make_players(variants, depth, settings) if variants else all_players()
    check_entries(players)
    check_match(games, opening_plies, seed, threads)
    check_files(json_file, chart)
    total = games * len(players) * (len(players) - 1) // 2
    with status(quiet) as tell:
        league = play_league(
            players,
            games=games,
            opening_plies=opening_plies,
            seed=seed,
            threads=threads,
            progress=lambda who, played: tell(f"{played:,} of {total:,} games: {who}"),
        )
    with uninterrupted():
        text = json_text(league.to_dict())
        # Files first: what goes wrong after that loses no game.
        write_json(text, json_file)
        if chart:
            from bsbench.charts import write_figure
            from bsbench.connect4.charts.ratings import ratings

            write_file(chart, partial(write_figure, ratings(league), kind=kind))
        if not quiet:
            print_league(league, sys.stderr if json_file == "-" else None)
        if json_file == "-":
            click.echo(text, nl=False)
    if league.partial:
        # As a shell reports a command ended by Ctrl-C.
        sys.exit(130)


def print_league(league: League, file: IO[str] | None = None) -> None:
    """Print ratings and what moves took, and who scored what against whom."""
    from rich.text import Text

    from bsbench.cli.table import console_for, empty_table
    from bsbench.connect4.tables import cross_cells, rating_cells
    from bsbench.tables import threads_text

    console = console_for(file)
    order = league.order
    table = empty_table()
    names = ("", "player", "Elo ± 95 %", "score", "time a move", "nodes a move", "nodes/s")
    for column in names:
        is_text = column == "player"
        table.add_column(
            column, justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold"
        )
    for rank, (place, cells) in enumerate(zip(order, rating_cells(league), strict=True), 1):
        label, *figures = cells
        table.add_row(str(rank), Text(label), *figures, *effort_cells(league.efforts[place])[1:])
    console.print(table)
    console.print()
    if len(order) > 2:
        cross = empty_table()
        cross.add_column("", justify="right", no_wrap=True)
        cross.add_column("score in % against", overflow="fold")
        for rank in range(1, len(order) + 1):
            cross.add_column(str(rank), justify="right", no_wrap=True)
        for rank, (label, *scores) in enumerate(cross_cells(league), 1):
            cross.add_row(str(rank), Text(label), *scores)
        console.print(cross)
        console.print()
    count = len(order)
    lines = [
        f"{league.games:,} games of each two, {league.games * count * (count - 1) // 2:,} in all, "
        f"from openings of {league.opening_plies} random moves, seed {league.seed}",
        f"played in {league.play_seconds:.1f} s on {threads_text(league.threads)}, after "
        f"{league.setup_seconds:.1f} s of compiling or loading kernels; times of moves are "
        "processor time",
    ]
    if league.partial:
        lines.append(f"partial: interrupted when {count} of {league.requested} players had all met")
    for line in lines:
        console.print(line, markup=False)
