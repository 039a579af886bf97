"""``bsbench connect4 quality``: how many moves are optimal."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.delivery import Kept, Study, drawing, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import picture_kind, threads_option
from bsbench.cli.saving import saving_options
from bsbench.common.errors import BsbenchError
from bsbench.connect4.cli.options import (
    check_named,
    depth_option,
    make_players,
    seed_option,
    set_option,
    timeout_option,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.connect4.quality import Quality

_POSITIONS = [
    click.option(
        "-n",
        "--positions",
        type=int,
        metavar="N",
        default=200,
        show_default=True,
        help="Positions of each ply.",
    ),
    click.option(
        "--plies",
        metavar="FROM-TO",
        default="12-30",
        show_default=True,
        help="Stones on the board. With fewer than 12, some positions take the solver seconds.",
    ),
]


@in_section(Section.ODDS, Keeps.MEASURED)
@study(
    "quality",
    [
        click.argument("variants", metavar="[PLAYER...]", nargs=-1),
        *_POSITIONS,
        depth_option,
        set_option,
        seed_option("Seed of the positions and of the players' random numbers."),
        threads_option,
        timeout_option,
        click.option(
            "--chart", metavar="PATH", help="Draw the shares to a .png, .svg or .pdf file."
        ),
        saving_options(None, several=False),
    ],
)
def quality_command(
    variants: tuple[str, ...],
    positions: int,
    plies: str,
    depth: str | None,
    settings: tuple[str, ...],
    seed: int,
    threads: int | None,
    timeout: float,
    chart: str | None,
) -> Study:
    """Count how many moves of players are optimal.

    The solver judges the moves; the table counts them by stones on the board. Positions are those
    of random play in which columns differ in worth. A move is optimal if it is worth as much as the
    best: it also wins as soon, or loses as late, as possible. Without players, all but the solver
    itself are judged. Ctrl-C ends early and shows the players that were judged, with exit code 130.
    Players of your own are FILE.py:CLASS, or cmd:COMMAND for a program; one that fails is left out,
    and the exit code is 1.

    \b
    Examples:
      bsbench connect4 quality hard greedy --depth 4 --plies 16-30
      bsbench connect4 quality --chart quality.png
      bsbench connect4 quality my_player.py:MyPlayer greedy
    """
    kind = picture_kind(chart)
    begin, dash, end = plies.partition("-")
    if not (begin.isdecimal() and (end.isdecimal() or not dash)):
        raise BsbenchError(f"unreadable plies {plies!r}: write FROM-TO, such as 16-30")
    wanted = range(int(begin), int(end or begin) + 1)
    check_named(variants, depth, settings, "are judged")

    from bsbench.connect4.quality import judge_players, judged_players
    from bsbench.connect4.tables import quality_sheet
    from bsbench.matches.keeping import about_players

    players = judged_players(make_players(variants, depth, settings, timeout))

    def figure(found: Quality) -> Figure:
        from bsbench.connect4.charts.quality import quality

        return quality(found)

    about = partial(about_players, players, seed=seed, positions=positions, plies=plies)
    return Study(
        partial(
            judge_players, players, plies=wanted, positions=positions, seed=seed, threads=threads
        ),
        quality_sheet,
        in_background=False,
        kept=Kept("quality", about),
        files={chart: drawing(figure, kind)},
    )
