"""``bsbench connect4 match``: two players, many games."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import click

from bsbench.cli.delivery import Kept, Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.saving import saving_options
from bsbench.common.errors import BsbenchError
from bsbench.connect4.cli.options import MatchOptions, game_options, make_players

if TYPE_CHECKING:
    from bsbench.matches.match import Match


@in_section(Section.PLAY, Keeps.GAMES)
@study(
    "match",
    [
        # Not required: click would report a missing one in several lines.
        click.argument("variants", metavar="PLAYER PLAYER", nargs=-1),
        game_options("How many games to play, an even number.", 1_000),
        saving_options(None, several=False),
    ],
)
def match_command(
    variants: tuple[str, ...],
    depth: str | None,
    settings: tuple[str, ...],
    timeout: float,
    **request: Unpack[MatchOptions],
) -> Study:
    """Play a match of two players.

    They play each opening twice, with sides changed. Parameters follow a player's name after
    commas, without spaces. Openings are random legal moves after which the game is not over, and
    nobody wins at once. A pair of games from one opening is the unit of all intervals. Ctrl-C ends
    early and prints what was played, with exit code 130. A player is a built-in one, or your own:
    FILE.py:CLASS, or cmd:COMMAND for a program. If yours fails, what was played before is saved and
    printed, with exit code 2.

    \b
    Examples:
      bsbench connect4 match hard random --games 10000 --depth 6
      bsbench connect4 match hard,depth=4 mcts,playouts=1000
      bsbench connect4 match hard greedy --set hard.terminal=later -o match
      bsbench connect4 match my_player.py:MyPlayer 'cmd:./my_bot --level 3' -n 200
    """
    if len(variants) != 2:
        raise BsbenchError(f"a match takes two players, not {len(variants)}: name two")

    from bsbench.connect4.contest import CONTEST
    from bsbench.connect4.tables import match_sheet
    from bsbench.matches.faults import PlayerError
    from bsbench.matches.keeping import about_players

    players = make_players(variants, depth, settings, timeout)
    CONTEST.check_match(**request)

    def find(**options: Any) -> Match:
        try:
            return CONTEST.play_match(*players, **request, **options)
        except PlayerError as fault:
            played: Match | None = fault.match
            if played is None:
                raise
            return played

    plies, seed = request["opening_plies"], request["seed"]
    return Study(
        find,
        match_sheet,
        in_background=False,
        bars=[" – ".join(player.label for player in players)],
        games=request["games"],
        kept=Kept("match", partial(about_players, players, seed=seed, opening_plies=plies)),
    )
