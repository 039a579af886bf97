"""``bsbench connect4 league``: every player meets every other."""

from __future__ import annotations

import sys
from functools import partial
from typing import IO, TYPE_CHECKING, Unpack

import click

from bsbench.cli.ending import end_interrupted, saving
from bsbench.cli.exports import Exportable, Exports, export_options, of_entries
from bsbench.cli.options import GroupedCommand, picture_kind, quiet_option
from bsbench.cli.playing import status
from bsbench.cli.saving import SaveOptions, record_writer, saving_options
from bsbench.connect4.cli.options import (
    MatchOptions,
    check_named,
    game_options,
    make_players,
    print_faults,
)

if TYPE_CHECKING:
    from bsbench.matches.league import League


@click.command("league", cls=GroupedCommand)
@click.argument("variants", metavar="[PLAYER...]", nargs=-1)
@game_options("Games between each two players, an even number.", 200)
@click.option("--chart", metavar="PATH", help="Draw the ratings to a .png, .svg or .pdf file.")
@saving_options(None, several=False)
@export_options()
@quiet_option
def league_command(
    variants: tuple[str, ...],
    depth: str | None,
    settings: tuple[str, ...],
    keep: SaveOptions,
    exports: Exports,
    chart: str | None,
    timeout: float,
    quiet: bool,
    **request: Unpack[MatchOptions],
) -> None:
    """Let every player meet every other, and rate them all.

    Without players, all take part: hard at several depths, mcts with several numbers of random
    games. Ratings are Elo, relative to the mean of the league, with 95 % intervals. Ctrl-C ends
    early and rates the players that have all met, with exit code 130. Players of your own are
    FILE.py:CLASS, or cmd:COMMAND for a program; if one fails, it leaves the league with all
    its games, the others continue, and the exit code is 1.

    \b
    Examples:
      bsbench connect4 league
      bsbench connect4 league random greedy hard,depth=2 hard,depth=4 --games 1000
      bsbench connect4 league greedy hard mcts -o league --chart all.png
      bsbench connect4 league my_player.py:MyPlayer greedy hard,depth=2 -n 100
    """
    kind = picture_kind(chart)
    check_named(variants, depth, settings, "take part")

    from bsbench.common.files import write_file
    from bsbench.connect4.contest import CONTEST, play_league
    from bsbench.connect4.players import all_players
    from bsbench.matches.contest import check_entries
    from bsbench.matches.keeping import about_players

    players = make_players(variants, depth, settings, timeout) or all_players()
    check_entries(players)
    CONTEST.check_match(**request)
    exports.check([chart])
    total = request["games"] * len(players) * (len(players) - 1) // 2
    about = partial(
        about_players, players, seed=request["seed"], opening_plies=request["opening_plies"]
    )
    with record_writer(keep, exports, "league", about) as kept:
        with status(quiet) as show:
            league = play_league(
                players,
                **request,
                progress=lambda who, played: show(f"{played:,} of {total:,} games: {who}"),
                journal=kept.journal,
            )
        with saving() as save:
            kept.finish(save, league, _exportable(league), print_league, quiet)
            if chart:
                from bsbench.connect4.charts.ratings import ratings
                from bsbench.present.charts import write_figure

                drawn = partial(write_figure, ratings(league), kind=kind)
                save(lambda place: write_file(place, drawn), chart)
    print_faults(league.faults)
    if league.partial:
        end_interrupted()
    if league.faults:
        sys.exit(1)


def _exportable(league: League) -> Exportable:
    """Return what exports a league: a row for each player."""
    from bsbench.connect4.tables import league_columns

    return of_entries(league.to_dict, "players", partial(league_columns, league))


def print_league(league: League, file: IO[str] | None = None) -> None:
    """Print ratings, times of moves, and the scores of every player against every other."""
    from bsbench.connect4.tables import cross_columns, league_columns, time_note
    from bsbench.present.tables import threads_text
    from bsbench.present.terminal import console_for, print_lines, print_table

    console = console_for(file)
    columns = league_columns(league)
    count = len(league.players)
    ranks = {"": [str(rank) for rank in range(1, count + 1)]}
    print_table(console, ranks | columns)
    if count > 2:
        against = "score in % against"
        print_table(
            console, {**ranks, against: columns["player"], **cross_columns(league)}, words=[against]
        )
    lines = [
        f"{league.games:,} games of each two, {league.games * count * (count - 1) // 2:,} in all, "
        f"from openings of {league.opening_plies} random moves, seed {league.seed}",
        f"played in {league.play_seconds:.1f} s on {threads_text(league.threads)}, after "
        f"{league.setup_seconds:.1f} s of compiling or loading kernels; "
        f"{time_note(league.players)}",
    ]
    lines += [f"left out, since it failed: {label}" for label in league.faults]
    if league.partial:
        lines.append(f"partial: interrupted when {count} of {league.requested} players had all met")
    print_lines(console, lines)
