"""``bsbench connect4``: the second game, its commands, and the options that they share."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import click

from bsbench.cli.delivery import Study, study
from bsbench.cli.ending import saving
from bsbench.cli.group import CommandGroup, Keeps, Section, in_section
from bsbench.cli.options import (
    OUTPUT,
    Decorator,
    GroupedCommand,
    force_option,
    games_option,
    grouped,
    seed_option,
    threads_option,
)
from bsbench.cli.waiting import in_background, status
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_numbers, read_variant
from bsbench.connect4.position import COLUMNS, STEPS, STONES, Position

if TYPE_CHECKING:
    from bsbench.connect4.match import Match
    from bsbench.connect4.players import Analysis, Player
    from bsbench.present.matches import Columns
    from bsbench.present.sheets import Sheet


depth_option = click.option(
    "--depth", metavar="N", help="Plies that hard looks ahead: short for hard,depth=N."
)


def player_option(meaning: str) -> Decorator:
    """Add the option that names a player, with its meaning."""
    return click.option(
        "-p",
        "--player",
        "variant",
        metavar="NAME",
        default="hard",
        show_default=True,
        help=f"{meaning}: greedy, hard, perfect or random; parameters may follow after commas.",
    )


def make_players(variants: Sequence[str], settings: Mapping[str, str | None]) -> list[Player]:
    """Return the players that are named, with the parameters that options set.

    Parameters
    ----------
    variants : sequence of str
        ``NAME,PARAMETER=VALUE,…`` each; what is given there wins.
    settings : mapping of str to str or None
        Values by parameter, for all players that have it; None where an option is not given.

    Raises
    ------
    BsbenchError
        If there is no such player, a value is wrong, or a setting fits no player.
    """
    from bsbench.connect4.players import find_player

    named = [read_variant(variant) for variant in variants]
    kinds = [find_player(name) for name, _ in named]
    players = []
    for kind, (_, own) in zip(kinds, named, strict=True):
        # What nobody has, the first one refuses.
        fitting = {
            key: value
            for key, value in settings.items()
            if value is not None
            and (key in kind.declared() or not any(key in each.declared() for each in kinds))
        }
        players.append(kind.configured({**fitting, **own}))
    return players


def ready_player(variant: str, settings: Mapping[str, str | None], seed: int) -> Player:
    """Return a single player, as `make_players` does, ready to play under a seed.

    Raises
    ------
    BsbenchError
        For the reasons that `make_players` has, or if the seed is out of range.
    """
    check_numbers(1, seed, None)
    (player,) = make_players([variant], settings)
    player.begin(seed)
    return player


_MODULES = dict.fromkeys(("best", "match", "play"), __name__)


@in_section(Section.OTHER)
@click.group("connect4", cls=CommandGroup, modules=lambda: _MODULES)
def connect4_command() -> None:
    """Play Connect 4, compare its players, and ask them for a move.

    Columns are numbered from 1 to 7; a position is written as the columns played, one after
    the other: 44455 has three stones in the middle and two beside them. Players are greedy, hard,
    perfect and random.
    """


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


@in_section(Section.PLAY, Keeps.GAMES)
@study(
    "match",
    [
        # Not required: click would report a missing one in several lines.
        click.argument("variants", metavar="PLAYER PLAYER", nargs=-1),
        games_option("How many games to play, an even number.", "1,000", default=1_000),
        depth_option,
        click.option(
            "--opening",
            "opening_plies",
            type=int,
            metavar="PLIES",
            default=8,
            show_default=True,
            help="Random moves from which a pair of games begins.",
        ),
        seed_option("Seed of the openings and of the players' random numbers."),
        threads_option,
    ],
)
def match_command(
    variants: tuple[str, ...],
    games: int,
    depth: str | None,
    opening_plies: int,
    seed: int,
    threads: int | None,
) -> Study:
    """Play a match of two players: greedy, hard, perfect or random.

    They play each opening twice, with sides changed. Parameters follow a player's name after
    commas, without spaces. Openings are random legal moves after which the game is not over, and
    nobody wins at once. A pair of games from one opening is the unit of all intervals. Ctrl-C ends
    early and prints what was played, with exit code 130.

    \b
    Examples:
      bsbench connect4 match hard random --games 10000 --depth 6
      bsbench connect4 match hard,depth=4 hard,depth=6
      bsbench connect4 match hard perfect --opening 16 -n 200
    """
    if len(variants) != 2:
        raise BsbenchError(f"a match takes two players, not {len(variants)}: name two")

    from bsbench.connect4.match import check_match, play_match

    players = make_players(variants, {"depth": depth})
    check_match(games, opening_plies, seed, threads)
    find = partial(play_match, *players, games=games, opening_plies=opening_plies)
    return Study(
        partial(find, seed=seed, threads=threads),
        _sheet,
        in_background=False,
        bars=[" – ".join(player.label for player in players)],
        games=games,
    )


def _sheet(match: Match) -> Sheet:
    """Return what is shown of a match: who won, by side, and the times of moves."""
    from bsbench.present.sheets import Sheet
    from bsbench.present.tables import threads_text, time_text

    first, second = match.labels
    notes = [
        f"{match.games:,} games, {match.lengths.mean():.1f} moves each, in {match.games // 2:,} "
        f"pairs from openings of {match.opening_plies} random moves, seed {match.seed}"
    ]
    if match.partial:
        notes.append(f"partial: interrupted after {match.games:,} of {match.requested:,} games")
    if match.opening_plies == 0:
        notes.append("all games begin on the empty board: deterministic players repeat one pair")
    notes.append(
        f"played in {match.play_seconds:.2f} s on {threads_text(match.threads)}, after "
        f"{match.setup_seconds:.2f} s of compiling or loading kernels; times of moves are "
        "processor time"
    )
    efforts = {
        "player": [first, second],
        "moves": [f"{each.moves:,}" for each in match.efforts],
        "time a move": [time_text(each.seconds / each.moves) for each in match.efforts],
        "nodes a move": [
            f"{each.nodes / each.moves:,.0f}" if each.nodes else "–" for each in match.efforts
        ],
    }
    return Sheet(
        _columns(match),
        finding=f"{first} against {second}: Elo difference {match.score.text}",
        more=efforts,
        notes=notes,
        words=[first, "player"],
    )


def _columns(match: Match) -> Columns:
    """Return the results of the first-named in percent, by side and in all."""
    from bsbench.present.matches import outcome_columns

    rows = {}
    for name, counts in zip(("as first", "as second"), match.by_side, strict=True):
        won, drawn, lost = counts / counts.sum()
        rows[name] = [won, drawn, lost, won + drawn / 2]
    score = match.score
    rows["in all"] = [*match.race.shares, score.share]
    intervals = [*match.race.intervals, (score.low, score.high)]
    return outcome_columns(match.labels[0], rows, intervals)


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
