"""``bsbench connect4 match``: two players, many games."""

from __future__ import annotations

import math
import sys
from typing import IO, TYPE_CHECKING

import click

from bsbench.cli.connect4.options import (
    check_files,
    game_options,
    json_option,
    make_players,
    write_json,
)
from bsbench.cli.options import quiet_option
from bsbench.cli.playing import progress_bar, uninterrupted
from bsbench.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.connect4.match import Effort, Match


@click.command("match")
# Not required: click would tell a missing one in several lines.
@click.argument("variants", metavar="PLAYER PLAYER", nargs=-1)
@game_options("How many games to play, an even number.  [default: 1,000]")
@json_option
@quiet_option
def match_command(
    variants: tuple[str, ...],
    games: int | None,
    depth: str | None,
    settings: tuple[str, ...],
    opening_plies: int,
    seed: int,
    threads: int | None,
    json_file: str | None,
    quiet: bool,
) -> None:
    """Let two players play each other, each opening twice with sides changed.

    Parameters follow a player's name after commas, without spaces. Openings are random legal
    moves after which the game is not over, and nobody wins at once. A pair of games from one
    opening is the unit of all intervals. Ctrl-C ends early and tells what was played, with exit
    code 130.

    \b
    Examples:
      bsbench connect4 match hard random --games 10000 --depth 6
      bsbench connect4 match hard,depth=4 mcts,playouts=1000
      bsbench connect4 match hard greedy --set hard.terminal=later --json match.json
    """
    if len(variants) != 2:
        raise BsbenchError(f"a match takes two players, not {len(variants)}: name two")

    from bsbench.connect4.match import GAMES, check_match, play_match
    from bsbench.results import json_text

    games = GAMES if games is None else games
    first, second = make_players(variants, depth, settings)
    check_match(games, opening_plies, seed, threads)
    check_files(json_file)
    label = f"{first.label} – {second.label}"
    with progress_bar([label], games, quiet) as progress:
        match = play_match(
            first,
            second,
            games=games,
            opening_plies=opening_plies,
            seed=seed,
            threads=threads,
            progress=progress and (lambda played: progress(label, played)),
        )
    with uninterrupted():
        text = json_text(match.to_dict())
        # The file first: what goes wrong after that loses no game.
        write_json(text, json_file)
        if not quiet:
            print_match(match, sys.stderr if json_file == "-" else sys.stdout)
        if json_file == "-":
            click.echo(text, nl=False)
    if match.partial:
        # As a shell reports a command ended by Ctrl-C.
        sys.exit(130)


def print_match(match: Match, file: IO[str]) -> None:
    """Print who won, by side, and what the moves took."""
    from rich.text import Text

    from bsbench.cli.table import console_for, empty_table
    from bsbench.tables import interrupted_text, threads_text

    console = console_for(file)
    first, second = match.labels
    console.print(Text.assemble((first, "bold"), " against ", (second, "bold")), soft_wrap=True)
    console.print()
    results = empty_table()
    results.add_column(first, overflow="fold")
    for column in ("won", "drawn", "lost", "score"):
        results.add_column(column, justify="right", no_wrap=True)
    for side, counts in zip(("as first", "as second"), match.by_side.tolist(), strict=True):
        games = sum(counts)
        won, drawn, _ = counts
        results.add_row(
            side,
            *(f"{100 * count / games:.1f} %" for count in counts),
            f"{100 * (won + drawn / 2) / games:.1f} %",
        )
    shares, intervals = match.race.shares, match.race.intervals
    score = match.score
    results.add_row("in all", *(f"{100 * share:.1f} %" for share in (*shares, score.share)))
    ranges = (*intervals, (score.low, score.high))
    results.add_row("95 % interval", *(_range_text(*each) for each in ranges))
    console.print(results)
    console.print()
    console.print(f"Elo difference {score.text}", style="bold")
    console.print()
    efforts = empty_table()
    efforts.add_column("player", overflow="fold")
    for column in ("moves", "time a move", "nodes a move", "nodes/s"):
        efforts.add_column(column, justify="right", no_wrap=True)
    for label, effort in zip(match.labels, match.efforts, strict=True):
        efforts.add_row(Text(label), *effort_cells(effort))
    console.print(efforts)
    console.print()
    moves = match.stones.mean()
    lines = [
        f"{match.games:,} games, {moves:.1f} moves each, in {match.games // 2:,} pairs from "
        f"openings of {match.opening_plies} random moves, seed {match.seed}"
    ]
    if match.partial:
        lines.append(f"partial: {interrupted_text(match.games, match.requested)}")
    if match.opening_plies == 0:
        lines.append("all games begin on the empty board: players without chance repeat one pair")
    lines.append(
        f"played in {match.play_seconds:.2f} s on {threads_text(match.threads)}, after "
        f"{match.setup_seconds:.2f} s of compiling or loading kernels; times of moves are "
        "processor time"
    )
    for line in lines:
        console.print(line, markup=False)


def effort_cells(effort: Effort) -> tuple[str, str, str, str]:
    """Return moves, time and nodes of a move, and nodes per second, as text."""
    from bsbench.connect4.tables import time_text

    if not effort.moves:
        return "0", "–", "–", "–"
    rate = effort.nodes_per_second
    return (
        f"{effort.moves:,}",
        time_text(effort.seconds_per_move),
        f"{effort.nodes / effort.moves:,.0f}" if effort.nodes else "–",
        "–" if math.isnan(rate) else f"{rate / 1e6:,.1f} M",
    )


def _range_text(low: float, high: float) -> str:
    return f"{100 * low:.1f}–{100 * high:.1f} %"
