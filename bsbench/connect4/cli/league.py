"""``bsbench connect4 league``: every player meets every other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

import click

from bsbench.cli.delivery import Kept, Study, drawing, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import picture_kind
from bsbench.cli.saving import saving_options
from bsbench.connect4.cli.options import MatchOptions, check_named, game_options, make_players

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.matches.league import League


@in_section(Section.PLAY, Keeps.MET)
@study(
    "league",
    [
        click.argument("variants", metavar="[PLAYER...]", nargs=-1),
        game_options("Games between each two players, an even number.", 200),
        click.option(
            "--chart", metavar="PATH", help="Draw the ratings to a .png, .svg or .pdf file."
        ),
        saving_options(None, several=False),
    ],
)
def league_command(
    variants: tuple[str, ...],
    depth: str | None,
    settings: tuple[str, ...],
    chart: str | None,
    timeout: float,
    **request: Unpack[MatchOptions],
) -> Study:
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

    from bsbench.connect4.contest import CONTEST
    from bsbench.connect4.players import all_players
    from bsbench.connect4.tables import league_sheet
    from bsbench.matches.contest import check_entries
    from bsbench.matches.keeping import about_players

    players = make_players(variants, depth, settings, timeout) or all_players()
    check_entries(players)
    CONTEST.check_match(**request)

    def figure(league: League) -> Figure:
        from bsbench.connect4.charts.ratings import ratings

        return ratings(league)

    plies, seed = request["opening_plies"], request["seed"]
    return Study(
        partial(CONTEST.play_league, players, **request),
        league_sheet,
        in_background=False,
        kept=Kept("league", partial(about_players, players, seed=seed, opening_plies=plies)),
        files={chart: drawing(figure, kind)},
    )
