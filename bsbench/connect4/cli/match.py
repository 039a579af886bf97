"""``bsbench connect4 match``: two players, many games."""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING, Unpack

import click

from bsbench.cli.ending import end_interrupted, saving
from bsbench.cli.exports import Exportable, Exports, export_options, of_entries
from bsbench.cli.options import GroupedCommand, quiet_option
from bsbench.cli.playing import progress_bar
from bsbench.cli.saving import SaveOptions, record_writer, saving_options
from bsbench.common.errors import BsbenchError
from bsbench.common.progress import Progress
from bsbench.connect4.cli.options import MatchOptions, game_options, make_players

if TYPE_CHECKING:
    from bsbench.matches.match import Match


@click.command("match", cls=GroupedCommand)
# Not required: click would report a missing one in several lines.
@click.argument("variants", metavar="PLAYER PLAYER", nargs=-1)
@game_options("How many games to play, an even number.", 1_000)
@saving_options(None, several=False)
@export_options()
@quiet_option
def match_command(
    variants: tuple[str, ...],
    depth: str | None,
    settings: tuple[str, ...],
    keep: SaveOptions,
    exports: Exports,
    timeout: float,
    quiet: bool,
    **request: Unpack[MatchOptions],
) -> None:
    """Let two players play each other, each opening twice with sides changed.

    Parameters follow a player's name after commas, without spaces. Openings are random legal
    moves after which the game is not over, and nobody wins at once. A pair of games from one
    opening is the unit of all intervals. Ctrl-C ends early and prints what was played, with
    exit code 130. A player is a built-in one, or your own: FILE.py:CLASS, or cmd:COMMAND for a
    program. If yours fails, what was played before is saved and printed, with exit code 2.

    \b
    Examples:
      bsbench connect4 match hard random --games 10000 --depth 6
      bsbench connect4 match hard,depth=4 mcts,playouts=1000
      bsbench connect4 match hard greedy --set hard.terminal=later -o match
      bsbench connect4 match my_player.py:MyPlayer 'cmd:./my_bot --level 3' -n 200
    """
    if len(variants) != 2:
        raise BsbenchError(f"a match takes two players, not {len(variants)}: name two")

    from bsbench.connect4.contest import CONTEST, play_match
    from bsbench.matches.faults import PlayerError
    from bsbench.matches.keeping import about_players

    first, second = make_players(variants, depth, settings, timeout)
    CONTEST.check_match(**request)
    exports.check()
    fault: PlayerError | None = None
    label = f"{first.label} – {second.label}"
    about = partial(
        about_players,
        [first, second],
        seed=request["seed"],
        opening_plies=request["opening_plies"],
    )
    with record_writer(keep, exports, "match", about) as kept:
        with progress_bar([label], request["games"], quiet) as progress:

            def shown(played: int) -> None:
                if progress is not None:
                    progress(Progress(label, played))

            try:
                match = play_match(first, second, **request, progress=shown, journal=kept.journal)
            except PlayerError as error:
                if error.match is None:
                    raise
                fault, match = error, error.match
        with saving() as save:
            kept.finish(save, match, _exportable(match), print_match, quiet)
    if fault is not None:
        raise fault
    if match.partial:
        end_interrupted()


def _exportable(match: Match) -> Exportable:
    """Return what exports a match: a row for each player."""
    from bsbench.connect4.tables import match_columns

    return of_entries(match.to_dict, "players", partial(match_columns, match))


def print_match(match: Match, file: IO[str]) -> None:
    """Print who won, by side, and the times of moves."""
    from rich.text import Text

    from bsbench.connect4.tables import effort_columns, match_columns, time_note
    from bsbench.present.tables import threads_text
    from bsbench.present.terminal import console_for, print_lines, print_table

    console = console_for(file)
    first, second = match.labels
    console.print(Text.assemble((first, "bold"), " against ", (second, "bold")), soft_wrap=True)
    console.print()
    print_table(console, match_columns(match), words=[first])
    console.print(f"Elo difference {match.score.text}", style="bold")
    console.print()
    moves = {"player": [first, second], "moves": [f"{each.moves:,}" for each in match.efforts]}
    print_table(console, moves | effort_columns(match.efforts))
    lines = [
        f"{match.games:,} games, {match.lengths.mean():.1f} moves each, in {match.games // 2:,} "
        f"pairs from openings of {match.opening_plies} random moves, seed {match.seed}"
    ]
    if match.partial:
        how = "interrupted" if match.interrupted else "a player failed"
        lines.append(f"partial: {how} after {match.games:,} of {match.requested:,} games")
    if match.opening_plies == 0:
        lines.append("all games begin on the empty board: deterministic players repeat one pair")
    lines.append(
        f"played in {match.play_seconds:.2f} s on {threads_text(match.threads)}, after "
        f"{match.setup_seconds:.2f} s of compiling or loading kernels; {time_note(match.players)}"
    )
    print_lines(console, lines)
