"""``bsbench duel``: two strategies, until it is clear which is better."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

import click

from bsbench.cli.completion import STRATEGY
from bsbench.cli.delivery import Kept, Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import game_options, grouped
from bsbench.cli.saving import saving_options
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.runs.request import GameOptions

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
    scenarios: tuple[str, ...] | None,
    games: int | None,
    seeds: tuple[int, ...] | None,
    margin: float,
    **options: Unpack[GameOptions],
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
    from bsbench.runs.request import Request

    request = Request.of(scenarios, seeds, games=games, **options)
    if len(variants) != 2:
        raise BsbenchError(f"a duel takes two strategies, not {len(variants)}: name two")
    request.check_single("a duel")
    _ = request.bases

    from bsbench.cli.experiment import scenario_note
    from bsbench.roster import make_variant
    from bsbench.runs.contestants import shared_home
    from bsbench.studies.duel.sheet import sheet
    from bsbench.studies.duel.study import about_duel, check_duel, duel

    first, second = shooters = [make_variant(variant, request.limits) for variant in variants]
    home = shared_home(shooters)
    (scenario,) = request.scenarios_or(home)
    check_duel(shooters, scenario, margin, request)
    seed = request.seed or 0
    find = partial(
        duel,
        first,
        second,
        scenario,
        margin=margin,
        games=request.games,
        seed=seed,
        threads=request.threads,
        engine=request.engine,
        timeout=request.timeout,
    )
    about = partial(about_duel, first, second, scenario, seed)
    return Study(
        find,
        sheet,
        in_background=False,
        note="" if request.scenarios else scenario_note(shooters, scenario, home),
        bars=[first.label, second.label],
        interrupted="Interrupted before the first look: there is nothing to report.",
        kept=Kept("duel", about, request.secret_seed),
    )
