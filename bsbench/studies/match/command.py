"""``bsbench match``: sides that hide and shoot, and who beats whom."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.completion import CONTESTANT
from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import game_options, grouped
from bsbench.cli.saving import Kept, saving_options
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.common.progress import Watch
    from bsbench.runs.request import Request
    from bsbench.studies.match.study import Match, Read

_HOW = [
    click.option(
        "--last-turn", is_flag=True, help="Give the second side a last turn, too: then draws exist."
    ),
    click.option(
        "--from-records",
        is_flag=True,
        help="Match all records of a million games that come with bsbench; nothing is played.",
    ),
]


@in_section(Section.PLAY, Keeps.COMMON)
@study(
    "match",
    [
        # Not required: click would report a missing one in several lines.
        click.argument("given", type=CONTESTANT, metavar="SIDE|RECORD...", nargs=-1),
        game_options(
            "that of the records, else the home that all shooters share, else classic",
            "How many games each two play, an even number.",
            "100,000",
        ),
        grouped("How they meet", _HOW),
        saving_options(None, several=False),
    ],
    "a row for each two sides",
)
def match_command(
    given: tuple[str, ...],
    request: Request,
    last_turn: bool,
    from_records: bool,
) -> Study:
    """Let sides hide and shoot, and say who beats whom.

    A side is SHOOTER, or 'SHOOTER @ LAW' with the placement law by which it hides its own fleet;
    without a law, it is that of the scenario. Two sides shoot in turn, and whoever sinks all first
    wins. Who begins alternates: two games each are on the same two layouts, with sides changed. How
    often each wins follows from the move counts of both, more precisely than from the games
    played, which the table has below. So saved records take part without a game.

    \b
    Examples:
      bsbench match lattice2 prob
      bsbench match 'lattice2 @ avoid:prob' prob --last-turn
      bsbench match lattice2 over9000 datagenetics prob -n 1e6
      bsbench match @classic/lattice2 @classic/bob
      bsbench match --from-records --scenario harbour
    """
    if from_records and given:
        raise BsbenchError(
            "--from-records takes all records that come with bsbench: leave it out, or the sides"
        )

    from bsbench.studies.match.sheet import sheet
    from bsbench.studies.match.study import asked_for, bundled, play_match, read_sides

    if from_records:
        (scenario,) = request.scenarios_or(None)
        sides: list[Read] = [(each, None) for each in bundled(scenario)]
    else:
        sides = read_sides(given, request.limits)
    asked = asked_for(request, sides, last_turn)
    if not asked.shooters:

        def compute(progress: Watch, journal: object = None) -> Match:
            return play_match(asked, request)

        return Study(compute, sheet, kept=Kept("match", asked.about))
    several = len(asked.by_law) > 1
    bars = [
        f"{shooter.label} against {law}" if several else shooter.label
        for law, (_, shooters) in asked.by_law.items()
        for shooter in shooters
    ]
    return Study(
        partial(play_match, asked, request),
        sheet,
        in_background=False,
        bars=bars,
        games=asked.games,
        interrupted="Interrupted before two sides had met: there is nothing to report.",
        kept=Kept("match", asked.about, request.secret_seed),
    )
