"""``bsbench duel``: two strategies, until it is clear which is better."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.completion import STRATEGY
from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import game_options, grouped
from bsbench.cli.saving import Kept, saving_options
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.runs.request import Request

_MARGIN = click.option(
    "--margin",
    type=float,
    default=0.05,
    show_default=True,
    metavar="MOVES",
    help="Strategies that differ by less count as equal.",
)


@in_section(Section.PLAY, Keeps.COMMON)
@study(
    "duel",
    [
        # Not required: click would report a missing one in several lines.
        click.argument("variants", type=STRATEGY, metavar="STRATEGY STRATEGY", nargs=-1),
        game_options(
            "the home that both share, else classic", "The most games to play.", "100,000,000"
        ),
        grouped("What is played", [_MARGIN]),
        saving_options(None, several=False),
    ],
)
def duel_command(
    variants: tuple[str, ...],
    request: Request,
    margin: float,
) -> Study:
    """Play two strategies until it is clear which is better.

    Both play the same games. Parameters follow a strategy's name after commas, without spaces. The
    mean difference is examined after 4,096, 8,192, 16,384, … games. Its interval stays valid under
    repeated examination: of duels between equally good strategies, at most 5 % end with a verdict
    that one is better. The duel also ends when the whole interval lies within the margin. Exit code
    0 if there is a verdict, 1 if not.

    \b
    Examples:
      bsbench duel datagenetics hard-ai
      bsbench duel over9000 over9000,noise=0.01 --margin 0.1 --export-json -
    """
    if len(variants) != 2:
        raise BsbenchError(f"a duel takes two strategies, not {len(variants)}: name two")
    request.check_single("a duel")

    from bsbench.roster import make_variant
    from bsbench.runs.contestants import scenarios_for
    from bsbench.studies.duel.sheet import sheet
    from bsbench.studies.duel.study import about_duel, check_duel, duel

    first, second = shooters = [make_variant(variant, request.limits) for variant in variants]
    (scenario,), note = scenarios_for(request, shooters)
    check_duel(shooters, scenario, margin, request)
    who, seed = (first, second, scenario), request.seed or 0
    find = partial(duel, *who, margin=margin, games=request.games, seed=seed, **request.how)
    about = partial(about_duel, *who, seed)
    return Study(
        find,
        sheet,
        in_background=False,
        note=note,
        bars=[first.label, second.label],
        interrupted="Interrupted before the first look: there is nothing to report.",
        kept=Kept("duel", about, request.secret_seed),
    )
