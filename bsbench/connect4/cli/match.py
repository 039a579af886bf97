"""``bsbench connect4 match``: two players, many games."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import games_option, seed_option, threads_option
from bsbench.common.errors import BsbenchError
from bsbench.connect4.cli.options import depth_option, make_players

if TYPE_CHECKING:
    from bsbench.connect4.match import Match
    from bsbench.present.matches import Columns
    from bsbench.present.sheets import Sheet


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
